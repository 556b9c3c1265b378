"""The network with one vector for each kind of signal, in which each node has a slice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from noc.emit.module import Module, Port, write_instance, write_module
from noc.emit.streams import streams_of
from noc.errors import one_line
from noc.harness import ALARMS, AWAY, OF_NETWORK, PHASE

#: The streams of a node: those into the network and those out of it, with or without endpoints.
INTO, OUT_OF = ("inject", "s_axis"), ("eject", "m_axis")

#: A node's clock and reset, by what the manifest calls them.
CLOCKS = {"clock": "node_clk", "reset": "node_rst"}

#: The name of the module inside.
INSTANCE = "network"

HEAD = """\
// {top} with one vector for each kind of signal: node i has slice i, from the lowest bits up.
// What a node lacks is 0 in outputs, and not read in inputs. The nodes:
"""


class Slice(NamedTuple):
    """Some bits of a vector, which has a width: how many, and the lowest."""

    vector: str
    width: int
    first: int
    bits: int

    def __str__(self) -> str:
        last = self.first + self.bits - 1
        return f"{self.vector}[{last}:{self.first}]" if self.bits > 1 else f"{self.vector}[{last}]"


class Vectors:
    """A module of wires only, around the network's, or around that with endpoints.

    It is made from the manifest, which may have endpoints, and the ports of the module inside.
    """

    def __init__(self, manifest: dict[str, Any], inner: Sequence[Port]) -> None:
        self._manifest, self._inner = manifest, inner
        self._ends = manifest.get("axis") or manifest.get("node_clocks") or manifest
        self.name = f"{self._ends['top']}_vectors"
        #: The stream, and its signal, of each vector that is one.
        self.signals: dict[str, tuple[str, str]] = {}
        nodes = zip(manifest["nodes"], self._ends["nodes"], strict=True)
        held = [[*self._held(node, end)] for node, end in nodes]
        widest: dict[str, Port] = {}
        for port in (port for node in held for port, _, _ in node):
            if port.name not in widest or widest[port.name].bits < port.bits:
                widest[port.name] = port
        #: The vectors, with the bits of one slice.
        self.vectors = [widest[name] for name in sorted(widest, key=_rank)]

        def slice_of(node: int, port: Port) -> Slice:
            bits = widest[port.name].bits
            return Slice(port.name, len(held) * bits, node * bits, port.bits)

        #: For each node, in the manifest's order, what it has of the vectors.
        self.slices = [[slice_of(n, port) for port, _, _ in node] for n, node in enumerate(held)]
        # For each signal of a node the slices that it consists of, by their lowest bits in it.
        self._wires: dict[str, dict[int, Slice]] = {}
        for slices, node in zip(self.slices, held, strict=True):
            for part, (_, signal, first) in zip(slices, node, strict=True):
                self._wires.setdefault(signal, {})[first] = part
        #: The ports of the network as a whole.
        self.common = [port for port in inner if port.name not in self._wires]
        vectors = (replace(each, bits=len(held) * each.bits) for each in self.vectors)
        #: Every port: those of the network as a whole, then the vectors.
        self.ports = [*self.common, *vectors]

    def _held(self, node: dict[str, Any], end: dict[str, Any]) -> Iterator[tuple[Port, str, int]]:
        """What a node has of each vector, and in which signal from which bit on."""
        ports = {port.name: port for port in self._inner}
        for name, vector in CLOCKS.items():
            # One that several nodes have is no node's.
            if end.get(name, vector) not in (vector, self._manifest[name]):
                yield Port(vector, False, 1), end[name], 0
        for side, stream in streams_of(end, *INTO, *OUT_OF):
            for kind in (kind for kind in stream if kind not in ("payload", "fields")):
                name = self._named(side, kind)
                yield replace(ports[stream[kind]], name=name), stream[kind], 0
            for field in stream.get("fields", ()):
                name = self._named(side, field["name"])
                port = Port(name, side.startswith(OUT_OF), field["bits"])
                yield port, stream["payload"], field["first"]
        for kind in (kind for kind in (AWAY, *ALARMS, PHASE) if kind in node):
            signal = node[kind]["signal"]
            yield replace(ports[signal], name=kind), signal, 0

    def _named(self, stream: str, signal: str) -> str:
        """The vector of a signal of a stream."""
        name = f"{stream}_{signal}"
        self.signals[name] = stream, signal
        return name

    def describe(self) -> dict[str, Any]:
        """What the manifest says of it."""
        common = [port.name for port in self.common]
        return {
            "top": self.name,
            **{name: self._manifest[name] for name in CLOCKS},
            # Clock and reset that all nodes share, where they are not the network's.
            **{f"node_{name}": port for name, port in CLOCKS.items() if port in common},
            **{name: name for name in OF_NETWORK if name in common},
            "vectors": [
                {
                    "name": each.name,
                    "direction": "output" if each.output else "input",
                    "slice": each.bits,
                }
                for each in self.vectors
            ],
        }

    def joined(self, signal: str) -> str:
        """What a port of the module inside is joined to."""
        if signal not in self._wires:
            return signal
        parts = [str(part) for _, part in sorted(self._wires[signal].items(), reverse=True)]
        return parts[0] if len(parts) == 1 else f"{{{', '.join(parts)}}}"

    def module(self) -> Module:
        """The module."""
        return Module.of(self.name, self._text())

    def _text(self) -> Iterator[str]:
        yield HEAD.format(top=self._ends["top"]).rstrip("\n")
        for number, node in enumerate(self._manifest["nodes"]):
            yield f"//   {number}: {one_line(node['label'])}"
        yield from write_module(self.name, map(self._declared, self.ports))
        yield from (f"  assign {part} = {part.bits}'d0;" for part in self._absent())
        wires = {port.name: self.joined(port.name) for port in self._inner}
        yield from write_instance(self._ends["top"], INSTANCE, wires)
        yield "endmodule"

    def _declared(self, port: Port) -> str:
        """A vector has a range even where it has one bit, as its slices have."""
        vector = port.bits == 1 and port not in self.common
        return port.declared.replace("put ", "put [0:0] ", 1) if vector else port.declared

    def _absent(self) -> Iterator[Slice]:
        """What no node drives of the outputs."""
        for each in (each for each in self.vectors if each.output):
            for number, slices in enumerate(self.slices):
                driven = sum(part.bits for part in slices if part.vector == each.name)
                if driven < each.bits:
                    first = number * each.bits + driven
                    yield Slice(each.name, len(self.slices) * each.bits, first, each.bits - driven)


def _rank(vector: str) -> int:
    """Clocks, then what goes in, what comes out, who is away, and alarms; then as fields are."""
    begins = (*CLOCKS.values(), *INTO, *OUT_OF, AWAY, *ALARMS, PHASE)
    return next(rank for rank, begin in enumerate(begins) if vector.startswith(begin))
