"""Table 1 of the star-tree paper: balance factors, built or counted, and Theorem 2's bound."""

from collections.abc import Iterator
from fractions import Fraction
from math import factorial, floor

from noc.research.papers.printed import figures
from noc.research.papers.tables.table import Reason, Row, Rows, build, reason
from noc.trees.balanced import balanced_tree

TABLE_1, PRINTED = Rows(), figures("star-trees-1")

# Trees of at most this dimension are built for the table; the others are counted.
BUILT = 8

#: Both cases of Theorem 2: whether the network has the root's first symbol last in some label.
CASES = {False: "r[1] ≤ n-k", True: "r[1] ≥ n-k+1"}


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


@TABLE_1.each(PRINTED)
def _complete(n: int) -> Iterator[Row]:
    printed = PRINTED[n][0]
    exact, computed, how = _measured(f"star:{n}", tuple(range(1, n + 1)), n)
    yield Row(f"n = {n}, S(n), {how}", printed, computed, _shortened(printed, exact))


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
