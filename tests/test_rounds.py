"""The timetable fabric: tables, model and Verilog, each against what it was made from."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from amaranth.sim import Simulator, SimulatorContext
from helpers import edit, strong_graphs
from hypothesis import given, settings
from round_designs import SPECS, at_once, check_few_words, programmed
from verilog_files import compared, written

from noc.design import build_design
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.errors import CheckError
from noc.hardware import BroadcastNetwork
from noc.hardware.timetable.router import RoundRouter
from noc.model.timetable import simulate
from noc.networks import Network, build_network, from_edges
from noc.programs.compile_rounds import compile_rounds
from noc.programs.round_table import NONE, OWN, Register, RoundTable
from noc.programs.rounds import RoundProgram
from noc.trees.bounds import all_gather_bound
from noc.trees.timetables import find_timetable
from noc.verify import name_runs

# Tables.


@pytest.mark.parametrize("spec", [*SPECS, "star:4", "scc:3", "nk-star:4,2", "torus:3,3"])
def test_tables_carry_each_word_along_its_tree(spec: str) -> None:
    timetable = find_timetable(spec, tries=20)
    program = compile_rounds(timetable)
    network = program.network
    assert program.round == timetable.steps
    assert len(program.tables) == 1 or not network.symmetric
    for source in range(network.nodes):
        tree = timetable.tree(source)
        came = {
            (int(tree.step[node]) - 1, node, int(port))
            for node, port in enumerate(tree.arrival().tolist())
            if node != source
        }
        assert {tuple(each) for each in np.argwhere(program.carried == source).tolist()} == came
        assert (tree.step[tree.parent == source] == 1).all()
        assert program.latency[source] == tree.step.max() + program.own_register


@given(network=strong_graphs())
@settings(max_examples=25)
def test_any_graph_has_a_program(network: Network) -> None:
    program = compile_rounds(find_timetable(network, tries=20))
    assert program.round >= all_gather_bound(network)
    assert (np.bincount(program.carried[program.carried != NONE]) == network.nodes - 1).all()


def spoilt(program: RoundProgram, port: int, phase: int, register: Register | None) -> RoundProgram:
    """The program of a network with one table, with another register in a phase of an out-port."""
    (table,) = program.tables
    sends = {number: list(choices) for number, choices in table.sends}
    sends[port][phase] = register
    listed = tuple((number, tuple(choices)) for number, choices in sends.items())
    return replace(program, tables=(replace(table, sends=listed),))


def test_spoilt_tables_are_refused() -> None:
    """Every other choice of a port in a phase: none brings each word once to each node."""
    program = programmed("star:4", None)
    (table,) = program.tables
    tried = 0
    for port, choices in table.sends:
        for phase, right in enumerate(choices):
            others = {Register(number, 1) for number in table.in_ports}
            others |= {None, Register(OWN, 0)}
            for wrong in others - {right}:
                if right is None and wrong is not None:
                    # A step in which a link is idle may carry a word that all have already.
                    message = "gets the word|sends a"
                else:
                    message = "gets the word|sends a|does not come to"
                with pytest.raises(CheckError, match=message):
                    spoilt(program, port, phase, wrong).check()
                tried += 1
    assert tried > 60


def test_errors_name_step_and_node() -> None:
    program = programmed("star:3", None)
    with pytest.raises(CheckError, match=r"^star:3: in step 1 123 sends a word of in-port 2 that"):
        spoilt(program, 0, 0, Register(0, 1)).check()
    with pytest.raises(CheckError, match=r"^star:3: in step 2 123 sends an own word, which is for"):
        spoilt(program, 0, 1, Register(OWN, 0)).check()
    with pytest.raises(CheckError, match=r"^star:3: the word of \d+ does not come to \d+$"):
        spoilt(program, 0, program.round - 1, None).check()


# The Verilog.


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("more", [[], [("a", "b"), ("b", "d"), ("b", "e")]])
def test_parallel_links_may_be_left_out(more: list[tuple[str, str]], tmp_path: Path) -> None:
    """With more links own words wait in registers, and are sent by one of the parallel ones."""
    network = from_edges([("a", "b"), ("a", "b"), ("b", "c"), *more])
    design = build_design(network, fabric="timetable", width=8)
    links = {*map(tuple, np.argwhere(network.neighbour >= 0).tolist())}
    assert {(node, port) for node, port, _, _ in design.program.links()} < links
    assert design.program.own_register == bool(more)
    check_few_words(design, tmp_path)


@pytest.mark.ci
@pytest.mark.parametrize("made", [{}, {"zeros": True}, {"own_register": True}])
def test_a_port_without_an_own_word_sends_none(made: dict[str, bool]) -> None:
    """It is parallel to another one, by which the word leaves, and chooses from three others."""
    own, came = Register(OWN, 0), [Register(port, 1) for port in range(3)]
    sends = (0, (own, came[0], None, None)), (1, (None, came[1], came[2], came[0]))
    table = RoundTable(in_ports=(0, 1, 2), sends=sends, round=4)
    router, seen = RoundRouter(table, 8, **made), list[tuple[int, int]]()

    async def give(context: SimulatorContext) -> None:
        context.set(router.inject.payload, 0x5A)
        context.set(router.inject.valid, 1)
        for _ in range(2 * table.round):
            seen.append((context.get(router.out_0.valid), context.get(router.out_1.valid)))
            await context.tick()

    simulator = Simulator(router)
    simulator.add_clock(1e-6)
    simulator.add_testbench(give)
    simulator.run()
    assert seen[table.round :] == [(1, 0), (0, 0), (0, 0), (0, 0)]


@pytest.mark.ci
def test_the_component_has_the_ports_of_the_verilog() -> None:
    design = build_design("mesh:2,3", fabric="timetable", width=8)
    members = BroadcastNetwork(design).signature.members
    for node, name in enumerate(BroadcastNetwork(design).names):
        assert members[f"eject_{name}"].dimensions == (len(design.lanes(node)),)
        assert f"phase_{name}" in members
    text = modules(design)[0].text
    assert "eject_0_0__1__payload" in text
    assert "eject_0_0__2__payload" not in text


@pytest.mark.ci
def test_a_phase_that_is_cut_off_is_caught(tmp_path: Path, parts: Path) -> None:
    design = build_design("star:3", fabric="timetable", width=8)
    top, *others = written(design, tmp_path)
    edit(top, ".phase(phase_132)", ".phase()")
    runs = name_runs(design, "full", words=5)
    report = compared(design, [top, *others], runs, tmp_path, parts=parts)
    assert "node 132, phase" in report.runs[0].comparison.first[0]


# The manifest.


@pytest.mark.ci
def test_the_manifest_says_whose_word_comes_when() -> None:
    manifest = build_manifest(build_design("mesh:2,3", fabric="timetable"), [])
    network, length = build_network("mesh:2,3"), manifest["round"]
    timetable = find_timetable("mesh:2,3")
    assert (length, manifest["lanes"]) == (timetable.steps, 3)
    for entry in manifest["nodes"]:
        node = network.node(entry["label"])
        assert len(entry["lanes"]) == len(entry["eject"])
        seen = {}
        for lane in entry["lanes"]:
            for phase, label in enumerate(lane["sources"]):
                if label is not None:
                    seen[network.node(label)] = phase, network.in_ports.index(lane["in_port"])
        for source in range(network.nodes):
            if source != node:
                tree = timetable.tree(source)
                step, port = int(tree.step[node]), int(tree.arrival()[node])
                assert seen.pop(source) == (step % length, port)
        assert not seen


# Commands.


def test_latency_is_that_of_the_model(cli) -> None:
    rows = cli.facts("latency", "star:4", "--fabric", "timetable", "--words", "1,5")["latencies"]
    design = build_design("star:4", fabric="timetable")
    for row in rows:
        senders = [0] if row["operation"] == "broadcast" else range(24)
        traffic = at_once(design.program, np.repeat(senders, row["words"]))
        # From the first cycle, which is the first of a round, to the one of the last eject.
        assert row["cycles"] == simulate(design.program, traffic).cycles - 1
        assert row["bound"] <= row["cycles"]
    assert [(row["operation"], row["words"], row["cycles"]) for row in rows] == [
        *(("broadcast", 1, 8), ("all_gather", 1, 8), ("broadcast", 5, 40), ("all_gather", 5, 40)),
    ]
