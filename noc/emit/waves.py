"""Views for GTKWave: the streams of each node, with numbers of nodes and operations as names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from noc.emit.module import Port
from noc.emit.streams import streams_of
from noc.emit.vectors import Slice, Vectors
from noc.errors import one_line
from noc.harness import ALARMS, OF_NETWORK

#: Where they lie in the folder.
FOLDER = "waves"

#: What the numbers of a field, or of a signal of AXI-Stream, stand for.
NODES, OPERATIONS = "nodes.txt", "operations.txt"
NAMED = {
    **dict.fromkeys(("source", "node", "tid", "tdest"), NODES),
    **dict.fromkeys(("operation", "tuser"), OPERATIONS),
}

#: The streams of a node, with or without endpoints, and their signals as they are shown.
STREAMS = ("inject", "s_axis", "eject", "m_axis")
SIGNALS = ("valid", "ready", "tvalid", "tready", "tdata", "tlast", "tid", "tdest", "tuser")

# The flags of a trace, as GTKWave's analyzer.h numbers them: 2 hexadecimal, 8 binary, 20 to the
# right, 200 no signal, 2000 by a file of names, 400000 closed, 800000 a group begins, 1000000 ends.
BIT, VECTOR, NAMES = "@28", "@22", "@2022"
OPEN, CLOSED, END = "@800200", "@c00200", "@1000200"

HEAD = """\
[*] Written by noc generate, for waveforms of {which}
[savefile] "{file}"
[timestart] 0
*-17.0 0
[signals_width] 250
"""

Document = Mapping[str, Any]


def view_file(top: str) -> str:
    """The file of the view of a module."""
    return f"{FOLDER}/{top}.gtkw"


def build_waves(
    manifest: Document, ports: Mapping[str, Sequence[Port]], vectors: Vectors | None = None
) -> dict[str, str]:
    """The files by their paths, for each module with a bench, and for that with vectors.

    Of the modules with a bench the ports are given.
    """
    files = {f"{FOLDER}/{NODES}": _names(one_line(node["label"]) for node in manifest["nodes"])}
    if "operations" in manifest:
        files[f"{FOLDER}/{OPERATIONS}"] = _names(manifest["operations"])
    for top, own in ports.items():
        view = _View(top, {port.name: port.bits for port in own})
        which = f"the bench of {top}: bench/run.py --waves FILE"
        files[view_file(top)] = _text(top, which, view.lines(manifest))
    if vectors is not None:
        which = f"a bench of your own whose top is {vectors.name}"
        lines = _vector_lines(manifest, vectors)
        files[view_file(vectors.name)] = _text(vectors.name, which, lines)
    return files


def _text(top: str, which: str, lines: Iterable[str]) -> str:
    return HEAD.format(which=which, file=f"{top}.gtkw") + "\n".join([*lines, ""])


def _vector_lines(manifest: Document, vectors: Vectors) -> Iterator[str]:
    """The slices of each node: the last part of a vector's name says what they hold."""
    view = _View(vectors.name, {port.name: port.bits for port in vectors.ports})
    described = vectors.describe()
    for name in ("clock", "reset", "node_clock", "node_reset", *OF_NETWORK):
        if name in described:
            yield from view.trace(described[name], 1)
    for node, slices in zip(manifest["nodes"], vectors.slices, strict=True):
        lines = (line for each in slices for line in view.part(each.vector, each))
        yield from view.group(f"node {one_line(node['label'])}", lines)


def _names(names: Iterable[str]) -> str:
    """A name for each number, as GTKWave writes a number of as many bits as all need."""
    listed = list(names)
    digits = max(1, -(-(len(listed) - 1).bit_length() // 4))
    return "".join(f"{number:0{digits}x} {name}\n" for number, name in enumerate(listed))


@dataclass(frozen=True)
class _View:
    """The view of one module, of whose ports the bits are known."""

    top: str
    bits: Mapping[str, int]

    def lines(self, manifest: Document) -> Iterator[str]:
        inside = self.top == manifest["top"]
        ends = manifest if inside else manifest.get("axis") or manifest["node_clocks"]
        network = [ends[name] for name in ("clock", "reset", *OF_NETWORK) if name in ends]
        yield from (line for name in network for line in self.trace(name, 1))
        for node, end in zip(manifest["nodes"], ends["nodes"], strict=True):
            yield from self.group(f"node {one_line(node['label'])}", self._node(node, end))
        for link in manifest["links"] if inside else ():
            name = f"link {one_line(link['from'])} to {one_line(link['to'])}"
            name += f", {link['carries']}" if "carries" in link else ""
            name += ", payload a cycle later" if "payload_delay" in link else ""
            wire = link["valid"].rpartition("__")[0]
            yield from self.group(name, self._stream(wire, link), closed=True)

    def group(self, name: str, lines: Iterable[str], *, closed: bool = False) -> Iterator[str]:
        yield from (CLOSED if closed else OPEN, f"-{name}")
        yield from lines
        yield from (END, f"-{name}")

    def _node(self, node: Document, end: Document) -> Iterator[str]:
        own = [end[name] for name in ("clock", "reset") if name in end]
        yield from (line for name in own for line in self.trace(name, 1))
        for name, stream in streams_of(end, *STREAMS):
            yield from self._stream(name, stream)
        if "phase" in node:
            yield from self.trace(node["phase"]["signal"], node["phase"]["bits"])
        for alarm in (alarm for alarm in ALARMS if alarm in node):
            signal = node[alarm]["signal"]
            yield from self.trace(signal, self.bits[signal])

    def _stream(self, side: str, stream: Document) -> Iterator[str]:
        """Whether words pass, then what they hold: of a payload its fields."""
        for kind in (kind for kind in SIGNALS if kind in stream):
            yield from self.trace(stream[kind], self.bits.get(stream[kind], 1), NAMED.get(kind))
        fields = stream.get("fields", []) if "payload" in stream else []
        width = sum(field["bits"] for field in fields)
        for field in fields:
            part = Slice(stream["payload"], width, field["first"], field["bits"])
            yield from self.part(f"{side}_{field['name']}", part)

    def trace(self, signal: str, bits: int, names: str | None = None) -> Iterator[str]:
        """A whole signal."""
        yield from _flags(bits, names)
        yield f"{self.top}.{_ranged(signal, bits)}"

    def part(self, name: str, part: Slice) -> Iterator[str]:
        """Some bits of a signal, which GTKWave counts from the highest."""
        names = NAMED.get(name.rpartition("_")[2])
        if part.width == 1:
            yield from self.trace(part.vector, 1, names)
            return
        yield from _flags(part.bits, names)
        highest = part.width - part.first - part.bits
        shown = (
            f"({bit}){self.top}.{_ranged(part.vector, part.width)}"
            for bit in range(highest, highest + part.bits)
        )
        yield " ".join([f"#{{{_ranged(name, part.bits)}}}", *shown])


def _flags(bits: int, names: str | None) -> Iterator[str]:
    if names is None:
        yield VECTOR if bits > 1 else BIT
    else:
        yield from (NAMES, f"^{(NODES, OPERATIONS).index(names) + 1} {names}")


def _ranged(signal: str, bits: int) -> str:
    """A signal with its range, as waveforms name it."""
    return f"{signal}[{bits - 1}:0]" if bits > 1 else signal
