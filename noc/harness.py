"""The fast harness: a module around a network that a C++ program drives, and its ports.

The program includes ``harness.h``. It sees one bit for each stream, which says that a word is
transferred, and looks at payloads only then. Its inputs go to registers, so that one evaluation of
the network a cycle is enough.

Written with every output folder too; so it needs nothing but the standard library.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

__all__ = [
    "ALARMS",
    "BENCH",
    "Interface",
    "Stream",
    "connect_network",
    "count_payload_words",
    "declare_alarms",
    "escape",
    "name_signal",
    "write_harness",
    "write_wrapper",
]

#: The name of the module.
BENCH = "noc_bench"

#: What a node tells beside its streams: each is seen as a stream with a word while any bit is 1.
ALARMS = ("dropped", "mismatch", "late")

#: What programs share.
_HEADER = Path(__file__).with_suffix(".h")

#: Bits of a port that has one for each stream, at most.
_GROUP = 64

_BITS = 32


class Stream(Protocol):
    """A stream of the network: its kind, inject, eject, link or an alarm, its node, its signals."""

    @property
    def kind(self) -> str: ...
    @property
    def node(self) -> int: ...
    @property
    def valid(self) -> str: ...
    @property
    def ready(self) -> str: ...
    @property
    def payload(self) -> str: ...
    @property
    def bits(self) -> int: ...


class Interface(Protocol):
    """The network's module, what it is driven by, and the streams that are looked at."""

    @property
    def top(self) -> str: ...
    @property
    def clock(self) -> str: ...
    @property
    def reset(self) -> str: ...
    @property
    def idle(self) -> str | None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def inject(self) -> Sequence[Stream]: ...
    @property
    def eject(self) -> Sequence[Stream]: ...
    @property
    def alarms(self) -> Sequence[Stream]: ...
    @property
    def streams(self) -> Sequence[Stream]: ...


def write_harness(interface: Interface, folder: Path, program: Path, *headers: Path) -> Path:
    """Write the module and a program into a folder; where the program lies there.

    What lies there and would not change is left alone, so that it is not compiled again.

    Parameters
    ----------
    interface : Interface
        The network.
    folder : Path
        Where they are compiled.
    program, *headers : Path
        The program, and what it includes of its own.
    """
    texts = {
        f"{BENCH}.v": write_wrapper(interface),
        f"{BENCH}.h": _connections(interface),
        **{path.name: path.read_text(encoding="utf-8") for path in (_HEADER, *headers, program)},
    }
    for name, text in texts.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return folder / program.name


def write_wrapper(interface: Interface) -> str:
    """The Verilog of the module around a network."""
    ports = [f"  {port}" for port in _ports(interface)]
    lines = ["// Its inputs are registered, and a C++ program drives it."]
    lines += [f"module {BENCH} (", ",\n".join(ports), ");", "  reg rst;"]
    lines += _registers(interface)
    lines += _wires(interface)
    lines += connect_network(interface)
    lines += _outputs(interface)
    return "\n".join([*lines, "endmodule", ""])


def name_signal(stream: Stream, signal: str) -> str:
    """A signal of a stream as the bench calls it; a link lies inside the network."""
    if stream.kind in ALARMS:
        told = f"{stream.kind}_{stream.node}"
        return {"valid": f"|{told}", "ready": "1'b1", "payload": told}[signal]
    if not getattr(stream, signal):
        # The payload of words without a field.
        return "1'b0"
    if stream.kind != "link":
        # A name of its own: the network's may be one of the bench's.
        return f"{stream.kind}_{stream.node}__{signal}"
    return ".".join(["dut", *(escape(part) for part in getattr(stream, signal).split("."))])


def escape(name: str) -> str:
    """A name as Verilog takes it whatever is in it, keywords too."""
    return f"\\{name} "


def connect_network(interface: Interface) -> Iterator[str]:
    """The network as a part of a bench, each port connected to the wire of its path."""
    yield f"  {escape(interface.top)}dut ("
    for stream in (*interface.inject, *interface.eject):
        for signal in ("valid", "ready", "payload"):
            yield f"    .{escape(getattr(stream, signal))}({name_signal(stream, signal)}),"
    for alarm in interface.alarms:
        yield f"    .{escape(alarm.payload)}({name_signal(alarm, 'payload')}),"
    if interface.idle is not None:
        yield f"    .{escape(interface.idle)}(idle),"
    yield f"    .{escape(interface.clock)}(clk),"
    yield f"    .{escape(interface.reset)}(rst)"
    yield "  );"


def count_payload_words(interface: Interface) -> int:
    """How many 32-bit words hold the payload of any stream."""
    widest = max(stream.bits for stream in interface.streams)
    return -(-widest // _BITS)


def _groups(streams: Sequence[object]) -> list[range]:
    """The places of the streams that share a port, for each of these ports."""
    places = range(len(streams))
    return [places[first : first + _GROUP] for first in places[::_GROUP]]


def _ports(interface: Interface) -> Iterator[str]:
    yield "input wire clk"
    yield "input wire reset"
    yield "input wire [31:0] run"
    for name, streams in (("offer", interface.inject), ("take", interface.eject)):
        for number, group in enumerate(_groups(streams)):
            yield f"input wire [{len(group) - 1}:0] {name}_{number}"
    for number, stream in enumerate(interface.inject):
        yield f"input wire [{stream.bits - 1}:0] word_{number}"
    for number, group in enumerate(_groups(interface.streams)):
        yield f"output wire [{len(group) - 1}:0] fired_{number}"
    for number, stream in enumerate(interface.streams):
        yield f"output wire [{stream.bits - 1}:0] payload_{number}"
    if interface.idle is not None:
        yield "output wire idle"


def _registers(interface: Interface) -> Iterator[str]:
    """Those between the inputs and the network."""
    pairs = [("rst", "reset")]
    for register, port, streams in (
        ("offered", "offer", interface.inject),
        ("taking", "take", interface.eject),
    ):
        for number, group in enumerate(_groups(streams)):
            yield f"  reg [{len(group) - 1}:0] {register}_{number};"
            pairs.append((f"{register}_{number}", f"{port}_{number}"))
    for number, stream in enumerate(interface.inject):
        yield f"  reg [{stream.bits - 1}:0] {name_signal(stream, 'payload')};"
        pairs.append((name_signal(stream, "payload"), f"word_{number}"))
    yield "  always @(posedge clk) begin"
    for register, port in pairs:
        yield f"    {register} <= {port};"
    yield "  end"


def _wires(interface: Interface) -> Iterator[str]:
    """The network's own streams."""
    for number, stream in enumerate(interface.inject):
        group, bit = divmod(number, _GROUP)
        yield f"  wire {name_signal(stream, 'ready')};"
        yield f"  wire {name_signal(stream, 'valid')} = offered_{group}[{bit}];"
    for number, stream in enumerate(interface.eject):
        group, bit = divmod(number, _GROUP)
        yield f"  wire {name_signal(stream, 'valid')};"
        yield f"  wire {name_signal(stream, 'ready')} = taking_{group}[{bit}];"
        yield f"  wire [{stream.bits - 1}:0] {name_signal(stream, 'payload')};"
    yield from declare_alarms(interface)


def declare_alarms(interface: Interface) -> Iterator[str]:
    """The wires of what nodes tell."""
    for alarm in interface.alarms:
        yield f"  wire [{alarm.bits - 1}:0] {name_signal(alarm, 'payload')};"


def _outputs(interface: Interface) -> Iterator[str]:
    streams = interface.streams
    for number, group in enumerate(_groups(streams)):
        # A concatenation begins with its highest bit.
        fired = [
            f"({name_signal(streams[place], 'valid')}) && {name_signal(streams[place], 'ready')}"
            for place in reversed(group)
        ]
        yield f"  assign fired_{number} = {{" + ",\n    ".join(fired) + "};"
    for number, stream in enumerate(streams):
        yield f"  assign payload_{number} = {name_signal(stream, 'payload')};"


def _connections(interface: Interface) -> str:
    """The C++ that names these ports, and which nodes they belong to."""
    lists = {
        "fired": _listed("fired", _groups(interface.streams)),
        "offer": _listed("offer", _groups(interface.inject)),
        "take": _listed("take", _groups(interface.eject)),
        "payload": _listed("payload", interface.streams),
        "word": _listed("word", interface.inject),
        "alarm": [f"{{'{alarm.kind[0]}', {alarm.node}}}" for alarm in interface.alarms],
        "senders": [str(stream.node) for stream in interface.inject],
        "takers": [str(stream.node) for stream in interface.eject],
    }
    lines = [f"// The ports of {BENCH}.v."]
    lines += [
        f"constexpr unsigned {name} = {number};"
        for name, number in (
            ("NODES", interface.nodes),
            ("STREAMS", len(interface.streams)),
            ("PAYLOAD_WORDS", count_payload_words(interface)),
            ("GROUP", _GROUP),
        )
    ]
    lines += ["static void connect(Vtop& top, Ports& ports) {"]
    lines += [f"    ports.{name} = {{{', '.join(each)}}};" for name, each in lists.items()]
    if interface.idle is not None:
        lines.append("    ports.idle = &top.idle;")
    return "\n".join([*lines, "}", ""])


def _listed(name: str, each: Sequence[object]) -> list[str]:
    return [f"port(top.{name}_{number})" for number in range(len(each))]
