"""The trees of both fabrics on a mesh, as a picture: python bench/fabrics.py.

Writes docs/fabrics.svg, which shows the trees that are built, not an idea of them.
"""

from collections.abc import Iterator
from pathlib import Path

from noc.design import build_ordered
from noc.networks import IntArray, Network, build_network
from noc.trees import build_tree
from noc.trees.tree import NO_PARENT

__all__ = ["draw"]

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "fabrics.svg"

SPEC, SENDER = "mesh:3,3", "0.0"

#: Pixels: between two nodes, of a node, between two panels, above the nodes of a panel.
STEP, RADIUS, PANEL, TOP = 70, 17, 260, 62

HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" \
font-family="sans-serif" font-size="12" text-anchor="middle">
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" \
orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8z" fill="#1b6ca8"/></marker></defs>
<rect width="{width}" height="{height}" fill="white"/>
"""


def draw() -> str:
    """The picture: the two trees of the ordered fabric, and one of the direct fabric."""
    network = build_network(SPEC)
    ordered = build_ordered(network).program
    direct = build_tree(network, "shortest", root=SENDER)
    panels = (
        ("ordered fabric: up to the root", ordered.up_parent, ordered.root, True),
        ("ordered fabric: down to all nodes", ordered.down.parent, ordered.root, False),
        (f"direct fabric: from sender {SENDER}", direct.parent, direct.root, False),
    )
    width, height = PANEL * len(panels), TOP + 2 * STEP + 40
    text = HEAD.format(width=width, height=height)
    for number, (title, parents, top, upwards) in enumerate(panels):
        left = PANEL * number
        text += f'<text x="{left + PANEL // 2}" y="24">{title}</text>\n'
        text += "".join(_links(network, parents, left, upwards=upwards))
        text += "".join(_nodes(network, top, left))
    return text + "</svg>\n"


def _place(network: Network, node: int, left: int) -> tuple[int, int]:
    column, row = map(int, network.label(node).split("."))
    return left + PANEL // 2 + (column - 1) * STEP, TOP + row * STEP


def _links(network: Network, parents: IntArray, left: int, *, upwards: bool) -> Iterator[str]:
    """An arrow for each link of a tree, in the direction of the words."""
    for node, parent in enumerate(parents.tolist()):
        if parent == NO_PARENT:
            continue
        ends = (node, parent) if upwards else (parent, node)
        (x1, y1), (x2, y2) = (_place(network, end, left) for end in ends)
        dx, dy = ((b > a) - (b < a) for a, b in ((x1, x2), (y1, y2)))
        yield (
            f'<line x1="{x1 + dx * RADIUS}" y1="{y1 + dy * RADIUS}" x2="{x2 - dx * (RADIUS + 2)}" '
            f'y2="{y2 - dy * (RADIUS + 2)}" stroke="#1b6ca8" stroke-width="2" '
            'marker-end="url(#head)"/>\n'
        )


def _nodes(network: Network, top: int, left: int) -> Iterator[str]:
    for node in range(network.nodes):
        x, y = _place(network, node, left)
        fill = "#f3c969" if node == top else "#eef2f6"
        yield f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{fill}" stroke="#444"/>'
        yield f'<text x="{x}" y="{y + 4}">{network.label(node)}</text>\n'


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
