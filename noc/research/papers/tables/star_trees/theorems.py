"""What the star-tree paper states and proves of its trees, against trees that were built."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import factorial

import numpy as np

from noc.networks import build_network
from noc.research.papers.routes.star import distance
from noc.research.papers.tables.table import Reason, Row, misprint
from noc.trees import Tree
from noc.trees.balanced import Part, balanced_tree, ports_to_parent, substars
from noc.trees.tree import NO_PARENT, scheduled

__all__ = ["balance_bound", "branch_sizes", "rows", "worst_root"]


def branch_sizes(root: tuple[int, ...], k: int) -> dict[int, int]:
    """Nodes behind each out-port of the root, counted without building the tree.

    Behind port i lie the parts B(i,j) of the root's own substar, then one part of dimension n-2
    of each other substar whose last symbol the network has; of the substar with the root's i-th
    symbol last, two. The substar with the root's first symbol last is behind port n, whole.

    Parameters
    ----------
    root : tuple of int
        The label of the root: its symbols at positions 1…n.
    k : int
        How many of the n symbols, the largest, the network has at the last position.

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
    if present[0]:
        sizes[n - 2] = factorial(n - 1)
    return sizes


def worst_root(n: int, k: int, *, first_present: bool) -> tuple[int, ...]:
    """A root at which the balance factor is greatest.

    Its port 2, which has most of its own substar behind it, gets two parts of another where any
    port does; its port n-1, which has least, gets one where any port does.

    Parameters
    ----------
    n, k : int
        The incomplete star, k from 2 to n-1.
    first_present : bool
        Whether the root's first symbol is one that the network has at the last position.
    """
    first = n - k + 1 if first_present else 1
    return first, *(symbol for symbol in range(n - 1, 0, -1) if symbol != first), n


def balance_bound(n: int, k: int, *, first_present: bool) -> Fraction:
    """The paper's upper bound of the balance factor, Theorem 2; some root attains it.

    Parameters
    ----------
    n, k : int
        The incomplete star, n from 4 up and k from 2 to n-1.
    first_present : bool
        Whether the root's first symbol is one that the network has at the last position.

    >>> balance_bound(8, 4, first_present=True)
    Fraction(7, 3)
    """
    s = int(k == n - 1)
    tail = Fraction(sum(factorial(j) for j in range(1, n - 2)), factorial(n - 2))
    if first_present:
        return (n - 1 + s * tail) / (k - 1)
    return (k + 1 + tail) / (k + s)


COMPLETE = range(3, 9)
INCOMPLETE = [(n, k) for n in (4, 5) for k in range(2, n)]


@cache
def _balanced(spec: str) -> tuple[Tree, ...]:
    """The balanced tree from each root, or from one where all are alike."""
    net = build_network(spec)
    roots = range(net.nodes if net.family == "incomplete-star" else 1)
    return tuple(balanced_tree(net, root) for root in roots)


def _last_symbol_parts(n: int) -> Iterator[Part]:
    """The usual split of a star, by the last symbol: paths of length 2 to n-1 parts of one size."""
    inside = tuple(range(n - 1))
    for last in range(1, n + 1):
        symbols = list(range(1, n + 1))
        symbols[0], symbols[last - 1] = symbols[last - 1], symbols[0]
        symbols[0], symbols[n - 1] = symbols[n - 1], symbols[0]
        entry = tuple(symbols) if last < n else tuple(range(1, n + 1))
        yield Part(f"*{last}", entry, inside, n - 1 if last < n else 0)


def _usual(n: int) -> Tree:
    """The tree of the usual recursion, from which section 3.1 sets out."""
    net = build_network(f"star:{n}")
    port = ports_to_parent(n, _last_symbol_parts).astype(np.int16) - 1
    parent = net.neighbour[np.arange(net.nodes), port]
    parent[0] = port[0] = NO_PARENT
    return scheduled(net, "last-symbol", "all", 0, parent, port)


def _theorem_1(n: int) -> list[Row]:
    (ours,) = _balanced(f"star:{n}")
    usual = _usual(n)
    sizes = ours.branch_sizes
    largest, smallest = sizes[0], sizes[n - 2]
    outside = sum(not smallest <= size <= largest for size in sizes.values())
    behind_2 = [len(part.free) for part in substars(n) if _first_port(ours, part) == 2]
    stated = [*range(1, n - 2), *[n - 2] * n]
    balance = sum(factorial(i) for i in range(1, n)) / factorial(n - 1)
    return [
        Row(f"S({n}), height ⌊3(n-1)/2⌋", 3 * (n - 1) // 2, ours.height),
        Row(f"S({n}), balance factor Σi!/(n-1)!", f"{balance:.6f}", ours.balance),
        Row(f"S({n}), height of Ψ", 3, max(int(ours.depth[_entry(ours, p)]) for p in substars(n))),
        Row(f"S({n}), smallest subtree, that of a(n)", factorial(n - 1), smallest),
        Row(f"S({n}), largest subtree, that of a(2)", sum(map(factorial, stated)), largest),
        Row(f"S({n}), subtrees smaller or larger than those", 0, outside),
        Row(f"S({n}), dimensions of the parts in it", str(stated), str(sorted(behind_2))),
        Row(f"S({n}), height 2n-3 of the usual recursion", 2 * n - 3, usual.height),
    ]


def _entry(built: Tree, part: Part) -> int:
    """The first node of a part of a small star."""
    return built.network.node("".join(str(symbol) for symbol in part.entry))


def _first_port(built: Tree, part: Part) -> int | None:
    """The label of the port through which the root sends to a part; None to its own."""
    node = _entry(built, part)
    if node == built.root:
        return None
    while built.parent[node] != built.root:
        node = int(built.parent[node])
    return int(built.network.out_ports[built.port[node]])


def _usual_tree() -> list[Row]:
    """The comparison with trees of height 2n-3."""
    large = 10**6 + 1
    ratio = (2 * large - 3) / (3 * (large - 1) // 2)
    sizes = range(4, 9)
    hops = [int(_usual(n).depth.sum()) - int(_balanced(f"star:{n}")[0].depth.sum()) for n in sizes]
    more = "more" if min(hops) > 0 else "not always more"
    return [
        Row("height 2n-3 over ours, n = 1000001, from the formulas: 4/3", "1.3333", ratio),
        Row("hops of a scatter on the usual tree, n = 4…8, against ours", "more", more),
    ]


def _recurrence() -> list[Row]:
    """The height of the proof: h(1) = 0, h(2) = 1, h(i) = max(1 + h(i-1), 3 + h(i-2)).

    Beside it that over all parts, each as far from the root as a star has its first node.
    """
    height = {1: 0, 2: 1}
    for i in range(3, 21):
        height[i] = max(1 + height[i - 1], 3 + height[i - 2])
    closed = [3 * (n - 1) // 2 for n in height]
    parts = {1: 0}
    for i in range(2, 21):
        parts[i] = max(distance(part.entry) + parts[len(part.free)] for part in substars(i))
    return [
        Row("heights by the recurrence, n = 1…20", str(closed), str(list(height.values()))),
        Row(
            "heights over all parts, n = 1…20",
            str(list(height.values())),
            str(list(parts.values())),
        ),
        Row("h(2), built", 1, _balanced("star:2")[0].height),
    ]


def _first_present(built: Tree, k: int) -> bool:
    n = int(built.network.parameters[0])
    return int(built.network.label(built.root)[0]) > n - k


def _theorem_2(n: int, k: int) -> Iterator[Row]:
    trees = _balanced(f"incomplete-star:{n},{k}")
    full = 3 * (n - 1) // 2
    lower = [built for built in trees if built.height < full]
    # For odd n a farthest node of S(n) keeps the first symbol and moves every other. Then its
    # last symbol is one of r[2]…r[n-1], and with k = 2 none of these may stand there.
    meant = [built for built in trees if n % 2 and k == 2 and _first_present(built, k)]
    reason = Reason(
        "for odd n, k = 2 and r[1] ≥ n-k+1 the network has no node that far from r: the tree is "
        "as low as can be, at ⌊3(n-1)/2⌋ - 1",
        lower == meant and all(t.height == t.network.eccentricity(t.root) for t in trees),
    )
    least = min(built.height for built in trees)
    yield Row(f"C({k}) of S({n}), spanning trees", len(trees), sum(_spans(t) for t in trees))
    yield Row(
        f"C({k}) of S({n}), least height over all roots", full, least, reason if lower else None
    )
    yield Row(f"C({k}) of S({n}), greatest height", full, max(built.height for built in trees))
    for first_present in (False, True):
        case = "r[1] ≥ n-k+1" if first_present else "r[1] ≤ n-k"
        worst = max(t.balance for t in trees if _first_present(t, k) == first_present)
        bound = float(balance_bound(n, k, first_present=first_present))
        yield Row(f"C({k}) of S({n}), {case}, worst balance", f"{bound:.6f}", worst, bound=True)


def _spans(built: Tree) -> bool:
    return int(np.count_nonzero(built.depth)) == built.network.nodes - 1


def _quotients(n: int, kept: int) -> tuple[int, int]:
    """How many parts of dimension n-2 the ports 2…n-1 get, at least and at most."""
    return kept * (n - 1) // (n - 2), -(-kept * (n - 1) // (n - 2))


def _proof_of_theorem_2() -> list[Row]:
    """Counts in the proof that contradict its result, shown on C(3) of S(5)."""
    n, k = 5, 3
    cases = [(m, j) for m in range(4, 21) for j in range(2, m)]
    exchanged = all(_quotients(m, j - 1) == (j - 1 + (j == m - 1), j) for m, j in cases)
    ceiling = all(_quotients(m, j - 2)[1] == j - 2 + (j > 2) for m, j in cases)
    swap = misprint("star-trees-theorem-2-quotients", exchanged)
    up = misprint("star-trees-theorem-2-ceiling", ceiling)
    tail = sum(factorial(j) for j in range(1, n - 1))
    largest = _largest_of_ports_2_to_n_1(n, k)
    printed = (k - 2) * factorial(n - 2) + tail
    least, most = _quotients(n, k - 1)
    return [
        Row(f"C({k}) of S({n}), r[1] ≤ n-k: fewest parts of dimension n-2", k, least, swap),
        Row(f"C({k}) of S({n}), r[1] ≤ n-k: most parts of dimension n-2", k - 1, most, swap),
        Row(
            f"C({k}) of S({n}), r[1] ≥ n-k+1: most parts of dimension n-2",
            k - 2,
            _quotients(n, k - 2)[1],
            up,
        ),
        Row(
            f"C({k}) of S({n}), r[1] ≥ n-k+1: the largest subtree but that of a(n)",
            printed,
            largest,
            Reason(
                "with the ceiling in place of the floor the count is what was built",
                ceiling and largest == printed + factorial(n - 2),
            ),
            bound=True,
        ),
    ]


def _largest_of_ports_2_to_n_1(n: int, k: int) -> int:
    trees = [t for t in _balanced(f"incomplete-star:{n},{k}") if _first_present(t, k)]
    return max(size for t in trees for port, size in t.branch_sizes.items() if port != n - 2)


def _limits() -> Iterator[Row]:
    """What the balance factors of the two theorems converge to as n grows, k being n-1 or small."""
    n = 1000
    complete = Fraction(sum(map(factorial, range(1, n))), factorial(n - 1))
    yield Row(f"limit of S(n)'s balance factor, at n = {n}", "1.00", float(complete))
    for k in (2, 10, n // 2, n - 1):
        for first_present, limit in (
            (False, Fraction(k + 1, k + (k == n - 1))),
            (True, Fraction(n - 1, k - 1)),
        ):
            name = "(n-1)/(k-1)" if first_present else "(k+1)/(k+s)"
            bound = balance_bound(n, k, first_present=first_present)
            # What is left of the bound is one part in n times the limit, or nothing.
            ratio = float(bound / limit)
            yield Row(f"Theorem 2's bound over its limit {name}, n = {n}, k = {k}", "1.00", ratio)


def rows() -> list[Row]:
    """Both theorems, the steps of their proofs, and the comparison with the usual trees."""
    result = [row for n in COMPLETE for row in _theorem_1(n)]
    result += [row for n, k in INCOMPLETE for row in _theorem_2(n, k)]
    return [*result, *_limits(), *_recurrence(), *_usual_tree(), *_proof_of_theorem_2()]
