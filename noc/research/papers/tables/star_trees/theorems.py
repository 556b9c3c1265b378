"""Balanced trees: Table 1 and its bound; what is proved of them, against trees that were built."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import factorial, floor

import numpy as np

from noc.research.papers.printed import figures
from noc.research.papers.routes.algorithms import distance
from noc.research.papers.tables.table import Reason, Row, Rows, build, reason
from noc.trees import Tree
from noc.trees.balanced import Part, balanced_tree, ports_to_parent, substars
from noc.trees.tree import NO_PARENT, scheduled

TABLE_1, PRINTED = Rows(), figures("star-trees-1")

# Trees of at most this dimension are built for the table; the others are counted.
BUILT = 8

#: Both cases of Theorem 2: whether the network has the root's first symbol last in some label.
CASES = {False: "r[1] ≤ n-k", True: "r[1] ≥ n-k+1"}


def branch_sizes(root: tuple[int, ...], k: int) -> dict[int, int]:
    """Nodes behind each out-port of the root, counted without building the tree.

    Behind port i lie the parts B(i,j) of the root's own substar, then one part of dimension n-2
    of each other substar whose last symbol the network has; of the substar with the root's i-th
    symbol last, two. The substar with the root's first symbol last is behind port n, whole. ``k``
    is how many of the n symbols, the largest, the network has at the last position.

    >>> branch_sizes((1, 2, 3, 4), 4)
    {0: 9, 1: 8, 2: 6}
    """
    n = len(root)
    present = [symbol > n - k for symbol in root]
    others = sum(present[1:-1])
    sizes = {
        i - 2: sum(factorial(j) for j in range(i - 1, n - 1))
        + (others + present[i - 1]) * factorial(n - 2)
        for i in range(2, n)
    }
    return sizes | ({n - 2: factorial(n - 1)} if present[0] else {})


def worst_root(n: int, k: int, *, first_present: bool) -> tuple[int, ...]:
    """A root at which the balance factor is greatest, of the case of Theorem 2.

    Its port 2, which has most of its own substar behind it, gets two parts of another where any
    port does; its port n-1, which has least, gets one where any port does.
    """
    first = n - k + 1 if first_present else 1
    return first, *(symbol for symbol in range(n - 1, 0, -1) if symbol != first), n


def balance_limit(n: int, k: int, *, first_present: bool) -> Fraction:
    """What Theorem 2's bound converges to as n grows."""
    return Fraction(n - 1, k - 1) if first_present else Fraction(k + 1, k + (k == n - 1))


def balance_bound(n: int, k: int, *, first_present: bool) -> Fraction:
    """The paper's upper bound of the balance factor, Theorem 2; some root attains it.

    It is for n from 4 up and k from 2 to n-1; ``first_present`` is whether the root's first symbol
    is one that the network has at the last position.

    >>> balance_bound(8, 4, first_present=True)
    Fraction(7, 3)
    """
    s = int(k == n - 1)
    tail = Fraction(sum(factorial(j) for j in range(1, n - 2)), factorial(n - 2))
    if first_present:
        return (n - 1 + s * tail) / (k - 1)
    return (k + 1 + tail) / (k + s)


def _cut(exact: Fraction, printed: str) -> Fraction:
    """An exact figure without the digits beyond those that are printed."""
    unit = 10 ** len(printed.partition(".")[2])
    return Fraction(floor(exact * unit), unit)


def _shortened(printed: str, *terms: Fraction) -> Reason | None:
    """Why a printed sum differs from the exact one, if it does: digits were dropped."""
    exact, figure = sum(terms, Fraction(0)), Fraction(printed)
    if Row("", printed, float(exact)).agrees:
        return None
    if figure == _cut(exact, printed):
        return reason("cut-off", True)
    by_term = sum(_cut(term, printed) for term in terms)
    return reason("star-trees-cut-off-terms", by_term == figure < _cut(exact, printed))


def _measured(spec: str, root: tuple[int, ...], k: int) -> tuple[Fraction, float, str]:
    """The balance factor by counting, that of a small tree that is built, and which it is."""
    sizes = branch_sizes(root, k).values()
    counted = Fraction(max(sizes), min(sizes))
    if len(root) > BUILT:
        return counted, float(counted), "counted"
    net = build(spec)
    return counted, balanced_tree(net, net.node("".join(map(str, root)))).balance, "built"


@TABLE_1.each(PRINTED, "n = {}, ")
def _complete(n: int) -> Iterator[Row]:
    printed = PRINTED[n][0]
    exact, computed, how = _measured(f"star:{n}", tuple(range(1, n + 1)), n)
    yield Row(f"S(n), {how}", printed, computed, _shortened(printed, exact))


COLUMNS = [(name, first_present) for name in ("n-1", "⌊n/2⌋") for first_present in CASES]


@TABLE_1.each((column, n) for column in range(len(COLUMNS)) for n in PRINTED)
def _incomplete(column: int, n: int) -> Iterator[Row]:
    (name, first_present), printed = COLUMNS[column], PRINTED[n][1 + column]
    k = n - 1 if name == "n-1" else n // 2
    what = f"n = {n}, C({name}), {CASES[first_present]}"
    bound, limit = (f(n, k, first_present=first_present) for f in (balance_bound, balance_limit))
    why = _shortened(printed, limit, bound - limit)
    yield Row(f"{what}, bound of Theorem 2", printed, float(bound), why)
    root = worst_root(n, k, first_present=first_present)
    counted, measured, how = _measured(f"incomplete-star:{n},{k}", root, k)
    if why is not None:
        why = reason("star-trees-bound-attained", counted == bound > Fraction(printed))
    yield Row(f"{what}, worst root, {how}", printed, measured, why, bound=True)


TEXT = Rows()


@cache
def _balanced(spec: str) -> tuple[Tree, ...]:
    """The balanced tree from each root, or from one where all are alike."""
    net = build(spec)
    roots = range(net.nodes if net.family == "incomplete-star" else 1)
    return tuple(balanced_tree(net, root) for root in roots)


def _last_symbol_parts(n: int) -> Iterator[Part]:
    """The usual split of a star, by the last symbol: paths of length 2 to n-1 parts of one size."""
    inside = tuple(range(n - 1))
    for last in range(1, n + 1):
        symbols = list(range(1, n + 1))
        for position in (last, n) if last < n else ():
            symbols[0], symbols[position - 1] = symbols[position - 1], symbols[0]
        yield Part(f"*{last}", tuple(symbols), inside, n - 1 if last < n else 0)


def _usual(n: int) -> Tree:
    """The tree of the usual recursion, from which section 3.1 sets out."""
    net = build(f"star:{n}")
    port = ports_to_parent(n, _last_symbol_parts).astype(np.int16) - 1
    parent = net.neighbour[np.arange(net.nodes), port]
    parent[0] = port[0] = NO_PARENT
    return scheduled(net, "last-symbol", "all", 0, parent, port)


def _entry(tree: Tree, part: Part) -> int:
    """The first node of a part of a small star."""
    return tree.network.node("".join(map(str, part.entry)))


def _first_port(tree: Tree, part: Part) -> int | None:
    """The label of the port through which the root sends to a part; None to its own."""
    node = _entry(tree, part)
    if node == tree.root:
        return None
    while tree.parent[node] != tree.root:
        node = int(tree.parent[node])
    return int(tree.network.out_ports[tree.port[node]])


@TEXT.each(range(3, 9), "S({}), ")
def _theorem_1(n: int) -> Iterator[Row]:
    (tree,), parts = _balanced(f"star:{n}"), list(substars(n))
    sizes, stated = tree.branch_sizes, [*range(1, n - 2), *[n - 2] * n]
    largest, smallest = sizes[0], sizes[n - 2]
    balance = sum(factorial(i) for i in range(1, n)) / factorial(n - 1)
    yield Row("height ⌊3(n-1)/2⌋", 3 * (n - 1) // 2, tree.height)
    yield Row("balance factor Σi!/(n-1)!", f"{balance:.6f}", tree.balance)
    top = max(int(tree.depth[_entry(tree, part)]) for part in parts)
    yield Row("height of Ψ", 3, top)
    yield Row("smallest subtree, that of a(n)", factorial(n - 1), smallest)
    yield Row("largest subtree, that of a(2)", sum(map(factorial, stated)), largest)
    outside = sum(not smallest <= size <= largest for size in sizes.values())
    yield Row("subtrees smaller or larger than those", 0, outside)
    behind_2 = sorted(len(part.free) for part in parts if _first_port(tree, part) == 2)
    yield Row("dimensions of the parts in it", str(stated), str(behind_2))
    yield Row("height 2n-3 of the usual recursion", 2 * n - 3, _usual(n).height)


def _first_present(tree: Tree, k: int) -> bool:
    return int(tree.network.label(tree.root)[0]) > int(tree.network.parameters[0]) - k


@TEXT.each(((4, 2), (4, 3), (5, 2), (5, 3), (5, 4)), "C({1}) of S({0}), ")
def _theorem_2(n: int, k: int) -> Iterator[Row]:
    trees = _balanced(f"incomplete-star:{n},{k}")
    full, heights = 3 * (n - 1) // 2, [tree.height for tree in trees]
    spanning = sum(np.count_nonzero(tree.depth) == tree.network.nodes - 1 for tree in trees)
    # For odd n a farthest node of S(n) keeps the first symbol and moves every other. Then its
    # last symbol is one of r[2]…r[n-1], and with k = 2 none of these may be last.
    excepted = [tree for tree in trees if n % 2 and k == 2 and _first_present(tree, k)]
    as_low = all(tree.height == tree.network.eccentricity(tree.root) for tree in trees)
    lower = [tree for tree in trees if tree.height < full]
    why = reason("star-trees-no-node-so-far", lower == excepted and as_low)
    yield Row("spanning trees", len(trees), int(spanning))
    yield Row("least height over all roots", full, min(heights), why)
    yield Row("greatest height", full, max(heights))
    for first_present, case in CASES.items():
        worst = max(tree.balance for tree in trees if _first_present(tree, k) == first_present)
        bound = float(balance_bound(n, k, first_present=first_present))
        yield Row(f"{case}, worst balance", f"{bound:.6f}", worst, bound=True)


@TEXT.add
def _limits() -> Iterator[Row]:
    """What the balance factors of the two theorems converge to as n grows, k being n-1 or small."""
    n = 1000
    complete = Fraction(sum(map(factorial, range(1, n))), factorial(n - 1))
    yield Row(f"limit of S(n)'s balance factor, at n = {n}", "1.00", float(complete))
    for k in (2, 10, n // 2, n - 1):
        for first_present, name in ((False, "(k+1)/(k+s)"), (True, "(n-1)/(k-1)")):
            case = {"first_present": first_present}
            # What is left of the bound is one part in n times the limit, or nothing.
            ratio = float(balance_bound(n, k, **case) / balance_limit(n, k, **case))
            yield Row(f"Theorem 2's bound over its limit {name}, n = {n}, k = {k}", "1.00", ratio)


@TEXT.add
def _recurrence() -> Iterator[Row]:
    """The height of the proof: h(1) = 0, h(2) = 1, h(i) = max(1 + h(i-1), 3 + h(i-2)).

    After it that over all parts, each as far from the root as a star has its first node.
    """
    height, parts = {1: 0, 2: 1}, {1: 0}
    for i in range(3, 21):
        height[i] = max(1 + height[i - 1], 3 + height[i - 2])
    for i in range(2, 21):
        parts[i] = max(distance(part.entry) + parts[len(part.free)] for part in substars(i))
    closed = [3 * (n - 1) // 2 for n in height]
    listed = str(list(height.values()))
    yield Row("heights by the recurrence, n = 1…20", str(closed), listed)
    yield Row("heights over all parts, n = 1…20", listed, str(list(parts.values())))
    yield Row("h(2), built", 1, _balanced("star:2")[0].height)


@TEXT.add
def _usual_tree() -> Iterator[Row]:
    """The comparison with trees of height 2n-3."""
    n = 10**6 + 1
    ratio = (2 * n - 3) / (3 * (n - 1) // 2)
    yield Row(f"height 2n-3 over ours, n = {n}, from the formulas: 4/3", "1.3333", ratio)
    hops = [(_usual(n), _balanced(f"star:{n}")[0]) for n in range(4, 9)]
    more = all(usual.depth.sum() > ours.depth.sum() for usual, ours in hops)
    what = "hops of a scatter on the usual tree, n = 4…8, against ours"
    yield Row(what, "more", "more" if more else "not always more")


def _quotients(n: int, kept: int) -> tuple[int, int]:
    """How many parts of dimension n-2 the ports 2…n-1 get, at least and at most."""
    return kept * (n - 1) // (n - 2), -(-kept * (n - 1) // (n - 2))


@TEXT.add
def _proof_of_theorem_2() -> Iterator[Row]:
    """Counts in the proof that contradict its result, shown on C(3) of S(5)."""
    n, k = 5, 3
    cases = [(m, j) for m in range(4, 21) for j in range(2, m)]
    exchanged = all(_quotients(m, j - 1) == (j - 1 + (j == m - 1), j) for m, j in cases)
    ceiling = all(_quotients(m, j - 2)[1] == j - 2 + (j > 2) for m, j in cases)
    swap = reason("star-trees-theorem-2-quotients", exchanged)
    up = reason("star-trees-theorem-2-ceiling", ceiling)
    absent, present = (f"C({k}) of S({n}), {case}:" for case in CASES.values())
    least, most = _quotients(n, k - 1)
    yield Row(f"{absent} fewest parts of dimension n-2", k, least, swap)
    yield Row(f"{absent} most parts of dimension n-2", k - 1, most, swap)
    yield Row(f"{present} most parts of dimension n-2", k - 2, _quotients(n, k - 2)[1], up)
    trees = [t for t in _balanced(f"incomplete-star:{n},{k}") if _first_present(t, k)]
    largest = max(size for t in trees for port, size in t.branch_sizes.items() if port != n - 2)
    printed = (k - 2) * factorial(n - 2) + sum(factorial(j) for j in range(1, n - 1))
    why = reason("star-trees-ceiling", ceiling and largest == printed + factorial(n - 2))
    yield Row(f"{present} the largest subtree but that of a(n)", printed, largest, why, bound=True)
