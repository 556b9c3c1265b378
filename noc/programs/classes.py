"""Classes of words, so that broadcasts of many sources cannot wait for each other in a circle."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from noc.errors import InputError
from noc.networks import ABSENT, IntArray, Network
from noc.programs.folds import filled, foldings
from noc.programs.program import NOTHING, Program

__all__ = [
    "FEWEST",
    "METHODS",
    "Classes",
    "assigned",
    "by_colour",
    "by_fold",
    "by_height",
    "candidates",
    "fewest_classes",
    "greedy",
    "one_class",
    "two_colours",
]


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of every word at every router: for which places it waits there.

    Parameters
    ----------
    count : int
        Number of classes.
    colour : array (nodes)
        The colour of each node: nodes of one colour and one module have the same classes.
    of_row : array (colours, rows)
        For each colour the class of a word that arrives by a row of the program.
    method : str
        How the classes were found.
    one_source : bool
        Whether only one node sends at a time.
    """

    count: int
    colour: IntArray = field(repr=False)
    of_row: IntArray = field(repr=False)
    method: str = "given"
    one_source: bool = False


def one_class(program: Program) -> Classes:
    """Every word in one class: enough while one source sends at a time."""
    colour = np.zeros(program.network.nodes, dtype=np.int32)
    return Classes(1, colour, np.zeros((1, program.total_rows), dtype=np.int32), "one", True)


def _children(program: Program) -> list[tuple[int, IntArray]]:
    """Every row with the rows of its copies at their receivers, children before parents."""
    # Shapes are numbered from the leaves up.
    far = program.far_row
    order = np.argsort(program.shape, kind="stable").tolist()
    return [(row, far[row][far[row] != NOTHING]) for row in order]


def by_height(program: Program) -> Classes:
    """The class is the height of what is still to be served: it falls with every hop."""
    height = np.zeros(program.total_rows, dtype=np.int32)
    for row, below in _children(program):
        height[row] = height[below].max() + 1 if below.size else 0
    colour = np.zeros(program.network.nodes, dtype=np.int32)
    return Classes(int(height.max()) + 1, colour, height[None, :], "height")


def two_colours(network: Network) -> IntArray | None:
    """Colours 0 and 1 such that every link joins different ones, or None."""
    colour = (network.distances(0) % 2).astype(np.int32)
    there = network.neighbour
    same = (there != ABSENT) & (colour[there] == colour[:, None])
    return None if same.any() else colour


def by_colour(program: Program) -> Classes | None:
    """On a two-coloured network the class needs to fall only with hops from colour 1 to 0.

    Within a class words then wait from colour 0 to colour 1 only, so no circle can close. None
    where the network has no two colours.
    """
    colour = two_colours(program.network)
    if colour is None:
        return None
    of_row = np.zeros((2, program.total_rows), dtype=np.int32)
    for row, below in _children(program):
        if below.size:
            of_row[0, row] = of_row[1, below].max()
            of_row[1, row] = of_row[0, below].max() + 1
    # A row of a site that all nodes share is used by both colours; of another, by its own.
    count = int(of_row.max()) + 1
    if program.first_row.shape[0] > 1:
        of_row = np.where(colour[program.row_site] == 0, of_row[0], of_row[1])[None, :]
        count, colour = int(of_row.max()) + 1, np.zeros_like(colour)
    return Classes(count, colour, of_row, "colour")


def by_fold(program: Program) -> Classes | None:
    """More colours than two, where all nodes share one table.

    Colours are chosen so that a port leads from one colour to one other. Each class has an order
    of the colours, and in it words wait upwards only.
    """
    if program.first_row.shape[0] > 1:
        return None
    shape, row, of_shape = np.unique(program.shape, return_index=True, return_inverse=True)
    far = program.far_row[row]
    sends = [
        [
            (int(port), int(of_shape[there]))
            for port, there in zip(program.send_port[row[place]], far[place], strict=True)
            if there != NOTHING
        ]
        for place in range(shape.size)
    ]
    best: Classes | None = None
    most = by_height(program).count
    for colour in foldings(program.network):
        found = filled(program.network, colour, sends, most)
        if found is not None:
            of_row = found[:, of_shape]
            most = int(of_row.max())
            best = Classes(most + 1, colour, of_row, "fold")
    return best


def greedy(program: Program) -> Classes | None:
    """Fill each class with rows, shortest first, as long as its waits close no circle.

    For programs with a table for each node only: where all nodes share one, a wait inside a
    class is a wait at every node, and always closes.
    """
    if program.first_row.shape[0] == 1:
        return None
    of_row = np.zeros(program.total_rows, dtype=np.int32)
    graphs: list[_Acyclic] = []
    for row, below in _children(program):
        class_ = int(of_row[below].max()) if below.size else 0
        node = int(program.row_site[row])
        while True:
            if class_ == len(graphs):
                graphs.append(_Acyclic(program.network.nodes))
            ends = [int(program.row_site[far]) for far in below if of_row[far] == class_]
            if graphs[class_].add(node, ends):
                break
            class_ += 1
        of_row[row] = class_
    colour = np.zeros(program.network.nodes, dtype=np.int32)
    return Classes(int(of_row.max()) + 1, colour, of_row[None, :], "greedy")


#: How classes can be found, by the names that users type; None where a method does not apply.
METHODS: dict[str, Callable[[Program], Classes | None]] = {
    "one": one_class,
    "height": by_height,
    "colour": by_colour,
    "fold": by_fold,
    "greedy": greedy,
}

#: The name for whichever of them has the fewest classes.
FEWEST = "fewest"


def candidates(program: Program) -> list[Classes]:
    """Every assignment that lets all sources send at once on this program."""
    made = (METHODS[name](program) for name in METHODS if name != "one")
    return [classes for classes in made if classes is not None]


def fewest_classes(program: Program) -> Classes:
    """The assignment with the fewest classes; of several the one with the fewest tables."""
    return min(candidates(program), key=lambda classes: classes.count)


def assigned(program: Program, method: str) -> Classes:
    """The classes of a method, or the fewest."""
    if method == FEWEST:
        return fewest_classes(program)
    if method not in METHODS:
        raise InputError(f"--classes {method}: {', '.join((FEWEST, *METHODS))} are allowed")
    classes = METHODS[method](program)
    if classes is None:
        raise InputError(f"--classes {method}: {program.network.spec} {_WHY_NOT[method]}")
    return classes


_WHY_NOT = {
    "colour": "has no two colours such that every link joins different ones",
    "fold": "is not symmetric, or not all of its nodes send, or has no folding on a few colours",
    "greedy": "is symmetric: all nodes share one table, where a wait in a class always closes",
}


class _Acyclic:
    """A directed graph that refuses edges that would close a circle."""

    def __init__(self, nodes: int) -> None:
        self._following: list[set[int]] = [set() for _ in range(nodes)]

    def add(self, start: int, ends: list[int]) -> bool:
        """Add edges from ``start`` unless one of the ends leads back to it."""
        fresh = [end for end in ends if end not in self._following[start]]
        if fresh and self._leads_to(fresh, start):
            return False
        self._following[start].update(fresh)
        return True

    def _leads_to(self, begin: list[int], goal: int) -> bool:
        seen, stack = set(begin), list(begin)
        while stack:
            node = stack.pop()
            if node == goal:
                return True
            stack += [there for there in self._following[node] if there not in seen]
            seen |= self._following[node]
        return False
