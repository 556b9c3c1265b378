"""What the (n,k)-star paper states outside its tables: counts, corollaries, theorems."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from math import isclose, log2, perm

import numpy as np

from noc.networks import IntArray, Network, permutations
from noc.research.papers.tables.nk_star import reasons
from noc.research.papers.tables.nk_star.reasons import timed
from noc.research.papers.tables.nk_star.runs import COST, INSTANCES, MESSAGE, Instance, instance
from noc.research.papers.tables.table import Reason, Row, explained, misprint
from noc.trees import Tree, TreeFamily
from noc.trees.nk_star import diameter, greedy, rotated_roots, rotated_trees
from noc.trees.tree import NO_PARENT

__all__ = ["rows", "theorem_rows"]


def _one_to_all(case: Instance) -> Iterator[Row]:
    """The formula for p, and Theorems 2, 3, 8, 9 with the best p by search."""
    formulas, links, far = case.formulas, case.formulas.links, case.diameter
    row = partial(timed, case.name)
    for name, height in (("one tree", far), ("MT trees of height 2D", 2 * far)):
        best = COST.best_segments(height, MESSAGE / links)
        what = f"{case.name}, all-port, {name}: best p by the formula, rounded"
        yield Row(what, round(formulas.ideal_rounds(height)), best)
    what = "{} (best p by search: {})"
    p, time = case.best_time("greedy", "all")
    printed = formulas.pipelined(far - 1, 1 / links)
    yield row(what.format("Theorem 2", p), printed, time, reasons.only_link(case), bound=True)
    p, time = case.best_time("greedy", "one")
    printed = formulas.pipelined(links * (far - 1), 1)
    yield row(what.format("Theorem 3", p), printed, time, reasons.root_sends(case), bound=True)
    p, time = case.best_time("multiple", "all")
    printed = formulas.pipelined(2 * far - 1, 1 / links)
    yield row(what.format("Theorem 8", p), printed, time, reasons.shared_links(case), bound=True)
    p, time = case.best_time("multiple", "one")
    printed = formulas.pipelined(links * (2 * far - 1), 1)
    yield row(what.format("Theorem 9", p), printed, time, reasons.busy_sender(case), bound=True)


def _all_to_all(case: Instance) -> Iterator[Row]:
    """Theorems 4, 5, 10, 11; 4 and 5 also with nothing combined."""
    formulas, links, far = case.formulas, case.formulas.links, case.diameter
    row = partial(timed, case.name)
    all_port, one_port = (formulas.nodes - 1) / links, formulas.nodes - 1
    theorem_4 = formulas.plain(far, all_port)
    theorem_5 = formulas.plain(case.n * links * far, one_port)
    time = case.all_to_all("greedy", "all").time(COST, MESSAGE)
    uneven = reasons.uneven_dimensions(case, "greedy")
    yield row("Theorem 4", theorem_4, time, uneven, bound=True)
    time = case.all_to_all("greedy", "all", combine=False).time(COST, MESSAGE)
    single = reasons.one_start_up_a_word(case)
    yield row("Theorem 4, nothing combined", theorem_4, time, single, bound=True)
    time = case.all_to_all("greedy", "one").time(COST, MESSAGE)
    yield row("Theorem 5", theorem_5, time, bound=True)
    time = case.all_to_all("greedy", "one", combine=False).time(COST, MESSAGE)
    idle = reasons.idle_ports(case)
    yield row("Theorem 5, nothing combined", theorem_5, time, idle, bound=True)
    time = case.all_to_all("multiple", "all").time(COST, MESSAGE)
    uneven = reasons.uneven_dimensions(case, "multiple")
    printed = formulas.plain(2 * far - 1, all_port)
    yield row("Theorem 10", printed, time, uneven, bound=True)
    time = case.all_to_all("multiple", "one").time(COST, MESSAGE)
    printed = formulas.plain(links * (2 * far - 1), one_port)
    yield row("Theorem 11", printed, time, reasons.uneven_within(case, "multiple"), bound=True)


def _counts(case: Instance) -> Iterator[Row]:
    """The counts in Section 5 and in the proof of Theorem 4."""
    nodes, links = case.formulas.nodes, case.formulas.links
    result = case.all_to_all("multiple", "all")
    words, carried = result.outcome.received.shape[0], int(result.outcome.load.sum())
    why = Reason(
        "all N nodes are sources and there are N(n-1) directed links, not N-1 and (N-1)(n-1); "
        "the two slips cancel in the quotient",
        isclose(nodes * (nodes - 1) / case.network.arcs, (nodes - 1) ** 2 / ((nodes - 1) * links)),
    )
    name = f"{case.name}, proof of Theorem 4: "
    yield Row(name + "links of a spanning tree", nodes - 1, carried // words)
    yield Row(name + "segments to broadcast", (nodes - 1) * links, words, why)
    yield Row(name + "directed links", (nodes - 1) * links, case.network.arcs, why)
    moved = carried // result.segments
    yield Row(name + "messages moved over all links", (nodes - 1) ** 2, moved, why)
    what = f"{case.name}, Section 5: one-to-all broadcasts in an all-to-all"
    yield Row(what, nodes - 1, words // links, why)


def _keeps(case: Instance, turns: int, height: int, start_ups: int) -> bool:
    """Whether the least time for a tree of this height, in turns, has so many start-ups."""
    messages = turns / case.formulas.links
    least = turns * COST.least_time(height, MESSAGE / case.formulas.links)
    return isclose(least, case.formulas.pipelined(start_ups, messages))


def _start_ups(case: Instance) -> Iterator[Row]:
    """Start-up terms that differ between theorems, tables and conclusion."""
    links, far, name = case.formulas.links, case.diameter, f"{case.name}, start-ups of "
    kept = far - 1
    first = "of D steps for the first packet the least time keeps D-1 start-ups, as Theorem 2 says"
    what = "the overall time of one tree, all-port: Table 1, then Theorem 2"
    yield Row(name + what, far, kept, Reason(first, _keeps(case, 1, far, kept)))
    kept = links * (far - 1)
    turns = "Section 4.2 plays a step in n-1 turns, so there are n-1 times as many and not n times"
    what = "the overall time of one tree, one-port: Table 1, then Theorem 3"
    yield Row(name + what, case.n * far, kept, Reason(turns, _keeps(case, links, far, kept)))
    kept = links * (2 * far - 1)
    taller = "D-1 belongs to the one tree; the MT trees are up to 2D high, as Theorem 9 says"
    what = "the overall time of MT trees, one-port: the conclusion, then Theorem 9"
    why = Reason(taller, case.family.height > far and _keeps(case, links, 2 * far, kept))
    yield Row(name + what, links * (far - 1), kept, why)
    one, several = (case.all_to_all(trees, "one").steps for trees in ("greedy", "multiple"))
    what = "all-to-all on one tree, one-port: Theorem 5, then the run"
    why = Reason(turns, one <= links * far)
    yield Row(name + what, case.n * links * far, one, why)
    what = f"all-to-all, one-port: one tree's {one} against the MT trees' {several}"
    yield Row(name + what, "higher", "higher" if one > several else "lower", why)


def _logarithms() -> Iterator[Row]:
    """Lemma 1 rounds log N up; Lemma 2 and the tables take log(N-1)."""
    for n in (3, 5):
        case = instance(n, 1)
        steps, nodes = case.doubling_steps(), case.network.nodes
        yield Row(f"{case.name}, Lemma 1: one-port steps", (nodes - 1).bit_length(), steps)
        why = Reason(
            "informed nodes at most double in a step: the logarithm is of N",
            2 ** (steps - 1) < nodes <= 2**steps,
        )
        yield Row(f"{case.name}, Lemma 2: one-port steps", round(log2(nodes - 1)), steps, why)


def theorem_rows() -> list[Row]:
    """All rows on times."""
    cases = [instance(n, k) for n, k in INSTANCES]
    parts = (_one_to_all, _all_to_all, _counts, _start_ups)
    return [row for part in parts for case in cases for row in part(case)] + [*_logarithms()]


# Every (n,k)-star of these n is measured; k = 1 is the complete graph.
SIZES = tuple((n, k) for n in range(3, 8) for k in range(1, n))


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _graph(case: Instance) -> Iterator[Row]:
    """Section 2 and Theorem 1."""
    net, n, k = case.network, case.n, case.k
    yield Row(f"{case.name}, nodes n!/(n-k)!", perm(n, k), net.nodes)
    yield Row(f"{case.name}, degree n-1", n - 1, net.degree)
    yield Row(f"{case.name}, diameter", diameter(n, k), net.diameter())
    tree = greedy(net, 0, "all")
    yield Row(f"{case.name}, Theorem 1: height of the tree", diameter(n, k), tree.height)
    level = tree.depth[net.neighbour] - tree.depth[:, None]
    what = f"{case.name}, Corollary 1: levels between adjacent nodes, at most"
    yield Row(what, 1, int(np.abs(level).max()), bound=True)


def _corollary_1(case: Instance) -> Iterator[Row]:
    """The corollary as it is printed, with "if" where its proof shows "only if"."""
    level, far = case.network.distances(0), _all_distances(case.network)
    near = np.triu(np.abs(level[:, None] - level) <= 1, 1)
    apart = int((near & (far > 1)).sum())
    why = misprint("nk-star-corollary-1", bool(near[np.triu(far == 1)].all()) and apart > 0)
    what = f"{case.name}, Corollary 1: pairs at such levels, of {near.sum()}, that are not adjacent"
    yield Row(what, 0, apart, why)


def _all_distances(net: Network) -> IntArray:
    return np.stack([net.distances(node) for node in range(net.nodes)])


def _cycles(label: Sequence[int]) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    """Whether the first symbol is in place; lengths of external and of internal cycles."""
    external: list[int] = []
    internal: list[int] = []
    k = len(label)
    left = {place for place in range(1, k + 1) if label[place - 1] != place}
    for start in [*sorted(left - set(label)), *sorted(left & set(label))]:
        length, place = 0, start
        while place in left:
            left.remove(place)
            length, place = length + 1, label[place - 1]
        if length:
            (external if place > k else internal).append(length)
    return label[0] == 1, tuple(sorted(external)), tuple(sorted(internal))


def _corollary_2_kinds(case: Instance) -> Iterator[Row]:
    """The kinds of farthest nodes in proof (3), for S(6,4), where (3.1) has no room."""
    hops = case.network.distances(0)
    symbols = permutations.arrangements(case.n, case.k).T[hops == case.diameter].tolist()
    kinds = Counter(_cycles(label) for label in symbols)
    named = (False, (1, 1), (2,))
    why = misprint(
        "nk-star-corollary-2", set(kinds) == {named, (True, (1, 2), ()), (True, (1,), (2,))}
    )
    what = f"{case.name}, Corollary 2, proof (3): nodes of its kinds, of the farthest"
    yield Row(what, len(symbols), kinds[named], why)


def _section_4_2(case: Instance) -> Iterator[Row]:
    """The algorithm of the one-port model sends along trees SP(R^i(Id))."""
    roots = rotated_roots(case.network, 0)
    why = misprint("nk-star-section-4-2", 0 not in roots)
    what = f"{case.name}, section 4.2: trees SP(R^i(Id)), i = 1…n-1, that are rooted at Id"
    yield Row(what, len(roots), roots.count(0), why)


def _leaves(tree: Tree) -> IntArray:
    inner = np.unique(tree.parent[tree.parent != NO_PARENT])
    return np.setdiff1d(np.arange(tree.network.nodes), inner)


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
    for port in range(net.ports):
        there = net.neighbour[stranger, port]
        fertile[there[depth[there] < depth[stranger]]] = True
    return int((~fertile & (depth <= tree.height - 2)).sum())


def _corollary_2(case: Instance) -> Iterator[Row]:
    tree = greedy(case.network, 0, "all")
    level = tree.depth[_leaves(tree)]
    childless = _childless(case, tree)
    why = Reason(
        f"{childless} nodes above the last two levels get no child, whatever the parents of "
        "labels that begin with an outside symbol",
        childless > 0,
    )
    special = (case.n, case.k) == (4, 2)
    what = f"{case.name}, Corollary 2: difference of the leaves' levels"
    computed = int(level.max() - level.min())
    row = Row(what, 0, computed) if special else Row(what + ", at most", 1, computed, bound=True)
    yield explained(row, why)


def _uses(trees: tuple[Tree, ...]) -> IntArray:
    """How many of the trees use each link."""
    uses = np.zeros(trees[0].network.neighbour.shape, dtype=np.int64)
    for tree in trees:
        child = np.flatnonzero(tree.parent != NO_PARENT)
        np.add.at(uses, (tree.parent[child], tree.port[child]), 1)
    return uses


def _theorem_6(case: Instance) -> Iterator[Row]:
    """The printed congestion i is that of n in i·k+1 … (i+1)·k."""
    printed = -(-case.n // case.k) - 1
    rotated = _uses(rotated_trees(case.network, 0, "all"))
    turned = _uses(case.family.trees)
    why = reasons.shared_by_rotated(case, rotated, printed)
    what = f"{case.name}, Theorem 6: trees T that share a directed link"
    yield explained(Row(what, printed, int(rotated.max())), why)
    if turned.max() > rotated.max():
        why = reasons.shared_by_turned(rotated, turned)
    what = f"{case.name}, Theorem 6, for the trees MT"
    yield explained(Row(what, printed, int(turned.max())), why)


def _fetched(case: Instance) -> Iterator[Row]:
    """Case 2.1 of Theorem 6's proof, n = k+1, at a label that already holds the root's first."""
    net, label = case.network, "412"
    tree, hops = greedy(net, net.node("123"), "all"), net.distances(net.node("123"))
    above = net.label(int(tree.parent[net.node(label)]))
    (fetched,) = set(above) - set(label)
    nearer = hops[net.node(above)] < hops[net.node(label)]
    why = misprint("nk-star-theorem-6", "1" in label and fetched not in label and bool(nearer))
    what = f"{case.name}, Theorem 6, case 2.1: what {label} fetches on its way to 123"
    yield Row(what, "1", fetched, why)


def _theorem_7(case: Instance) -> Iterator[Row]:
    """Heights of the MT trees and lengths of the turned paths."""
    heights = [tree.height for tree in case.family.trees]
    hops = case.network.distances(0)
    paths = [int(hops[root]) for root in rotated_roots(case.network, 0)]
    least, most = case.k + case.diameter, 2 * case.diameter
    shares = _deepest_share(case.family)
    why = Reason(
        "the deepest nodes of a rotated tree hang below its turned path, which they then need not "
        "climb all along",
        shares and min(paths) >= case.k,
    )
    what = f"{case.name}, Theorem 7: heights {min(heights)} to {max(heights)}, at least k + D = "
    yield explained(Row(f"{what}{least}", "yes", _yes(min(heights) >= least)), why)
    yield Row(f"{case.name}, Theorem 7: height, at most 2D", most, max(heights), bound=True)
    what = f"{case.name}, Theorem 7: turned paths of {min(paths)} to {max(paths)} hops, k to D"
    yield Row(what, "yes", _yes(case.k <= min(paths) and max(paths) <= case.diameter))


def _deepest_share(family: TreeFamily) -> bool:
    """Whether in the lowest member no deepest node of the rotated tree needs all turned hops."""
    lowest = min(family.trees, key=lambda tree: tree.height)
    where = family.trees.index(lowest)
    rotated = rotated_trees(family.network, family.root, "all")[where]
    turned = int(rotated.depth[family.root])
    deepest = rotated.depth == rotated.height
    return bool((lowest.depth[deepest] < turned + rotated.height).all())


def _figures(case: Instance) -> Iterator[Row]:
    """What the captions of Figures 3 and 4 say of S(4,3)."""
    roots = rotated_roots(case.network, 0)
    labels = " ".join(case.network.label(root) for root in roots)
    yield Row(f"{case.name}, Figure 3: the roots of the trees T", "412 341 234", labels)
    heads = {case.network.label(tree.root) for tree in case.family.trees}
    yield Row(f"{case.name}, Figure 4: the root of the trees MT", "123", " ".join(heads))
    yield Row(f"{case.name}, Figure 4: trees MT", 3, len(case.family.trees))


def rows() -> list[Row]:
    """All rows: the graphs, their trees, the figures, then the times."""
    cases = [instance(n, k) for n, k in SIZES]
    parts = (_graph, _corollary_2, _theorem_6, _theorem_7)
    facts = [row for part in parts for case in cases for row in part(case)]
    four = instance(4, 3)
    facts += [*_corollary_1(instance(4, 2)), *_corollary_2_kinds(instance(6, 4))]
    return [*facts, *_section_4_2(four), *_fetched(four), *_figures(four), *theorem_rows()]
