"""Families of networks and the spelling ``NAME:PARAMETERS`` by which a user names a member."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from noc.errors import InputError
from noc.networks import memory
from noc.networks.arrays import PortGraph, first_fault
from noc.networks.network import Network
from noc.registry import guarded

Parameters = tuple[int | str, ...]

#: Nodes and ports of a member, known before it is built.
Size = tuple[int, int]

#: Arrays hold nodes as 32-bit integers, and ports as 16-bit integers.
MOST_NODES = 2**31 - 1

MOST_PORTS = 2**15 - 1

# Symbols are bytes, and no network with more symbols or bits could be built anyway.
LARGEST_PARAMETER = 255


@dataclass(frozen=True)
class NetworkFamily:
    """One row of the list of networks: how to name a member, and how to build it."""

    #: The text before the colon.
    name: str
    #: The parameters as a user writes them, such as ``n,k``.
    signature: str
    #: Which parameters exist, such as ``n from 2 up and k from 1 to n-1``.
    where: str
    #: A member that builds at once.
    example: str
    #: What the network is, in one line.
    summary: str
    #: From the family and the text after the colon to parameters, as :func:`numbers` makes it;
    #: raises ``InputError``.
    parse: "Callable[[NetworkFamily, str], Parameters]"
    #: From parameters, one argument each, to nodes and ports, without building anything.
    size: Callable[..., Size]
    #: From parameters, one argument each, to nodes, links and labels.
    build: Callable[..., PortGraph]

    @property
    def allowed(self) -> str:
        """One line that says which members there are."""
        return f"{self.name}:{self.signature} with {self.where}"

    def member(self, text: str) -> Network:
        """The network with the parameters ``text``, unless it is too large for this machine."""
        spec, _ = self.measured(text)
        parameters = self.parse(self, text)
        return Network(spec, self.name, parameters, *self.build(*parameters))

    def measured(self, text: str) -> tuple[str, int]:
        """Spelling and nodes of that network, without building it; refused likewise."""
        parameters = self.parse(self, text)
        spec = f"{self.name}:{','.join(map(str, parameters))}"
        nodes, ports = self.size(*parameters)
        if nodes > MOST_NODES:
            shown = f"{nodes}" if nodes < 10**15 else "more than 10^15"
            raise InputError(f"network {spec}: has {shown} nodes; at most {MOST_NODES} are allowed")
        # neighbour and arrival, and the working arrays of one tree.
        memory.require(
            nodes * (4 * ports + 64),
            purpose=f"network {spec} ({nodes} nodes)",
            remedy="use a smaller one",
        )
        return spec, nodes


class Number(NamedTuple):
    """The bounds of a parameter that is a whole number."""

    least: int = 1
    most: int = LARGEST_PARAMETER


def numbers(
    *bounds: Number, refuse: Callable[..., str | None] | None = None
) -> Callable[[NetworkFamily, str], Parameters]:
    """How to parse parameters that are whole numbers with commas between them.

    There is a bound for each parameter. ``refuse`` says of the parameters, one argument each, what
    is wrong with them together, or None.
    """

    def parse(family: NetworkFamily, text: str) -> Parameters:
        spec, parts = f"{family.name}:{text}", text.split(",")
        if len(parts) != len(bounds):
            raise InputError(
                f"network {spec!r}: {len(parts)} parameters given, {len(bounds)} needed: "
                f"{family.allowed}"
            )
        values = tuple(
            whole_number(family, text, part, bound)
            for part, bound in zip(parts, bounds, strict=True)
        )
        wrong = refuse(*values) if refuse else None
        if wrong:
            raise InputError(f"network {spec!r}: {wrong}: {family.allowed}")
        return values

    return parse


def whole_number(family: NetworkFamily, text: str, part: str, bound: Number) -> int:
    """One part of the text after the colon as a number within bounds."""
    if not (part.isascii() and part.isdigit()):
        spec = f"{family.name}:{text}"
        raise InputError(f"network {spec!r}: {part!r} must be digits only: {family.allowed}")
    value = int(part[:12])
    if not bound.least <= value <= bound.most or len(part) > 12:
        shown = part if len(part) <= 12 else f"a number of {len(part)} digits"
        raise InputError(
            f"network {family.name}: {shown} is out of range: {family.allowed}, "
            f"and at most {bound.most}"
        )
    return value


def checked(family: NetworkFamily, where: str) -> NetworkFamily:
    """A family of a user's own, whose results are checked; ``where`` is its name in messages."""

    def returning(name: str, proper: Callable[[object], bool], what: str) -> Callable[..., Any]:
        function = guarded(getattr(family, name), where)

        def call(*arguments: Any) -> Any:
            result = function(*arguments)
            if not proper(result):
                kind = type(result).__name__
                raise InputError(f"{where}: {name} returned type {kind}, not {what}")
            return result

        return call

    parse = returning("parse", _is_parameters, "a tuple of whole numbers and texts")
    size = returning("size", _is_size, "the numbers of nodes and of ports")
    unchecked = returning("build", lambda graph: isinstance(graph, PortGraph), "a PortGraph")

    def build(*parameters: Any) -> PortGraph:
        graph: PortGraph = unchecked(*parameters)
        if not all(callable(getattr(graph.labels, name, None)) for name in ("text", "node")):
            raise InputError(f"{where}: labels lack the methods text and node")
        text, node = guarded(graph.labels.text, where), guarded(graph.labels.node, where)
        fault = first_fault(graph, text, node)
        nodes = size(*parameters)[0]
        if fault is None and graph.neighbour.shape[0] != nodes:
            fault = f"it has {graph.neighbour.shape[0]} nodes, and size says {nodes}"
        if fault is not None:
            raise InputError(f"{where}: parameters {parameters}: {fault}")
        return graph

    return replace(family, parse=parse, size=size, build=build)


def _is_parameters(result: object) -> bool:
    return isinstance(result, tuple) and all(isinstance(part, int | str) for part in result)


def _is_size(result: object) -> bool:
    return isinstance(result, tuple) and [type(part) for part in result] == [int, int]
