"""Arguments of Python functions: what names a network or a node, and what a wrong one is told."""

import inspect
from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest

from noc.cli import main
from noc.design import OrderedDesign, build_design, build_direct, build_ordered
from noc.errors import InputError
from noc.networks import as_network, build_network
from noc.options import OPTIONS
from noc.programs import build_automaton
from noc.programs.ordered import compile_ordered
from noc.research.sweep.point import Point
from noc.trees import build_tree

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
    (lambda: build_network(3), "^network 3: a name is needed, like 'star:4'$"),  # type: ignore[arg-type]
    (lambda: as_network(None), "^network: None is none"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("ask", "message"), WRONG)
def test_errors_name_arguments(ask: Callable, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        ask()
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("generate star:3 --width 0 -o x", "--width 0: from 1 to 512 bits are allowed"),
        ("tree uhc:4 --algorithm adst --ports one", "no one-port form; --ports all is allowed"),
        ("tree star:3 --root 12", "--root: label '12' is no node"),
        ("generate star:3 --root 12 -o x", "--root: label '12' is no node"),
    ],
)
def test_the_command_line_names_its_options(capsys, arguments: str, message: str) -> None:
    assert main(arguments.split()) == 2
    assert message in capsys.readouterr().err


def test_an_option_of_a_design_is_known_everywhere() -> None:
    """What cannot be read from the table: arguments, whose types users see, and columns."""
    named = set(OPTIONS) - {"hop_cycles"}
    arguments = inspect.signature(build_design).parameters
    assert named == set(arguments) - {"network", "progress"}
    numbers = [name for name in named if OPTIONS[name].kind == "number"]
    assert numbers
    assert all(arguments[name].default == OPTIONS[name].default for name in numbers)
    assert named == {field.name for field in fields(Point)} - {"network"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"root": 0}, r"^root=0: is for the ordered fabric only$"),
        ({"operations": ["send"]}, r"^operations: is for the ordered fabric only$"),
        ({"groups": {"some": [1]}}, r"^groups: is for the ordered fabric only$"),
        ({"watchdog": 9}, r"^watchdog=9: is for the ordered fabric only$"),
        ({"group_queue": 2}, r"^group_queue=2: is for the ordered fabric only$"),
    ],
)
def test_options_of_the_other_fabric_are_refused(given, message) -> None:
    with pytest.raises(InputError, match=message):
        build_design("star:3", fabric="direct", **given)
