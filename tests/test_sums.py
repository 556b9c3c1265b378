"""Words that are added up by the clock: trees, tables and model, each by another way."""

import random
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readable_sums import played
from round_designs import always, drawn

from noc.design import build_design
from noc.errors import CheckError
from noc.fabrics.timetable import measure
from noc.model import TRAFFIC, Traffic
from noc.model.operators import combine, whole_numbers
from noc.model.timetable import SumData, simulate, stream
from noc.model.traffic import payload_rows
from noc.networks import ABSENT, build_network
from noc.programs.compile_rounds import compile_sums
from noc.programs.round_table import OWN, Register, RoundTable
from noc.programs.rounds import RoundProgram
from noc.trees.timetables import Exchange, Sums, find_sums, sum_bound
from noc.trees.timetables.packing import pack_trees

ALL = Exchange("all_reduce", operator="sum")
EACH = Exchange("reduce_scatter", operator="sum")

SPECS = ("star:3", "mesh:2,3", "ring:5", "best:6", "hypercube:3", "torus:3,3", "ring:2")

#: An exchange of a network, and the steps of a round.
CASES = [
    *((spec, ALL, length) for spec in SPECS for length in (1, 2, 3)),
    *((spec, EACH, None) for spec in (*SPECS, "uhc:3")),
    *(("star:4", ALL, 2), ("mesh:4,4", ALL, 5), ("star:4", EACH, None), ("uhc:4", EACH, None)),
]


# Trees.


def count_trees(graph: networkx.MultiGraph, room: int) -> int:
    """The most spanning trees with each link in so many, by all ways to part the nodes (Tutte)."""

    def partitions(nodes: list[int]) -> list[list[set[int]]]:
        if not nodes:
            return [[]]
        result = []
        for parts in partitions(nodes[1:]):
            result += [
                [*parts[:place], parts[place] | {nodes[0]}, *parts[place + 1 :]]
                for place in range(len(parts))
            ]
            result.append([*parts, {nodes[0]}])
        return result

    least = []
    for parts in partitions([*graph.nodes]):
        if len(parts) > 1:
            part = {node: number for number, nodes in enumerate(parts) for node in nodes}
            crossing = sum(part[a] != part[b] for a, b in graph.edges())
            least.append(room * crossing // (len(parts) - 1))
    return min(least)


@given(seed=st.integers(0, 10_000), room=st.integers(1, 4))
def test_as_many_trees_are_packed_as_there_are(seed: int, room: int) -> None:
    lots = random.Random(seed)
    nodes = lots.randint(2, 6)
    graph = networkx.MultiGraph(networkx.random_labeled_tree(nodes, seed=seed))
    for _ in range(lots.randint(0, 9)):
        graph.add_edge(*lots.sample(range(nodes), 2))
    edges = [(*sorted(ends[:2]), number) for number, ends in enumerate(graph.edges())]
    most = count_trees(graph, room)
    assert pack_trees(nodes, edges, most + 1, room, seed) is None
    trees = pack_trees(nodes, edges, most, room, seed)
    assert trees is not None
    assert max(Counter(edge for tree in trees for *_, edge in tree).values()) <= room
    for tree in trees:
        walked = {tree[0][0]}
        for parent, node, edge in tree:
            assert {parent, node} == {*edge[:2]}
            assert parent in walked
            assert node not in walked
            walked.add(node)
        assert walked == {*range(nodes)}
        assert {edge for *_, edge in tree} <= {*edges}


@pytest.mark.parametrize(
    ("spec", "words", "length"),
    [("mesh:4,4", 3, 2), ("mesh:8,8", 5, 3), ("hypercube:4", 2, 1), ("star:4", 3, 2)],
)
def test_links_are_busy_in_nearly_all_steps(spec: str, words: int, length: int) -> None:
    """On meshes more than 1.49 words a step (TTO, HPCA 2024); 1.6 and 1.78 is what links allow."""
    network = build_network(spec)
    sums = find_sums(network, ALL)
    assert (sums.words, sums.round) == (words, length)
    assert sum_bound(network, words) <= length
    share = 2 * words * (network.nodes - 1) / (length * network.arcs)
    assert share >= 15 / 16


@pytest.mark.ci
def test_a_mesh_reaches_the_bound() -> None:
    for spec, words, length in (("mesh:4,4", 8, 5), ("mesh:8,8", 16, 9)):
        sums = find_sums(build_network(spec), ALL, length=length)
        assert sums.words == words == length * 24 // 15 or length * 112 // 63 == words


# Timetables.


def play(sums: Sums) -> None:
    """Let all nodes do what the hops say, with links and steps and nothing else."""
    network, length = sums.network, sums.round
    busy, got = set(), defaultdict(list)
    for root in range(network.nodes) if sums.translated else [0]:
        image = network.translation(root) if sums.translated else np.arange(network.nodes)
        has = defaultdict(lambda: defaultdict(list))
        whole = {}
        for hop in sorted(sums.hops, key=lambda hop: (hop.step, hop.port == ABSENT)):
            node = int(image[hop.sender])
            tree = (hop.tree, root)
            # What has come in an earlier step.
            parts = [each for step, each in has[tree][node] if step < hop.step]
            if hop.port == ABSENT:
                whole[tree] = sorted([node, *(n for each in parts for n in each)]), hop.step
                got[node].append(tree)
                continue
            assert (node, hop.port, hop.step % length) not in busy
            busy.add((node, hop.port, hop.step % length))
            there = int(network.neighbour[node, hop.port])
            if hop.up:
                has[tree][there].append((hop.step, [node, *(n for each in parts for n in each)]))
            else:
                known = [s for t, s in got[node, "when"] if t == tree] or [whole[tree][1]]
                assert min(known) < hop.step
                got[there].append(tree)
                got[there, "when"].append((tree, hop.step))
        assert all(members == [*range(network.nodes)] for members, _ in whole.values())
    trees = [(hop.tree, 0) for hop in sums.hops if hop.port == ABSENT]
    for node in range(network.nodes):
        if sums.exchange.name == "reduce_scatter":
            assert len(got[node]) == 1
        else:
            assert sorted(got[node]) == sorted(trees)


@pytest.mark.cases(5)
@pytest.mark.parametrize(("spec", "exchange", "length"), CASES, ids=str)
def test_all_get_their_sums(spec: str, exchange: Exchange, length: int | None) -> None:
    sums = find_sums(build_network(spec), exchange, length=length)
    play(sums)
    waits = [hop.step - need.step - 1 for hop in sums.hops for need in sums.needs(hop)]
    assert sums.kept == max(waits)
    # With room for all on each link, none waits for a round.
    assert exchange is EACH or sums.kept < sums.round


def spoil(sums: Sums, change: str) -> Sums:
    hops = [*sums.hops]
    up = next(n for n, hop in enumerate(hops) if hop.up and sums.needs(hop))
    down = next(n for n, hop in enumerate(hops) if not hop.up)
    if change == "a node is left out":
        del hops[0]
    elif change == "a node adds its word twice":
        hops.insert(1, hops[0]._replace(step=hops[0].step + 1))
    elif change == "a link carries two":
        other = next(n for n, hop in enumerate(hops) if hop.tree != hops[0].tree and hop.up)
        where = {name: getattr(hops[0], name) for name in ("sender", "port", "receiver", "step")}
        hops[other] = hops[other]._replace(**where)
    elif change == "too early":
        hops[up] = hops[up]._replace(step=sums.needs(hops[up])[0].step)
    elif change == "some node gets no sum":
        hops.remove(max(hops, key=lambda hop: hop.step))
    elif change == "no link":
        there = (hops[down].receiver + 1) % sums.network.nodes
        hops[down] = hops[down]._replace(receiver=there)
    return replace(sums, hops=tuple(hops))


@pytest.mark.parametrize(
    "change",
    [
        *("a node is left out", "a node adds its word twice", "a link carries two", "too early"),
        *("some node gets no sum", "no link"),
    ],
)
def test_spoilt_timetables_are_refused(change: str) -> None:
    sums = find_sums(build_network("mesh:2,3"), ALL, length=3)
    with pytest.raises(CheckError):
        spoil(sums, change).check()


# Tables.


@pytest.mark.cases(6)
@pytest.mark.parametrize(("spec", "exchange", "length"), CASES, ids=str)
def test_tables_say_what_the_timetable_says(spec: str, exchange: Exchange, length: int) -> None:
    sums = find_sums(build_network(spec), exchange, length=length)
    program = compile_sums(sums)
    assert (program.round, len(program.totals)) == (sums.round, sums.words)
    words = sums.network.nodes * sums.words
    assert program.flows.inject.size == words
    assert int((program.taken >= 0).sum()) == (words if exchange is ALL else sums.network.nodes)
    # From the first word of a round, which is taken the step before it leaves, to the last eject.
    first = min(hop.step for hop in sums.hops if hop.up)
    slowest = program.cycles
    assert slowest == sums.steps - first + 2 or sums.round < sums.steps


def changed(program: RoundProgram, change: str) -> RoundProgram:
    tables = [*program.tables]
    number = next(n for n, t in enumerate(tables) if any(any(each) for each in t.waits))
    table: RoundTable = tables[number]
    if change == "taken in another round":
        waits = tuple(tuple(each + 1 for each in lane) for lane in table.waits)
        tables[number] = replace(table, waits=waits)
    elif change == "a word is not added":
        sends = tuple(
            (port, tuple(c and tuple(r for r in c if r.in_port == OWN or len(c) < 2) for c in each))
            for port, each in table.sends
        )
        tables = [replace(t, sends=sends) if t is table else t for t in tables]
    elif change == "an older word":
        sends = tuple(
            (port, tuple(c and tuple(Register(r.in_port, r.age + 1) for r in c) for c in each))
            for port, each in table.sends
        )
        tables[number] = replace(table, sends=sends)
    elif change == "a sum is not taken":
        takes = tuple(tuple(False for _ in phases) for phases in table.takes)
        tables[number] = replace(table, takes=takes)
    elif change == "what only passes is taken":
        takes = tuple(tuple(True for _ in phases) for phases in table.takes)
        tables[number] = replace(table, takes=takes)
    return replace(program, tables=tuple(tables))


@pytest.mark.parametrize(
    "change",
    [
        *("taken in another round", "a word is not added", "an older word", "a sum is not taken"),
        "what only passes is taken",
    ],
)
def test_spoilt_tables_are_refused(change: str) -> None:
    program = compile_sums(find_sums(build_network("mesh:3,3"), ALL, length=2))
    with pytest.raises(CheckError):
        changed(program, change).check()


# The model, against routers that are played cycle by cycle.

WIDTH = 37


def number_of(seed: int, word: int) -> int:
    return whole_numbers(payload_rows(seed, WIDTH, np.array([word])))[0]


def with_data(program: RoundProgram, traffic: Traffic, cycles: int | None) -> list[tuple[int, ...]]:
    run = simulate(program, traffic, cycles=cycles)
    assert run.events is not None
    events = run.events
    data = whole_numbers(SumData(program, WIDTH, traffic.seed).rows(events))
    columns = (events.cycle.tolist(), events.node.tolist(), events.port.tolist(), data)
    return [*zip(*columns, strict=True)]


@cache
def programmed(spec: str, exchange: Exchange, length: int | None) -> RoundProgram:
    return compile_sums(find_sums(build_network(spec), exchange, length=length))


@pytest.mark.ci
@given(
    case=st.sampled_from(CASES[:-4]),
    operator=st.sampled_from(["sum", "min_signed", "bxor"]),
    seed=st.integers(0, 99),
    gap=st.sampled_from([0, 1, 3]),
)
@settings(max_examples=40)
def test_the_model_does_what_the_tables_say(case, operator: str, seed: int, gap: int) -> None:
    spec, exchange, length = case
    exchange = replace(exchange, operator=operator)
    program = programmed(spec, exchange, length)
    traffic = drawn(program, 80, seed, gap)
    run = simulate(program, traffic)
    assert (run.end, run.injected) == ("drained", 80)

    def add(one: int, other: int) -> int:
        return combine(operator, one, other, WIDTH)

    def data(word: int) -> int:
        return number_of(seed, word)

    right = played(program, traffic, data, add, run.cycles + 9)
    for cycles in (run.cycles, run.cycles // 2):
        assert with_data(program, traffic, cycles) == [each for each in right if each[0] < cycles]
    assert max(cycle for cycle, *_ in right) < run.cycles


def test_parts_of_a_run_are_the_run(monkeypatch) -> None:
    """Words are drawn in parts that end in the midst of rounds, and data are known all the same."""
    monkeypatch.setattr("noc.model.runs.EVENTS_AT_A_TIME", 60)
    monkeypatch.setattr("noc.model.traffic.PART", 14)
    program = compile_sums(find_sums(build_network("mesh:2,3"), ALL, length=2))
    traffic = TRAFFIC["dense"](program, 50, 1)
    data = SumData(program, WIDTH, traffic.seed)
    parts = [(chunk.events.tuples(), data.rows(chunk.events)) for chunk in stream(program, traffic)]
    whole = simulate(program, traffic.whole).events
    assert whole is not None
    assert len(parts) > 10
    assert [each for events, _ in parts for each in events] == whole.tuples()
    rows = SumData(program, WIDTH, traffic.seed).rows(whole)
    assert (np.concatenate([each for _, each in parts]) == rows).all()


@pytest.mark.parametrize("room", [20, 32, 45, 77])
def test_words_after_a_long_pause_are_added(room: int, monkeypatch) -> None:
    """A part of a run may have only the sums of words that were given in the one before."""
    monkeypatch.setattr("noc.model.runs.EVENTS_AT_A_TIME", room)
    program = compile_sums(find_sums(build_network("mesh:2,2"), ALL, length=2))
    streams = len(program.sources)
    release = np.repeat(np.arange(12) * 400, streams)
    source, ready = np.tile(np.arange(streams), 12), always(program.network.nodes)
    traffic = Traffic(source, release, ready, 1)
    data = SumData(program, WIDTH, traffic.seed)
    rows = [data.rows(chunk.events) for chunk in stream(program, traffic)]
    whole = simulate(program, traffic).events
    assert whole is not None
    assert (np.concatenate(rows) == SumData(program, WIDTH, traffic.seed).rows(whole)).all()
    # What all nodes have got is forgotten.
    assert len(data._given) <= 2


@pytest.mark.cases(1)
@pytest.mark.parametrize(("spec", "length", "rate"), [("mesh:4,4", 2, 1.5), ("mesh:4,4", 5, 1.6)])
def test_at_full_load_every_sum_is_made_in_every_round(spec: str, length: int, rate: float) -> None:
    design = build_design(spec, fabric="timetable", exchange="all_reduce:sum", round=length)
    load = measure.full(design, 0)
    assert load.carried / load.cycles == pytest.approx(rate, rel=0.01)
