"""The network with one vector for each kind of signal, in which each node has a slice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from noc.emit.module import Module, Port, write_instance, write_module

#: The streams of a node: those into the network and those out of it, with whatever stands there.
INTO, OUT_OF = ("inject", "s_axis"), ("eject", "m_axis")

#: A node's clock and reset, by what the manifest calls them.
CLOCKS = {"clock": "node_clk", "reset": "node_rst"}

#: The alarms of single nodes: wrong and missing words.
ALARMS = ("dropped", "mismatch", "late")

#: The name of the module inside.
INSTANCE = "network"

HEAD = """\
// {top} with one vector for each kind of signal: node i has slice i, from the lowest bits up.
// What a node lacks is 0 in outputs, and not read in inputs. The nodes:
"""


@dataclass(frozen=True)
class _Part:
    """The part of a vector that is a node's: its lowest bit, and how many."""

    vector: str
    first: int
    bits: int

    def __str__(self) -> str:
        last = self.first + self.bits - 1
        return f"{self.vector}[{last}:{self.first}]" if self.bits > 1 else f"{self.vector}[{last}]"


class Slice(NamedTuple):
    """The slice of a vector that is a node's: its bits, from the first on."""

    vector: str
    width: int
    first: int
    bits: int


@dataclass(frozen=True)
class Vectors:
    """A module of wires only, around the network's, or around that with endpoints.

    It is made from the manifest, which may have endpoints, and the ports of the module inside.
    """

    manifest: dict[str, Any]
    inner: Sequence[Port]

    @property
    def name(self) -> str:
        """The name of the module."""
        return f"{self._ends['top']}_vectors"

    @property
    def ports(self) -> list[Port]:
        """Every port: those of the network as a whole, then the vectors."""
        nodes = len(self.manifest["nodes"])
        vectors = [Port(each.name, each.output, nodes * each.bits) for each in self._vectors]
        return [*self._common, *vectors]

    def describe(self) -> dict[str, Any]:
        """What the manifest says of it."""
        return {
            "top": self.name,
            **{name: self.manifest[name] for name in CLOCKS},
            **{f"node_{name}": port for name, port in self._shared().items()},
            **{port.name: port.name for port in self._common if port.output},
            "vectors": [
                {
                    "name": each.name,
                    "direction": "output" if each.output else "input",
                    "slice": each.bits,
                }
                for each in self._vectors
            ],
        }

    def slices(self) -> list[list[Slice]]:
        """For each node, in the manifest's order, what it has of the vectors."""
        widths = {each.name: each.bits for each in self._vectors}
        total = {port.name: port.bits for port in self.ports}
        return [
            [
                Slice(port.name, total[port.name], number * widths[port.name], port.bits)
                for port in (port for port, _, _ in kinds)
            ]
            for number, kinds in enumerate(self._kinds)
        ]

    def joined(self, signal: str) -> str:
        """What a port of the module inside is joined to."""
        if signal not in self._wires:
            return signal
        parts = [str(part) for part in reversed(self._wires[signal])]
        return parts[0] if len(parts) == 1 else f"{{{', '.join(parts)}}}"

    def module(self) -> Module:
        """The module."""
        return Module(self.name, "\n".join([*self._text(), ""]))

    def _text(self) -> Iterator[str]:
        yield HEAD.format(top=self._ends["top"]).rstrip("\n")
        for number, node in enumerate(self.manifest["nodes"]):
            yield f"//   {number}: {' '.join(node['label'].split())}"
        yield from write_module(
            self.name, (_declared(port, port in self._common) for port in self.ports)
        )
        yield from (f"  assign {part} = {part.bits}'d0;" for part in self._absent())
        wires = {port.name: self.joined(port.name) for port in self.inner}
        yield from write_instance(self._ends["top"], INSTANCE, wires)
        yield "endmodule"

    @property
    def _ends(self) -> dict[str, Any]:
        """What the manifest says of the module inside."""
        for endpoints in ("axis", "node_clocks"):
            if endpoints in self.manifest:
                section: dict[str, Any] = self.manifest[endpoints]
                return section
        return self.manifest

    def _shared(self) -> dict[str, str]:
        """Clock and reset that all nodes share, where they are not the network's."""
        ports = {port.name for port in self._common}
        return {name: port for name, port in CLOCKS.items() if port in ports}

    @cached_property
    def _common(self) -> list[Port]:
        """The ports of no node."""
        return [port for port in self.inner if port.name not in self._wires]

    @cached_property
    def _vectors(self) -> list[Port]:
        """The vectors, with the bits of one slice."""
        widest: dict[str, Port] = {}
        for port in (port for node in self._kinds for port, _, _ in node):
            if port.name not in widest or widest[port.name].bits < port.bits:
                widest[port.name] = port
        return [widest[name] for name in sorted(widest, key=_rank)]

    @cached_property
    def _kinds(self) -> list[list[tuple[Port, str, int]]]:
        """For each node what it has of each vector, and in which signal from which bit on."""
        nodes = zip(self.manifest["nodes"], self._ends["nodes"], strict=True)
        return [[*self._kinds_of(node, end)] for node, end in nodes]

    def _kinds_of(
        self, node: dict[str, Any], end: dict[str, Any]
    ) -> Iterator[tuple[Port, str, int]]:
        ports = {port.name: port for port in self.inner}
        for name, vector in CLOCKS.items():
            # One that several nodes have is no node's.
            if end.get(name, vector) not in (vector, self.manifest[name]):
                yield Port(vector, False, 1), end[name], 0
        for side in (*INTO, *OUT_OF):
            stream = end.get(side) or {}
            for kind in (kind for kind in stream if kind not in ("payload", "fields")):
                yield replace(ports[stream[kind]], name=f"{side}_{kind}"), stream[kind], 0
            for field in stream.get("fields", ()):
                port = Port(f"{side}_{field['name']}", side in OUT_OF, field["bits"])
                yield port, stream["payload"], field["first"]
        for alarm in ALARMS:
            if alarm in node:
                signal = node[alarm]["signal"]
                yield replace(ports[signal], name=alarm), signal, 0

    @cached_property
    def _wires(self) -> dict[str, list[_Part]]:
        """For each signal of a node the parts that it consists of, the lowest first."""
        slices = {each.name: each.bits for each in self._vectors}
        wires: dict[str, list[tuple[int, _Part]]] = {}
        for number, kinds in enumerate(self._kinds):
            for port, signal, first in kinds:
                part = _Part(port.name, number * slices[port.name], port.bits)
                wires.setdefault(signal, []).append((first, part))
        return {
            signal: [part for _, part in sorted(parts, key=lambda pair: pair[0])]
            for signal, parts in wires.items()
        }

    def _absent(self) -> Iterator[_Part]:
        """What no node drives of the outputs."""
        for each in (each for each in self._vectors if each.output):
            for number, kinds in enumerate(self._kinds):
                there = sum(port.bits for port, _, _ in kinds if port.name == each.name)
                if there < each.bits:
                    yield _Part(each.name, number * each.bits + there, each.bits - there)


def _rank(vector: str) -> int:
    """Clocks, then what goes in, what comes out, and alarms; otherwise as the fields are."""
    return next(
        place
        for place, begin in enumerate((*CLOCKS.values(), *INTO, *OUT_OF, *ALARMS))
        if vector.startswith(begin)
    )


def _declared(port: Port, whole: bool) -> str:
    """A vector has a range even where it has one bit, as its slices have."""
    if whole or port.bits > 1:
        return port.declared
    return f"{'output' if port.output else 'input'} [0:0] {port.name}"
