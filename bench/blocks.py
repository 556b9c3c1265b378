"""Block diagrams of the hardware for the pages in docs/: python bench/blocks.py.

Each block stands in a column and a row, which need not be whole numbers; arrows lead from the right
side of a block to the left side of another.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import svg

__all__ = ["draw"]

#: Pixels between two columns and two rows, height of a block, margin.
COLUMN, ROW, HEIGHT, MARGIN = 132, 56, 36, 16


@dataclass(frozen=True)
class Block:
    """A part (``box``), a part that holds words (``own``), or a stream outside (``plain``)."""

    column: float
    row: float
    text: str
    kind: str = "box"
    width: int = 100

    @property
    def left(self) -> float:
        """The left edge."""
        return MARGIN + self.column * COLUMN

    @property
    def middle(self) -> float:
        """The middle of its height."""
        return MARGIN + 30 + self.row * ROW + HEIGHT / 2


@dataclass(frozen=True)
class Diagram:
    """Blocks by name, and chains of names with arrows between, of which the last has a label."""

    title: str
    description: str
    blocks: dict[str, Block]
    chains: str

    @property
    def arrows(self) -> Iterator[tuple[str, str, str]]:
        """Where each begins and ends, and its label."""
        for chain in self.chains.split(", "):
            names, _, text = chain.partition(": ")
            yield from ((begin, end, text) for begin, end in pairwise(names.split(" > ")))


DIAGRAMS = {
    "ordered_node": Diagram(
        "A node of the ordered fabric",
        "On the way up, words from inject and from a child meet in a merge; its words and those"
        " of another child meet in a second merge, which feeds the link up to the parent. On "
        "the way down, words from the parent pass a buffer and a fork, which leads to eject and"
        " to two children.",
        {
            "inject": Block(0, 0, "inject", "plain", 140),
            "first": Block(0, 1, "up, from a child", "plain", 140),
            "second": Block(0, 2, "up, from another", "plain", 140),
            "merge": Block(1.4, 0.5, "merge"),
            "last": Block(2.5, 1.25, "merge"),
            "up": Block(3.75, 1.25, "up, to the parent", "plain", 116),
            "down": Block(0, 4, "down, from the parent", "plain", 140),
            "buffer": Block(1.4, 4, "buffer", "own"),
            "fork": Block(2.5, 4, "fork"),
            "eject": Block(3.75, 3, "eject", "plain"),
            "left": Block(3.75, 4, "down, to a child", "plain", 116),
            "right": Block(3.75, 5, "down, to another", "plain", 116),
        },
        "inject > merge > last > up, first > merge, second > last, "
        "down > buffer > fork > eject, fork > left, fork > right",
    ),
    "joining_node": Diagram(
        "The way up in a node with operations",
        "Dispatch looks at the operation of the node's own words: those that are sent go to the"
        " merges, those that are joined wait in a buffer for their group. A join takes the "
        "waiting word together with a word from a child, and one result goes up on a link of "
        "the group.",
        {
            "inject": Block(0, 1, "inject", "plain", 60),
            "dispatch": Block(0.8, 1, "dispatch"),
            "child": Block(1.9, -0.1, "up, from a child", "plain", 126),
            "waiting": Block(1.9, 2, "waiting words", "own", 126),
            "joined": Block(1.9, 3, "joined, from a child", "plain", 126),
            "merge": Block(3.25, 0.5, "merge"),
            "join": Block(3.25, 2.5, "join"),
            "up": Block(4.35, 0.5, "up, to the parent", "plain", 126),
            "result": Block(4.35, 2.5, "joined, to the parent", "plain", 140),
        },
        "inject > dispatch, dispatch > merge: sent, dispatch > waiting: joined, "
        "child > merge > up, waiting > join > result, joined > join",
    ),
    "router": Diagram(
        "A router of the direct fabric",
        "An arbiter chooses among the in-ports and inject. Its word enters one of two slots. "
        "The code of the oldest word goes to the ROM, whose row tells the fork on which out-"
        "ports the payload leaves, and whether it is ejected.",
        {
            "links": Block(0, 0, "in-ports", "plain", 70),
            "inject": Block(0, 1, "inject", "plain", 70),
            "arbiter": Block(0.9, 0.5, "arbiter"),
            "buffers": Block(2.1, 0.5, "two slots", "own", 150),
            "rom": Block(3.75, -0.4, "ROM", width=80),
            "fork": Block(4.9, 0.5, "fork", width=80),
            "outs": Block(5.8, 0, "out-ports", "plain", 76),
            "eject": Block(5.8, 1, "eject", "plain", 76),
        },
        "links > arbiter > buffers, inject > arbiter, buffers > rom: code, "
        "buffers > fork: payload, rom > fork: row, fork > outs, fork > eject",
    ),
    "flow": Diagram(
        "From a network to compared hardware",
        "A network and trees on it give a program. The cycle model and the Verilog are made "
        "from the program separately. noc verify compares every transfer of both. The Verilog "
        "goes on to FPGA tools.",
        {
            "network": Block(0, 0.5, "network"),
            "trees": Block(1.1, 0.5, "trees"),
            "program": Block(2.2, 0.5, "program"),
            "model": Block(3.3, 0, "cycle model"),
            "verilog": Block(3.3, 1, "Verilog"),
            "verify": Block(4.5, 0, "noc verify", "mark"),
            "chip": Block(4.5, 1, "FPGA", "plain"),
        },
        "network > trees > program > model > verify, program > verilog > verify, verilog > chip",
    ),
}


def draw() -> dict[str, str]:
    """Every diagram by name."""
    return {name: _draw(diagram) for name, diagram in DIAGRAMS.items()}


def _draw(diagram: Diagram) -> str:
    blocks = diagram.blocks.values()
    width = max(block.left + block.width for block in blocks) + MARGIN
    height = max(block.middle for block in blocks) + HEIGHT / 2 + MARGIN
    body = svg.label(MARGIN, 24, diagram.title, anchor="start", kind="soft")
    body += "".join(_arrows(diagram)) + "".join(_blocks(diagram))
    return svg.document(round(width), round(height), diagram.title, diagram.description, body)


def _blocks(diagram: Diagram) -> Iterator[str]:
    """Boxes with their names; the names of streams stand at their arrows."""
    senders = {begin for begin, *_ in diagram.arrows}
    for name, block in diagram.blocks.items():
        base = block.middle + 4
        if block.kind != "plain":
            yield svg.box(block.left, block.middle - HEIGHT / 2, block.width, HEIGHT, block.kind)
            yield svg.label(block.left + block.width / 2, base, block.text)
        elif name in senders:
            yield svg.label(block.left + block.width - 4, base, block.text, anchor="end")
        else:
            yield svg.label(block.left + 4, base, block.text, anchor="start")


def _arrows(diagram: Diagram) -> Iterator[str]:
    """Straight lines; a label stands above its line, and beside one that slopes."""
    for begin, end, text in diagram.arrows:
        source, target = diagram.blocks[begin], diagram.blocks[end]
        x1, x2 = source.left + source.width + 2, target.left - 2
        y1, y2 = source.middle, target.middle
        down = y2 > y1
        # Lines that come from above and from below enter apart.
        y2 += max(-10.0, min(10.0, (y1 - y2) / 4))
        yield svg.arrow(x1, y1, x2, y2)
        anchor, aside = ("start", 8) if down else ("end", -8) if y2 < y1 else ("middle", 0)
        if text:
            x, y = (x1 + x2) / 2 + aside, (y1 + y2) / 2 - 7
            yield svg.label(x, y, text, anchor=anchor, kind="soft")


if __name__ == "__main__":
    svg.write(draw())
