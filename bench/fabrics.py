"""The trees of both fabrics on a mesh, as they are built: python bench/fabrics.py."""

from collections.abc import Iterator

import svg

from noc.design import build_ordered
from noc.networks import IntArray, Network, build_network
from noc.trees import build_tree
from noc.trees.tree import NO_PARENT

SPEC, SENDER = "mesh:3,3", "0.0"

#: Pixels: between two nodes, of a node, between two panels, above the nodes of a panel.
STEP, RADIUS, PANEL, TOP = 70, 17, 260, 62

TITLE = "The trees of both fabrics on a mesh of 3 by 3 nodes"
DESCRIPTION = (
    "In the ordered fabric words go up a tree from all nodes to the root in the middle, and down "
    "a tree from there to all nodes. In the direct fabric they go down a tree from the sender, "
    "here a corner."
)


def draw() -> dict[str, str]:
    """The picture: the two trees of the ordered fabric, and one of the direct fabric."""
    network = build_network(SPEC)
    ordered = build_ordered(network).program
    direct = build_tree(network, "shortest", root=SENDER)
    panels = (
        ("ordered fabric: up to the root", ordered.up_parent, ordered.root, True),
        ("ordered fabric: down to all nodes", ordered.down.parent, ordered.root, False),
        (f"direct fabric: from sender {SENDER}", direct.parent, direct.root, False),
    )
    body = ""
    for number, (title, parents, top, upwards) in enumerate(panels):
        left = PANEL * number
        body += svg.label(left + PANEL / 2, 24, title, kind="soft")
        body += "".join(_links(network, parents, left, upwards=upwards))
        body += "".join(_nodes(network, top, left))
    size = PANEL * len(panels), TOP + 2 * STEP + 40
    return {"fabrics": svg.document(*size, TITLE, DESCRIPTION, body)}


def _place(network: Network, node: int, left: int) -> tuple[int, int]:
    column, row = map(int, network.label(node).split("."))
    return left + PANEL // 2 + (column - 1) * STEP, TOP + row * STEP


def _links(network: Network, parents: IntArray, left: int, *, upwards: bool) -> Iterator[str]:
    """An arrow for each link of a tree, in the direction of the words."""
    for node, parent in enumerate(parents.tolist()):
        if parent != NO_PARENT:
            ends = (node, parent) if upwards else (parent, node)
            (x1, y1), (x2, y2) = (_place(network, end, left) for end in ends)
            dx, dy = ((b > a) - (b < a) for a, b in ((x1, x2), (y1, y2)))
            far = RADIUS + 2
            yield svg.arrow(x1 + dx * RADIUS, y1 + dy * RADIUS, x2 - dx * far, y2 - dy * far)


def _nodes(network: Network, top: int, left: int) -> Iterator[str]:
    for node in range(network.nodes):
        x, y = _place(network, node, left)
        kind, size = "mark" if node == top else "box", 2 * RADIUS
        yield svg.box(x - RADIUS, y - RADIUS, size, size, kind, RADIUS)
        yield svg.label(x, y + 4, network.label(node))


if __name__ == "__main__":
    svg.write(draw())
