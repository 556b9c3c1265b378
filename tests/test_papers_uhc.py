"""The tables of the UHC paper: all rows accepted, the known differences, and no others."""

from functools import cache
from math import sqrt

import pytest

from noc.model.steps.cost import LinearCost
from noc.research.papers.faults import broadcast_blocks
from noc.research.papers.tables import TABLES, Row
from noc.research.papers.tables.uhc import costs, disjoint, graph


@cache
def rows(name: str) -> list[Row]:
    return TABLES[name].rows()


@pytest.mark.parametrize("name", ["uhc-1", "uhc-text"])
def test_every_row_is_accepted(name: str) -> None:
    assert [row.what for row in rows(name) if not row.accepted] == []


def test_what_differs_in_the_text() -> None:
    assert [row.what for row in rows("uhc-text") if not row.agrees] == [
        "hats on 0000: its out-ports",
        "n = 2, one-port lower bound",
        "Algorithm 1, n = 6, as printed",
        "Algorithm 1, n = 6, sends by ports that there are not",
        "Algorithm 2, n = 6, as printed",
        "Algorithm 2, n = 12, as printed",
        "Figure 4, captioned BT2, n = 6: height of the tree, BT2's being n+1",
        "Figure 6, n = 6, in every respect, as printed",
        "Figure 6, n = 6, l = -1, as printed",
        "Figure 6, n = 6, the last of the path of three, as printed",
        "Figure 6, n = 6, the empty range, as printed",
        "Figure 6, states of pair j in the last case that the fourth and fifth have too",
        "Theorem 8, n = 2, height",
    ]


def test_what_differs_in_table_1() -> None:
    differing = [row.what for row in rows("uhc-1") if not row.agrees]
    assert {what.split(",")[0] for what in differing if "n = 2," not in what} == {
        "one-port bt1",
        "one-port bt2",
        "one-port bt3",
    }
    assert {what.split(",")[0] for what in differing if "n = 2," in what} == {"all-port adst"}
    assert not any("constant model" in what for what in differing if "n = 2," not in what)


def test_table_1_is_complete() -> None:
    lines = {(row.what.split(", ")[0], row.what.split(", ")[-1]) for row in rows("uhc-1")}
    columns = {"constant model", "best packet size", "least time"}
    assert len({(line, column) for line, column in lines if column in columns}) == 7 * 3


@pytest.mark.parametrize(
    ("n", "figures"), [(2, (3, 3, 4)), (6, (8, 7, 10)), (8, (11, 10, 12)), (14, (19, 17, 22))]
)
def test_formulas(n: int, figures: tuple[int, int, int]) -> None:
    assert (costs.x1(n), costs.x2(n), costs.x3(n)) == figures


@pytest.mark.parametrize("n", [6, 8])
def test_a_lower_family_than_the_adst(n: int) -> None:
    built = disjoint.lower_family(n)
    assert (len(built.trees), built.congestion, built.height) == (n // 2, 1, n + 2)
    assert broadcast_blocks(built, n // 2 - 1, faulty_nodes=range(1, n // 2)).complete


@pytest.mark.parametrize(("first", "length"), [(7, 900.0), (18, 300.0), (6, 123.0)])
def test_least_time_is_at_the_best_packet_size(first: int, length: float) -> None:
    cost = LinearCost(start_up=36.0, per_byte=1.0)
    closed = (sqrt((first - 1) * cost.start_up) + sqrt(length * cost.per_byte)) ** 2
    assert cost.least_time(first, length) == pytest.approx(closed)


def test_reasons_do_not_hold_for_other_sizes() -> None:
    """The test behind each reason can fail."""
    (line,) = [line for line in costs.LINES if (line.algorithm, line.ports) == ("bt1", "one")]
    measured = costs._measured(line, 6)
    assert costs._one_send_a_step(measured, 9, 6).holds
    assert not costs._one_send_a_step(measured, 9, 8).holds


def test_checks_of_the_network_can_fail(monkeypatch) -> None:
    real = graph.build_network
    monkeypatch.setattr(graph, "build_network", lambda spec: real(f"hypercube:{spec[4]}"))
    assert graph._diameters(4)[0].computed != 5
    assert graph._farthest(4) == 0
    assert graph._halves(4) != "positive, negative"
    assert graph._bits_exchanged(4) == "another graph"
    assert graph._arc_connectivity(4) == 4
