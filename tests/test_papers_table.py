"""A row of a paper's table: what counts as agreement."""

import pytest

from noc.cli import main
from noc.papers.tables import PaperTable, Reason, Row

AGREEMENT = [
    ("1.12", 1.1249, True),
    ("1.12", 1.126, False),
    ("1.120", 1.1249, False),
    (12, 12, True),
    (12, 13, False),
    ("spans", "spans", True),
    ("spans", "does not", False),
    (7, 7.0, True),
    ("yes", 1, False),
    (3, None, False),
]


@pytest.mark.parametrize(("printed", "computed", "expected"), AGREEMENT)
def test_agreement(printed, computed, expected: bool) -> None:
    assert Row("figure", printed, computed).agrees is expected


def test_a_bound_is_met_from_below_only() -> None:
    assert Row("figure", "1.75", 1.5, bound=True).agrees
    assert not Row("figure", "1.75", 1.8, bound=True).agrees


def test_a_difference_needs_a_reason_that_holds() -> None:
    assert not Row("figure", 1, 2).accepted
    assert not Row("figure", 1, 2, Reason("because", holds=False)).accepted
    assert Row("figure", 1, 2, Reason("because", holds=True)).accepted


def test_what_cannot_be_read_is_neither_right_nor_wrong() -> None:
    row = Row("figure", None, 5)
    assert (row.legible, row.agrees, row.accepted) == (False, False, True)


@pytest.mark.parametrize(("holds", "status"), [(True, 0), (False, 1)])
def test_the_command_fails_on_a_difference_without_reason(
    capsys, monkeypatch, holds: bool, status: int
) -> None:
    rows = [Row("a", 1, 1), Row("b", 1, 2, Reason("because", holds=holds))]
    table = PaperTable("made-1", "made", "made up", lambda: rows)
    monkeypatch.setattr("noc.cli.paper.TABLES", {"made-1": table})
    assert main(["paper", "made-1"]) == status
    out = capsys.readouterr().out
    assert "2 figures: 1 agree" in out
    assert ("THE REASON FAILS" in out) == (not holds)
