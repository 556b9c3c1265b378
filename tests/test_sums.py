"""Words that are added up by the clock: trees, tables, model and Verilog, each by another way."""

import json
import random
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import networkx
import numpy as np
import pytest
from helpers import started, strong_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from readable_sums import played

from noc.cli import main
from noc.design import build_design
from noc.errors import CheckError, InputError
from noc.fabrics.timetable import measure
from noc.model import TRAFFIC, Traffic
from noc.model.ordered.operators import combine
from noc.model.rows import whole_numbers
from noc.model.timetable import SumData, simulate, stream
from noc.model.traffic import payload_rows
from noc.networks import ABSENT, Network, build_network
from noc.programs.compile_rounds import compile_sums
from noc.programs.round_table import OWN, Register, RoundTable
from noc.programs.rounds import RoundProgram
from noc.programs.sums import list_totals
from noc.trees.timetables import Exchange, SumHop, Sums, find_sums, sum_bound
from noc.trees.timetables.packing import pack_trees
from noc.verify import name_runs, verify
from noc.verify.folder import read_folder

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
@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize(("spec", "exchange", "length"), CASES, ids=str)
def test_tables_say_what_the_timetable_says(spec: str, exchange: Exchange, length: int) -> None:
    sums = find_sums(build_network(spec), exchange, length=length)
    program = compile_sums(sums)
    assert (program.round, len(list_totals(program))) == (sums.round, sums.words)
    words = sums.network.nodes * sums.words
    assert program.flows.inject.size == words
    assert int((program.taken >= 0).sum()) == (words if exchange is ALL else sums.network.nodes)
    # From the first word of a round, which is taken the step before it leaves, to the last eject.
    first = min(hop.step for hop in sums.hops if hop.up)
    slowest = program.summed.cycles(program.flows.phase, program.taken)
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


@given(
    case=st.sampled_from(CASES[:-4]),
    operator=st.sampled_from(["sum", "min_signed", "bxor"]),
    seed=st.integers(0, 99),
    gap=st.sampled_from([0, 1, 3]),
)
@settings(max_examples=60, deadline=None)
def test_the_model_does_what_the_tables_say(case, operator: str, seed: int, gap: int) -> None:
    spec, exchange, length = case
    exchange = replace(exchange, operator=operator)
    program = compile_sums(find_sums(build_network(spec), exchange, length=length))
    rng = np.random.default_rng(seed)
    source = rng.integers(0, len(program.sources), 80)
    release = np.cumsum(rng.integers(0, 2 * gap + 1, 80))
    traffic = Traffic(source, release, np.ones((1, program.network.nodes), dtype=np.bool_), seed)
    run = simulate(program, traffic)
    assert (run.end, run.injected) == ("drained", 80)

    def add(one: int, other: int) -> int:
        return combine(operator, one, other, WIDTH)

    def data(word: int) -> int:
        return number_of(seed, word)

    for cycles in (run.cycles, run.cycles // 2):
        right = played(program, traffic, data, add, cycles)
        assert with_data(program, traffic, cycles) == right
    assert max(cycle for cycle, *_ in played(program, traffic, data, add, run.cycles + 9)) < (
        run.cycles
    )


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
    ready = np.ones((1, program.network.nodes), dtype=np.bool_)
    traffic = Traffic(np.tile(np.arange(streams), 12), release, ready, 1)
    data = SumData(program, WIDTH, traffic.seed)
    rows = [data.rows(chunk.events) for chunk in stream(program, traffic)]
    whole = simulate(program, traffic).events
    assert whole is not None
    assert (np.concatenate(rows) == SumData(program, WIDTH, traffic.seed).rows(whole)).all()
    # What all nodes have got is forgotten.
    assert len(data._given) <= 2


@pytest.mark.parametrize(("spec", "length", "rate"), [("mesh:4,4", 2, 1.5), ("mesh:4,4", 5, 1.6)])
def test_at_full_load_every_sum_is_made_in_every_round(spec: str, length: int, rate: float) -> None:
    design = build_design(spec, fabric="timetable", exchange="all_reduce:sum", round=length)
    load = measure.full(design, 0)
    assert load.carried / load.cycles == pytest.approx(rate, rel=0.01)


# The Verilog.


@pytest.mark.parametrize(
    ("spec", "exchange", "more"),
    [
        ("mesh:3,3", "all_reduce:sum", {"round": 2, "width": 33}),
        ("best:6", "all_reduce:min", {"width": 1}),
        ("torus:3,3", "all_reduce:max_signed", {"round": 3, "width": 8}),
        ("star:3", "all_reduce:band", {"round": 5, "width": 100}),
        ("uhc:3", "reduce_scatter:min_signed", {"width": 9}),
        ("mesh:2,3", "reduce_scatter:bor", {"width": 5}),
        ("mesh:2,3", "all_reduce:sum", {"round": 2, "sinks": "queued", "queue": 3}),
        ("ring:2", "all_reduce:bxor", {"sinks": "queued", "queue": 2}),
    ],
)
def test_the_verilog_does_what_the_model_does(
    spec: str, exchange: str, more: dict, tmp_path: Path
) -> None:
    design = build_design(spec, fabric="timetable", exchange=exchange, **more)
    report = verify(design, name_runs(design, words=30, cycles=2000), tmp_path)
    assert report.passed
    assert report.events > 1000


@given(network=strong_graphs())
@settings(max_examples=4, deadline=None)
def test_any_graph_becomes_verilog(network: Network, tmp_path_factory) -> None:
    name = "all_reduce:max" if network.two_way else "reduce_scatter:sum"
    design = build_design(network, fabric="timetable", width=8, exchange=name)
    runs = name_runs(design, "full,sparse", words=10)
    assert verify(design, runs, tmp_path_factory.mktemp("graph")).passed


USERS = """
from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from noc.programs.operators import Operator


class Saturating(wiring.Component):
    def __init__(self, width):
        super().__init__({"a": In(width), "b": In(width), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        total = self.a + self.b
        m.d.comb += self.o.eq(Mux(total[-1], ~0, total))
        return m


OPERATORS = [
    Operator(
        name="saturate",
        summary="sum, or the greatest number where that is less",
        model=lambda left, right, width: min(left + right, 2**width - 1),
        build=Saturating,
    )
]
"""


def test_words_are_combined_by_an_operator_of_a_users(cli, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(USERS, encoding="utf-8")
    options = ("--fabric", "timetable", "--exchange", "all_reduce:saturate", "--round", "2")
    plugin = ("--plugin", str(tmp_path / "own.py"))
    told = cli.facts("verify", "mesh:2,3", *options, "--width", "5", "--words", "300", *plugin)
    assert (told["mismatches"], told["events"] > 1000) == (0, True)


@pytest.mark.ci
@pytest.mark.parametrize("family", ["ecp5", "ice40"])
def test_the_netlist_does_what_the_model_does(family: str, cli) -> None:
    options = ("--fabric", "timetable", "--exchange", "all_reduce:sum", "--netlist", family)
    told = cli.facts("verify", "mesh:2,2", *options, "--words", "200")
    assert (told["mismatches"], told["events"] > 1000) == (0, True)


# Folders.


def written(tmp_path_factory: pytest.TempPathFactory, *options: str) -> Path:
    path = tmp_path_factory.mktemp("sums") / "out"
    fixed = ("--fabric", "timetable", "--width", "16")
    assert main(["generate", "mesh:2,3", *fixed, *options, "-o", str(path)]) == 0
    return path


OPTIONS = {
    "all": ("--exchange", "all_reduce:sum", "--round", "2"),
    "each": ("--exchange", "reduce_scatter:min"),
    "queued": ("--exchange", "all_reduce:max", "--sinks", "queued", "--queue", "3"),
}


@pytest.fixture(scope="module", params=OPTIONS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory, *OPTIONS[request.param])


def read_manifest(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def test_a_folder_is_read_back_and_verifies(folder: Path, cli) -> None:
    manifest = read_manifest(folder)
    read = read_folder(folder).design
    exchange = f"{manifest['exchange']}:{manifest['operator']}"
    assert str(read.program.exchange) == exchange
    more = {name: manifest[name] for name in ("sinks", "queue", "width")}
    length = manifest["round"] if manifest["exchange"] == "all_reduce" else 1
    built = build_design("mesh:2,3", fabric="timetable", exchange=exchange, round=length, **more)
    assert (read.program.tables, read.digest) == (built.program.tables, built.digest)
    assert cli.facts("verify", "--verilog", str(folder), "--words", "100")["mismatches"] == 0


def test_the_manifest_says_which_sum_is_where(folder: Path) -> None:
    """Each node gives a word to each sum once, and gets its sums once."""
    manifest = read_manifest(folder)
    sums = [*range(manifest["sums"])]
    for number, node in enumerate(manifest["nodes"]):
        assert len(node["inject_lanes"]) == len(node["inject"])
        given = [each for lane in node["inject_lanes"] for each in lane["sums"] if each is not None]
        assert sorted(given) == sums
        got = [each for lane in node["lanes"] for each in lane["sums"] if each is not None]
        assert sorted(got) == (sums if manifest["exchange"] == "all_reduce" else [number])
        for lane in (*node["inject_lanes"], *node["lanes"]):
            pairs = zip(lane["sums"], lane["after"], strict=True)
            assert all((total is None) == (after is None) for total, after in pairs)


@pytest.mark.cocotb
def test_the_benches_of_a_folder_pass(folder: Path) -> None:
    done = started(sys.executable, folder / "bench" / "run.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "each_round_adds_every_word passed" in done.stdout
    assert "sums_may_lack_words passed" in done.stdout
    done = started(sys.executable, folder / "bench" / "stress.py", "--words", "20000")
    assert done.returncode == 2
    assert "run.py checks them" in done.stderr


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory, *OPTIONS["all"])


def copied(whole: Path, folder: Path) -> None:
    for path in whole.rglob("*"):
        if path.is_file() and "build" not in path.parts:
            there = folder / path.relative_to(whole)
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(path.read_bytes())


def shift_rounds(manifest: dict) -> None:
    lanes = (lane for node in manifest["nodes"] for lane in node["inject_lanes"])
    lane = next(lane for lane in lanes if any(lane["after"]))
    lane["after"] = [after and after - 1 for after in lane["after"]]


def shift_sums(manifest: dict) -> None:
    lane = manifest["nodes"][0]["lanes"][0]
    lane["after"] = [after and after + 1 for after in lane["after"]]


def exchange_sums(manifest: dict) -> None:
    lane = next(
        lane
        for node in manifest["nodes"]
        for lane in node["lanes"]
        if None not in lane["sums"] and len({*lane["sums"]}) > 1
    )
    lane["sums"].reverse()


@pytest.mark.cocotb
@pytest.mark.parametrize("change", [shift_rounds, shift_sums, exchange_sums])
def test_the_benches_catch_what_is_exchanged(whole: Path, change, tmp_path: Path) -> None:
    copied(whole, tmp_path)
    manifest = read_manifest(tmp_path)
    change(manifest)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    done = started(sys.executable, tmp_path / "bench" / "run.py")
    assert done.returncode == 1
    assert "2 of 10 tests" in done.stdout + done.stderr
    told = ("became", "before the first round", "of sum", "rounds later")
    assert any(each in done.stdout for each in told)


def first_table(program: dict) -> dict:
    return next(iter(program["routers"].values()))


def tables(program: dict) -> list[dict]:
    return [*program["routers"].values()]


def words_of(program: dict) -> list[dict]:
    """A sum that has an own word."""
    sends = (send for table in tables(program) for send in table["sends"])
    sums = (phase for send in sends for phase in send["phases"] if phase)
    return next(each for each in sums if each[0]["in_port"] is None)


def spoil_wait(program: dict) -> None:
    lanes = (lane for table in tables(program) for lane in table["waits"])
    for lane in lanes:
        lane[:] = [each + 1 for each in lane]


def first_word(program: dict) -> dict:
    """An own word."""
    sends = (send for table in program["routers"].values() for send in table["sends"])
    words = (word for send in sends for phase in send["phases"] for word in phase or ())
    return next(word for word in words if word["in_port"] is None)


SPOILT = {
    "no operator": (lambda m, _: m.pop("operator"), "an operator is needed"),
    "another operator": (lambda m, _: m.update(operator="mul"), "an operator is needed"),
    "another exchange": (
        lambda m, _: m.update(exchange="all_to_all", operator=""),
        "the routers' words are not those of all_to_all",
    ),
    "one for each": (lambda m, _: m.update(exchange="reduce_scatter"), "sum"),
    "other rounds": (
        lambda m, _: shift_rounds(m),
        "inject_lanes: the tables have other targets",
    ),
    "more sums": (lambda m, _: m.update(sums=3), "sums: 3 is not 2"),
    "no waits": (lambda _, p: first_table(p).pop("waits"), "lists of some are needed"),
    "too few waits": (lambda _, p: first_table(p)["waits"].pop(), "waits: every port of own"),
    "a wait too long": (
        lambda _, p: first_table(p)["waits"][0].__setitem__(slice(None), [9, 9]),
        "in other rounds",
    ),
    "a word alone": (
        lambda _, p: first_table(p)["sends"][0]["phases"].__setitem__(
            0, {"in_port": None, "age": 1}
        ),
        "lists of some are needed",
    ),
    "a word too old": (
        lambda _, p: first_word(p).update(age=7),
        "cannot be 7 cycles old",
    ),
    "pulses": (
        lambda m, _: m.update(start="start", start_cycles=3, moves="moves"),
        "rounds of sums overlap",
    ),
    "a root": (lambda m, _: m.update(root="0.0"), "root: all_reduce has none"),
    "a word twice": (
        lambda _, p: words_of(p).append({"in_port": None, "age": 1}),
        "has each word once",
    ),
    "an endless age": (lambda _, p: first_word(p).update(age=10**30), "age"),
    "no own words": (
        lambda _, p: [each.update(sends=[], waits=[], takes=[], in_ports=[]) for each in tables(p)],
        "no node gets a sum",
    ),
    "a wait for nothing": (lambda _, p: spoil_wait(p), "must be 0 in phases in which no word"),
    "a port that sends nothing": (
        lambda _, p: first_table(p)["sends"][0].update(phases=[None, None]),
        "",
    ),
    "no takes": (lambda _, p: first_table(p).pop("takes"), "takes: is missing"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_spoilt_folders_are_refused(whole: Path, case: str, cli, tmp_path: Path) -> None:
    spoil_it, message = SPOILT[case]
    texts = [
        json.loads((whole / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("manifest", "program")
    ]
    spoil_it(*texts)
    for name, text in zip(("manifest", "program"), texts, strict=True):
        (tmp_path / f"{name}.json").write_text(json.dumps(text), encoding="utf-8")
    for path in whole.glob("*.v"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert message in cli.refusal("verify", "--verilog", str(tmp_path))


# Refusals.


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("star:3", ["--exchange", "all_reduce"], "an operator is needed: all_reduce:sum, min"),
        ("star:3", ["--exchange", "all_reduce:mul"], "an operator is needed: all_reduce:sum, min"),
        ("star:3", ["--exchange", "gather:sum"], "--exchange gather:sum: adds no words up"),
        ("uhc:3", ["--exchange", "all_reduce:sum"], "links that carry words one way only"),
        ("star:3", ["--exchange", "reduce_scatter:sum", "--round", "2"], "--round 2: is for"),
        ("star:3", ["--round", "2"], "--round 2: is for --exchange all_reduce"),
        ("star:3", ["--exchange", "all_reduce:sum", "--round", "65"], "from 1 to 64 cycles"),
        ("star:3", ["--exchange", "all_reduce:sum", "--start", "pulse"], "rounds of sums overlap"),
        ("star:3", ["--exchange", "all_reduce:sum", "--root", "123"], "--root 123: is for"),
    ],
)
def test_what_cannot_be_is_refused(
    spec: str, options: list[str], message: str, cli, tmp_path: Path
) -> None:
    fixed = ("--fabric", "timetable", "-o", str(tmp_path / "out"))
    assert message in cli.refusal("generate", spec, *fixed, *options)


@pytest.mark.parametrize("length", [0, 65, 2.5, "2", True, None])
def test_what_is_no_round_is_refused(length) -> None:
    with pytest.raises(InputError, match="round"):
        build_design("mesh:2,2", fabric="timetable", exchange="all_reduce:sum", round=length)


@pytest.mark.parametrize(("exchange", "length"), [(ALL, 0), (EACH, 3), (Exchange("gather", 0), 1)])
def test_lengths_that_cannot_be_are_refused(exchange: Exchange, length: int) -> None:
    with pytest.raises(InputError, match="length"):
        find_sums(build_network("mesh:2,2"), exchange, length=length)


def test_a_plugin_that_is_not_loaded_is_named(cli, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(USERS.replace("saturate", "saturate2"), encoding="utf-8")
    plugin = ("--plugin", str(tmp_path / "own.py"))
    options = ("--fabric", "timetable", "--exchange", "all_reduce:saturate2")
    assert main(["generate", "ring:3", *options, *plugin, "-o", str(tmp_path / "out")]) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["plugins"] == ["own.py"]
    manifest["operator"] = "unknown"
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    told = cli.refusal("verify", "--verilog", str(tmp_path / "out"))
    assert "operator 'unknown' comes from a plug-in, own.py; --plugin FILE is needed" in told


def test_a_port_that_is_called_like_the_loop_is_refused() -> None:
    network = replace(build_network("star:3"), in_ports=("2", "sum"), out_ports=("2", "sum"))
    with pytest.raises(InputError, match="has a port 'sum'"):
        build_design(network, fabric="timetable", exchange="all_reduce:sum")


def test_the_page_and_the_steps_of_exchanges_have_no_sums(cli, tmp_path: Path) -> None:
    options = ("--fabric", "timetable", "--exchange", "all_reduce:sum")
    told = cli.refusal("explore", "star:3", *options, "-o", str(tmp_path / "page.html"))
    assert "none that are added up" in told
    told = cli.refusal("steps", "exchange", "star:3", "--exchange", "all_reduce:sum")
    assert "'noc steps all-reduce'" in told


def test_steps_and_latency_are_printed(cli) -> None:
    told = cli.facts("steps", "all-reduce", "mesh:4,4", "--round", "5")
    assert (told["words"], told["round"], told["bound"]) == (8, 5, 5)
    carried = Counter((row["from"], row["port"], row["step"] % 5) for row in told["rows"])
    assert {*carried.values()} == {1}
    # All of the 48 links are busy in all of the 5 steps.
    assert len(carried) == 5 * 48
    options = ("--fabric", "timetable", "--exchange", "all_reduce:sum", "--words", "1,10")
    one, ten = cli.facts("latency", "mesh:4,4", *options)["latencies"]
    assert ten["cycles"] - one["cycles"] == 9
    assert one["cycles"] >= one["bound"] == 6


def test_hops_are_named_by_what_they_need() -> None:
    sums = find_sums(build_network("ring:5"), ALL, length=1)
    for hop in sums.hops:
        assert isinstance(hop, SumHop)
        assert all(need.receiver == hop.sender for need in sums.needs(hop))
    steps = [sorted({hop.step for hop in sums.hops if hop.up == up}) for up in (True, False)]
    assert all(b - a == 1 for each in steps for a, b in pairwise(each))
