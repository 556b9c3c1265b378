"""The tables of the (n,k)-star paper: every difference has a tested reason."""

from functools import cache

import pytest

from noc.research.papers.tables.nk_star import TABLES
from noc.research.papers.tables.nk_star.runs import COST, INSTANCES, MESSAGE, instance
from noc.research.papers.tables.table import Row

NAMES = [table.name for table in TABLES]


@cache
def _rows(name: str) -> tuple[Row, ...]:
    return tuple(TABLES[NAMES.index(name)].rows())


@pytest.mark.parametrize("name", NAMES)
def test_every_difference_is_explained(name) -> None:
    assert [row.what for row in _rows(name) if not row.accepted] == []


@pytest.mark.parametrize("name", NAMES)
def test_rows_have_names_of_their_own(name) -> None:
    names = [row.what for row in _rows(name)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", NAMES)
def test_no_reason_where_figures_agree(name) -> None:
    assert all(row.why is None for row in _rows(name) if row.agrees)


# What we found wrong; a change here is a discovery or a mistake.
FETCHED = "Theorem 6, case 2.1: what 412 fetches on its way to 123"

DIFFERENCES = [
    ("nk-star-1", "S(4,3), all-port, one tree, transmission", "400.0", 1200.0),
    ("nk-star-1", "S(4,3), all-port, MT trees, transmission", "9200.0", 800.0),
    ("nk-star-1", "S(4,2), one-port, one tree, transmission", "1200.0", 3600.0),
    ("nk-star-2", "S(4,3), all-port, one tree, transmission", "9200.0", 12000.0),
    ("nk-star-2", "S(4,2), all-port, MT trees, start-up", "125.0", 150.0),
    ("nk-star-text", "S(5,4), Corollary 2: difference of the leaves' levels, at most", 1, 2),
    ("nk-star-text", "S(3,2), Theorem 6: trees T that share a directed link", 1, 2),
    ("nk-star-text", "S(4,2), Theorem 6: trees T that share a directed link", 1, 2),
    ("nk-star-text", "S(7,2), Theorem 6: trees T that share a directed link", 3, 2),
    ("nk-star-text", "S(5,3), proof of Theorem 4: directed links", 236, 240),
    ("nk-star-text", f"S(4,3), {FETCHED}", "1", "3"),
]


@pytest.mark.parametrize(("name", "what", "printed", "computed"), DIFFERENCES)
def test_known_differences(name, what, printed, computed) -> None:
    (row,) = (row for row in _rows(name) if row.what == what)
    assert (row.printed, row.computed, row.agrees, row.accepted) == (
        printed,
        computed,
        False,
        True,
    )


AGREEMENTS = [
    "S(4,2), Corollary 2: difference of the leaves' levels",
    "S(4,3), Figure 3: the roots of the trees T",
    "S(7,6), Theorem 1: height of the tree",
    "S(4,3), Theorem 11",
]


@pytest.mark.parametrize("what", AGREEMENTS)
def test_known_agreements(what) -> None:
    assert next(row for row in _rows("nk-star-text") if row.what == what).agrees


@pytest.mark.parametrize("size", INSTANCES)
@pytest.mark.parametrize("algorithm", ["greedy", "multiple"])
def test_no_run_beats_the_lower_bounds(size, algorithm) -> None:
    case, m = instance(*size), MESSAGE * COST.per_byte
    start, doubling = case.diameter * COST.start_up, case.doubling_steps() * COST.start_up
    others = case.network.nodes - 1
    assert case.best_time(algorithm, "all")[1] >= max(start, m / case.formulas.links)
    assert case.best_time(algorithm, "one")[1] >= max(start, doubling, m)
    all_port, one_port = (case.all_to_all(algorithm, ports) for ports in ("all", "one"))
    assert all_port.time(COST, MESSAGE) >= max(start, m * others / case.formulas.links)
    assert one_port.time(COST, MESSAGE) >= max(start, doubling, m * others)
