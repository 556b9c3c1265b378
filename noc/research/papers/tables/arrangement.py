"""What the arrangement graph paper says of its broadcast: Figures 2 and 3, lemmas, theorems.

The paper's own tables 1 to 3 name nodes and parameters and hold no figures.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import count, permutations, takewhile
from math import factorial, perm

import numpy as np

from noc.networks import ABSENT, IntArray
from noc.networks.permutations import Symbols, arrangements, outside_symbols
from noc.research.papers.tables.table import Row, Rows, build, one_tree, reason, yes
from noc.trees import Tree
from noc.trees.arrangement import INTERMEDIATE, Header, Request, decide, out_port, revised
from noc.trees.tree import NO_PARENT

TEXT = Rows()

MEMBERS = ((4, 2), (5, 2), (5, 3), (5, 4), (6, 3), (6, 4), (7, 4))

# Lemma 4 is measured on level 0: level l of A(n,k) is level 0 of A(n-l,k-l).
LEMMA_4 = tuple((n, k) for n in range(3, 9) for k in range(1, n))
DEEP = 8

#: The paper's p(i) of 1234(567) in A(7,4), and the subgraphs of level i that it serves.
SERVERS = {
    2: ("1437", "562", "13 15 16 17"),
    3: ("1274", "563", "124 125 126"),
    4: ("1237", "564", "1235 1236"),
}


def _column(text: str) -> Symbols:
    """The symbols of one label."""
    return np.array([[int(symbol)] for symbol in text], dtype=np.uint8)


def _text(symbols: Symbols) -> str:
    """The label of one column."""
    return "".join(map(str, symbols[:, 0]))


def _one(values: Iterable[int]) -> str:
    """The value that all share; all of them if they differ."""
    return " ".join(map(str, sorted(set(values))))


@TEXT.each(MEMBERS, "A({},{}), ")
def _counts(n: int, k: int) -> Iterator[Row]:
    net, symbols = build(f"arrangement:{n},{k}"), arrangements(n, k)
    yield Row("nodes n!/(n-k)!", perm(n, k), net.nodes)
    degrees = (net.neighbour != ABSENT).sum(axis=1).tolist()
    yield Row("degree k(n-k) of every node", f"{k * (n - k)}", _one(degrees))
    yield Row("diameter ⌊3k/2⌋", 3 * k // 2, net.diameter())
    counted = [int(count) for s in range(1, n + 1) for count in (symbols == s).sum(axis=1)]
    what = "nodes with a given symbol in a given position, (n-1)!/(n-k)!"
    yield Row(what, f"{factorial(n - 1) // factorial(n - k)}", _one(counted))


@TEXT.add
def _figure_1() -> Iterator[Row]:
    sizes = np.unique(arrangements(4, 2)[1], return_counts=True)[1]
    yield Row("Figure 1: parts of A(4,2) by the symbol in position 2", 4, sizes.size)
    yield Row("Figure 1: nodes of each part", "3", _one(sizes.tolist()))
    degree = build("arrangement:5,1").degree
    yield Row("Theorem 2: A(n,1), here n = 5, is complete: degree", 4, degree)


def _after(label: str, p_out: str, position: int, index: int) -> str:
    """The node that operator ``g_ij`` leads to."""
    net = build(f"arrangement:{len(label + p_out)},{len(label)}")
    port = int(out_port(_column(p_out), position, index - len(label))[0])
    return net.label(int(net.neighbour[net.node(label), port]))


@TEXT.add
def _operators() -> Iterator[Row]:
    outside = _text(outside_symbols(_column("245"), 5))
    orders = " ".join(a + b for a, b in permutations(outside))
    yield Row("after Definition 2: the labels p_out of 245 in A(5,3)", "13 31", orders)
    for p_out, printed in (("45", "523"), ("54", "423")):
        yield Row(f"after Definition 3: 123({p_out}) g_15", printed, _after("123", p_out, 1, 5))
    what = "after Definition 5: 123(45) leads into the subgraph Elect_4 of level 2, first symbols"
    yield Row(what, "14", _after("123", "45", 2, 4)[:2])


@TEXT.each((3, 4, 5))
def _stars(n: int) -> Iterator[Row]:
    """A(n,n-1) under the map that puts the one missing symbol in front."""
    part, star = build(f"arrangement:{n},{n - 1}"), build(f"star:{n}")
    labels = [part.label(node) for node in range(part.nodes)]
    image = np.array([star.node("".join({*star.label(0)} - {*label}) + label) for label in labels])
    kept = int((star.neighbour[image] == image[part.neighbour]).sum())
    what = f"Section 1: the {n}-star is A({n},{n - 1}): links in common, both directions"
    yield Row(what, star.arcs, kept)


def broadcast(n: int, k: int) -> Tree:
    """The broadcast from 12…k with the other symbols in ascending order."""
    return one_tree(f"arrangement:{n},{k}", "distributed", "one")


def _entries(tree: Tree, n: int, k: int) -> IntArray:
    """The nodes that receive from another subgraph of level 1, by their first symbols."""
    first = arrangements(n, k)[0]
    child = np.flatnonzero(tree.parent != NO_PARENT)
    entering = child[first[child] != first[tree.parent[child]]]
    return np.asarray(entering[np.argsort(first[entering])])


def _phase_1_steps(tree: Tree, n: int, k: int) -> int:
    """L1: until the subgraphs 2…k, whose symbols the source 12…k holds, have all been entered."""
    return int(tree.step[_entries(tree, n, k)[: k - 1]].max(initial=0))


def _with_p_out(tree: Tree, label: str) -> str:
    """A node with the ``p_out`` that the requests on the way give it, as in 1437(562)."""
    path = [tree.network.node(label)]
    while path[-1] != tree.root:
        path.append(int(tree.parent[path[-1]]))
    n, k = map(int, tree.network.parameters)
    p_out = _column("".join(map(str, range(k + 1, n + 1))))
    for node in reversed(path[:-1]):
        p_out = revised(p_out, _column(tree.network.label(node)))
    return f"{label}({_text(p_out)})"


def _served(tree: Tree, label: str, level: int) -> str:
    """The subgraphs one level down, in its own of ``level``, that a node informs."""
    labels, nodes = [], [tree.network.node(label)]
    while nodes:
        nodes = np.flatnonzero(np.isin(tree.parent, nodes)).tolist()
        labels += [tree.network.label(node) for node in nodes]
    inside = {below[: level + 1] for below in labels if below[:level] == label[:level]}
    return " ".join(sorted(inside - {label[: level + 1]}))


def _shared(first: str, second: str) -> int:
    """How many symbols two labels begin with in common: both are in that level's subgraph."""
    pairs = zip(first, second, strict=True)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


@TEXT.add
def _figure_2() -> Iterator[Row]:
    tree = broadcast(7, 4)
    labels = [tree.network.label(node) for node in range(tree.network.nodes)]
    for level in range(1, 5):
        inside = {t[:level] for t in labels if t[: level - 1] == "1234"[: level - 1]}
        what = f"Figure 2: subgraphs of level {level} in one of level {level - 1}"
        yield Row(what, 8 - level, len(inside))
    for i, (label, p_out, served) in SERVERS.items():
        yield Row(f"Figure 2: p({i}) of 1234(567)", f"{label}({p_out})", _with_p_out(tree, label))
        what = f"Figure 2: subgraphs of level {i} that p({i}) serves"
        yield Row(what, served, _served(tree, label, i - 1))
    what = "Section 3: level on which p(2) = 1437 and the source are in different subgraphs"
    parting = _shared("1437", "1234") + 1
    yield Row(what, 1, parting, reason("arrangement-section-3-level", parting == len("14")))


@TEXT.add
def _figure_3() -> Iterator[Row]:
    tree = broadcast(5, 2)
    net = tree.network
    yield Row("Figure 3: steps from 12(345)", 6, tree.steps)
    yield Row("Figure 3: the intermediate node of 12(345)", "15(342)", _with_p_out(tree, "15"))
    children = map(net.label, np.flatnonzero(tree.parent == net.node("15")).tolist())
    shown = " ".join(_with_p_out(tree, label) for label in children if label[0] == "1")
    yield Row("Figure 3: 15(342) sends in subgraph 1 only to", "13(542) 14(352)", shown)
    messages = int((tree.parent != NO_PARENT).sum())
    yield Row("Figure 3: messages, none redundant", net.nodes - 1, messages)


@TEXT.each(range(1, 4))
def _phase_1_doubles(m: int) -> Iterator[Row]:
    """The message's holders among the source and p(2)…p(k), which enter the subgraphs 2…k."""
    n, k = DEEP + 1, DEEP
    tree = broadcast(n, k)
    received = tree.step[tree.parent[_entries(tree, n, k)[: k - 1]]]
    what = f"Phase 1, A({n},{k}): holders after step m = {m}, 2^m"
    yield Row(what, 2**m, 1 + int((received <= m).sum()))


def _proved(k: int, highest: int) -> int:
    """Levels that an induction from l+1 to l proves, for l+1 from ``highest`` down to 1."""
    levels = {k, k - 1}
    for above in range(highest, 0, -1):
        levels |= {above - 1} if above in levels else set()
    return len(levels)


@TEXT.add
def _phase_3() -> Iterator[Row]:
    """Phase 3, in A(5,2) and A(7,4); and what the text around says of it."""
    request = Request(_column("345"), Header(0, 2, 1, INTERMEDIATE))
    sends = decide(request, _column("15"))[1]
    level = max(send.header.level for send in sends if send.position == 2)
    as_said = _shared("15", "12") == 1 and _served(broadcast(5, 2), "15", 1) == "13 14"
    why = reason("arrangement-phase-3-level", as_said)
    yield Row("Phase 3: level of the subgraph that p(I) serves, I = 2", 2, level, why)

    n, k = 7, 4

    def loop(level: int) -> list[int]:
        """The i of the last loop in pass after pass, for I = k: it ends when i is above n-1."""
        return [k + 1 + (2 ** (m - 1) - 1) * (k - level) for m in range(1, DEEP)]

    why = reason("arrangement-phase-3-loop", len({*loop(k)}) == 1 and max(loop(k - 1)) > n - 1)
    ends = "ends" if max(loop(k)) > n - 1 else "does not end"
    yield Row("Phase 3, A(7,4), l := I = k: the loop until i > n-1", "ends", ends, why)

    # The comment that opens Phase 3 names the p(i) that broadcast in a subgraph.
    served = {i: _served(broadcast(n, k), label, i - 1) for i, (label, *_) in SERVERS.items()}
    last = max(i for i in served if served[i])
    why = reason("arrangement-phase-3-comment", last == k)
    yield Row("Phase 3, A(7,4): greatest i of a p(i) that serves a subgraph", k - 1, last, why)

    # The sentence after Lemma 3: whether two of the p(i) serve the same nodes.
    subgraphs = " ".join(served.values()).split()
    once = not any(a.startswith(b) for a, b in permutations(subgraphs, 2))
    why, result = reason("arrangement-phase-3-redundancy", once), "without" if once else "with"
    yield Row("after Lemma 3: broadcast with or without message redundancy", "with", result, why)

    why = reason("arrangement-theorem-2", _proved(k, k - 1) == k + 1)
    yield Row("Theorem 2, k = 4: levels that the induction reaches", k + 1, _proved(k, k - 2), why)

    # What a spreader hands on to itself one level down, shown in A(4,2), where both have k.
    net, label = build("arrangement:4,2"), "31"
    p_out = _text(outside_symbols(_column(label), 4))
    valid = {net.label(int(node)) for node in net.neighbour[net.node(label)]}
    # The first symbol of the label gives way to the last of these.
    fitting = [symbols for symbols in (p_out, label) if symbols[-1] + label[1:] in valid]
    why = reason("arrangement-phase-2-call", len(fitting) == 1)
    what = "Phase 2, the call that ends it: p_out that 31 of A(4,2) passes"
    yield Row(what, label, fitting[0], why)


def ceil_log2(value: Fraction) -> int:
    """⌈lg value⌉ of a positive value, exactly."""
    return next(power for power in count(-64) if value <= Fraction(2) ** power)


def bound(n: int, k: int) -> tuple[int, int]:
    """Lemma 4's bounds on L1 and L2 for level 0; for n = 2 its lg 0 counts as one send."""
    return 2 + ceil_log2(Fraction(k)), 2 + ceil_log2(Fraction(n - 2, k)) if n > 2 else 1


@TEXT.each(LEMMA_4, "Lemma 4, n-l = {}, k-l = {}: ")
def _lemma_4(n: int, k: int) -> Iterator[Row]:
    tree, bounds = broadcast(n, k), bound(n, k)
    entering = _entries(tree, n, k)
    inner = np.unique(tree.parent[entering[: k - 1]])
    symbols = arrangements(n, k)[0][entering]
    yield Row("intermediate nodes, k-l-1", k - 1, inner.size)
    yield Row("subgraphs entered, n-l-1", n - 1, np.unique(symbols).size)
    yield Row("entries into them, one each", n - 1, symbols.size)
    # L2 are the steps in which the source itself sends into other subgraphs.
    first, second = _phase_1_steps(tree, n, k), int((tree.parent[entering] == tree.root).sum())
    yield Row("L1 ≤ 2 + ⌈lg(k-l)⌉", bounds[0], first, bound=True)
    yield Row("L2 ≤ 2 + ⌈lg (n-l-2)/(k-l)⌉", bounds[1], second, bound=True)
    last = int(tree.step[entering].max())
    yield Row("L = L1 + L2, step of the last entry", first + second, last, bound=True)


@TEXT.each(range(3, DEEP + 1), "Lemma 4, k-l = {}: ")
def _lemma_4_equation(k: int) -> Iterator[Row]:
    printed = max(1 + ceil_log2(Fraction(k - 1)), 2 + ceil_log2(Fraction(k - 2)))
    measured = _phase_1_steps(broadcast(k + 1, k), k + 1, k)
    why = reason("arrangement-lemma-4", measured == 1 + (k - 1).bit_length())
    yield Row("L1 = max(1 + ⌈lg(k-l-1)⌉, 2 + ⌈lg(k-l-2)⌉)", printed, measured, why)


@TEXT.each(MEMBERS, "Theorem 3, A({},{}): ")
def _theorem_3(n: int, k: int) -> Iterator[Row]:
    tree = broadcast(n, k)
    messages = int((tree.parent != NO_PARENT).sum())
    yield Row("messages n!/(n-k)! - 1", perm(n, k) - 1, messages)
    most = sum(sum(bound(n - level, k - level)) for level in range(k))
    yield Row("steps, at most the sum of Lemma 4's bounds", most, tree.steps, bound=True)
    enough = yes(2**tree.steps >= tree.network.nodes)
    yield Row("steps at least ⌈lg N⌉ (Theorem 1)", "yes", enough)
