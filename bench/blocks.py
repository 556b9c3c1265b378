"""Block diagrams of the hardware for the pages in docs/: python bench/blocks.py.

Each block is in a column and a row, which need not be whole numbers; arrows lead from the right
side of a block to the left side of another.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import svg

FILE = Path(__file__).parent / "pictures" / "blocks.toml"

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
    chains: list[str]

    @property
    def arrows(self) -> Iterator[tuple[str, str, str]]:
        """Where each begins and ends, and its label."""
        for chain in self.chains:
            names, _, text = chain.partition(": ")
            yield from ((begin, end, text) for begin, end in pairwise(names.split(" > ")))


def draw() -> dict[str, str]:
    """Every diagram by name."""
    pictures = {}
    for name, entry in tomllib.loads(FILE.read_text(encoding="utf-8")).items():
        blocks = {each: Block(*block) for each, block in entry.pop("blocks").items()}
        pictures[name] = _draw(Diagram(blocks=blocks, **entry))
    return pictures


def _draw(diagram: Diagram) -> str:
    blocks = diagram.blocks.values()
    width = max(block.left + block.width for block in blocks) + MARGIN
    height = max(block.middle for block in blocks) + HEIGHT / 2 + MARGIN
    body = svg.label(MARGIN, 24, diagram.title, anchor="start", kind="soft")
    body += "".join(_arrows(diagram)) + "".join(_blocks(diagram))
    return svg.document(round(width), round(height), diagram.title, diagram.description, body)


def _blocks(diagram: Diagram) -> Iterator[str]:
    """Boxes with their names; the names of streams are at their arrows."""
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
    """Straight lines; a label is above its line, and next to one that slopes."""
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
