"""The fast test bench: a module around the network that a C++ program drives, and its ports.

The program is ``harness.cpp``. It sees one bit for each stream, which says that a word is
transferred, and looks at payloads only then. Its inputs go to registers, so that one evaluation of
the network a cycle is enough.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from noc.verify.bench import BENCH, instance, log_words, path
from noc.verify.streams import Interface

__all__ = ["wrapper", "write_harness"]

#: The program.
_PROGRAM = Path(__file__).with_suffix(".cpp")

#: Bits of a port that has one for each stream, at most.
_GROUP = 64


def wrapper(interface: Interface) -> str:
    """The Verilog of the module around a network."""
    ports = [f"  {port}" for port in _ports(interface)]
    lines = ["// Written by noc verify. Its inputs are registered; a C++ program drives it."]
    lines += [f"module {BENCH} (", ",\n".join(ports), ");", "  reg rst;"]
    lines += _registers(interface)
    lines += _wires(interface)
    lines += instance(interface)
    lines += _outputs(interface)
    return "\n".join([*lines, "endmodule", ""])


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
        yield f"  reg [{stream.bits - 1}:0] {path(stream, 'payload')};"
        pairs.append((path(stream, "payload"), f"word_{number}"))
    yield "  always @(posedge clk) begin"
    for register, port in pairs:
        yield f"    {register} <= {port};"
    yield "  end"


def _wires(interface: Interface) -> Iterator[str]:
    """The network's own streams."""
    for number, stream in enumerate(interface.inject):
        group, bit = divmod(number, _GROUP)
        yield f"  wire {path(stream, 'ready')};"
        yield f"  wire {path(stream, 'valid')} = offered_{group}[{bit}];"
    for number, stream in enumerate(interface.eject):
        group, bit = divmod(number, _GROUP)
        yield f"  wire {path(stream, 'valid')};"
        yield f"  wire {path(stream, 'ready')} = taking_{group}[{bit}];"
        yield f"  wire [{stream.bits - 1}:0] {path(stream, 'payload')};"


def _outputs(interface: Interface) -> Iterator[str]:
    streams = interface.streams
    for number, group in enumerate(_groups(streams)):
        # A concatenation begins with its highest bit.
        fired = [
            f"{path(streams[place], 'valid')} && {path(streams[place], 'ready')}"
            for place in reversed(group)
        ]
        yield f"  assign fired_{number} = {{" + ",\n    ".join(fired) + "};"
    for number, stream in enumerate(streams):
        yield f"  assign payload_{number} = {path(stream, 'payload')};"


def write_harness(interface: Interface, folder: Path) -> Path:
    """Write the program into a folder, with what it includes; and where it lies."""
    (folder / f"{BENCH}.h").write_text(_connections(interface), encoding="utf-8")
    return Path(shutil.copy(_PROGRAM, folder))


def _connections(interface: Interface) -> str:
    """The C++ that names these ports, and which nodes they belong to."""
    lists = {
        "fired": _listed("fired", _groups(interface.streams)),
        "offer": _listed("offer", _groups(interface.inject)),
        "take": _listed("take", _groups(interface.eject)),
        "payload": _listed("payload", interface.streams),
        "word": _listed("word", interface.inject),
        "senders": [str(stream.node) for stream in interface.inject],
        "takers": [str(stream.node) for stream in interface.eject],
    }
    lines = ["// Written by noc verify: the ports of noc_bench.v."]
    lines += [
        f"constexpr unsigned {name} = {number};"
        for name, number in (
            ("NODES", interface.nodes),
            ("STREAMS", len(interface.streams)),
            ("LOG_WORDS", log_words(interface)),
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
