"""Timetables: all links busy, every word once at every node, and no fewer steps than must be."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, groupby
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import strong_graphs
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import CheckError, InputError
from noc.networks import ABSENT, Network, build_network, from_edges
from noc.trees import Tree
from noc.trees.bounds import all_gather_bound, bottleneck
from noc.trees.timetables import (
    Exchange,
    Row,
    Timetable,
    backwards,
    bound_of,
    find_routes,
    find_sums,
    find_timetable,
)

PAGE = Path(__file__).parent.parent / "docs" / "timetables.md"

# Few attempts, where only what comes of them counts.
TRIES = 20


def everywhere(network: Network, rows: Iterable[Row]) -> list[Row]:
    """The rows of all sources, if the given ones are those of node 0.

    What node 0's word does by its port numbers, that of any other does from there.
    """
    if not network.symmetric:
        return list(rows)
    holders = {0: np.arange(network.nodes)}
    result = []
    for row in sorted(rows, key=lambda row: row.step):
        senders = holders[row.sender]
        holders[row.receiver] = receivers = network.neighbour[senders, row.port]
        for source, ends in enumerate(zip(senders.tolist(), receivers.tolist(), strict=True)):
            result.append(Row(source, row.step, ends[0], row.port, ends[1]))
    return result


def in_steps(network: Network, rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each step: each goes along a link, and no two along the same."""
    for _, together in groupby(sorted(rows, key=lambda row: row.step), lambda row: row.step):
        step = [*together]
        assert len({(row.sender, row.port) for row in step}) == len(step)
        assert all(network.neighbour[row.sender, row.port] == row.receiver for row in step)
        yield step


def played(network: Network, rows: Iterable[Row]) -> list[set[int]]:
    """What each node has at the end; nothing is sent twice, or before it is there, or unneeded."""
    words = [{node} for node in range(network.nodes)]
    for step in in_steps(network, rows):
        assert all(row.source in words[row.sender] for row in step)
        for row in step:
            assert row.source not in words[row.receiver]
            words[row.receiver].add(row.source)
    return words


def summed(network: Network, rows: Iterable[Row]) -> bool:
    """Whether each node ends with the sum of all nodes' words for it; a word is sent once."""
    chance = Random(1)
    parts = [[chance.randrange(1000) for _ in range(network.nodes)] for _ in range(network.nodes)]
    sums = [sum(part[node] for part in parts) for node in range(network.nodes)]
    for step in in_steps(network, rows):
        sent = []
        for row in step:
            sent.append((row, parts[row.sender][row.source]))
            parts[row.sender][row.source] = 0
        for row, value in sent:
            parts[row.receiver][row.source] += value
    return all(parts[node][node] == sums[node] for node in range(network.nodes))


SYMMETRIC = ("star:3", "star:4", "uhc:4", "uhc:4,negative", "scc:3", "ring:5", "hypercube:3")
OTHERS = ("mesh:3,4", "uhc:3", "nk-star:4,2", "incomplete-star:4,3", "tree:2,2", "best:9")


@pytest.mark.parametrize("spec", SYMMETRIC + OTHERS)
def test_every_node_gets_every_word_once_over_links_that_carry_one_a_step(spec: str) -> None:
    network = build_network(spec)
    timetable = find_timetable(network, tries=TRIES)
    rows = everywhere(network, timetable.rows())
    assert played(network, rows) == [{*range(network.nodes)}] * network.nodes
    assert max(row.step for row in rows) == timetable.steps


@pytest.mark.parametrize("spec", SYMMETRIC + OTHERS)
def test_backwards_every_node_gets_the_sum_for_it(spec: str) -> None:
    network = build_network(spec)
    there = network.reversed()
    timetable = find_timetable(there, tries=TRIES)
    rows = everywhere_backwards(network, timetable)
    assert summed(network, rows)
    assert max(row.step for row in rows) == timetable.steps


def everywhere_backwards(network: Network, timetable: Timetable) -> list[Row]:
    """The rows of all sources: those of the whole all-gather, turned round."""
    there = timetable.network
    whole = everywhere(there, timetable.rows())
    # What the package turns round itself is among them.
    turned = [
        Row(
            row.source,
            timetable.steps + 1 - row.step,
            row.receiver,
            int(there.arrival[row.sender, row.port]),
            row.sender,
        )
        for row in whole
    ]
    assert {*backwards(timetable, network)} <= {*turned}
    return turned


@given(strong_graphs(), st.sampled_from([None, 0, 1, 4]), st.integers(0, 3))
def test_any_graph_has_a_timetable_that_is_valid_and_no_shorter_than_the_bound(
    network: Network, kept: int | None, seed: int
) -> None:
    try:
        timetable = find_timetable(network, kept=kept, tries=5, seed=seed)
    except InputError:
        assert kept is not None
        return
    assert played(network, everywhere(network, timetable.rows())) == [{*range(network.nodes)}] * (
        network.nodes
    )
    assert timetable.steps >= all_gather_bound(network)
    assert kept is None or timetable.kept <= kept


@pytest.mark.ci
@given(strong_graphs())
def test_the_bottleneck_is_that_of_all_sets_of_nodes(network: Network) -> None:
    worst = Fraction(0)
    for count in range(1, network.nodes):
        for inside in combinations(range(network.nodes), count):
            ends = network.neighbour[list(inside)]
            leaving = int(np.count_nonzero((ends != ABSENT) & ~np.isin(ends, inside)))
            worst = max(worst, Fraction(count, leaving))
    assert bottleneck(network) == worst


def test_words_behind_a_bridge_leave_over_it_alone() -> None:
    cliques = [(f"{side}{a}", f"{side}{b}") for side in "ab" for a, b in combinations(range(6), 2)]
    network = from_edges([*cliques, ("a0", "b0")])
    assert bottleneck(network) == 6
    assert all_gather_bound(network) == 6 <= find_timetable(network, tries=TRIES).steps


def crowded(tree: Tree) -> Tree:
    """With a leaf that receives when its port sends to another node too; valid by itself.

    Where each node has a tree, all words go as soon as they can, as if no others did.
    """
    if not tree.network.symmetric:
        return replace(tree, step=tree.depth)
    step = tree.step.copy()
    for leaf in sorted({*range(step.size)} - {*tree.parent.tolist()}):
        for other in np.flatnonzero(tree.port == tree.port[leaf]):
            if other != leaf and step[other] > step[tree.parent[leaf]]:
                step[leaf] = step[other]
                return replace(tree, step=step)
    raise AssertionError("no leaf can receive in another step")


NAMED = r"in step \d+ port .+ would carry for \S+ the word of \S+ and for \S+ the word of"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tree: crowded(tree), NAMED),
        (lambda tree: replace(tree, step=np.minimum(tree.step, 1)), "before it has received"),
        (lambda tree: replace(tree, root=1), "not every node has a tree"),
    ],
    ids=["two words on a link", "too soon", "of another node"],
)
@pytest.mark.parametrize("spec", ["star:4", "uhc:4", "mesh:3,3"])
def test_a_timetable_that_is_none_is_noticed(spec: str, change: Callable, message: str) -> None:
    network = build_network(spec)
    timetable = find_timetable(network, tries=TRIES)
    with pytest.raises(CheckError, match=message):
        Timetable(network, tuple(change(tree) for tree in timetable.trees)).check()


# What the page says.


def listed(section: int) -> list[tuple[str, ...]]:
    """The rows of the table in a section of docs/timetables.md."""
    text = PAGE.read_text(encoding="utf-8").split("\n## ")[section]
    rows = re.findall(r"^\| `(\S+)` \| (.+) \|$", text, re.MULTILINE)
    return [(spec, *(cell.strip() for cell in rest.split("|"))) for spec, rest in rows]


def slow(row: tuple[str, ...], most: int) -> bool:
    return int(row[1].replace(",", "")) > most


def rows_of_section(section: int, most: int) -> list[Any]:
    """Those of larger networks are slow."""
    rows = listed(section)
    return [
        pytest.param(row, id=row[0], marks=[pytest.mark.slow] * slow(row, most)) for row in rows
    ]


@pytest.mark.cases(2, ci=8)
@pytest.mark.parametrize("row", rows_of_section(1, 15))
def test_the_page_lists_which_exchanges_the_search_finds(row: tuple[str, ...]) -> None:
    spec, nodes, *rest = row
    told = dict(
        zip(("all_to_all", "scatter", "gather"), (rest[:4], rest[4:6], rest[6:]), strict=True)
    )
    network = build_network(spec)
    assert network.nodes == int(nodes)
    for name, (bound, steps, *more) in told.items():
        exchange = Exchange(name, None if name == "all_to_all" else 0)
        assert bound_of(network, exchange) == int(bound)
        routes = find_routes(network, exchange)
        assert (routes.steps, [routes.kept, routes.inputs][: len(more)]) == (
            int(steps),
            [*map(int, more)],
        )


@pytest.mark.cases(4)
@pytest.mark.parametrize("row", rows_of_section(2, 72))
def test_the_page_lists_what_sums_take(row: tuple[str, ...]) -> None:
    spec, nodes, words, length, rate, most, *rest = row
    network = build_network(spec)
    sums = find_sums(network, Exchange("all_reduce"))
    assert (network.nodes, sums.words, sums.round) == (int(nodes), int(words), int(length))
    assert (sums.steps, sums.kept) == tuple(map(int, rest))
    assert f"{sums.words / sums.round:.2f}" == rate
    assert f"{network.arcs / 2 / (network.nodes - 1):.2f}" == most


@pytest.mark.cases(4, ci=7)
@pytest.mark.parametrize("row", rows_of_section(0, 32))
def test_the_page_lists_what_the_search_finds(row: tuple[str, ...]) -> None:
    spec, *rest = row
    nodes, bound, steps, kept, inputs = (int(cell.replace(",", "")) for cell in rest)
    network = build_network(spec)
    timetable = find_timetable(network)
    assert (network.nodes, all_gather_bound(network)) == (nodes, bound)
    assert (timetable.steps, timetable.kept, timetable.inputs) == (steps, kept, inputs)


# The commands.


@pytest.mark.ci
def test_the_command_prints_each_hop_of_an_exchange(cli, tmp_path: Path) -> None:
    told = cli.facts("steps", "exchange", "mesh:2,3", "--exchange", "scatter", "--root", "0.1")
    network = build_network("mesh:2,3")
    at, steps = defaultdict(lambda: "0.1"), defaultdict(int)
    for row in told["rows"]:
        assert (row["source"], row["from"]) == ("0.1", at[row["target"]])
        assert steps[row["target"]] < row["step"] <= told["steps"]
        node, port = network.node(row["from"]), network.out_ports.index(row["port"])
        at[row["target"]] = network.label(int(network.neighbour[node, port]))
        assert at[row["target"]] == row["to"]
        steps[row["target"]] = row["step"]
    assert all(target == there for target, there in at.items())
    assert (len(at), told["steps"], told["bound"], told["alike"]) == (5, 2, 2, False)
    words = tmp_path / "words.json"
    words.write_text('[{"from": "0.0", "to": "1.2"}]', encoding="utf-8")
    told = cli.facts("steps", "exchange", "mesh:2,3", "--exchange", words)
    assert (told["exchange"], told["steps"], len(told["rows"])) == ("listed", 3, 3)


@pytest.mark.parametrize(
    ("play", "spec"),
    [
        *(
            (p, s)
            for p in ("all-gather", "reduce-scatter")
            for s in ("star:3", "uhc:4", "mesh:2,3")
        ),
        *(("all-reduce", spec) for spec in ("uhc:3", "uhc:4")),
    ],
)
def test_the_command_prints_each_word_on_each_link(cli, play: str, spec: str) -> None:
    document = cli.facts("steps", play, spec, "--tries", TRIES)
    network = build_network(spec)
    rows = [
        Row(
            network.node(row["source"]),
            row["step"],
            network.node(row["from"]),
            network.out_ports.index(row["port"]),
            network.node(row["to"]),
        )
        for row in document["rows"]
    ]
    sources = 1 if document["symmetric"] else network.nodes
    phases = 2 if play == "all-reduce" else 1
    assert len(rows) == phases * sources * (network.nodes - 1)
    assert max(row.step for row in rows) == document["steps"] >= document["bound"]
    if play == "all-gather":
        assert document["inputs"] >= 1
        everything = everywhere(network, rows)
        assert played(network, everything) == [{*range(network.nodes)}] * network.nodes
    elif not document["symmetric"]:
        first = min(row.step for row in rows[-sources * (network.nodes - 1) :])
        half = rows if play == "reduce-scatter" else [row for row in rows if row.step < first]
        assert summed(network, half)


@pytest.mark.ci
def test_what_cannot_be_is_refused(cli) -> None:
    status, _, told = cli("steps", "all-gather", "mesh:4,4", "--kept", "0")
    assert status == 2
    assert "mesh:4,4: no timetable found in which words are kept for at most 0 steps" in told
