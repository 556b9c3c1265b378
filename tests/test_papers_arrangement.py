"""The arrangement graph paper: what its text and figures state."""

from fractions import Fraction
from functools import cache

import pytest

from noc.research.papers.tables import Row
from noc.research.papers.tables.arrangement import TABLES, bound, ceil_log2

DIFFERENT = [
    "Section 3: level on which p(2) = 1437 and the source are in different subgraphs",
    "Phase 3: level of the subgraph that p(I) serves, I = 2",
    "Phase 3, A(7,4), l := I = k: the loop until i > n-1",
    "Phase 3, A(7,4): greatest i of a p(i) that serves a subgraph",
    "after Lemma 3: broadcast with or without message redundancy",
    "Theorem 2, k = 4: levels that the induction reaches",
    "Phase 2, the call that ends it: p_out that 31 of A(4,2) passes",
    "Lemma 4, k-l = 3: L1 = max(1 + ⌈lg(k-l-1)⌉, 2 + ⌈lg(k-l-2)⌉)",
    "Lemma 4, k-l = 7: L1 = max(1 + ⌈lg(k-l-1)⌉, 2 + ⌈lg(k-l-2)⌉)",
    "Lemma 4, k-l = 8: L1 = max(1 + ⌈lg(k-l-1)⌉, 2 + ⌈lg(k-l-2)⌉)",
]


@cache
def rows() -> list[Row]:
    (table,) = TABLES
    return table.rows()


def test_every_difference_has_a_tested_reason() -> None:
    assert [row.what for row in rows() if not row.accepted] == []


def test_no_row_is_lost_and_no_difference_comes_or_goes() -> None:
    assert [row.what for row in rows() if not row.agrees] == DIFFERENT
    assert len({row.what for row in rows()}) == len(rows()) == 251


def test_a_reason_stands_only_where_it_is_needed() -> None:
    assert all(row.why is None for row in rows() if row.agrees)


@pytest.mark.parametrize(
    ("what", "printed"),
    [
        ("Figure 3: steps from 12(345)", 6),
        ("Figure 3: 15(342) sends in subgraph 1 only to", "13(542) 14(352)"),
        ("Figure 2: p(2) of 1234(567)", "1437(562)"),
        ("A(4,2), diameter ⌊3k/2⌋", 3),
        ("Theorem 3, A(7,4): messages n!/(n-k)! - 1", 839),
    ],
)
def test_printed_figures(what: str, printed: int | str) -> None:
    assert [row.printed for row in rows() if row.what == what] == [printed]


@pytest.mark.parametrize(
    ("value", "power"), [("1/2", -1), ("2/3", 0), ("1", 0), ("3", 2), ("4", 2), ("33/8", 3)]
)
def test_ceil_log2(value: str, power: int) -> None:
    assert ceil_log2(Fraction(value)) == power


@pytest.mark.parametrize(("n", "k", "most"), [(7, 4, (4, 3)), (8, 1, (2, 5)), (2, 1, (2, 1))])
def test_bounds_of_lemma_4(n: int, k: int, most: tuple[int, int]) -> None:
    assert bound(n, k) == most
