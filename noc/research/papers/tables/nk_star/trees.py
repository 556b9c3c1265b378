"""What the (n,k)-star paper states of the graphs and their trees: corollaries, Theorems 6 and 7."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import perm

import numpy as np

from noc.networks import IntArray, permutations
from noc.research.papers.tables.nk_star.runs import Instance, diameter, instance, rotated_trees
from noc.research.papers.tables.table import Reason, Row, Rows, reason, yes
from noc.trees import Tree, TreeFamily
from noc.trees.nk_star import greedy, rotated_roots
from noc.trees.tree import NO_PARENT

TEXT = Rows()

# Every (n,k)-star of these n is measured; k = 1 is the complete graph.
SIZES = tuple((n, k) for n in range(3, 8) for k in range(1, n))


@TEXT.each(SIZES, "S({},{}), ")
def _graph(n: int, k: int) -> Iterator[Row]:
    """Section 2 and Theorem 1."""
    case = instance(n, k)
    net, tree = case.network, greedy(case.network, 0, "all")
    yield Row("nodes n!/(n-k)!", perm(n, k), net.nodes)
    yield Row("degree n-1", n - 1, net.degree)
    yield Row("diameter", diameter(n, k), net.diameter())
    yield Row("Theorem 1: height of the tree", diameter(n, k), tree.height)
    levels = int(np.abs(tree.depth[net.neighbour] - tree.depth[:, None]).max())
    yield Row("Corollary 1: levels between adjacent nodes, at most", 1, levels, bound=True)


def _childless(case: Instance, tree: Tree) -> int:
    """Nodes above the last two levels that no rule for strangers can give a child.

    A node with a stranger in front may have any nearer neighbour for parent; the parents of
    all others follow from the first two conditions of Definition 3, which the text gives.
    """
    net, depth = case.network, tree.depth
    front = permutations.arrangements(case.n, case.k)[0]
    fertile = np.zeros(net.nodes, dtype=bool)
    fertile[tree.parent[(front <= case.k) & (depth > 0)]] = True
    stranger = np.flatnonzero(front > case.k)
    neighbours = net.neighbour[stranger]
    fertile[neighbours[depth[neighbours] < depth[stranger][:, None]]] = True
    return int((~fertile & (depth <= tree.height - 2)).sum())


@TEXT.each(SIZES, "S({},{}), Corollary 2: ")
def _corollary_2(n: int, k: int) -> Iterator[Row]:
    case = instance(n, k)
    tree = greedy(case.network, 0, "all")
    inner = np.unique(tree.parent[tree.parent != NO_PARENT])
    level = np.delete(tree.depth, inner)
    childless = _childless(case, tree)
    why = reason("nk-star-childless", childless > 0, nodes=childless)
    what, difference = "difference of the leaves' levels", np.ptp(level)
    if (n, k) == (4, 2):
        yield Row(what, 0, int(difference), why)
    else:
        yield Row(f"{what}, at most", 1, int(difference), why, bound=True)


def _uses(trees: Sequence[Tree]) -> IntArray:
    """How many of the trees use each link."""
    uses = np.zeros(trees[0].network.neighbour.shape, dtype=np.int64)
    for tree in trees:
        child = np.flatnonzero(tree.parent != NO_PARENT)
        np.add.at(uses, (tree.parent[child], tree.port[child]), 1)
    return uses


@TEXT.each(SIZES, "S({},{}), Theorem 6")
def _theorem_6(n: int, k: int) -> Iterator[Row]:
    """The printed congestion i is that of n in i·k+1 … (i+1)·k."""
    case, printed = instance(n, k), -(-n // k) - 1
    rotated = _uses(rotated_trees(case.network, 0, "all"))
    turned = _uses(case.family.trees)
    why = _shared_by_rotated(case, rotated, printed)
    yield Row(": trees T that share a directed link", printed, int(rotated.max()), why)
    beyond = turned > rotated.max()
    if beyond.any():
        why = reason("nk-star-turned", (turned > rotated)[beyond].all())
    yield Row(", for the trees MT", printed, int(turned.max()), why)


def _shared_by_rotated(case: Instance, uses: IntArray, printed: int) -> Reason:
    """Theorem 6 for the trees T, from how many of them use each link."""
    swaps = int(uses[:, : case.k - 1].max(initial=0))
    if swaps > printed:
        return reason("nk-star-two-homes", swaps == 2)
    upward = uses[case.network.neighbour, case.network.arrival]
    fetched = int((upward[:, case.k - 1 :] > 0).sum(axis=1).max())
    return reason("nk-star-fetched", fetched > case.k, k=case.k, symbols=fetched)


@TEXT.each(SIZES, "S({},{}), Theorem 7: ")
def _theorem_7(n: int, k: int) -> Iterator[Row]:
    """Heights of the MT trees and lengths of the turned paths."""
    case = instance(n, k)
    heights = [tree.height for tree in case.family.trees]
    hops = case.network.distances(0)
    paths = [int(hops[root]) for root in rotated_roots(case.network, 0)]
    least, most = k + case.diameter, 2 * case.diameter
    why = reason("nk-star-lower", _deepest_share(case.family) and min(paths) >= k)
    what = f"heights {min(heights)} to {max(heights)}, at least k + D = {least}"
    yield Row(what, "yes", yes(min(heights) >= least), why)
    yield Row("height, at most 2D", most, max(heights), bound=True)
    what = f"turned paths of {min(paths)} to {max(paths)} hops, k to D"
    yield Row(what, "yes", yes(k <= min(paths) and max(paths) <= case.diameter))


def _deepest_share(family: TreeFamily) -> bool:
    """Whether in the lowest member no deepest node of the rotated tree needs all turned hops."""
    lowest = min(family.trees, key=lambda tree: tree.height)
    index = family.trees.index(lowest)
    rotated = rotated_trees(family.network, family.root, "all")[index]
    turned = int(rotated.depth[family.root])
    deepest = rotated.depth == rotated.height
    return bool((lowest.depth[deepest] < turned + rotated.height).all())


@TEXT.add
def _corollary_1() -> Iterator[Row]:
    """The corollary as it is printed, with "if" where its proof shows "only if"."""
    net, name = instance(4, 2).network, instance(4, 2).name
    level, far = net.distances(0), np.stack([net.distances(node) for node in range(net.nodes)])
    near = np.triu(np.abs(level[:, None] - level) <= 1, 1)
    apart = int((near & (far > 1)).sum())
    why = reason("nk-star-corollary-1", near[np.triu(far == 1)].all() and apart > 0)
    what = f"{name}, Corollary 1: pairs at such levels, of {near.sum()}, that are not adjacent"
    yield Row(what, 0, apart, why)


def _kind(label: Sequence[int]) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    """Whether the first symbol is in place; lengths of external and of internal cycles."""
    external: list[int] = []
    internal: list[int] = []
    k = len(label)
    left = {position for position in range(1, k + 1) if label[position - 1] != position}
    for start in [*sorted(left - set(label)), *sorted(left & set(label))]:
        length, position = 0, start
        while position in left:
            left.remove(position)
            length, position = length + 1, label[position - 1]
        if length:
            (external if position > k else internal).append(length)
    return label[0] == 1, tuple(sorted(external)), tuple(sorted(internal))


@TEXT.add
def _corollary_2_kinds() -> Iterator[Row]:
    """The kinds of farthest nodes in proof (3), for S(6,4), where (3.1) has no room."""
    case = instance(6, 4)
    far = case.network.distances(0) == case.diameter
    symbols = permutations.arrangements(case.n, case.k).T[far].tolist()
    kinds, named = Counter(map(_kind, symbols)), (False, (1, 1), (2,))
    whole = {named, (True, (1, 2), ()), (True, (1,), (2,))}
    why = reason("nk-star-corollary-2", {*kinds} == whole)
    what = f"{case.name}, Corollary 2, proof (3): nodes of its kinds, of the farthest"
    yield Row(what, len(symbols), kinds[named], why)


@TEXT.add
def _worked_examples() -> Iterator[Row]:
    """On S(4,3): section 4.2, case 2.1 of Theorem 6's proof, the captions of Figures 3 and 4."""
    case = instance(4, 3)
    net, name, roots = case.network, case.name, rotated_roots(case.network, 0)
    # The algorithm of the one-port model sends along trees SP(R^i(Id)).
    why = reason("nk-star-section-4-2", 0 not in roots)
    what = f"{name}, section 4.2: trees SP(R^i(Id)), i = 1…n-1, that are rooted at Id"
    yield Row(what, len(roots), roots.count(0), why)
    # At a label that already holds the root's first symbol; n = k+1.
    label, root = "412", net.node("123")
    above, hops = int(greedy(net, root, "all").parent[net.node(label)]), net.distances(root)
    (fetched,) = set(net.label(above)) - set(label)
    nearer = hops[above] < hops[net.node(label)]
    why = reason("nk-star-theorem-6", "1" in label and fetched not in label and nearer)
    what = f"{name}, Theorem 6, case 2.1: what {label} fetches on its way to 123"
    yield Row(what, "1", fetched, why)
    labels = " ".join(map(net.label, roots))
    yield Row(f"{name}, Figure 3: the roots of the trees T", "412 341 234", labels)
    heads = " ".join({net.label(tree.root) for tree in case.family.trees})
    yield Row(f"{name}, Figure 4: the root of the trees MT", "123", heads)
    yield Row(f"{name}, Figure 4: trees MT", 3, len(case.family.trees))
