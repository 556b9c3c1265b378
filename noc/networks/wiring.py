"""From a list of nodes and links, as a user writes them, to a network with numbered ports."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from noc.errors import InputError
from noc.networks.arrays import ABSENT, PortGraph, no_node, without_path
from noc.networks.spec import MOST_PORTS

LONGEST_NAME = 100


class Link(NamedTuple):
    """One link: where it leads, the port at each end or None, and whether it leads back too."""

    tail: int
    head: int
    out: str | None
    into: str | None
    two_way: bool


class Wiring(NamedTuple):
    """The names of the nodes and the links between them, in the order in which they are written."""

    names: Sequence[str]
    links: list[Link]

    def shown(self, number: int) -> str:
        """A link as messages name it; the first is link 1."""
        link = self.links[number]
        arrow = "–" if link.two_way else "→"
        return f"link {number + 1} ({self.names[link.tail]} {arrow} {self.names[link.head]})"


class Ends(NamedTuple):
    """The port labels at both ends of every link, and the labels of all ports in order."""

    out: list[str]
    into: list[str]
    out_ports: tuple[str, ...]
    in_ports: tuple[str, ...]


class NamedLabels:
    """Labels that a user chose."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names, self._nodes = names, numbered(names)

    def text(self, node: int) -> str:
        """The label of a node."""
        return self._names[node]

    def node(self, text: str) -> int:
        """The node of a label."""
        if text not in self._nodes:
            raise no_node(text, f"the names of the graph are allowed, as in {self._names[0]!r}")
        return self._nodes[text]


def kind(value: object) -> str:
    """What a value is, as people who write JSON call it."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    if value is None:
        return "null"
    return names.get(type(value), "a number")


def name_of(value: object, what: str) -> str:
    """A name of a node or a port: text, or a whole number as its digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise InputError(f"{what} must be text or a whole number, not {kind(value)}")
    if not value or not value.isprintable() or value != value.strip():
        raise InputError(
            f"{what} must be printable text without spaces at its ends, not {value!r:.40}"
        )
    if len(value) > LONGEST_NAME:
        raise InputError(f"{what} has {len(value)} characters; at most {LONGEST_NAME} are allowed")
    return value


def numbered(names: Iterable[str]) -> dict[str, int]:
    """The number of each node by name."""
    nodes: dict[str, int] = {}
    for number, name in enumerate(names):
        if nodes.setdefault(name, number) != number:
            raise InputError(f"two nodes have the name {name!r}")
    return nodes


def ends_of(wiring: Wiring) -> Ends:
    """Give every end of every link its port: the label that the user gave, or a numbered one.

    First the given labels are taken; then the links are gone through in order, tail before head.
    An end without a label gets the least number that its node does not use yet. Where all links
    are one-way the label is ``out N`` or ``in N``, and each of the two is counted by itself.
    """
    if len(wiring.names) < 2:
        raise InputError(f"the graph has {len(wiring.names)} nodes; at least 2 are needed")
    if not wiring.links:
        raise _cut_off(wiring.names[0], wiring.names[1])
    ports = _Ports(wiring)
    for number, link in enumerate(wiring.links):
        if link.tail == link.head:
            raise InputError(f"{wiring.shown(number)} leads from a node to itself")
        if link.out is not None:
            ports.take(number, link.tail, link.out, sends=True, receives=link.two_way)
        if link.into is not None:
            ports.take(number, link.head, link.into, sends=link.two_way, receives=True)
    out, into = [], []
    for number, link in enumerate(wiring.links):
        out.append(link.out or ports.free(number, link.tail, sends=True, receives=link.two_way))
        into.append(link.into or ports.free(number, link.head, sends=link.two_way, receives=True))
    outward, inward = set(out), set(into)
    tails = [(link.tail, port) for link, port in zip(wiring.links, out, strict=True)]
    heads = [(link.head, port) for link, port in zip(wiring.links, into, strict=True)]
    arcs = set(zip(tails, heads, strict=True))
    # Words travel both ways between some two ports.
    if any(link.two_way for link in wiring.links) or arcs & set(zip(heads, tails, strict=True)):
        outward = inward = outward | inward
    most = max(len(outward), len(inward))
    if most > MOST_PORTS:
        raise InputError(f"{most} different port labels are too many; at most {MOST_PORTS}")
    return Ends(out, into, in_order(outward), in_order(inward))


class _Ports:
    """Which link uses each port of each node, apart for sending and for receiving."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._sends: dict[tuple[int, str], int] = {}
        self._receives: dict[tuple[int, str], int] = {}
        self._all_one_way = not any(link.two_way for link in wiring.links)
        # By node, and by direction where that matters: no lesser number is free.
        self._least: dict[tuple[int, str], int] = {}

    def take(self, number: int, node: int, port: str, *, sends: bool, receives: bool) -> None:
        """Let a link have a port, in one direction or in both."""
        for needed, users, verb in (
            (sends, self._sends, "sends"),
            (receives, self._receives, "receives"),
        ):
            other = users.setdefault((node, port), number) if needed else number
            if other != number:
                raise InputError(
                    f"port {port!r} of node {self._wiring.names[node]!r} {verb} on both "
                    f"{self._wiring.shown(other)} and {self._wiring.shown(number)}"
                )

    def free(self, number: int, node: int, *, sends: bool, receives: bool) -> str:
        """Let a link have the first free port."""
        prefix = ("out " if sends else "in ") if self._all_one_way else ""
        least = self._least.get((node, prefix), 0)
        while any((node, f"{prefix}{least}") in used for used in (self._sends, self._receives)):
            least += 1
        self._least[node, prefix] = least + 1
        self.take(number, node, f"{prefix}{least}", sends=sends, receives=receives)
        return f"{prefix}{least}"


def in_order(ports: set[str]) -> tuple[str, ...]:
    """Ascending, numbers inside the labels by value: p2 comes before p10."""

    def key(port: str) -> tuple[list[tuple[bool, int, str]], str]:
        parts = re.findall(r"[0-9]+|[^0-9]+", port)
        numbers = [int(part) if part[0] in "0123456789" else None for part in parts]
        return [(n is None, n or 0, p) for n, p in zip(numbers, parts, strict=True)], port

    return tuple(sorted(ports, key=key))


def assemble(wiring: Wiring, ends: Ends, *, ports_found: bool = False) -> PortGraph:
    """The graph with numbered ports, unless some node cannot be reached from some other."""
    outward = {port: number for number, port in enumerate(ends.out_ports)}
    inward = {port: number for number, port in enumerate(ends.in_ports)}
    arcs = np.array(
        [
            (link.tail, outward[out], link.head, inward[into])
            for link, out, into in zip(wiring.links, ends.out, ends.into, strict=True)
        ],
        dtype=np.int32,
    ).reshape(-1, 4)
    both = np.array([link.two_way for link in wiring.links], dtype=bool)
    arcs = np.concatenate([arcs, arcs[both][:, [2, 3, 0, 1]]])
    nodes = len(wiring.names)
    neighbour = np.full((nodes, len(outward)), ABSENT, dtype=np.int32)
    arrival = np.full(neighbour.shape, ABSENT, dtype=np.int16)
    tail, out, head, into = arcs.T
    neighbour[tail, out], arrival[tail, out] = head, into
    pair = without_path(neighbour, arrival, len(inward))
    if pair is not None:
        raise _cut_off(*(wiring.names[node] for node in pair))
    labels = NamedLabels(wiring.names)
    return PortGraph(neighbour, arrival, ends.out_ports, ends.in_ports, labels, ports_found)


def _cut_off(source: str, target: str) -> InputError:
    return InputError(
        f"the graph is not strongly connected: no path leads from {source!r} to {target!r}"
    )
