"""Links of the timetable fabric that take several cycles: rounds overlap, and lose no time."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import edit, strong_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from round_designs import at_once, check_benches, check_model, check_verilog, drawn
from verilog_files import compared, written

from noc.design import AnyDesign, build_design
from noc.emit.folder import write
from noc.emit.manifest import build_manifest
from noc.errors import CheckError, InputError
from noc.networks import Network
from noc.programs.compile_rounds import compile_rounds
from noc.programs.round_table import Register
from noc.programs.rounds import RoundProgram
from noc.trees.bounds import all_gather_bound
from noc.trees.timetables import Timetable, find_timetable
from noc.verify import name_runs
from noc.verify.folder import read_folder

SPECS = ("star:3", "mesh:2,3", "uhc:3", "best:6", "torus:3,3")


def designed(spec: str, registers: int = 1, **options) -> AnyDesign:
    return build_design(spec, fabric="timetable", width=8, link_registers=registers, **options)


def check_timetable(timetable: Timetable, hop: int) -> None:
    """That all get all words, no link two in one cycle, and none before it has gone the link."""
    network, used = timetable.network, set()
    for source in range(network.nodes):
        has = {source: 1 - hop}
        tree = timetable.tree(source)
        for node in np.argsort(tree.step, kind="stable").tolist():
            if node == source:
                continue
            step, sender, port = (int(each[node]) for each in (tree.step, tree.parent, tree.port))
            assert network.neighbour[sender, port] == node
            assert step >= has[sender] + hop
            if sender == source:
                assert step == 1
            link = (step - 1) % timetable.round, sender, port
            assert link not in used
            used.add(link)
            has[node] = step
        assert len(has) == network.nodes


@given(network=strong_graphs(), hop=st.integers(2, 4))
@settings(max_examples=25)
def test_any_graph_has_one(network: Network, hop: int) -> None:
    timetable = find_timetable(network, hop=hop, tries=20)
    check_timetable(timetable, hop)
    assert timetable.round >= all_gather_bound(network)
    program = compile_rounds(timetable)
    assert np.array_equal(program.latency - program.own_register, last_steps(timetable))


def last_steps(timetable: Timetable) -> list[int]:
    nodes = range(timetable.network.nodes)
    return [int(timetable.tree(source).step.max()) for source in nodes]


@pytest.mark.cases(2, ci=3)
@pytest.mark.parametrize("spec", ["star:4", "scc:4", "mesh:4,4", "torus:8,8", "star:5"])
def test_rounds_are_as_short_as_with_short_links(spec: str) -> None:
    """Twice the cycles of a link cost some at the end, and none from round to round."""
    timetable = find_timetable(spec, hop=2)
    check_timetable(timetable, 2)
    assert timetable.round == all_gather_bound(timetable.network)
    assert timetable.round < timetable.steps < 2 * timetable.round


@pytest.mark.parametrize("spec", SPECS)
def test_the_program_follows_words_into_later_rounds(spec: str) -> None:
    timetable = find_timetable(spec, hop=3, tries=20)
    program = compile_rounds(timetable)
    assert program.overlaps
    for source in range(program.network.nodes):
        tree = timetable.tree(source)
        for node, port in enumerate(tree.arrival().tolist()):
            if node != source:
                late, phase = divmod(int(tree.step[node]) - 1, program.round)
                assert program.carried[phase, node, port] == source
                assert program.after[phase, node, port] == late + program.own_register


def test_tables_that_are_too_early_or_wait_for_themselves_are_refused() -> None:
    program = designed("star:3").program
    with pytest.raises(CheckError, match=r"sends a word 2 cycles old$"):
        replace(program, config=replace(program.config, link_registers=2)).check()
    (table,) = program.tables
    # What comes by a port in its last phase is to be what came by it in that of the round before.
    (port, choices), *others = table.sends
    (ring,) = {entry for _, out, _, entry in program.links() if out == port}
    sends = (port, (*choices[:-1], Register(ring, program.round))), *others
    with pytest.raises(CheckError, match="has not come"):
        replace(program, tables=(replace(table, sends=sends),)).check()


def test_every_other_choice_is_refused() -> None:
    program = designed("star:4").program
    (table,) = program.tables
    for number, (port, choices) in enumerate(table.sends):
        for phase, right in enumerate(choices):
            for wrong in {None, *table.registers} - {right}:
                sends = list(table.sends)
                sends[number] = port, (*choices[:phase], wrong, *choices[phase + 1 :])
                other = replace(program, tables=(replace(table, sends=tuple(sends)),))
                with pytest.raises(CheckError, match=r"gets the word|sends a|does not come to"):
                    other.check()


@pytest.mark.cases(3, ci=4)
@pytest.mark.parametrize("registers", [1, 3])
@pytest.mark.parametrize("spec", SPECS)
def test_the_model_does_what_routers_do(spec: str, registers: int) -> None:
    program = designed(spec, registers).program
    nodes = np.repeat(range(program.network.nodes), 4)
    run = check_model(program, at_once(program, nodes))
    # The first round takes all its steps, and each other one its own more.
    steps = program.inject_phase + int(program.latency.max())
    assert run.cycles == steps + 3 * program.round + 1
    check_model(program, drawn(program, 60, seed=registers, gap=2))


OPTIONS = {
    "plain": {},
    "queued": {"sinks": "queued", "queue": 4},
    "ready": {"start": "ready"},
    "each copy": {"protect": "tmr"},
}


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("spec", ["star:3", "mesh:2,3"])
def test_the_verilog_does_what_the_model_does(spec: str, name: str, tmp_path: Path) -> None:
    check_verilog(designed(spec, **OPTIONS[name]), tmp_path, words=40)


@pytest.mark.ci
def test_a_link_that_is_too_short_is_caught(tmp_path: Path, parts: Path) -> None:
    design = designed("star:3")
    files = written(design, tmp_path)
    edit(files[-1], "word_0_2 <= eject__0__payload;", "word_0_2 <= in_0__payload;")
    runs = name_runs(design, "full", words=10)
    assert not compared(design, files, runs, tmp_path, parts=parts).passed


@pytest.mark.cocotb
@pytest.mark.ci
def test_a_folder_is_read_back_and_its_benches_pass(tmp_path: Path) -> None:
    design = designed("star:3", 2)
    write(design, tmp_path / "out")
    program = read_folder(tmp_path / "out").design.program
    assert isinstance(program, RoundProgram)
    assert program.config == design.config
    assert program.tables == design.program.tables
    check_benches(tmp_path / "out", "one_source", "all_sources")


def test_the_manifest_says_of_which_round_words_are() -> None:
    design = designed("mesh:2,3")
    manifest = build_manifest(design, [])
    assert manifest["link_registers"] == 1
    timetable, network = find_timetable("mesh:2,3", hop=2), design.network
    for entry in manifest["nodes"]:
        node = network.node(entry["label"])
        for lane in entry["lanes"]:
            for phase, label in enumerate(lane["sources"]):
                when = None if label is None else timetable.tree(network.node(label)).step[node]
                assert (lane["after"][phase] is None) == (label is None)
                if label is not None:
                    assert lane["after"][phase] * timetable.round + phase == when


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"registers": 9}, r"^link_registers=9: .* from 0 to 8"),
        ({"registers": {(0, 1): 1}}, r"^link_registers=.*: .* the same in all links$"),
        ({"start": "pulse"}, r"^start='pulse': rounds overlap with link_registers"),
        (
            {"start": "ready", "ejects": "one"},
            r"^ejects='one': star:3: 123 gets words of one ",
        ),
        ({"exchange": "all_to_all"}, r"^link_registers: .* for exchange='all_gather'$"),
    ],
)
def test_what_cannot_be_is_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        designed("star:3", **options)
