"""Messages name arguments: in Python as Python has them, on the command line as options."""

import ast
import math
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from noc.boards import board, check_registers, clock_of
from noc.design import build_design, build_direct, build_ordered, check_width
from noc.emit.folder import check_folder
from noc.emit.names import check_name
from noc.endpoints import AxiStream, Endpoints
from noc.errors import CheckError, InputError, option
from noc.programs.ordered_config import OrderedConfig
from noc.synth import target
from noc.verify import run
from noc.verify.documents import read_manifest, told_in

#: What other tools take.
FOREIGN = {"--version", "--timing-allow-fail ", "--seed ", " --report "}

NOC = Path(__file__).parent.parent / "noc"

#: What is asked for, how the message begins or ends in Python, and so on the command line.
BOTH = [
    (lambda: build_direct("star:3", width=0), "width=0: from 1 to 512", "--width 0: from 1 to 512"),
    (
        lambda: build_direct("star:3", sources="all"),
        "add sources='one', name a single node",
        "add --sources one, name a single node",
    ),
    (
        lambda: build_design("star:3", fabric="ordered", sources="one"),
        "sources='one': the ordered fabric",
        "--sources one: the ordered fabric",
    ),
    (
        lambda: build_ordered("star:3", config=OrderedConfig(queue=2000)),
        "queue=2000: from 0 to 1024",
        "--queue 2000: from 0 to 1024",
    ),
    (lambda: build_ordered("star:3", root="x"), "root: label 'x'", "--root: label 'x'"),
    (
        lambda: AxiStream(last=False, packets="whole"),
        "packets='whole' needs tlast, which last=False leaves out",
        "--packets whole needs tlast, which --no-tlast leaves out",
    ),
    (
        lambda: build_direct("uhc:4", "adst"),
        "algorithm='adst': sends",
        "--algorithm adst: sends",
    ),
    (
        lambda: AxiStream(packets="some"),
        "packets='some': interleaved, whole are allowed",
        "--packets some: interleaved, whole are allowed",
    ),
    (
        lambda: Endpoints(clocks="node"),
        "clocks='node': network, shared, each are allowed",
        "--node-clocks node: network, shared, each are allowed",
    ),
    (lambda: AxiStream(packet_words=1.5), "packet_words=1.5: from 1", "--packet-words 1.5: from 1"),
    (lambda: check_name("a-b"), "name='a-b': letters", "--name a-b: letters"),
    (lambda: check_folder(NOC), f"folder='{NOC}': is not", f"-o {NOC}: is not"),
    (lambda: board("foo"), "name='foo': is unknown", "--board foo: is unknown"),
    (
        lambda: check_registers("star:7", 5040, 512, board("icebreaker")),
        "star:7 with width=512 is too large",
        "star:7 with --width 512 is too large",
    ),
    (lambda: clock_of(board("ulx3s_85f"), 0), "mhz=0: from 1", "--clock 0: from 1"),
    (lambda: clock_of(board("ulx3s_85f"), math.nan), "mhz=nan: from 1", "--clock nan: from 1"),
    (lambda: clock_of(board("de10_nano"), 12.5), "mhz=12.5: only", "--clock 12.5: only"),
    (
        lambda: target("ecp5", speed="9"),
        "speed='9': LFE5U-85F comes in",
        "--speed 9: LFE5U-85F comes in",
    ),
    (lambda: target("asic"), "name='asic': is unknown", "--target asic: is unknown"),
    (
        lambda: run(build_ordered("star:3"), "endless", words=1, cycles=None, seed=0),
        "name='endless': ends with cycles, not with words",
        "--traffic endless: ends with --cycles, not with --words",
    ),
    (lambda: read_manifest(NOC), f"folder='{NOC}': there", f"--verilog {NOC}: there"),
]


@pytest.mark.parametrize(("ask", "python", "command_line"), BOTH)
def test_messages_name_arguments_and_options(
    ask: Callable[[], object], python: str, command_line: str
) -> None:
    with pytest.raises(InputError) as refusal:
        ask()
    assert python in str(refusal.value)
    assert command_line in refusal.value.for_command_line()


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
