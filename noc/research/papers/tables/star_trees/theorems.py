"""What the star-tree paper states and proves of its trees, against trees that were built."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import factorial

import numpy as np

from noc.research.papers.routes.algorithms import distance
from noc.research.papers.tables.star_trees.balance import CASES, balance_bound, balance_limit
from noc.research.papers.tables.table import Row, Rows, build, reason
from noc.trees import Tree
from noc.trees.balanced import Part, balanced_tree, ports_to_parent, substars
from noc.trees.tree import NO_PARENT, scheduled

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


@TEXT.each(range(3, 9))
def _theorem_1(n: int) -> Iterator[Row]:
    (tree,), parts = _balanced(f"star:{n}"), list(substars(n))
    sizes, stated = tree.branch_sizes, [*range(1, n - 2), *[n - 2] * n]
    largest, smallest = sizes[0], sizes[n - 2]
    balance = sum(factorial(i) for i in range(1, n)) / factorial(n - 1)
    yield Row(f"S({n}), height ⌊3(n-1)/2⌋", 3 * (n - 1) // 2, tree.height)
    yield Row(f"S({n}), balance factor Σi!/(n-1)!", f"{balance:.6f}", tree.balance)
    top = max(int(tree.depth[_entry(tree, part)]) for part in parts)
    yield Row(f"S({n}), height of Ψ", 3, top)
    yield Row(f"S({n}), smallest subtree, that of a(n)", factorial(n - 1), smallest)
    yield Row(f"S({n}), largest subtree, that of a(2)", sum(map(factorial, stated)), largest)
    outside = sum(not smallest <= size <= largest for size in sizes.values())
    yield Row(f"S({n}), subtrees smaller or larger than those", 0, outside)
    behind_2 = sorted(len(part.free) for part in parts if _first_port(tree, part) == 2)
    yield Row(f"S({n}), dimensions of the parts in it", str(stated), str(behind_2))
    yield Row(f"S({n}), height 2n-3 of the usual recursion", 2 * n - 3, _usual(n).height)


def _first_present(tree: Tree, k: int) -> bool:
    return int(tree.network.label(tree.root)[0]) > int(tree.network.parameters[0]) - k


@TEXT.each((n, k) for n in (4, 5) for k in range(2, n))
def _theorem_2(n: int, k: int) -> Iterator[Row]:
    trees, name = _balanced(f"incomplete-star:{n},{k}"), f"C({k}) of S({n})"
    full, heights = 3 * (n - 1) // 2, [tree.height for tree in trees]
    spanning = sum(np.count_nonzero(tree.depth) == tree.network.nodes - 1 for tree in trees)
    # For odd n a farthest node of S(n) keeps the first symbol and moves every other. Then its
    # last symbol is one of r[2]…r[n-1], and with k = 2 none of these may be last.
    excepted = [tree for tree in trees if n % 2 and k == 2 and _first_present(tree, k)]
    as_low = all(tree.height == tree.network.eccentricity(tree.root) for tree in trees)
    lower = [tree for tree in trees if tree.height < full]
    why = reason("star-trees-no-node-so-far", lower == excepted and as_low)
    yield Row(f"{name}, spanning trees", len(trees), int(spanning))
    yield Row(f"{name}, least height over all roots", full, min(heights), why)
    yield Row(f"{name}, greatest height", full, max(heights))
    for first_present, case in CASES.items():
        worst = max(tree.balance for tree in trees if _first_present(tree, k) == first_present)
        bound = float(balance_bound(n, k, first_present=first_present))
        yield Row(f"{name}, {case}, worst balance", f"{bound:.6f}", worst, bound=True)


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
    what = f"{present} the largest subtree but that of a(n)"
    yield Row(what, printed, largest, why, bound=True)
