"""A row of a paper's table: what counts as agreement."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from noc.cli import main
from noc.research.papers.printed import REFERENCES
from noc.research.papers.tables import PaperTable, Reason, Row, arrangement
from noc.research.papers.tables.nk_star import text as nk_star
from noc.research.papers.tables.nk_star.runs import Instance
from noc.research.papers.tables.scc import graph as scc
from noc.research.papers.tables.star_trees import theorems as star
from noc.research.papers.tables.uhc import disjoint
from noc.research.papers.tables.uhc import graph as uhc
from noc.research.papers.tables.uhc import trees as uhc_trees
from noc.trees import build_tree
from noc.trees.nk_star import multiple

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
    monkeypatch.setattr("noc.research.papers.tables.TABLES", {"made-1": table})
    assert main(["paper", "made-1"]) == status
    out = capsys.readouterr().out
    assert "2 figures: 1 agree" in out
    assert ("THE REASON FAILS" in out) == (not holds)


def test_the_papers_are_listed(capsys) -> None:
    assert main(["paper", "uhc", "--list"]) == 0
    assert capsys.readouterr().out.startswith(
        "uhc: Huang-Ming Huang, Chang-Biau Yang: Broadcasting"
    )
    assert main(["paper", "--list", "--json"]) == 0
    papers = json.loads(capsys.readouterr().out)["papers"]
    assert [paper["name"] for paper in papers] == list(REFERENCES)
    assert {paper["name"]: paper["doi"] for paper in papers}["arrangement"] == "10.7155/jgaa.00005"


def test_values_of_formulas_are_not_called_printed(capsys) -> None:
    assert main(["paper", "uhc-1"]) == 0
    heading = capsys.readouterr().out.splitlines()[2]
    assert heading.split() == ["figure", "by", "its", "formula", "computed", "verdict"]
    for table, formula in (("uhc-1", True), ("arrangement-text", False)):
        assert main(["paper", table, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
        assert {row["formula"] for row in rows} == {formula}


def test_figures_and_values_of_formulas_have_columns_of_their_own(capsys) -> None:
    assert main(["paper", "uhc-text"]) == 0
    out = capsys.readouterr().out
    figures, formulas = out.split("by its formula")
    assert figures.count("section 7") == 0
    assert len(re.findall("^  section 7, ", formulas, re.MULTILINE)) == 12


def test_a_misprint_is_named(capsys) -> None:
    assert main(["paper", "arrangement-text", "--differences"]) == 0
    assert "(arrangement-phase-3-loop)" in " ".join(capsys.readouterr().out.split())


def instead(something):
    """Whatever is asked for."""
    return lambda _: lambda *_: something()


def at_once(real):
    """A broadcast in which everybody hears in the first step."""
    return lambda *of: replace(real(*of), step=np.minimum(real(*of).step, 1))


def longer(real):
    """Trees that are a step longer."""
    return lambda *of: SimpleNamespace(
        **{name: getattr(real(*of), name, 0) + 1 for name in ("height", "steps")},
        trees=(),
        congestion=2,
    )


# What a tree or network is by mistake, and rows of which each must then differ without a reason.
WRONG = {
    "star": (
        *(star, "_balanced", instead(lambda: (star._usual(6),))),
        *(lambda: star._theorem_1(6), "height ⌊", "height of Ψ"),
    ),
    "star, balance": (
        *(star, "_balanced", instead(lambda: (build_tree("star:6", "shortest"),))),
        *(lambda: star._theorem_1(6), "balance", "allest subtree", "largest subtree", "dimensions"),
    ),
    "star, parts": (
        *(star, "distance", lambda real: lambda q: real(q) + 1),
        *(star._recurrence, "all parts"),
    ),
    "nk-star": (
        *(nk_star, "greedy", lambda _: lambda *of: multiple(*of).trees[0]),
        *(lambda: nk_star._graph(Instance(4, 3)), "Theorem 1", "Corollary 1"),
    ),
    "arrangement": (
        *(arrangement, "broadcast", at_once),
        *(lambda: arrangement._theorem_3(5, 2), "Theorem 1"),
    ),
    "scc": (
        *(scc, "diameter", lambda real: lambda spec: real(spec) + int(spec[-1]) ** 2),
        *(scc._theorem_1, "n = 2,", "n = 4,", "n = 5,", "n = 8,", "Theorem 2"),
    ),
    "uhc, steps": (
        *(uhc_trees, "one_tree", longer),
        *(lambda: uhc_trees._theorems(6), "BT1", "BT2", "BT3"),
    ),
    "uhc, disjoint trees": (
        *(disjoint, "_family", longer),
        *(lambda: disjoint._theorems(12), "Theorem 8", "Theorem 6", "number of trees"),
    ),
    "uhc, another size": (
        *(uhc, "build_network", lambda real: lambda _: real("uhc:5")),
        lambda: [uhc._one_port_floor(4), Row("Theorem 1", "node symmetric", uhc._symmetry(4))],
        *("one-port", "Theorem 1"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_row_is_computed_from_what_it_is_about(name: str, monkeypatch) -> None:
    module, what, wrong, rows, *places = WRONG[name]
    monkeypatch.setattr(module, what, wrong(getattr(module, what)))
    seen = {place: [row for row in rows() if place in row.what] for place in places}
    assert all(seen.values())
    assert [row.what for found in seen.values() for row in found if row.accepted] == []
