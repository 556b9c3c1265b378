"""Rates of survival: against closed forms, all sets, and other code; intervals; the command."""

import json
import math
from itertools import combinations
from pathlib import Path

import networkx
import numpy as np
import pytest

from noc.networks import ABSENT, build_network
from noc.programs.execute import lacking
from noc.research.papers.survival import Rate, draw, reachable, survival, wilson
from noc.trees import TreeFamily, build_trees


def rows(
    spec: str, dead: str, most: int, draws: int = 10_000, algorithm: str = "disjoint"
) -> list[dict[str, Rate]]:
    family = build_trees(spec, algorithm)
    return [*survival(family, dead, range(most + 1), draws)]  # type: ignore[arg-type]


def test_one_tree_and_all_parts_are_as_counted_by_hand() -> None:
    """Without a link of the tree, or of any tree: choices among the other links."""
    for dead, row in enumerate(rows("hypercube:3", "links", 3)):
        for name, needed in (("one tree", 7), ("survive 0", 21)):
            expected = math.comb(24 - needed, dead) / math.comb(24, dead)
            assert row[name].rate == pytest.approx(expected)


@pytest.mark.parametrize(
    ("spec", "algorithm", "dead"),
    [
        ("hypercube:3", "disjoint", "links"),
        ("uhc:4", "adst", "links"),
        ("uhc:4", "independent", "nodes"),
        ("mesh:2,3", "independent", "nodes"),
    ],
)
def test_whatever_can_be_survived_is(spec: str, algorithm: str, dead: str) -> None:
    if algorithm == "independent":
        pytest.importorskip("pysat")
    trees = len(build_trees(spec, algorithm).trees)
    for count, row in enumerate(rows(spec, dead, trees, algorithm=algorithm)):
        below = [row[name].rate for name in row if name.startswith("survive")]
        assert below == sorted(below)
        assert row["trees anew"].rate >= max(below)
        for spare in (1, trees - 1):
            held = row[f"survive {spare}"].rate
            assert (held == 1.0) or count > spare


def test_rates_are_those_of_the_tables_of_the_hardware() -> None:
    """All pairs of dead links, by the program that becomes Verilog."""
    from dataclasses import replace

    from noc.design import build_direct
    from noc.programs.config import RouterConfig

    config = RouterConfig(sinks="always-ready", survive=1)
    program = build_direct("mesh:2,3", "disjoint", sources=["0.0"], config=config).program
    links = [link[:2] for link in program.links()]
    network = program.network
    there = [(n, p) for n, p in np.argwhere(network.neighbour != ABSENT).tolist()]
    assert set(links) <= set(there)
    sets = [frozenset(each) for each in combinations(there, 2)]
    whole = sum(not lacking(replace(program, dead=each)) for each in sets)
    # A source without a link is not asked there.
    cut = frozenset(link for link in there if link[0] == 0)
    assert len(cut) == 2
    row = rows("mesh:2,3", "links", 2)[2]
    assert row["survive 1"].rate == pytest.approx((whole - 1) / len(sets))


def test_what_can_be_reached_is_what_networkx_finds() -> None:
    network = build_network("without:0.0/0.1@mesh:3,3")
    drawn = draw(network, 4, "nodes", 3, 40, seed=2)
    assert not drawn.every
    found = reachable(network, 4, drawn)
    for row in range(40):
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(network.nodes))
        links = np.argwhere(drawn.alive[row]).tolist()
        graph.add_edges_from((n, int(network.neighbour[n, p])) for n, p in links)
        assert {*np.flatnonzero(found[row]).tolist()} == {4, *networkx.descendants(graph, 4)}
        assert drawn.living[row].sum() == network.nodes - 3
        assert drawn.living[row, 4]


def test_draws_are_sets_of_their_size() -> None:
    network = build_network("star:4")
    drawn = draw(network, 0, "links", 5, 100, seed=1)
    assert ((network.neighbour != ABSENT).sum() - drawn.alive.sum(axis=(1, 2)) == 5).all()
    assert (drawn.alive == draw(network, 0, "links", 5, 100, seed=1).alive).all()
    assert (drawn.alive != draw(network, 0, "links", 5, 100, seed=2).alive).any()
    assert draw(network, 0, "links", 1, 72).every
    assert len(draw(network, 0, "links", 0, 5).alive) == 1


def test_intervals_hold_the_rate() -> None:
    """Of all sets the rate is known; most intervals of fewer draws have it in them."""
    exact = rows("hypercube:3", "links", 3)[3]["survive 1"].rate
    family: TreeFamily = build_trees("hypercube:3", "disjoint")
    held = 0
    for seed in range(60):
        (row,) = survival(family, "links", [3], 200, seed)
        value = row["survive 1"]
        held += value.low <= exact <= value.high
    assert 50 <= held <= 60
    assert wilson(0, 10).low == 0
    assert wilson(10, 10).high == pytest.approx(1)


def test_the_command(cli, tmp_path: Path) -> None:
    file = tmp_path / "rates.svg"
    words = ("steps", "survival", "hypercube:3", "--most", "2")
    answer = cli.facts(*words, "-o", file)
    assert (answer["trees"], answer["links"], answer["dead"]) == (3, 24, "links")
    assert answer["rates"][1]["survive 1"] == {"rate": 1.0, "low": 1.0, "high": 1.0}
    text = file.read_text("utf-8")
    assert all(name in text for name in ("one tree", "survive 2", "trees anew", "hypercube:3"))
    status, out, _ = cli(*words, "--dead", "nodes", "--json")
    assert (status, len(json.loads(out)["rates"])) == (0, 3)
    # There are no more links.
    assert len(cli.facts("steps", "survival", "ring:3")["rates"]) == 7
    _, out, _ = cli(*words, "--draws", "20")
    assert " ± " in out
