"""The network for SystemVerilog: an interface for each stream, and numbers by their names."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from noc.emit.module import Module, Port, write_instance, write_module
from noc.emit.names import KEYWORDS, constant
from noc.emit.vectors import INSTANCE, Vectors
from noc.errors import one_line

HEAD = """\
// {inner} for SystemVerilog: element i of each array is node i, as the package names them.
// What a node lacks is 0 in outputs, and not read in inputs.
"""


class Interfaces:
    """A package, an interface for each kind of stream, and a module with arrays of these.

    It is made of the module with vectors, which it has inside, the numbers of operations, and the
    labels of the nodes by their names in signals.

    Attributes
    ----------
    name : str
        The name of the module.
    """

    def __init__(
        self, vectors: Vectors, operations: Mapping[str, int], nodes: Mapping[str, str]
    ) -> None:
        self._vectors, self._operations, self._nodes = vectors, operations, nodes
        self._inner = vectors.name.removesuffix("_vectors")
        self.name = f"{self._inner}_interfaces"
        self._package = f"{self._inner}_pkg"
        # For each kind of stream the signals, by their vectors; and what else nodes have.
        self._streams: dict[str, dict[str, Port]] = {}
        self._others: list[Port] = []
        for port in vectors.vectors:
            if port.name not in vectors.signals:
                self._others.append(port)
            else:
                stream, signal = vectors.signals[port.name]
                # A field may have the name of a keyword.
                own = replace(port, name=f"{signal}_" if signal in KEYWORDS else signal)
                self._streams.setdefault(stream, {})[port.name] = own

    def describe(self) -> dict[str, Any]:
        """What the manifest says of it."""
        return {
            "top": self.name,
            "file": f"{self.name}.sv",
            "package": self._package,
            "streams": {name: self._interface(name) for name in self._streams},
        }

    def text(self) -> str:
        """The file."""
        lines = [HEAD.format(inner=self._inner), *self._numbers(), ""]
        for name in self._streams:
            lines += [*self._declare(name), ""]
        return Module.of(self.name, [*lines, *self._module()]).text

    def _interface(self, stream: str) -> str:
        return f"{self._inner}_{stream}_if"

    def _numbers(self) -> Iterator[str]:
        """The package."""
        yield f"package {self._package};"
        yield f"  localparam int NODES = {len(self._nodes)};"
        kind = self._kind("source", "node", "tid")
        for number, (name, label) in enumerate(self._nodes.items()):
            yield f"  localparam {kind} NODE_{name} = {number};  // {one_line(label)}"
        kind = self._kind("operation", "tdest", "tuser")
        for name, number in self._operations.items():
            yield f"  localparam {kind} OP_{constant(name)} = {number};"
        yield "endpackage"

    def _kind(self, *signals: str) -> str:
        """The type of a constant that such signals of streams are compared with."""
        listed = (port for stream in self._streams.values() for port in stream.values())
        bits = max((port.bits for port in listed if port.name in signals), default=0)
        return f"logic [{bits - 1}:0]" if bits else "int"

    def _declare(self, stream: str) -> Iterator[str]:
        """The interface of a kind of stream, as the network and its user see it."""
        signals = self._streams[stream].values()
        yield f"interface {self._interface(stream)};"
        yield from (f"  logic {signal.span}{signal.name};" for signal in signals)
        for modport, ways in (("network", ("input", "output")), ("user", ("output", "input"))):
            seen = ", ".join(f"{ways[signal.output]} {signal.name}" for signal in signals)
            yield f"  modport {modport} ({seen});"
        yield "endinterface"

    def _module(self) -> Iterator[str]:
        """The module: interfaces to vectors, and the module that has these."""
        nodes = f"{self._package}::NODES"
        ports = [port.declared.replace("put ", "put logic ", 1) for port in self._vectors.common]
        ports += [f"{self._interface(name)}.network {name} [{nodes}]" for name in self._streams]
        for port in self._others:
            several = f" logic [{nodes}-1:0]{port.span or ' '}"
            ports.append(f"{'output' if port.output else 'input'}{several}{port.name}")
        yield from write_module(self.name, ports)
        for signals in self._streams.values():
            yield from (
                f"  logic [{nodes}*{port.bits}-1:0] {vector};" for vector, port in signals.items()
            )
        yield f"  for (genvar node = 0; node < {nodes}; node++) begin : gen_nodes"
        for stream, signals in self._streams.items():
            for vector, port in signals.items():
                part = f"{vector}[node*{port.bits} +: {port.bits}]"
                signal = f"{stream}[node].{port.name}"
                left, right = (signal, part) if port.output else (part, signal)
                yield f"    assign {left} = {right};"
        yield "  end"
        wires = {port.name: port.name for port in self._vectors.ports}
        yield from write_instance(self._vectors.name, INSTANCE, wires)
        yield "endmodule"
