"""Algorithm 3 of the SCC report as printed, for comparison [scc-algorithm-3].

It does not always find the best.

After Azevedo, Bagherzadeh and Latifi (1993).
"""

from dataclasses import dataclass
from itertools import permutations, product

from noc.networks import Network
from noc.research.papers.routes import ring
from noc.research.papers.routes.scc import problem, word_length, word_ports
from noc.research.papers.routes.star import Permutation, cycles

__all__ = ["best_order", "route", "tree_search"]


@dataclass(frozen=True)
class Vertex:
    """A vertex of the report's routing tree.

    Parameters
    ----------
    last : int
        The lateral that ends its cycle.
    entry : int
        The local links between it and its parent.
    from_root : int
        The local links between cycles so far, the report's D_r.
    remaining : tuple
        The cycles that are still to be executed.
    word : tuple of int
        The laterals so far.
    final : bool
        Whether it stands for the destination.
    """

    last: int
    entry: int
    from_root: int
    remaining: tuple[Permutation, ...]
    word: tuple[int, ...] = ()
    final: bool = False

    @property
    def virtual_distance(self) -> int:
        """The report's D_v: one link is assumed for each level that is still below."""
        return self.from_root + (0 if self.final else len(self.remaining) + 1)


def executions(cycle: Permutation) -> list[Permutation]:
    """The words of one cycle: from its second symbol with 1, else round from any symbol."""
    if cycle[0] == 1:
        return [cycle[1:]]
    turned = (cycle[k:] + cycle[:k] for k in range(len(cycle)))
    return [(*word, word[0]) for word in turned]


def _children(vertex: Vertex, size: int, end: int) -> list[Vertex]:
    if not vertex.remaining:
        entry = ring.distance(size, vertex.last, end)
        return [Vertex(end, entry, vertex.from_root + entry, (), vertex.word, final=True)]
    children = []
    for cycle in vertex.remaining:
        others = tuple(other for other in vertex.remaining if other is not cycle)
        for word in executions(cycle):
            entry = ring.distance(size, vertex.last, word[0])
            total = vertex.from_root + entry
            children.append(Vertex(word[-1], entry, total, others, vertex.word + word))
    return children


def tree_search(q: Permutation, start: int, end: int) -> list[list[int]]:
    """The words of laterals that Algorithm 3 leaves, the shortest first.

    All new vertices at distance 0 are enabled, else all at distance 1, else those of the least
    virtual distance in the whole tree. The report takes any word that is left; they need not
    be equally long.
    """
    size = len(q) - 1
    leaves: list[Vertex] = []
    enabled = [Vertex(start, 0, 0, tuple(cycles(q)))]
    while not all(vertex.final for vertex in enabled):
        done = [vertex for vertex in enabled if vertex.final]
        new = [child for v in enabled if not v.final for child in _children(v, size, end)]
        near = [v for v in new if v.entry == 0] or [v for v in new if v.entry == 1]
        leaves += [vertex for vertex in new if vertex not in near]
        enabled = done + near
        if not near:
            leaves += done
            least = min(vertex.virtual_distance for vertex in leaves)
            enabled = [vertex for vertex in leaves if vertex.virtual_distance == least]
            leaves = [vertex for vertex in leaves if vertex.virtual_distance != least]
    return [list(v.word) for v in sorted(enabled, key=lambda vertex: vertex.from_root)]


def route(network: Network, source: int, destination: int) -> list[int]:
    """The out-ports of the route that Algorithm 3 finds between two nodes of an SCC."""
    q, start, end = problem(network, source, destination)
    return word_ports(tree_search(q, start, end)[0], len(q) - 1, start, end)


def best_order(q: Permutation, start: int, end: int) -> list[int]:
    """The laterals of the best route that finishes every cycle before it begins another."""
    words = (
        [lateral for word in choice for lateral in word]
        for order in permutations(cycles(q))
        for choice in product(*map(executions, order))
    )
    return min(words, key=lambda word: word_length(word, len(q) - 1, start, end))
