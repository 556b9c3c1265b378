"""Balanced spanning trees in complete and incomplete star graphs."""

from collections.abc import Iterator
from fractions import Fraction
from math import floor

from noc.networks import build_network
from noc.research.papers.printed import figures
from noc.research.papers.tables.star_trees import definitions, theorems
from noc.research.papers.tables.star_trees.theorems import balance_bound, branch_sizes, worst_root
from noc.research.papers.tables.table import PaperTable, Reason, Row
from noc.trees.balanced import balanced_tree

__all__ = ["TABLES"]

# Trees of at most this dimension are built for the table; the others are counted.
BUILT = 8


def _cut(exact: Fraction, printed: str) -> Fraction:
    """An exact figure without the digits beyond those that are printed."""
    unit = 10 ** len(printed.partition(".")[2])
    return Fraction(floor(exact * unit), unit)


def _shortened(printed: str, terms: tuple[Fraction, ...]) -> Reason | None:
    """Why a printed sum differs from the exact one, if it does: digits were dropped."""
    if Row("", printed, float(sum(terms))).agrees:
        return None
    if Fraction(printed) == _cut(sum(terms, Fraction(0)), printed):
        return Reason("cut off after the last digit, not rounded", True)
    exact, figure = _cut(sum(terms, Fraction(0)), printed), Fraction(printed)
    by_term = sum(_cut(term, printed) for term in terms)
    return Reason(
        "below even the figure cut off: it is what its two terms add up to, each cut off before",
        by_term == figure < exact,
    )


def _complete(n: int, printed: str) -> Row:
    sizes = branch_sizes(tuple(range(1, n + 1)), n).values()
    exact = Fraction(max(sizes), min(sizes))
    computed, how = float(exact), "counted"
    if n <= BUILT:
        computed, how = balanced_tree(build_network(f"star:{n}")).balance, "built"
    return Row(f"n = {n}, S(n), {how}", printed, computed, _shortened(printed, (exact,)))


def _incomplete(n: int, name: str, first_present: bool, printed: str) -> Iterator[Row]:
    k = n - 1 if name == "n-1" else n // 2
    case = "r[1] ≥ n-k+1" if first_present else "r[1] ≤ n-k"
    what = f"n = {n}, C({name}), {case}"
    bound = balance_bound(n, k, first_present=first_present)
    limit = Fraction(n - 1, k - 1) if first_present else Fraction(k + 1, k + (k == n - 1))
    why = _shortened(printed, (limit, bound - limit))
    yield Row(f"{what}, bound of Theorem 2", printed, float(bound), why)
    root = worst_root(n, k, first_present=first_present)
    sizes = branch_sizes(root, k).values()
    counted = Fraction(max(sizes), min(sizes))
    if why is not None:
        below = counted == bound > Fraction(printed)
        why = Reason("the exact bound is attained, and the printed figure is below it", below)
    how, measured = "counted", float(counted)
    if n <= BUILT:
        net = build_network(f"incomplete-star:{n},{k}")
        label = "".join(str(symbol) for symbol in root)
        how, measured = "built", balanced_tree(net, net.node(label)).balance
    yield Row(f"{what}, worst root, {how}", printed, measured, why, bound=True)


def _table_1() -> list[Row]:
    printed = figures("star-trees-1")
    rows = [_complete(n, complete) for n, (complete, *_) in printed.items()]
    cases = [(name, first_present) for name in ("n-1", "⌊n/2⌋") for first_present in (False, True)]
    for column, (name, first_present) in enumerate(cases, start=1):
        for n, line in printed.items():
            rows += _incomplete(n, name, first_present, line[column])
    return rows


TABLES = (
    PaperTable(
        name="star-trees-1",
        paper="star-trees",
        title="balance factors of complete and incomplete stars",
        compute=_table_1,
    ),
    PaperTable(
        name="star-trees-example-1",
        paper="star-trees",
        title="the 32 substars of the star of 6 symbols",
        compute=definitions.example_1,
    ),
    PaperTable(
        name="star-trees-text",
        paper="star-trees",
        title="counts and formulas stated in the text, and misprints",
        compute=lambda: [*definitions.rows(), *theorems.rows()],
    ),
)
