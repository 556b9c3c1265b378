"""What is in a picture: a tree by levels, or in its network; a network alone; and each step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from noc.draw.canvas import FAINT, INK, LETTERS, Canvas, Lettering, port_style
from noc.draw.levels import positions
from noc.errors import InputError, option
from noc.layouts import lay_out
from noc.networks import Network
from noc.trees import Tree, TreeFamily
from noc.trees.tree import NO_PARENT

__all__ = ["MOST_NODES", "VIEWS", "check_size", "draw", "draw_network"]

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
        Show how far the word has come after so many steps.
    title : bool
        Whether a line above says what is shown.
    lettering : Lettering, optional
        The size and the font of the letters.
    """
    check_size(drawn.network)
    if view not in VIEWS:
        raise InputError(f"{option('view', view)}: not one of {', '.join(VIEWS)}")
    steps = drawn.steps
    if step is not None and not 0 <= step <= steps:
        raise InputError(f"{option('step', step)}: the tree has steps 0 to {steps}")
    panels = [
        (_Levels if view == "levels" else _InNetwork)(
            tree, step, _title(tree, number, drawn, step) if title else ""
        )
        for number, tree in enumerate(drawn.trees)
    ]
    return _sheet(panels, lettering)


def draw_network(
    network: Network, *, title: bool = True, lettering: Lettering | None = None
) -> Any:
    """A figure of matplotlib that shows a network with all of its links.

    Parameters
    ----------
    network : Network
        What is shown.
    title : bool
        Whether a line above says what is shown.
    lettering : Lettering, optional
        The size and the font of the letters.
    """
    check_size(network)
    line = f"{network.spec}: {network.nodes} nodes, {_counted(network.degree, 'port')}"
    return _sheet([_InNetwork(network, None, line + _unnamed(network) if title else "")], lettering)


def _title(tree: Tree, number: int, drawn: Tree | TreeFamily, step: int | None) -> str:
    which = f", tree {number}" if len(drawn.trees) > 1 else ""
    what = f"height {tree.height}, {_counted(tree.steps, 'step')}"
    if step is not None:
        # Of one width, so that pictures of all steps are.
        told = _counted(drawn.steps, "step")
        what = f"after {step:{len(str(drawn.steps))}} of {told}"
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


class _Panel:
    """One picture: its size, and how it is drawn from a corner on."""

    width: float
    height: float

    def put(self, canvas: Canvas, corner: Points) -> None:
        """Draw it."""
        raise NotImplementedError


def _legend(
    canvas: Canvas, network: Network, ports: Sequence[int], place: Points, scale: float = 1
) -> None:
    """How the lines of each port look."""
    for row, port in enumerate(ports):
        style, y = port_style(port), float(place[1]) + 12 * scale * row
        line = np.array([[place[0], y], [place[0] + 24 * scale, y]])
        canvas.line(line, colour=style.colour, width=1.4, dashes=style.dashes)
        name, x = f"port {network.out_ports[port]}", float(place[0]) + 29 * scale
        canvas.text((x, y), name, LETTERS * scale, ha="left")


class _Levels(_Panel):
    """A tree, its root at the top."""

    def __init__(self, tree: Tree, step: int | None, title: str) -> None:
        self._tree, self._step, self._title = tree, step, title
        network = tree.network
        self._labels = [network.label(node) for node in range(network.nodes)]
        self._labelled = network.nodes <= _MOST_LABELLED
        letters = max(map(len, self._labels))
        # A name stands in its node, where nobody takes it for another's.
        wide = Canvas.wide("m" * letters, LETTERS) + 4
        self._node = np.array([wide, 1.7 * LETTERS] if self._labelled else [4.4, 4.4])
        column = float(self._node[0]) + (6 if self._labelled else 2.6)
        place = positions(tree)
        # The papers number the steps of one-port nodes: several links of a node follow one another.
        self._level = tree.step if tree.ports == "one" else tree.depth
        self._place = np.stack([place[:, 0] * column, self._level * _LEVEL], axis=1)
        head = _HEAD if title else 0.0
        self._corner = np.array([_MARGIN + 44 + column / 2, head + 18])
        extent = self._place.max(axis=0)
        title_width = Canvas.wide(title, 1.25 * LETTERS) * 0.85
        self.width = (
            max(float(extent[0]) + self._corner[0] + column / 2 + _LEGEND, title_width) + _MARGIN
        )
        legend = 12 * np.unique(tree.port[tree.port >= 0]).size + head + 10
        self.height = max(float(extent[1]) + self._corner[1] + 26, legend)

    def put(self, canvas: Canvas, corner: Points) -> None:
        """Draw axis, links, nodes, names and legend."""
        tree, place = self._tree, self._place + self._corner + corner
        shown = tree.step <= (tree.steps if self._step is None else self._step)
        canvas.text((corner[0] + self.width / 2, corner[1] + 13), self._title, 1.25 * LETTERS)
        self._axis(canvas, corner)
        children = [node for node in range(tree.network.nodes) if node != tree.root]
        down = np.array([0, self._node[1] / 2])
        for node in children:
            style = port_style(int(tree.port[node]))
            line = np.stack([place[tree.parent[node]] + down, place[node] - down])
            colour = style.colour if shown[node] else FAINT
            canvas.line(line, colour=colour, width=1.3, dashes=style.dashes)
        for node, label in enumerate(self._labels):
            fill = _fill(tree, node, self._step)
            if self._labelled:
                canvas.box(place[node], self._node, fill=fill, edge=INK if shown[node] else FAINT)
                canvas.text(place[node], label, LETTERS)
            else:
                edge = INK if shown[node] else FAINT
                canvas.disc(place[node], 2.2, fill=INK if shown[node] else fill, edge=edge)
        ports = np.unique(tree.port[tree.port != NO_PARENT]).tolist()
        legend = corner + np.array([self.width - _MARGIN - _LEGEND + 16, self._corner[1]])
        _legend(canvas, tree.network, ports, legend)

    def _axis(self, canvas: Canvas, corner: Points) -> None:
        """The number of each level."""
        x, y = corner[0] + _MARGIN + 16, corner[1] + self._corner[1]
        name = "step" if self._tree.ports == "one" else "depth"
        canvas.text((x, y - 16), name, LETTERS)
        for level in range(int(self._level.max()) + 1):
            canvas.text((x, y + level * _LEVEL), str(level), 1.15 * LETTERS)


class _InNetwork(_Panel):
    """A network with all of its links, and perhaps a tree in it."""

    def __init__(self, drawn: Tree | Network, step: int | None, title: str) -> None:
        self._tree = drawn if isinstance(drawn, Tree) else None
        self._network = drawn.network if isinstance(drawn, Tree) else drawn
        self._step, self._title = step, title
        network = self._network
        self._labels = [network.label(node) for node in range(network.nodes)]
        self._labelled = network.nodes <= _MOST_LABELLED
        widest = Canvas.wide("m" * max(map(len, self._labels)), LETTERS)
        self._radius = max(8.0, widest / 2 + 2.5) if self._labelled else 3.0
        layout = lay_out(network)
        unit = 3.8 * self._radius if self._labelled else 12.0
        self._layout, self._unit = layout, unit
        self._upper_left = np.array([layout.place[:, 0].min(), layout.place[:, 1].max()])
        extent = self._on_sheet(layout.place).max(axis=0)
        side = _MARGIN + self._radius
        self._inner = float(extent[0]) + 2 * side
        # On a slide a large picture is made small: title and legend grow with it.
        self._scale = min(max(1.0, self._inner / 440), 3.0)
        self._legend = _LEGEND * self._scale * (self._tree is not None)
        title_width = Canvas.wide(title, 1.25 * LETTERS * self._scale) * 0.85
        self.width = max(self._inner + self._legend, title_width + _MARGIN)
        head = _HEAD * self._scale if title else 0.0
        left = side + (self.width - self._legend - self._inner) / 2
        self._corner = np.array([left, side + head])
        ports = network.ports if self._tree is not None else 0
        self.height = max(
            float(extent[1]) + 2 * side + head,
            12 * self._scale * ports + head + _HEAD * self._scale,
        )

    def _on_sheet(self, points: Points) -> Points:
        """Places of the layout, whose y leads up, on a sheet that begins with the first node."""
        return np.asarray((points - self._upper_left) * [1, -1] * self._unit)

    def _curve(self, corner: Points, node: int, port: int) -> Points:
        """The way of a link between the edges of its nodes."""
        curve = self._on_sheet(self._layout.curve(node, port)) + corner
        first, last = (_way_out(ends, self._radius) for ends in (curve, curve[::-1]))
        shares = np.linspace(first, 1 - last, 25 if self._layout.bend[node, port] else 2)
        return _along(curve, shares)

    def put(self, canvas: Canvas, corner: Points) -> None:
        """Draw links, the tree, nodes with their names, and the legend."""
        place = self._on_sheet(self._layout.place) + self._corner + corner
        title = corner + np.array([self.width / 2, 15 * self._scale])
        canvas.text(title, self._title, 1.25 * LETTERS * self._scale)
        used = self._put_tree(canvas, self._corner + corner)
        colour, width = (FAINT, 0.9) if self._tree is not None else ("#6e7681", 1.0)
        for node, port, back in self._layout.lines():
            there = self._network.neighbour[node, port], self._network.arrival[node, port]
            if (node, port) in used or (back and there in used):
                continue
            curve = self._curve(self._corner + corner, node, port)
            canvas.line(curve, colour=colour, width=width)
            if not back:
                self._head(canvas, curve, colour)
        for node, label in enumerate(self._labels):
            canvas.disc(place[node], self._radius, fill=self._fill(node))
            if self._labelled:
                self._write(canvas, place[node], node, label)
        if self._tree is not None:
            ports = np.unique(self._tree.port[self._tree.port != NO_PARENT]).tolist()
            legend = corner + np.array([self.width - self._legend, self._corner[1]])
            _legend(canvas, self._network, ports, legend, self._scale)

    def _write(self, canvas: Canvas, place: Points, node: int, label: str) -> None:
        """The name of a node, and below it the step in which it has got the word."""
        if self._tree is None or node == self._tree.root or self._fill(node) == _LACKS:
            canvas.text(place, label, LETTERS)
            return
        x, y = place.tolist()
        canvas.text((x, y - 2.5), label, LETTERS)
        canvas.text((x, y + 5), str(self._tree.step[node]), 0.8 * LETTERS, colour=_STEP)

    def _fill(self, node: int) -> str:
        return _LACKS if self._tree is None else _fill(self._tree, node, self._step)

    def _head(self, canvas: Canvas, curve: Points, colour: str) -> None:
        size = min(7.0, 1.2 * self._radius)
        canvas.arrow_head(curve[-1], curve[-2], colour=colour, size=size)

    def _put_tree(self, canvas: Canvas, corner: Points) -> set[tuple[int, int]]:
        """The links of the tree that have carried the word; their nodes and out-ports."""
        used: set[tuple[int, int]] = set()
        if self._tree is None:
            return used
        tree = self._tree
        last = tree.steps if self._step is None else self._step
        for node in range(self._network.nodes):
            parent, step = int(tree.parent[node]), int(tree.step[node])
            if parent == NO_PARENT or step > last:
                continue
            port = int(tree.port[node])
            used.add((parent, port))
            curve = self._curve(corner, parent, port)
            style = port_style(port)
            fresh = self._step is not None and step == self._step
            width = 2.6 if fresh else 1.5
            canvas.line(curve, colour=style.colour, width=width, dashes=style.dashes, above=3)
            self._head(canvas, curve, style.colour)
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


def _fill(tree: Tree, node: int, step: int | None) -> str:
    """The ground of a node that has the word after so many steps, that sent it, or lacks it."""
    if node == tree.root:
        return _ROOT
    return _HAS if tree.step[node] <= (tree.steps if step is None else step) else _LACKS
