"""Words in slices, each along a tree of its own: tables, model and Verilog of the direct fabric."""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from folders import bench, generated, manifest_of
from helpers import strong_graphs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from round_designs import always, check_verilog

from noc.design import Design, build_design, build_direct
from noc.errors import CheckError
from noc.model import Traffic, back_to_back, simulate
from noc.model.direct.run import stream
from noc.networks import Network, as_network, build_network, from_edges
from noc.programs import Program, build_program, check_spanning, compile_trees
from noc.programs.config import RouterConfig
from noc.programs.execute import lacking
from noc.trees import Tree, build_trees
from noc.trees.tree import NO_PARENT
from noc.verify import name_runs, verify

DIRECT: dict[str, Any] = {"fabric": "direct", "sinks": "always-ready"}

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


def fewest_trees(network: Network | str) -> int:
    """How many trees without a common link there are from any root."""
    net = as_network(network)
    return min(len(build_trees(net, "disjoint", root=root).trees) for root in range(net.nodes))


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


@pytest.mark.ci
@given(network=strong_graphs(), width=st.integers(9, 70))
@settings(max_examples=25)
def test_any_graph_has_a_program(network: Network, width: int) -> None:
    slices = fewest_trees(network)
    for survive in {0, min(1, slices - 1), slices - 1}:
        design = designed(network, width=width, survive=survive)
        check_spanning(design.program)
        assert design.program.parts == slices - survive
        assert design.program.parts * design.link_width >= width
        assert (design.program.parts - 1) * design.link_width < width


def spoilt(program: Program) -> list[Program]:
    """Programs of which one entry is other than it was: its slice, or what it sends."""
    result = []
    for place, table in enumerate(program.tables):
        for number, entry in enumerate(table.entries):
            others = [replace(entry, slice=(entry.slice + 1) % program.slices)]
            others += [replace(entry, deliver=not entry.deliver)]
            others += [replace(entry, wait=entry.wait + 1)] * entry.deliver
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


def test_all_sources_have_as_many_trees_as_the_one_with_fewest() -> None:
    # One link leads to 0.1, which is not in the way of its own words.
    spec = "without:0.0/0.1,1.1/0.1@mesh:3,3"
    counts = [len(build_trees(spec, "disjoint", root=root).trees) for root in range(9)]
    assert (min(counts), max(counts)) == (1, 2)
    program = designed(spec).program
    assert program.slices == 1
    check_spanning(program)


# Dead links.


def ways(program: Program) -> Iterator[list[int]]:
    """For each source and other node the links of its way in each tree, a bit for each."""
    number = {link[:2]: place for place, link in enumerate(program.links())}

    def way(tree: Tree, node: int) -> int:
        if node == tree.root:
            return 0
        above = int(tree.parent[node])
        return way(tree, above) | 1 << number[above, int(tree.port[node])]

    for source in program.sources:
        family = build_trees(program.network, program.algorithm, root=source)
        trees = sorted(family.trees, key=lambda tree: tree.height)[: program.slices]
        for node in range(program.network.nodes):
            if node != source:
                yield [way(tree, node) for tree in trees]


@pytest.mark.parametrize(
    ("spec", "algorithm"),
    [
        ("uhc:4", "adst"),
        ("mesh:3,3", "disjoint"),
        ("hypercube:3", "disjoint"),
        ("star:4", "disjoint"),
    ],
)
def test_whichever_links_are_dead_enough_slices_come(spec: str, algorithm: str) -> None:
    """All sets of as many links as there may be, for all sources and nodes."""
    trees = len(build_trees(spec, algorithm).trees)
    program = designed(spec, algorithm, survive=trees - 1).program
    places = range(len([*program.links()]))
    dead = np.array(
        [sum(1 << n for n in each) for each in combinations(places, trees - 1)], dtype=object
    )
    for each in ways(program):
        comes = sum((dead & way) == 0 for way in each)
        assert comes.min() >= program.parts


@pytest.mark.cases(1)
@pytest.mark.parametrize("spec", ["uhc:4", "hypercube:3", "mesh:3,3", "star:4"])
def test_whichever_nodes_and_links_are_dead_enough_slices_come(spec: str) -> None:
    """All sets of as many as there may be, for all sources that live, and nodes."""
    pytest.importorskip("pysat")
    survive = len(build_trees(spec, "independent").trees) - 1
    program = designed(spec, "independent", survive=survive).program
    nodes, links = range(program.network.nodes), [link[:2] for link in program.links()]
    lost = [sum(1 << n for n, link in enumerate(links) if link[0] == node) for node in nodes]
    lost += [1 << n for n in range(len(links))]
    sets = [*combinations(range(len(lost)), survive)]
    dead = np.array([sum(lost[n] for n in each) for each in sets], dtype=object)
    for number, each in enumerate(ways(program)):
        source = program.sources[number // (len(nodes) - 1)]
        lives = np.array([source not in chosen for chosen in sets])
        comes = sum((dead[lives] & way) == 0 for way in each)
        assert comes.min() >= program.parts


@pytest.mark.ci
@given(network=strong_graphs(), data=st.data())
@settings(max_examples=20)
def test_who_lacks_words_is_told(network: Network, data: st.DataObject) -> None:
    slices = fewest_trees(network)
    assume(slices > 1)
    survive = data.draw(st.sampled_from(sorted({1, slices - 1})))
    program = designed(network, survive=survive).program
    links = [link[:2] for link in program.links()]
    dead = data.draw(st.sets(st.sampled_from(links), max_size=5))
    number = {link: place for place, link in enumerate(links)}
    mask = sum(1 << number[link] for link in dead)
    pairs = [(s, n) for s in program.sources for n in range(network.nodes) if s != n]
    lost = [
        pair
        for pair, each in zip(pairs, ways(program), strict=True)
        if sum(not way & mask for way in each) < program.parts
        if {link for link in links if link[0] == pair[0]} - dead
    ]
    assert lacking(replace(program, dead=frozenset(dead))) == lost
    assert not lost or len(dead) > survive


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
    # For each node what leaves it in which cycle.
    parts = {node: defaultdict(dict) for node in range(net.nodes)}
    events, changes, cycle, was_busy, held_before = [], [], 0, False, False
    while True:
        held = [value for line in links.values() for value in line]
        holds = bool(own) or any(held) or any(parts.values())
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
                if (node, port) in program.dead:
                    continue
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
                came.append((node, entry, word))
        for (node, port), (code, word) in shown.items():
            events.append((cycle, node, port, code, word))
        for node, due in parts.items():
            slices = due.pop(cycle, {})
            if len(slices) >= program.parts:
                (word,) = {*slices.values()}
                events.append((cycle, node, -1, 0, word))
        for node, entry, word in came:
            leaves = parts[node][cycle + 1 + entry.wait * stages]
            assert entry.slice not in leaves, "two words in one cycle"
            leaves[entry.slice] = word
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
    ready = always(program.network.nodes)
    return Traffic(np.concatenate(source), np.concatenate(release), ready)


def found(run) -> list[tuple[int, ...]]:
    """The events of the model as they are played."""
    return sorted(
        (cycle, node, port, code if port >= 0 else 0, word)
        for cycle, node, port, code, word in run.events.tuples()
    )


@pytest.mark.cases(2)
@pytest.mark.parametrize("link_registers", [0, 1])
@pytest.mark.parametrize(("spec", "algorithm", "sources"), CASES)
@given(seed=st.integers(0, 99), gap=st.sampled_from([0, 1, 3]))
@settings(max_examples=4)
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


@pytest.mark.ci
@given(network=strong_graphs(), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_the_model_is_right_on_any_graph(network: Network, seed: int) -> None:
    program = designed(network, width=64).program
    assume(program.slices > 1)
    links = [link[:2] for link in program.links()]
    config = replace(program.config, survive=program.slices - 1)
    dead = np.random.default_rng(seed).choice(links, seed % 4, replace=False)
    program = replace(program, config=config, dead=frozenset(map(tuple, dead.tolist())))
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
    traffic = Traffic(np.array([0, 1]), np.array([0, 3]), always(6))
    with pytest.raises(CheckError, match=r"^star:3: 132 sends in cycle 3, while words of another"):
        simulate(program, traffic)


@pytest.mark.parametrize(
    ("spec", "algorithm", "slices"),
    [
        ("uhc:4", "adst", 2),
        pytest.param("star:5", "disjoint", 4, marks=pytest.mark.ci),
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


@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize(
    ("spec", "width", "link_registers"),
    [("star:3", 33, 0), ("uhc:4", 5, 1), ("mesh:2,3", 100, 1), ("scc:3", 64, 0)],
)
def test_the_verilog_does_what_the_model_does(
    spec: str, width: int, link_registers: int, tmp_path: Path
) -> None:
    design = designed(spec, width=width, link_registers=link_registers)
    check_verilog(design, tmp_path, words=30, least=500)


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize(
    ("spec", "survive", "dead"),
    [
        ("complete:4", 1, ["1/2"]),
        ("star:3", 1, ["123/321"]),
        # More than can be survived: some nodes get nothing, and none what is wrong.
        ("complete:4", 2, ["1/2", "0/2", "0/1", "3/1", "3/0"]),
        pytest.param("mesh:2,3", 1, ["0.0/0.1", "1.1/0.1"], marks=pytest.mark.slow),
        pytest.param("star:4", 2, ["1234/2134", "1234/3214"], marks=pytest.mark.slow),
        pytest.param("hypercube:3", 2, ["001", "111"], marks=pytest.mark.ci),
    ],
)
def test_the_verilog_with_dead_links_does_what_the_model_does(
    spec: str, survive: int, dead: list[str], tmp_path: Path
) -> None:
    algorithm = "disjoint" if any("/" in lost for lost in dead) else "independent"
    if algorithm == "independent":
        pytest.importorskip("pysat")
    lost = ",".join(dead)
    design = build_design(spec, algorithm, **DIRECT, width=19, survive=survive, dead=lost)
    assert isinstance(design, Design)
    assert bool(lacking(design.program)) == (len(dead) > survive)
    report = verify(design, name_runs(design, words=20, cycles=500), tmp_path)
    assert report.passed
    assert report.events > 150


@pytest.mark.ci
def test_parallel_links_carry_slices(tmp_path: Path) -> None:
    network = from_edges([("a", "b"), ("a", "b"), ("b", "c"), ("b", "c"), ("c", "a")])
    design = designed(network, width=8)
    assert design.program.slices > 1
    assert verify(design, name_runs(design, words=10), tmp_path).passed


# Folders.


@pytest.fixture(scope="module", params=[(), ("--survive", "1", "--dead", "0.0/0.1")])
def folder(request, tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = ("--fabric", "direct", "--algorithm", "disjoint", "--sinks", "always-ready")
    options = ("mesh:2,3", *options, *request.param, "--width", "17")
    return generated(tmp_path_factory.mktemp("slices") / "out", *options)


def test_the_manifest_says_how_words_are_cut(folder: Path) -> None:
    manifest = manifest_of(folder)
    bits = 17 if "survive" in manifest else 9
    assert (manifest["width"], manifest["slices"], manifest["slice_bits"]) == (17, 2, bits)
    if "survive" in manifest:
        # From one node to another below it.
        dead = {"from": "0.0", "to": "0.1", "out_port": "y+"}
        assert (manifest["survive"], manifest["dead_links"]) == (1, [dead])


@pytest.mark.cases(0, ci=1)
@pytest.mark.cocotb
def test_the_bench_of_a_folder_knows_when_words_come(folder: Path) -> None:
    """All at once, although a link is dead."""
    bench(folder, "run.py")
