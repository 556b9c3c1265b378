"""Words in slices, each along a tree of its own: tables, model and Verilog of the direct fabric."""

import json
from collections import defaultdict, deque
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import strong_graphs
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from noc.cli import main
from noc.design import Design, build_direct
from noc.errors import CheckError, InputError
from noc.model import Traffic, back_to_back, simulate
from noc.model.direct.run import stream
from noc.networks import Network, build_network, from_edges
from noc.programs import Program, build_program, check_spanning, compile_trees
from noc.programs.config import RouterConfig
from noc.trees import build_trees
from noc.trees.tree import NO_PARENT
from noc.verify import name_runs, verify
from noc.verify.folder import read_folder

CASES = (
    ("star:3", "disjoint", "one"),
    ("uhc:4", "adst", "one"),
    ("mesh:2,3", "disjoint", "one"),
    ("hypercube:3", "disjoint", "one"),
    ("scc:3", "disjoint", "one"),
    ("mesh:2,3", "disjoint", ["0.1"]),
)


def designed(
    network: Network | str, algorithm: str = "disjoint", sources="one", width: int = 32, **more: int
) -> Design:
    config = RouterConfig(sinks="always-ready", **more)
    return build_direct(network, algorithm, sources=sources, width=width, config=config)


# Tables.


@pytest.mark.parametrize(("spec", "algorithm", "sources"), CASES)
def test_each_slice_follows_its_tree(spec: str, algorithm: str, sources) -> None:
    """Hop by hop from the source, by codes, against the trees that the tables were made from."""
    program = designed(spec, algorithm, sources).program
    for source in program.sources:
        family = build_trees(spec, algorithm, root=source)
        assert len(family.trees) == program.slices > 1
        for number, tree in enumerate(family.trees):
            seen = set()
            waiting = [(source, program.table_of(source).own[number])]
            while waiting:
                node, entry = waiting.pop()
                assert entry.slice == number
                for port, code in entry.sends:
                    there = int(program.network.neighbour[node, port])
                    seen.add((node, port, there))
                    (row,) = (e for e in program.table_of(there).arriving if e.code == code)
                    assert row.deliver
                    waiting.append((there, row))
            child = np.flatnonzero(tree.parent != NO_PARENT)
            columns = tree.parent[child], tree.port[child], child
            assert seen == {*zip(*(column.tolist() for column in columns), strict=True)}


@given(network=strong_graphs(), width=st.integers(9, 70))
@settings(max_examples=25, deadline=None)
def test_any_graph_has_a_program(network: Network, width: int) -> None:
    design = designed(network, width=width)
    check_spanning(design.program)
    assert design.program.slices * design.link_width >= width
    assert (design.program.slices - 1) * design.link_width < width


def spoilt(program: Program) -> list[Program]:
    """Programs of which one entry is other than it was: its slice, or what it sends."""
    result = []
    for place, table in enumerate(program.tables):
        for number, entry in enumerate(table.entries):
            others = [replace(entry, slice=(entry.slice + 1) % program.slices)]
            others += [replace(entry, deliver=not entry.deliver)]
            others += [replace(entry, sends=entry.sends[1:])] * bool(entry.sends)
            for other in others:
                entries = (*table.entries[:number], other, *table.entries[number + 1 :])
                tables = list(program.tables)
                tables[place] = replace(table, entries=entries)
                result.append(replace(program, tables=tuple(tables)))
    return result


@pytest.mark.parametrize("spec", ["star:3", "uhc:4"])
def test_spoilt_tables_are_refused(spec: str) -> None:
    programs = spoilt(designed(spec).program)
    assert len(programs) > 20
    for program in programs:
        with pytest.raises(CheckError, match=rf"^{spec}"):
            check_spanning(program)


def test_slices_that_meet_on_a_link_are_refused() -> None:
    """Both slices of a ring that goes round in one direction: each of them alone is right."""
    ring = build_network("ring:5")
    trees = build_trees(ring, "disjoint").trees
    assert len(trees) == 2
    automaton = compile_trees(ring, lambda root: build_trees(ring, "disjoint", root=root))
    program = build_program(automaton, RouterConfig(sinks="always-ready"))
    (table,) = program.tables
    first, second = table.own
    (row,) = (entry for entry in table.arriving if entry.code == second.sends[0][1])
    # The other slice goes the way of the first.
    other = {entry.slice: entry for entry in table.own}
    entries = tuple(
        replace(entry, sends=tuple((first.sends[0][0], code) for _, code in entry.sends))
        if entry.slice == row.slice and entry.sends
        else entry
        for entry in table.entries
    )
    assert len(other) == 2
    with pytest.raises(CheckError, match=r"^ring:5.* meet on the link \d to \d"):
        check_spanning(replace(program, tables=(replace(table, entries=entries),)))


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"sinks.*'stalling': the slices of words on 2 trees never"
    ):
        build_direct("uhc:4", "adst")
    with pytest.raises(InputError, match=r"rom.*'block': every in-port looks up"):
        designed("uhc:4", "adst", rom="block")
    with pytest.raises(InputError, match=r"width.*2: each of 3 trees carries a slice"):
        designed("star:4", width=2)
    with pytest.raises(InputError, match=r"'multiple': trees \d and \d of 123 both use the link"):
        designed("nk-star:4,3", "multiple")


# The model, against registers that are played cycle by cycle.


def played(program: Program, traffic: Traffic) -> tuple[list[tuple[int, ...]], list[int]]:
    """The transfers until all is drained, and when the network begins and ceases to hold words.

    By tables, wires and registers alone. The port of eject streams is -1, and their code 0.
    """
    net, stages = program.network, 1 + program.config.link_registers
    words = defaultdict(deque)
    for word, (source, release) in enumerate(zip(traffic.source, traffic.release, strict=True)):
        words[int(source)].append((word, int(release)))
    own: dict[int, int] = {}
    links = {(there, port): [None] * stages for _, _, there, port in program.links()}
    parts = {node: [deque() for _ in range(program.slices)] for node in range(net.nodes)}
    events, changes, cycle, was_busy, held_before = [], [], 0, False, False
    while True:
        held = [value for line in links.values() for value in line]
        holds = bool(own) or any(held) or any(map(any, parts.values()))
        # It is told a cycle later, but of words that were taken.
        busy, held_before = held_before or bool(own), holds
        if busy != was_busy:
            changes.append(cycle)
            was_busy = busy
        if not busy and not holds and not any(words.values()):
            return sorted(events), changes
        shown = {}

        def send(node: int, entry, word: int, shown=shown) -> None:
            for port, code in entry.sends:
                where = int(net.neighbour[node, port]), int(net.arrival[node, port])
                assert where not in shown, "two slices on one link"
                shown[where] = code, word

        came = []
        for node, word in own.items():
            for entry in program.table_of(node).own:
                send(node, entry, word)
        for (node, _), line in links.items():
            if line[-1] is not None:
                code, word = line[-1]
                (entry,) = (e for e in program.table_of(node).arriving if e.code == code)
                send(node, entry, word)
                came.append((node, entry.slice, word))
        for (node, port), (code, word) in shown.items():
            events.append((cycle, node, port, code, word))
        for node, slices in parts.items():
            if all(slices):
                (word,) = {part.popleft() for part in slices}
                events.append((cycle, node, -1, 0, word))
        for node, number, word in came:
            parts[node][number].append(word)
        links = {where: [shown.get(where), *line[:-1]] for where, line in links.items()}
        own = {}
        for node, waiting in words.items():
            if waiting and waiting[0][1] <= cycle:
                word, _ = waiting.popleft()
                own[node] = word
                code = program.table_of(node).own[0].code
                events.append((cycle, node, program.inject, code, word))
        cycle += 1


def in_turn(program: Program, words: int, seed: int, gap: int) -> Traffic:
    """Words of some sources, each of which begins when those of the one before are everywhere."""
    rng = np.random.default_rng(seed)
    turns = rng.integers(0, len(program.sources), 3)
    source, release, begin = [], [], 0
    for turn in turns.tolist():
        after = begin + np.cumsum(rng.integers(0, 2 * gap + 1, words))
        source.append(np.full(words, program.sources[turn]))
        release.append(after)
        begin = int(after[-1]) + words + 40
    ready = np.ones((1, program.network.nodes), dtype=np.bool_)
    return Traffic(np.concatenate(source), np.concatenate(release), ready)


def found(run) -> list[tuple[int, ...]]:
    """The events of the model as they are played."""
    return sorted(
        (cycle, node, port, code if port >= 0 else 0, word)
        for cycle, node, port, code, word in run.events.tuples()
    )


@pytest.mark.parametrize("link_registers", [0, 1])
@pytest.mark.parametrize(("spec", "algorithm", "sources"), CASES)
@given(seed=st.integers(0, 99), gap=st.sampled_from([0, 1, 3]))
@settings(max_examples=4, deadline=None)
def test_the_model_does_what_registers_do(
    spec: str, algorithm: str, sources, link_registers: int, seed: int, gap: int
) -> None:
    program = designed(spec, algorithm, sources, link_registers=link_registers).program
    traffic = in_turn(program, 12, seed, gap)
    run = simulate(program, traffic, arrival=True)
    events, changes = played(program, traffic)
    assert found(run) == events
    assert run.idle is not None
    assert (run.end, run.idle.tolist()) == ("drained", changes)
    assert run.cycles == changes[-1]
    assert run.delivered == 36 * (program.network.nodes - 1)
    at = {(word, node): cycle for cycle, node, port, _, word in events if port < 0}
    assert run.arrival is not None
    assert {tuple(key): int(run.arrival[key]) for key in at} == at
    cut = simulate(program, traffic, cycles=run.cycles // 2)
    assert found(cut) == [event for event in events if event[0] < run.cycles // 2]
    assert (cut.end, cut.cycles) == ("limit", run.cycles // 2)


@given(network=strong_graphs(), seed=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_the_model_is_right_on_any_graph(network: Network, seed: int) -> None:
    program = designed(network, width=64).program
    assume(program.slices > 1)
    traffic = in_turn(program, 5, seed, 1)
    events, changes = played(program, traffic)
    run = simulate(program, traffic)
    assert run.idle is not None
    assert (found(run), run.idle.tolist()) == (events, changes)


def test_parts_of_a_run_are_the_run(monkeypatch) -> None:
    monkeypatch.setattr("noc.model.direct.sliced.EVENTS_AT_A_TIME", 100)
    program = designed("star:3").program
    traffic = back_to_back(program, 2, 200)
    chunks = list(stream(program, traffic))
    whole = simulate(program, traffic)
    assert whole.events is not None
    assert whole.idle is not None
    assert len(chunks) > 10
    parts = [each for chunk in chunks for each in chunk.events.tuples()]
    assert parts == whole.events.tuples()
    assert np.concatenate([chunk.idle for chunk in chunks]).tolist() == whole.idle.tolist()


def test_words_of_two_sources_must_not_overlap() -> None:
    program = designed("star:3").program
    ready = np.ones((1, 6), dtype=np.bool_)
    with pytest.raises(CheckError, match=r"^star:3: 132 sends in cycle 3, while words of another"):
        simulate(program, Traffic(np.array([0, 1]), np.array([0, 3]), ready))


@pytest.mark.parametrize(
    ("spec", "algorithm", "slices"),
    [
        ("uhc:4", "adst", 2),
        ("star:5", "disjoint", 4),
        ("nk-star:4,3", "disjoint", 3),
        ("hypercube:6", "disjoint", 6),
    ],
)
def test_a_thousand_words_take_a_part_of_the_cycles(spec: str, algorithm: str, slices: int) -> None:
    """Of links 32 bits wide; from the cycle in which the first is taken to that of the last."""
    family = build_trees(spec, algorithm)
    program = designed(spec, algorithm, [family.network.label(0)], 32 * slices).program
    assert program.slices == slices
    traffic = back_to_back(program, 0, -(-1000 // slices))
    arrival = simulate(program, traffic, events=False, arrival=True).arrival
    assert arrival is not None
    last = -(-1000 // slices) - 1
    assert int(arrival.max()) == last + 2 + family.height
    assert int(arrival.max()) + 1 <= 1000 / slices + 2 * family.height


# The Verilog.


@pytest.mark.parametrize(
    ("spec", "width", "link_registers"),
    [("star:3", 33, 0), ("uhc:4", 5, 1), ("mesh:2,3", 100, 1), ("scc:3", 64, 0)],
)
def test_the_verilog_does_what_the_model_does(
    spec: str, width: int, link_registers: int, tmp_path: Path
) -> None:
    design = designed(spec, width=width, link_registers=link_registers)
    report = verify(design, name_runs(design, words=30, cycles=2000), tmp_path)
    assert report.passed
    assert report.events > 500


def test_parallel_links_carry_slices(tmp_path: Path) -> None:
    network = from_edges([("a", "b"), ("a", "b"), ("b", "c"), ("b", "c"), ("c", "a")])
    design = designed(network, width=8)
    assert design.program.slices > 1
    assert verify(design, name_runs(design, words=10), tmp_path).passed


@pytest.mark.ci
@pytest.mark.parametrize("family", ["ecp5", "ice40"])
def test_the_netlist_does_what_the_model_does(family: str, cli) -> None:
    options = ("--fabric", "direct", "--algorithm", "disjoint", "--sinks", "always-ready")
    told = cli.facts("verify", "mesh:2,2", *options, "--netlist", family)
    assert (told["mismatches"], told["events"] > 100) == (0, True)


# Folders.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("slices") / "out"
    options = ("--fabric", "direct", "--algorithm", "disjoint", "--sinks", "always-ready")
    assert main(["generate", "mesh:2,3", *options, "--width", "17", "-o", str(path)]) == 0
    return path


def test_a_folder_is_read_back(folder: Path) -> None:
    read, built = read_folder(folder).design, designed("mesh:2,3", width=17)
    assert isinstance(read, Design)
    assert read.program.tables == built.program.tables
    assert read.program.slice_of.tolist() == built.program.slice_of.tolist()
    assert read.digest == built.digest


def test_the_manifest_says_how_words_are_cut(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["width"], manifest["slices"], manifest["slice_bits"]) == (17, 2, 9)


@pytest.mark.parametrize(("key", "wrong"), [("slices", 3), ("slice_bits", 8), ("slices", None)])
def test_manifests_that_cut_words_otherwise_are_refused(
    folder: Path, tmp_path: Path, key: str, wrong: int | None
) -> None:
    for file in folder.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest[key] = wrong
    if wrong is None:
        del manifest[key]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(InputError, match=f"{key}: "):
        read_folder(tmp_path)
