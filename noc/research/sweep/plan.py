"""The file that says what a sweep measures."""

import contextlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, get_type_hints

from noc.errors import InputError, option
from noc.networks import FAMILIES, measure_network
from noc.networks.files import is_graph_file
from noc.research.sweep.point import DESIGN, PLAIN_TREE, Point, ends_of, spell_groups
from noc.research.sweep.steps import OF_PLAIN_TREES, STEPS, Axes

#: Parameters that are whole numbers, at most.
_MOST_PARAMETERS = 3

#: What is in the signature of a family that takes any number of sizes.
_ANY_NUMBER = "…"

#: Before a parameter that may be left out.
_OPTIONAL = "["


def members(names: Iterable[str], least: int, most: int) -> list[str]:
    """The members of some families that have from ``least`` to ``most`` nodes, smallest first.

    >>> members(["star", "mesh"], 22, 23)
    ['mesh:11,2', 'mesh:22', 'mesh:23']
    >>> members(["star", "uhc"], 1, 24)
    ['star:2', 'uhc:2', 'star:3', 'uhc:3', 'uhc:4', 'star:4']

    Sizes of a grid are listed in falling order only, since others give the same networks; what may
    be left out of a name is.
    """
    specs = set()
    for name in names:
        family = FAMILIES.get(name)
        if family is None:
            asked, allowed = option("network", name), ", ".join(FAMILIES)
            raise InputError(f"{asked}: is no family of networks; allowed: {allowed}")
        any_order = _ANY_NUMBER in family.signature
        length = 1 if _OPTIONAL in family.signature else _MOST_PARAMETERS
        for parameters in _products(most, length, any_order):
            text = ",".join(map(str, parameters))
            with contextlib.suppress(InputError):
                spec, nodes = family.measured(text)
                if least <= nodes <= most:
                    specs.add((nodes, spec))
    return [spec for _, spec in sorted(specs)]


def _products(most: int, length: int, falling: bool) -> Iterator[tuple[int, ...]]:
    """Numbers whose product is at most ``most``: every family has as many nodes."""
    least = 2 if falling else 1
    for first in range(least, most + 1):
        yield (first,)
        if length > 1:
            for others in _products(most // first, length - 1, falling):
                if not falling or others[0] <= first:
                    yield (first, *others)


@dataclass(frozen=True)
class Task:
    """One design, the steps that are measured of it, and the conditions: a table's row each."""

    point: Point
    steps: tuple[str, ...]
    axes: tuple[Axes, ...]


@dataclass(frozen=True)
class Plan:
    """A sweep: what is measured, in the order of the file."""

    tasks: tuple[Task, ...]

    @property
    def rows(self) -> int:
        """Rows of the whole table."""
        return sum(len(task.axes) for task in self.tasks)


def read_plan(path: Path, *, nodes: tuple[int, int] | None = None) -> Plan:
    """The plan in a TOML file.

    Parameters
    ----------
    path : Path
        The file: ``steps``, and tables ``[[design]]`` whose lists are multiplied out.
    nodes : (int, int), optional
        The least and the most nodes of the networks that are kept.
    """
    try:
        with path.open("rb") as file:
            document = tomllib.load(file)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is no TOML: {error}") from None
    with _within(path):
        return _plan(document, nodes)


@contextlib.contextmanager
def _within(what: object) -> Iterator[None]:
    """Errors say what part of a plan they are about."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{what}: {error.message}") from None


def _plan(document: Mapping[str, Any], nodes: tuple[int, int] | None) -> Plan:
    _known(document, ("steps", "nodes", "plain_tree", "design"))
    range_stated = read_range(document["nodes"]) if "nodes" in document else None
    tables = document.get("design")
    if not isinstance(tables, list) or not tables:
        raise InputError("a table [[design]] is needed, which names networks")
    tasks: dict[tuple[Point, tuple[str, ...]], dict[Axes, None]] = {}
    for number, table in enumerate(tables, 1):
        with _within(f"[[design]] {number}"):
            if not isinstance(table, dict):
                raise InputError("a table is needed")
            steps = _steps(table.get("steps", document.get("steps")))
            for point, axes in _rows(table, steps, range_stated, nodes):
                tasks.setdefault((point, steps), {})[axes] = None
    if not tasks:
        raise InputError("no network has that many nodes")
    compared = document.get("plain_tree", True)
    if not isinstance(compared, bool):
        raise InputError(f"plain_tree: {compared!r} is no {_KINDS[bool]}")
    if compared:
        for (point, steps), conditions in [*tasks.items()]:
            for tree, axes in _plain_trees(point, steps, conditions):
                tasks.setdefault(tree, {})[axes] = None
    return Plan(tuple(Task(point, steps, tuple(axes)) for (point, steps), axes in tasks.items()))


def _rows(
    table: Mapping[str, Any],
    steps: tuple[str, ...],
    range_stated: tuple[int, int] | None,
    range_asked: tuple[int, int] | None,
) -> Iterable[tuple[Point, Axes]]:
    """A design and its conditions for each combination of the lists."""
    conditions = get_type_hints(Axes)
    _known(table, ("steps", "nodes", *DESIGN, *conditions))
    if "nodes" in table:
        range_stated = read_range(table["nodes"])
    idle = [name for name in conditions if name in table and not _used(name, steps)]
    if idle:
        raise InputError(f"{idle[0]}: no step of {', '.join(steps)} uses it")
    values = {
        name: _values(table[name], name, kind)
        for name, kind in (DESIGN | conditions).items()
        if name in table
    }
    if "network" not in values:
        raise InputError('network: is missing; a name such as "star:4", or a list')
    values["network"] = _networks(values["network"], range_stated, range_asked)
    for chosen in product(*values.values()):
        options = dict(zip(values, chosen, strict=True))
        axes = Axes(**{name: options.pop(name) for name in conditions if name in options})
        _check_plain_tree(options["network"], steps, axes)
        if "groups" in options:
            with _within("groups"):
                options["groups"] = spell_groups(options["network"], dict(options["groups"]))
        yield Point(**options).resolved(), axes


def _plain_trees(
    point: Point, steps: tuple[str, ...], conditions: Iterable[Axes]
) -> Iterable[tuple[tuple[Point, tuple[str, ...]], Axes]]:
    """The plain tree with as many ends, to compare with a design whose nodes all broadcast."""
    measured = tuple(name for name in steps if name in OF_PLAIN_TREES)
    if not measured or point.sources != "all" or point.operations is not None:
        return
    network = f"{PLAIN_TREE}:{_nodes_of(point.network)}"
    tree = Point(network, width=point.width, source_numbers=point.source_numbers).resolved()
    for axes in conditions:
        if axes.measured == "network":
            used = {name: value for name, value in vars(axes).items() if _used(name, measured)}
            yield (tree, measured), Axes(**used)


def _check_plain_tree(network: str, steps: tuple[str, ...], axes: Axes) -> None:
    """Refuse what cannot be measured of one."""
    if ends_of(network) is None:
        return
    if others := [step for step in steps if step not in OF_PLAIN_TREES]:
        allowed = ", ".join(OF_PLAIN_TREES)
        raise InputError(f"network {network!r}: has no step {others[0]}; allowed: {allowed}")
    if axes.measured != "network":
        raise InputError(f"network {network!r}: has no routers; measured can only be network")


def _nodes_of(network: str) -> int:
    return ends_of(network) or measure_network(network)[1]


def _networks(
    entries: list[Any], stated: tuple[int, int] | None, asked: tuple[int, int] | None
) -> list[str]:
    """Names of networks; a family without parameters stands for its members of a size."""
    least, most = stated or asked or (0, 0)
    names: dict[str, None] = {}
    for entry in entries:
        if ":" in entry or is_graph_file(entry):
            names[entry] = None
        elif most:
            names |= dict.fromkeys(members([entry], least, most))
        else:
            example = FAMILIES[entry].example if entry in FAMILIES else "star:4"
            raise InputError(
                f"network {entry!r}: parameters are needed, as in {example!r}; or nodes, "
                'such as nodes = "100..150", for all members of the family'
            )
    sizes = {name: _nodes_of(name) for name in names}
    for low, high in filter(None, (stated, asked)):
        sizes = {name: nodes for name, nodes in sizes.items() if low <= nodes <= high}
    return list(sizes)


def _steps(value: Any) -> tuple[str, ...]:
    chosen = [value] if isinstance(value, str) else value
    if not isinstance(chosen, list) or not chosen:
        raise InputError(f"steps: a list of some of {', '.join(STEPS)} is needed")
    for name in chosen:
        if name not in STEPS:
            raise InputError(f"steps: {name!r} is unknown; allowed: {', '.join(STEPS)}")
    if {"area", "synth"} <= {*chosen}:
        raise InputError("steps: area and synth both say the area; choose one of them")
    return tuple(name for name in STEPS if name in chosen)


def _used(axis: str, steps: tuple[str, ...]) -> bool:
    return any(axis in STEPS[step].axes for step in steps)


def _values(value: Any, name: str, kind: type) -> list[Any]:
    """What a key says, as a list."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise InputError(f"{name}: the list is empty")
    if name in _READERS:
        return list(dict.fromkeys(map(_READERS[name], values)))
    for value in values:
        whole = kind is float and type(value) is int
        if type(value) is not kind and not whole:
            raise InputError(f"{name}: {value!r} is no {_KINDS[kind]}")
    return [kind(value) for value in dict.fromkeys(values)]


_KINDS = {int: "whole number", float: "number", str: "text", bool: "true or false"}


def _operations(value: Any) -> str:
    """The operations of one design, as one text."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise InputError(
            f'operations: {value!r}: a text such as "broadcast,barrier" is needed, or a list of '
            "names; in a list of these each is a design"
        )
    return ",".join(name.strip() for text in names for name in text.split(","))


def _groups(value: Any) -> tuple[tuple[str, tuple[int | str, ...]], ...]:
    """The groups of one design, each with its nodes by label or number."""
    if not isinstance(value, dict) or not value:
        raise InputError(f"groups: {value!r}: a table is needed, such as {_GROUPS}")
    result = []
    for name, listed in value.items():
        nodes = listed if isinstance(listed, list) else [listed]
        if not nodes or not all(type(node) in (int, str) for node in nodes):
            raise InputError(f"groups: {name}: labels or numbers of nodes are needed, as {_GROUPS}")
        result.append((name, tuple(nodes)))
    return tuple(result)


_GROUPS = '{ left = ["0.0", "0.1"], others = [2, 3] }'

#: Keys whose values are spelled in several ways.
_READERS: Mapping[str, Callable[[Any], Any]] = {"operations": _operations, "groups": _groups}


def read_range(value: object) -> tuple[int, int]:
    """The least and the most nodes: ``"100..150"`` or a number."""
    match = re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", str(value))
    if match is None or int(match[2] or match[1]) < int(match[1]):
        raise InputError(f"nodes: {value!r} is no range of sizes such as 100..150")
    return int(match[1]), int(match[2] or match[1])


def _known(table: Mapping[str, Any], keys: Iterable[str]) -> None:
    for key in table:
        if key not in keys:
            raise InputError(f"{key}: is unknown; allowed: {', '.join(keys)}")
