"""Latencies of operations: formulas against the cycle model, and lower bounds."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from folders import generated, manifest_of

from noc.design import OrderedDesign, build_design
from noc.emit.manifest import build_manifest
from noc.model.ordered import Given, as_traffic, measure_cycles, simulate_ordered
from noc.networks import build_network
from noc.programs.execute import execute
from noc.programs.latency import Parties, bound_cycles, bound_with_root, count_cycles, find_parties
from noc.programs.operations import Operation

OPERATIONS = (
    "broadcast",
    "all_gather",
    "send",
    "scatter",
    "gather",
    "reduce:sum",
    "all_reduce:max",
    "barrier",
)
IN_A_GROUP = (
    "multicast@some",
    "scatter@some",
    "gather@some",
    "all_gather@some",
    "reduce:bor@some",
    "all_reduce:sum@some",
    "barrier@some",
)

CASES = {
    "star": ("star:4", {}),
    "mesh": ("mesh:3,4", {}),
    "one-way links": ("uhc:3", {}),
    "one-way links with registers": ("uhc:4", {"link_registers": 2}),
    "a user's graph": ("file:tests/data/mixed.json", {"queue": 3}),
    "a long ring": ("ring:9", {"link_registers": 1, "group_queue": 3}),
    "a line": ("tree:1,6", {}),
    "a chain from its end": ("mesh:7", {"root": 0}),
    "queues": ("star:3", {"queue": 2}),
    "queues of one word": ("scc:3", {"queue": 1}),
    "own words": ("tree:2,3", {"own_words": "return"}),
    "no source numbers": ("complete:6", {"source_numbers": False, "queue": 5}),
    "another root": ("mesh:4,3", {"root": 0, "algorithm": "shortest"}),
    "registers in some links": ("mesh:2,3", {"link_registers": {(0, 1): 3, (1, 0): 1, (4, 1): 2}}),
    "two nodes": ("mesh:2", {"queue": 1}),
}


def build(name: str, operations: tuple[str, ...], group: list[int] | None = None) -> OrderedDesign:
    spec, options = CASES[name]
    groups = None if group is None else {"some": group}
    return build_design(spec, width=8, operations=operations, groups=groups, **options)


def played(design: OrderedDesign, number: int, parties: Parties, words: int) -> int:
    """The cycle of the last transfer at an eject stream."""
    program = design.program
    operation = program.operations.listed[number]
    given = [[] for _ in range(program.network.nodes)]
    for node in parties.givers:
        for to in sorted(program.numbers[n] for n in parties.receivers):
            given[node] += [Given(0, number, to if operation.to_node else 0)] * words
            if operation.kind != "scatter":
                break
    run = simulate_ordered(program, as_traffic(program, given), width=8)
    assert run.end == "drained"
    return max(
        (c for c, stream, _ in run.bits if run.events.streams[stream].kind == "eject"), default=0
    )


def check(design: OrderedDesign) -> int:
    """Each operation, with some numbers of words, and some nodes that it names."""
    counted, nodes = 0, design.network.nodes
    for number, operation in enumerate(design.operations.listed):
        for words, named in ((1, None), (2, 0), (7, nodes - 1), (3, nodes // 2)):
            members = dict(design.operations.groups)[operation.group]
            if named is not None and operation.kind in ("scatter", "gather"):
                named = members[named % len(members)]
            elsewhere = None if named is None else (named + 1) % nodes
            to = elsewhere if operation.kind == "send" else named
            parties = find_parties(design.program, operation, source=named, to=to)
            expected = played(design, number, parties, words)
            cycles = count_cycles(design.program, operation, parties, words)
            if cycles is None:
                cycles = measure_cycles(design.program, operation, parties, words)
            else:
                counted += 1
            assert cycles == expected, (str(operation), words, named)
            bound = bound_cycles(design.program, operation, parties, words)
            assert words - 1 <= bound <= cycles
            if operation.kind in ("all_reduce", "barrier"):
                assert bound <= bound_with_root(design.program, parties, words) <= cycles
    return counted


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", CASES)
def test_each_operation_takes_so_many_cycles(name: str) -> None:
    """With all operations in one network."""
    # All but those of all_gather, and with queues of one word of scatter.
    assert check(build(name, OPERATIONS)) >= 4 * 7 - 4


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", CASES)
def test_each_operation_of_a_group_takes_so_many_cycles(name: str) -> None:
    nodes = build_network(CASES[name][0]).nodes
    check(build(name, (*IN_A_GROUP, "broadcast"), sorted({0, nodes // 2, nodes - 1})))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_alone_takes_so_many_cycles(operation: str) -> None:
    check(build("star", (operation,)))
    check(build("one-way links", (operation,)))


@pytest.mark.parametrize(
    "name", ["star", "one-way links with registers", "registers in some links"]
)
def test_the_manifest_is_enough_for_whole_messages(name: str) -> None:
    """As docs/manifest.md says, from ``up`` and ``down`` of the nodes alone."""
    design = build(name, ("scatter", "gather"))
    nodes = build_manifest(design, [])["nodes"]
    at = {number: node for node, number in enumerate(design.program.numbers)}
    scatter, gather = design.operations.listed
    for words in (1, 3):
        for one in (0, len(nodes) - 1):
            others = [number for number in range(len(nodes)) if number != one]
            cycles = max(
                nodes[one]["up"] + words * (place + 1) - 1 + nodes[number]["down"]
                for place, number in enumerate(others)
            )
            parties = find_parties(design.program, scatter, source=at[one])
            assert played(design, 0, parties, words) == cycles
            taken = -1
            for offered in sorted(nodes[n]["up"] + j for n in others for j in range(words)):
                taken = max(taken + 1, offered)
            parties = find_parties(design.program, gather, to=at[one])
            assert played(design, 1, parties, words) == taken + nodes[one]["down"]


@pytest.mark.cases(2, ci=5)
@pytest.mark.parametrize("name", [*CASES][::-1])
def test_the_manifest_has_the_cycles_that_the_model_takes(name: str) -> None:
    """Each operation with words of all nodes concerned in cycle 0, over all nodes that it names."""
    design = build(name, OPERATIONS)
    program, nodes = design.program, range(design.network.nodes)
    manifest = build_manifest(design, [])
    for number, operation in enumerate(design.operations.listed):
        told = manifest["latency"][str(operation)]
        if operation.kind in ("gather", "scatter"):
            whole = manifest["whole_latency"][str(operation)]
            ends = {
                end: None if whole.get(name) is None else design.network.node(whole[name])
                for end, name in (("source", "from"), ("to", "to"))
            }
            parties = find_parties(program, operation, **ends)
            assert whole["cycles"] == played(design, number, parties, 1)
            number = OPERATIONS.index("send")
            operation = Operation("send")
        ends = {"broadcast": ("source",), "send": ("source", "to"), "reduce": ("to",)}
        named = ends.get(operation.kind, ())
        choices = [dict(zip(named, c, strict=True)) for c in product(nodes, repeat=len(named))]
        assert told == max(
            played(design, number, find_parties(program, operation, **chosen), 1)
            for chosen in choices
        ), str(operation)


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("name", ["one-way links", "a chain from its end", "queues of one word"])
def test_the_command_prints_what_the_manifest_says(name: str, tmp_path: Path, cli) -> None:
    options = {"root": "0", "queue": 1}.keys() & CASES[name][1].keys()
    words = [part for key in options for part in (f"--{key}", str(CASES[name][1][key]))]
    words += ["--operations", ",".join(OPERATIONS)]
    rows = cli.facts("latency", CASES[name][0], *words)["latencies"]
    manifest = manifest_of(generated(tmp_path / "out", CASES[name][0], *words))
    whole = {operation: each["cycles"] for operation, each in manifest["whole_latency"].items()}
    assert {row["operation"]: row["cycles"] for row in rows} == manifest["latency"] | whole


def test_sources_and_members_take_part() -> None:
    design = build_design("mesh:3,3", width=4, operations=["gather", "scatter"], sources="0.1,2.2")
    parties = find_parties(design.program, Operation("gather"), to=1)
    assert (parties.givers, parties.receivers) == ((8,), (1,))
    parties = find_parties(design.program, Operation("scatter"))
    assert parties.source in (1, 8)
    assert played(design, 1, parties, 2) == count_cycles(
        design.program, Operation("scatter"), parties, 2
    )


def test_bounds_are_those_of_the_distances() -> None:
    """By hand, on a ring of six nodes."""
    program = build_design("ring:6", operations=["barrier", "gather"]).program
    everybody = find_parties(program, Operation("barrier"))
    assert bound_cycles(program, Operation("barrier"), everybody, 1) == 3
    assert bound_with_root(program, everybody, 1) == 6
    gather = find_parties(program, Operation("gather"), to=2)
    # Words from 3, 2, 2, 1 and 1 hops away; the last comes a cycle after the one before.
    assert bound_cycles(program, Operation("gather"), gather, 1) == 5
    assert bound_cycles(program, Operation("gather"), gather, 4) == 20
    program = build_design("ring:6", operations=["barrier"], link_registers=2).program
    assert bound_cycles(program, Operation("barrier"), everybody, 10) == 3 * 3 + 9


def test_registers_of_some_links_count_in_bounds() -> None:
    registers = {(0, 1): 5, (1, 0): 1}
    program = build_design("mesh:2", operations=["send"], link_registers=registers).program
    for source, cycles in ((0, 6), (1, 2)):
        parties = find_parties(program, Operation("send"), source=source)
        assert bound_cycles(program, Operation("send"), parties, 1) == cycles


def test_the_command_prints_latency_bound_and_gap(cli) -> None:
    document = cli.facts("latency", "star:4", "--operation", "all_reduce:sum", "--words", "64")
    (row,) = document["latencies"]
    assert row["words"] == 64
    joined = build_design("star:4", operations=["all_reduce:sum"]).program
    assert row["cycles"] == joined.joined_cycles(0) + int(joined.down_cycles.max()) + 63
    assert (row["bound"], row["bound_with_root"]) == (4 + 63, 8 + 63)
    assert row["gap"] == row["cycles"] - row["bound"]
    assert document["operations"] == ["all_reduce:sum"]
    # A network without operations broadcasts.
    (row,) = cli.facts("latency", "star:4", "--from", "2134")["latencies"]
    program = build_design("star:4").program
    assert row["cycles"] == program.cycles_to_all(program.network.node("2134"))


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("star:4", ("--algorithm", "balanced", "--from", "4321")),
        ("star:4", ("--ports", "one", "--link-registers", "1", "--queue", "3")),
        ("mesh:3,4", ("--ports", "one")),
        ("mesh:3,4", ("--from", "1.1", "--operation", "broadcast")),
        ("uhc:4", ("--queue", "2", "--operations", "broadcast")),
    ],
)
def test_the_direct_fabric_takes_what_its_manifest_says(cli, spec: str, options) -> None:
    """By inject + d * hop + eject, and the turns of a node that uses one port at a time."""
    document = cli.facts("latency", spec, "--sources", "one", "--words", "1,6", *options)
    given = dict(zip(options[::2], options[1::2], strict=True))
    design = build_design(
        spec,
        given.get("--algorithm"),
        sources="one",
        ports=given.get("--ports"),
        link_registers=int(given.get("--link-registers", 0)),
        queue=int(given.get("--queue", 0)),
    )
    net, manifest = design.network, build_manifest(design, [])

    def cycles(source: int) -> int:
        alone, depth = execute(design.program, source), np.zeros(net.nodes, dtype=int)
        for node in np.argsort(alone.step)[1:]:
            depth[node] = depth[alone.parent[node]] + 1
        turns = alone.step - depth
        ends = manifest["inject_cycles"] + manifest["eject_cycles"]
        return ends + int((depth * manifest["hop_cycles"] + turns).max())

    one, six = document["latencies"]
    sources = [net.node(given["--from"])] if "--from" in given else range(net.nodes)
    assert one["cycles"] == max(map(cycles, sources))
    assert one["cycles"] == cycles(net.node(one["from"]))
    assert one["bound"] == net.eccentricity(net.node(one["from"])) * manifest["hop_cycles"]
    assert six["bound"] == one["bound"] + 5
    # Words follow each other at one a cycle, or at one for as many as a node sends by turns.
    most = 1 if design.program.ports == "all" else net.degree
    assert one["cycles"] + 5 <= six["cycles"] <= one["cycles"] + 5 * most


def test_the_command_shows_some_operations_of_a_network(cli) -> None:
    built = ("--operations", "broadcast,gather,barrier@one", "--group", "one=123,213")
    rows = cli.facts("latency", "star:3", *built)["latencies"]
    assert [row["operation"] for row in rows] == ["broadcast", "gather", "barrier@one"]
    one = ("--operation", "gather", "--to", "321")
    (row,) = cli.facts("latency", "star:3", *built, *one)["latencies"]
    assert (row["operation"], row["to"]) == ("gather", "321")


def test_several_numbers_of_words_are_counted_at_once(cli) -> None:
    rows, *alone = (
        cli.facts(f"latency star:3 --operations send,gather --words {words}")["latencies"]
        for words in ("5,1", "5", "1")
    )
    assert rows == [row for pair in zip(*alone, strict=True) for row in pair]


def test_a_column_without_entries_is_left_out(cli) -> None:
    head = cli.out("latency", "star:3", "--sources", "one").splitlines()[-3]
    assert head.split() == ["operation", "words", "from", "cycles", "bound", "gap"]
