"""Arguments of functions and commands: what names a network or a node, and what errors say."""

import ast
import inspect
import math
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from noc.boards import board, check_registers, clock_of
from noc.design import (
    DesignOptions,
    OrderedDesign,
    build_design,
    build_direct,
    build_ordered,
    check_width,
)
from noc.emit.folder import check_folder
from noc.emit.names import check_name
from noc.endpoints import AxiStream, Endpoints
from noc.errors import CheckError, InputError, option
from noc.networks import as_network, build_network
from noc.options import OPTIONS
from noc.programs import build_automaton
from noc.programs.ordered import compile_ordered
from noc.programs.ordered_config import OrderedConfig
from noc.synth import target
from noc.trees import build_tree
from noc.verify import run
from noc.verify.documents import read_manifest, told_in

CUBE = build_network("hypercube:3")


@pytest.mark.parametrize(
    "build",
    [
        lambda net: build_tree(net).network,
        lambda net: build_automaton(net).network,
        lambda net: compile_ordered(net).network,
        lambda net: build_direct(net, sources="one").network,
        lambda net: build_ordered(net).network,
        lambda net: build_design(net).network,
        lambda net: build_design(net, sources="one").network,
    ],
)
def test_a_name_serves_as_a_network(build: Callable) -> None:
    assert build("hypercube:3").spec == build(CUBE).spec == "hypercube:3"
    with pytest.raises(InputError, match=r"^network: 3 is none; a Network"):
        build(3)


def test_a_label_serves_as_a_node() -> None:
    assert build_tree(CUBE, root="110").root == build_tree(CUBE, root=6).root == 6
    assert build_automaton(CUBE, sources=["110", 1]).sources == (6, 1)
    assert compile_ordered(CUBE, sources=["110", 1], root="111").sources == (1, 6)
    assert compile_ordered(CUBE, root="111").root == 7
    assert build_design(CUBE, sources=["110"]).program.sources == (6,)


def test_numbers_of_numpy_are_numbers() -> None:
    assert CUBE.label(np.int32(6)) == "110"
    assert CUBE.node(np.int64(6)) == 6


@pytest.mark.parametrize("number", [-1, 8, 99])
def test_numbers_of_nodes_are_checked(number: int) -> None:
    for ask in (CUBE.label, CUBE.node, CUBE.distances, CUBE.eccentricity, CUBE.translation):
        with pytest.raises(InputError, match=f"^{number} is no node of hypercube:3: 0 to 7 are$"):
            ask(number)


WRONG: list[tuple[Callable, str]] = [
    (lambda: CUBE.node(1.5), "^1.5 is no node: a number or a label is needed$"),
    (lambda: build_tree(CUBE, root="12"), "^root: label '12' is no node: 3 bits are allowed"),
    (lambda: build_tree(CUBE, root=8), "^root: 8 is no node of hypercube:3: 0 to 7 are$"),
    (lambda: build_tree(CUBE, root=None), "^root: None is no node: a number or a label is needed$"),
    (
        lambda: build_tree(CUBE, ports="two"),
        "has no two-port form; ports='all' or ports='one' is allowed$",
    ),
    (lambda: build_automaton(CUBE, sources=[0, "12"]), "^sources: label '12' is no node"),
    (lambda: build_direct(CUBE, sources=["12"]), "^sources: label '12' is no node"),
    (lambda: build_direct(CUBE, sources=[8]), "^sources: 8 is no node"),
    (lambda: build_ordered(CUBE, root="12"), "^root: label '12' is no node"),
    (lambda: build_design(CUBE, width=0), "^width=0: from 1 to 512 bits are allowed$"),
    (lambda: OrderedDesign(compile_ordered(CUBE), 0), "^width=0: from 1 to 512 bits are allowed$"),
    (lambda: build_design(CUBE, sink_timeout=-1), "^sink_timeout=-1: from 0 to 65535 are allowed$"),
    (
        lambda: build_design("star:3", fabric="timetable", start="never"),  # type: ignore[arg-type]
        "^start='never': always, pulse, ready are allowed$",
    ),
    (lambda: build_ordered(CUBE, operations=[]), "^operations: at least one"),
    (lambda: build_ordered(CUBE, sources=[]), "^sources: at least one source is needed$"),
    (lambda: build_design(CUBE, sources="ones"), "^sources: label 'ones' is no node"),
    (lambda: build_design(CUBE, fabric="orderd"), "^fabric='orderd': "),  # type: ignore[arg-type]
    (lambda: build_design(CUBE, width=1.5), "^width=1.5: from 1 to 512 bits are allowed$"),  # type: ignore[arg-type]
    (lambda: build_design(CUBE, width=True), "^width=True: from 1 to 512 bits are allowed$"),
    (
        lambda: compile_ordered(CUBE, config=OrderedConfig(-1)),
        "^link_registers=-1: from 0 to 64 are allowed$",
    ),
    (
        lambda: build_design(CUBE, link_registers="links.json"),  # type: ignore[arg-type]
        "^link_registers='links.json': from 0 to 64 are allowed$",
    ),
    (
        lambda: build_design(CUBE, sources="one", link_registers="links.json"),  # type: ignore[arg-type]
        "^link_registers='links.json': the direct fabric takes 0 or 1$",
    ),
    (lambda: compile_ordered(CUBE, config=OrderedConfig(0, {(0, 5): 1})), "has no link from"),
    (
        lambda: compile_ordered(CUBE, config=OrderedConfig(source_numbers=False)),
        "own words must be returned",
    ),
    (lambda: build_network(3), "^network 3: a name is needed, like 'star:4'$"),  # type: ignore[arg-type]
    (lambda: as_network(None), "^network: None is none"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("ask", "message"), WRONG)
def test_errors_name_arguments(ask: Callable, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        ask()
    assert "--" not in str(caught.value)


def test_an_option_of_a_design_is_known_everywhere() -> None:
    """What cannot be read from the table: arguments, whose types users see, and columns."""
    arguments = {*inspect.signature(build_design).parameters, *DesignOptions.__annotations__}
    assert {*OPTIONS} - {"hop_cycles"} == arguments - {"network", "progress", "options"}
    assert inspect.signature(build_design).parameters["width"].default == OPTIONS["width"].default


def test_what_is_no_option_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^build_design\(\) got an unexpected .* 'hop_cycles'$"):
        build_design("star:3", hop_cycles=2)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"root": 0}, r"^root=0: is for the ordered and the timetable fabric only$"),
        ({"exchange": "scatter"}, r"^exchange='scatter': is for the timetable fabric only$"),
        ({"operations": ["send"]}, r"^operations: is for the ordered fabric only$"),
        ({"groups": {"some": [1]}}, r"^groups: is for the ordered fabric only$"),
        ({"watchdog": 9}, r"^watchdog=9: is for the ordered fabric only$"),
        ({"group_queue": 2}, r"^group_queue=2: is for the ordered fabric only$"),
    ],
)
def test_options_of_the_other_fabric_are_refused(given, message) -> None:
    with pytest.raises(InputError, match=message):
        build_design("star:3", fabric="direct", **given)


#: What other tools take.
FOREIGN = {"--version", "--timing-allow-fail ", "--seed ", " --report ", "-l"}

NOC = Path(__file__).parent.parent / "noc"

#: What is asked for, and its message: what Python says, what the command line says, what both do.
BOTH = [
    (lambda: build_direct("star:3", width=0), "[width=0|--width 0]: from 1 to 512"),
    (
        lambda: build_direct("star:3", sources="all"),
        "add [sources='one'|--sources one], name a single node",
    ),
    (
        lambda: build_design("star:3", fabric="ordered", sources="one"),
        "[sources='one'|--sources one]: the ordered fabric",
    ),
    (
        lambda: build_ordered("star:3", config=OrderedConfig(queue=2000)),
        "[queue=2000|--queue 2000]: from 0 to 1024",
    ),
    (lambda: build_ordered("star:3", root="x"), "[root|--root]: label 'x'"),
    (
        lambda: AxiStream(last=False, packets="whole"),
        "[packets='whole'|--packets whole] needs tlast, which [last=False|--no-tlast] leaves out",
    ),
    (lambda: build_direct("uhc:4", "adst"), "[sinks='stalling'|--sinks stalling]: the slices"),
    (
        lambda: AxiStream(packets="some"),
        "[packets='some'|--packets some]: interleaved, whole are allowed",
    ),
    (
        lambda: Endpoints(clocks="node"),
        "[clocks='node'|--node-clocks node]: network, shared, each are allowed",
    ),
    (lambda: AxiStream(packet_words=1.5), "[packet_words=1.5|--packet-words 1.5]: from 1"),
    (lambda: check_name("a-b"), "[name='a-b'|--name a-b]: letters"),
    (lambda: check_folder(NOC), f"[folder='{NOC}'|-o {NOC}]: is not"),
    (lambda: board("foo"), "[name='foo'|--board foo]: is unknown"),
    (
        lambda: check_registers("star:7", 5040, 512, board("icebreaker")),
        "star:7 with [width=512|--width 512] is too large",
    ),
    (lambda: clock_of(board("ulx3s_85f"), 0), "[mhz=0|--clock 0]: from 1"),
    (lambda: clock_of(board("ulx3s_85f"), math.nan), "[mhz=nan|--clock nan]: from 1"),
    (lambda: clock_of(board("de10_nano"), 12.5), "[mhz=12.5|--clock 12.5]: only"),
    (lambda: target("ecp5", speed="9"), "[speed='9'|--speed 9]: LFE5U-85F comes in"),
    (lambda: target("asic"), "[name='asic'|--target asic]: is unknown"),
    (
        lambda: run(build_ordered("star:3"), "endless", words=1, cycles=None, seed=0),
        "[name='endless'|--traffic endless]: ends with [cycles|--cycles], not with [words|--words]",
    ),
    (lambda: read_manifest(NOC), f"[folder='{NOC}'|--verilog {NOC}]: there"),
]


@pytest.mark.parametrize(("ask", "message"), BOTH)
def test_messages_name_arguments_and_options(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        ask()
    for place, said in ((1, str(refusal.value)), (2, refusal.value.for_command_line())):
        assert re.sub(r"\[(.*?)\|(.*?)\]", rf"\{place}", message) in said


@pytest.mark.parametrize("kind", [InputError, CheckError])
def test_errors_go_from_one_process_to_another(kind: type[InputError | CheckError]) -> None:
    error = pickle.loads(pickle.dumps(kind(f"use {option('link_registers', 1)}")))
    assert str(error) == "use link_registers=1"
    assert error.for_command_line() == "use --link-registers 1"


def test_an_error_that_names_a_file_keeps_the_options() -> None:
    with pytest.raises(InputError) as refusal, told_in("program.json"):
        check_width(0)
    assert str(refusal.value).startswith("program.json: width=0: from 1")
    assert refusal.value.for_command_line().startswith("program.json: --width 0: from 1")


def test_braces_and_backslashes_stand_as_they_are() -> None:
    error = InputError(f"{option('name', chr(92) + '1{x}')}: a\\2 {{y}}")
    assert str(error) == r"name='\1{x}': a\2 {y}"
    assert error.for_command_line() == r"--name \1{x}: a\2 {y}"


def _texts(function: ast.AST) -> Iterator[str]:
    """The texts of a function, but for what documents it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _refusals(tree: ast.Module) -> Iterator[ast.AST]:
    """The functions that make an error, or have one made; without their documentation."""
    makers = {"InputError", "CheckError", "require", "missing", "check_fit"}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        calls = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
        if makers & {getattr(call, "id", getattr(call, "attr", "")) for call in calls}:
            node.body = node.body[ast.get_docstring(node) is not None :]
            yield node


def test_only_the_command_line_writes_options() -> None:
    commands = NOC / "cli", NOC / "research" / "commands"
    files = [path for path in NOC.rglob("*.py") if not {*commands} & {*path.parents}]
    # A command line of its own, written with every bench.
    files.remove(NOC / "emit" / "bench" / "run.py")
    functions = [(path, each) for path in files for each in _refusals(ast.parse(path.read_text()))]
    assert len(functions) > 100
    raw = [
        f"{path.relative_to(NOC)}: {text}"
        for path, function in functions
        for text in _texts(function)
        if text not in FOREIGN and re.search(r"--[a-z]|(?<!\S)-[a-z]\b", text)
    ]
    assert not raw
