"""What is in a picture: a tree by levels, or in its network; a network alone; and each step."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from noc.draw.canvas import FAINT, INK, LETTERS, Canvas, Lettering, port_style
from noc.errors import InputError, option
from noc.layouts import lay_out
from noc.networks import IntArray, Network
from noc.trees import Tree, TreeFamily
from noc.trees.tree import NO_PARENT

Points = npt.NDArray[np.float64]

#: Of more nodes nobody can read the picture.
MOST_NODES = 800

#: How a tree can be shown, and what that is.
VIEWS = {
    "levels": "the tree by itself, a level for each hop, or for each step of one-port nodes",
    "network": "the tree in its network, with the step in which each node gets the word",
}

#: In points: a level, the margins, and the head with the title.
_LEVEL, _MARGIN, _HEAD = 58.0, 22.0, 26.0
_LEGEND = 74.0

#: More names cannot be read.
_MOST_LABELLED = 130

#: Fills of nodes: those that have the word, the root, and those that do not have it yet.
_HAS, _ROOT, _LACKS = "#dbe9f6", "#f2c14e", "white"

#: The colour of step numbers.
_STEP = "#59636e"


def check_size(network: Network) -> None:
    """Refuse a network whose picture nobody could read."""
    if network.nodes > MOST_NODES:
        raise InputError(
            f"SPEC {network.spec}: {network.nodes} nodes are too many to draw; at most {MOST_NODES}"
        )


def draw(
    drawn: Tree | TreeFamily,
    *,
    view: str = "levels",
    step: int | None = None,
    title: bool = True,
    lettering: Lettering | None = None,
) -> Any:
    """A figure of matplotlib that shows a tree, or several trees one below the other.

    Parameters
    ----------
    drawn : Tree or TreeFamily
        What is shown.
    view : str
        ``levels`` or ``network``: the tree by itself, or in its network.
    step : int, optional
        Show how far the word has come after this step.
    title : bool
        Whether a line above says what is shown.
    lettering : Lettering, optional
        The size and the font of the letters.
    """
    check_size(drawn.network)
    if view not in VIEWS:
        raise InputError(f"{option('view', view)}: not one of {', '.join(VIEWS)}")
    if step is not None and not 0 <= step <= drawn.steps:
        raise InputError(f"{option('step', step)}: the tree has steps 0 to {drawn.steps}")
    panel = _Levels if view == "levels" else _InNetwork
    panels = [
        panel(tree.network, tree, step, _title(tree, number, drawn, step) if title else "")
        for number, tree in enumerate(drawn.trees)
    ]
    return _sheet(panels, lettering)


def draw_network(
    network: Network, *, title: bool = True, lettering: Lettering | None = None
) -> Any:
    """A figure of matplotlib that shows a network with all of its links.

    ``title`` and ``lettering`` are those of :func:`draw`.
    """
    check_size(network)
    line = f"{network.spec}: {network.nodes} nodes, {_counted(network.degree, 'port')}"
    panel = _InNetwork(network, None, None, line + _unnamed(network) if title else "")
    return _sheet([panel], lettering)


def _title(tree: Tree, number: int, drawn: Tree | TreeFamily, step: int | None) -> str:
    which = f", tree {number}" if len(drawn.trees) > 1 else ""
    what = f"height {tree.height}, {_counted(tree.steps, 'step')}"
    if step is not None:
        # Of one width, so that pictures of all steps are.
        what = f"after {step:{len(str(drawn.steps))}} of {_counted(drawn.steps, 'step')}"
    return (
        f"{tree.network.spec}, {tree.algorithm}{which}, {tree.ports}-port from "
        f"{tree.network.label(tree.root)}: {what}{_unnamed(tree.network)}"
    )


def _unnamed(network: Network) -> str:
    """A note where there is no room for names."""
    return "" if network.nodes <= _MOST_LABELLED else " (no room for the names of nodes)"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _sheet(panels: Sequence["_Panel"], lettering: Lettering | None) -> Any:
    """All panels, one below the other."""
    width = max(panel.width for panel in panels)
    canvas = Canvas(width, sum(panel.height for panel in panels), lettering or Lettering())
    top = 0.0
    for panel in panels:
        panel.put(canvas, np.array([(width - panel.width) / 2, top]))
        top += panel.height
    return canvas.figure


class _Panel(ABC):
    """One picture: its size, and how it is drawn from a corner on."""

    width: float
    height: float

    def __init__(self, network: Network, tree: Tree | None, step: int | None, title: str) -> None:
        self._network, self._tree, self._title, self._step = network, tree, title, step
        # The step up to which the tree is shown.
        self._until = -1 if tree is None else tree.steps if step is None else step
        self._ports = [] if tree is None else np.unique(tree.port[tree.port != NO_PARENT]).tolist()
        self._labels = [network.label(node) for node in range(network.nodes)]
        self._labelled = network.nodes <= _MOST_LABELLED
        self._letters = Canvas.wide("m" * max(map(len, self._labels)), LETTERS)

    @abstractmethod
    def put(self, canvas: Canvas, corner: Points) -> None:
        """Draw it."""

    def _fill(self, node: int) -> str:
        """The ground of a node that has the word, that sent it, or lacks it."""
        if self._tree is None or self._tree.step[node] > self._until:
            return _LACKS
        return _ROOT if node == self._tree.root else _HAS

    def _put_legend(self, canvas: Canvas, place: Points, scale: float = 1) -> None:
        """How the lines of each port look."""
        for row, port in enumerate(self._ports):
            style, y = port_style(port), float(place[1]) + 12 * scale * row
            line = np.array([[place[0], y], [place[0] + 24 * scale, y]])
            canvas.line(line, colour=style.colour, width=1.4, dashes=style.dashes)
            name, x = f"port {self._network.out_ports[port]}", float(place[0]) + 29 * scale
            canvas.text((x, y), name, LETTERS * scale, ha="left")


class _Levels(_Panel):
    """A tree, its root at the top."""

    _tree: Tree

    def __init__(self, network: Network, tree: Tree, step: int | None, title: str) -> None:
        super().__init__(network, tree, step, title)
        # A name is in its node, where nobody takes it for another's.
        named = [self._letters + 4, 1.7 * LETTERS]
        self._node = np.array(named if self._labelled else [4.4, 4.4])
        column = float(self._node[0]) + (6 if self._labelled else 2.6)
        # The papers number the steps of one-port nodes: several links of a node follow one another.
        self._level = tree.step if tree.ports == "one" else tree.depth
        self._place = np.stack([columns(tree) * column, self._level * _LEVEL], axis=1)
        head = _HEAD if title else 0.0
        self._corner = np.array([_MARGIN + 44 + column / 2, head + 18])
        right, bottom = (self._place.max(axis=0) + self._corner).tolist()
        title_width = Canvas.wide(title, 1.25 * LETTERS) * 0.85
        self.width = max(right + column / 2 + _LEGEND, title_width) + _MARGIN
        self.height = max(bottom + 26, 12 * len(self._ports) + head + 10)

    def put(self, canvas: Canvas, corner: Points) -> None:
        """Draw axis, links, nodes, names and legend."""
        tree, place = self._tree, self._place + self._corner + corner
        shown = tree.step <= self._until
        canvas.text((corner[0] + self.width / 2, corner[1] + 13), self._title, 1.25 * LETTERS)
        self._put_axis(canvas, corner)
        down = np.array([0, self._node[1] / 2])
        for node in np.flatnonzero(tree.parent != NO_PARENT).tolist():
            style = port_style(int(tree.port[node]))
            line = np.stack([place[tree.parent[node]] + down, place[node] - down])
            colour = style.colour if shown[node] else FAINT
            canvas.line(line, colour=colour, width=1.3, dashes=style.dashes)
        for node, label in enumerate(self._labels):
            fill, edge = self._fill(node), INK if shown[node] else FAINT
            if self._labelled:
                canvas.box(place[node], self._node, fill=fill, edge=edge)
                canvas.text(place[node], label, LETTERS)
            else:
                canvas.disc(place[node], 2.2, fill=INK if shown[node] else fill, edge=edge)
        legend = np.array([self.width - _MARGIN - _LEGEND + 16, self._corner[1]])
        self._put_legend(canvas, corner + legend)

    def _put_axis(self, canvas: Canvas, corner: Points) -> None:
        """The number of each level."""
        x, y = corner[0] + _MARGIN + 16, corner[1] + self._corner[1]
        name = "step" if self._tree.ports == "one" else "depth"
        canvas.text((x, y - 16), name, LETTERS)
        for level in range(int(self._level.max()) + 1):
            canvas.text((x, y + level * _LEVEL), str(level), 1.15 * LETTERS)


def columns(tree: Tree) -> Points:
    """For every node of a tree drawn by levels its column; no line runs over a node.

    The level is the depth, and children are in port order below the middle of their parent. The
    papers number the steps of one-port nodes, and there the level is the step: each node is
    above the child that it serves last, and the others are on its sides, the earlier the further
    out. A line then runs only over nodes that come later than its end, which are below it.
    """
    children: list[list[int]] = [[] for _ in range(tree.network.nodes)]
    for child in np.argsort(tree.port, kind="stable").tolist():
        if child != tree.root:
            children[int(tree.parent[child])].append(child)
    if tree.ports == "one":
        leaves = [0] * len(children)
        for node in reversed(_parents_first(tree.root, children)):
            leaves[node] = sum(leaves[child] for child in children[node]) or 1
        children = [_latest_inside(below, tree.step, leaves) for below in children]
    column, used = np.zeros(tree.network.nodes), 0
    for node in reversed(_parents_first(tree.root, children)):
        below = children[node]
        if not below:
            column[node] = used
            used += 1
        elif tree.ports == "one":
            column[node] = column[max(below, key=lambda child: int(tree.step[child]))]
        else:
            column[node] = (column[below[0]] + column[below[-1]]) / 2
    return column


def _latest_inside(children: list[int], step: IntArray, leaves: list[int]) -> list[int]:
    """Children from left to right: from the last one outwards, each on the narrower side."""
    sides: tuple[list[int], list[int]] = ([], [])
    widths = [0, 0]
    for child in sorted(children, key=lambda child: -int(step[child])):
        side = int(widths[1] < widths[0])
        sides[side].append(child)
        widths[side] += leaves[child]
    return sides[0][::-1] + sides[1]


def _parents_first(root: int, children: list[list[int]]) -> list[int]:
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(children[node])
    return order


class _InNetwork(_Panel):
    """A network with all of its links, and perhaps a tree in it."""

    def __init__(self, network: Network, tree: Tree | None, step: int | None, title: str) -> None:
        super().__init__(network, tree, step, title)
        self._radius = max(8.0, self._letters / 2 + 2.5) if self._labelled else 3.0
        self._layout = lay_out(network)
        self._unit = 3.8 * self._radius if self._labelled else 12.0
        extent = self._on_sheet(self._layout.place).max(axis=0)
        side = _MARGIN + self._radius
        inner = float(extent[0]) + 2 * side
        # On a slide a large picture is made small: title and legend grow with it.
        self._scale = min(max(1.0, inner / 440), 3.0)
        self._legend = _LEGEND * self._scale * (tree is not None)
        title_width = Canvas.wide(title, 1.25 * LETTERS * self._scale) * 0.85
        self.width = max(inner + self._legend, title_width + _MARGIN)
        head = _HEAD * self._scale if title else 0.0
        self._corner = np.array([side + (self.width - self._legend - inner) / 2, side + head])
        legend = 12 * self._scale * (network.ports if tree is not None else 0)
        self.height = max(float(extent[1]) + 2 * side + head, legend + head + _HEAD * self._scale)

    def _on_sheet(self, points: Points) -> Points:
        return self._layout.on_sheet(points) * self._unit

    def _curve(self, corner: Points, node: int, port: int) -> Points:
        """A link from edge to edge of its nodes."""
        curve = self._on_sheet(self._layout.curve(node, port)) + corner
        first, last = (_way_out(ends, self._radius) for ends in (curve, curve[::-1]))
        shares = np.linspace(first, 1 - last, 25 if self._layout.bend[node, port] else 2)
        return _along(curve, shares)

    def put(self, canvas: Canvas, corner: Points) -> None:
        """Draw links, the tree, nodes with their names, and the legend."""
        title = corner + np.array([self.width / 2, 15 * self._scale])
        canvas.text(title, self._title, 1.25 * LETTERS * self._scale)
        first = self._corner + corner
        used = self._put_tree(canvas, first)
        colour, width = (FAINT, 0.9) if self._tree is not None else ("#6e7681", 1.0)
        for node, port, back in self._layout.lines():
            end = self._network.neighbour[node, port], self._network.arrival[node, port]
            if (node, port) in used or (back and end in used):
                continue
            curve = self._curve(first, node, port)
            canvas.line(curve, colour=colour, width=width)
            if not back:
                self._put_head(canvas, curve, colour)
        for node, place in enumerate(self._on_sheet(self._layout.place) + first):
            canvas.disc(place, self._radius, fill=self._fill(node))
            if self._labelled:
                self._put_name(canvas, place, node)
        legend = np.array([self.width - self._legend, self._corner[1]])
        self._put_legend(canvas, corner + legend, self._scale)

    def _put_name(self, canvas: Canvas, place: Points, node: int) -> None:
        """The name of a node, and below it the step in which it has got the word."""
        if self._tree is None or self._fill(node) != _HAS:
            canvas.text(place, self._labels[node], LETTERS)
            return
        x, y = place.tolist()
        canvas.text((x, y - 2.5), self._labels[node], LETTERS)
        canvas.text((x, y + 5), str(self._tree.step[node]), 0.8 * LETTERS, colour=_STEP)

    def _put_head(self, canvas: Canvas, curve: Points, colour: str) -> None:
        size = min(7.0, 1.2 * self._radius)
        canvas.arrow_head(curve[-1], curve[-2], colour=colour, size=size)

    def _put_tree(self, canvas: Canvas, corner: Points) -> set[tuple[int, int]]:
        """The links of the tree that have carried the word; their nodes and out-ports."""
        used: set[tuple[int, int]] = set()
        if self._tree is None:
            return used
        carried = (self._tree.parent != NO_PARENT) & (self._tree.step <= self._until)
        for node in np.flatnonzero(carried).tolist():
            link = int(self._tree.parent[node]), int(self._tree.port[node])
            used.add(link)
            curve, style = self._curve(corner, *link), port_style(link[1])
            width = 2.6 if self._tree.step[node] == self._step else 1.5
            canvas.line(curve, colour=style.colour, width=width, dashes=style.dashes, above=3)
            self._put_head(canvas, curve, style.colour)
        return used


def _along(curve: Points, shares: Points) -> Points:
    """Points of a quadratic curve, at shares of its way."""
    share = shares[:, None]
    begin, middle, end = curve
    return np.asarray((1 - share) ** 2 * begin + 2 * share * (1 - share) * middle + share**2 * end)


def _way_out(curve: Points, radius: float) -> float:
    """The share of a curve's way, a half at most, at which it leaves a disc about its begin."""
    shares = np.linspace(0, 0.5, 129)
    return float(np.interp(radius, np.hypot(*(_along(curve, shares) - curve[0]).T), shares))
