"""The module around a network through which programs drive it, and its ports in C++.

It has one bit for each stream, which says that a word is transferred, and payloads to look at then.
Its inputs go to registers, so that one evaluation of the network a cycle is enough. A C++ program
includes ``harness.h``; cocotb drives the same ports.

Written with every output folder too; so it needs nothing but the standard library.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

#: The name of the module.
BENCH = "noc_bench"

#: Alarms of a node: each is seen as a stream that transfers a word while any bit is 1.
ALARMS = ("dropped", "mismatch", "late", "absent", "corrupt")

#: The input of a node that says for which of its groups void words are given in its place.
AWAY = "away"

#: The kind of an output that counts the cycles of a round.
PHASE = "phase"

#: The ports of the network itself, under the names that a manifest has for them: whether it holds
#: no word; what begins a round; whether the phases move on.
IDLE, START, MOVES = OF_NETWORK = "idle", "start", "moves"

#: The stream with words that write rows of tables, and the output that is 1 while any is under way,
#: under the names that a manifest has for them.
LOAD, LOADING = "load", "loading"

#: Bits of a port that has one for each stream, at most.
GROUP = 64

_BITS = 32

#: What programs share.
_HEADER = Path(__file__).with_suffix(".h")


@dataclass(frozen=True)
class Stream:
    """A stream of a node, inject or eject, a link between two, or an alarm, and its signals.

    An alarm moves while any bit of it is up. A node's phase moves where it is not the number of the
    cycle in its round.
    """

    #: ``inject``, ``eject``, or ``eject_0`` and so on where a node has several, ``link``, one of
    #: ``ALARMS``, or ``PHASE``.
    kind: str
    node: int
    valid: str
    ready: str
    payload: str
    bits: int
    #: After how many cycles the payload of what was transferred is to be seen, 0 or 1; it is then
    #: that the stream moves for those who look.
    delay: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class Away:
    """The input of a node that says for which of its groups void words are given in its place."""

    node: int
    signal: str
    bits: int

    @property
    def name(self) -> str:
        """What the module calls it."""
        return f"{AWAY}_{self.node}"


@dataclass(frozen=True)
class Load:
    """The stream with words that write rows of tables, and the words that are written first."""

    valid: str
    payload: str
    bits: int
    words: Sequence[int] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Interface:
    """The network's module, what it is driven by, and the streams that are looked at.

    Parameters
    ----------
    top, clock, reset : str
        Names of the module and of its clock and reset.
    nodes : int
        Number of nodes.
    inject, eject, links, alarms : sequence of Stream
        The streams that are driven, those that are taken from, and those that are only seen.
    idle : str or None
        The output that is up while the network holds no word, if there is one.
    round : int
        The cycles of a round, where nodes have a phase, which is among the alarms.
    moves : str or None
        The output that says whether phases move on, if they do not always.
    start : str or None
        The input with which rounds begin, if they need one.
    parameters : mapping of str to int
        Of the module, which may have some.
    away : sequence of Away
        The inputs that say for whom void words are given.
    load : Load or None
        What tables are written with while the network is in reset, if they can be.
    """

    top: str
    clock: str
    reset: str
    nodes: int
    inject: Sequence[Stream] = ()
    eject: Sequence[Stream] = ()
    links: Sequence[Stream] = ()
    alarms: Sequence[Stream] = ()
    idle: str | None = None
    round: int = 1
    moves: str | None = None
    start: str | None = None
    away: Sequence[Away] = ()
    load: Load | None = None
    parameters: Mapping[str, int] = field(default_factory=dict)

    @property
    def reset_cycles(self) -> int:
        """Cycles of reset, in which all words that are written come to their tables."""
        words = self.load.words if self.load is not None else ()
        return 4 + (len(words) + self.nodes if words else 0)

    @property
    def streams(self) -> Sequence[Stream]:
        """All streams, in the order of their numbers; the next number is that of idle."""
        return (*self.inject, *self.eject, *self.links, *self.alarms)

    @property
    def taken(self) -> Sequence[object]:
        """What each bit of ``take`` is for: whether a sink is ready, and then who is away."""
        return (*self.eject, *(each for each in self.away for _ in range(each.bits)))

    @property
    def offered_words(self) -> int:
        """How many 32-bit words hold what any source offers."""
        return max((-(-stream.bits // _BITS) for stream in self.inject), default=1)


def write_harness(
    interface: Interface, folder: Path, *programs: Path, view: Iterable[str] = ()
) -> None:
    """Write the module, and a program that drives it, into a folder.

    What lies there and would not change is left alone, so that it is not compiled again.

    Parameters
    ----------
    interface : Interface
        The network.
    folder : Path
        Where they are compiled.
    *programs : Path
        The program, and what it includes of its own; none where cocotb drives the module.
    view : iterable of str
        As for :func:`write_wrapper`.
    """
    texts = {f"{BENCH}.v": write_wrapper(interface, view), f"{BENCH}.h": _connections(interface)}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in (_HEADER, *programs)}
    for name, text in texts.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def write_wrapper(interface: Interface, view: Iterable[str] = ()) -> str:
    """The Verilog of the module around a network, with more lines that waveforms show."""
    ports = ",\n".join(f"  {port}" for port in _ports(interface))
    lines = [f"module {BENCH} (", ports, ");", "  /* verilator tracing_on */"]
    lines += ["  reg rst;", "  reg [31:0] cycle;"]
    lines += ["  always @(posedge clk) cycle <= rst ? 0 : cycle + 1;"]
    lines += ["  /* verilator tracing_off */"]
    if phases := [stream.bits for stream in interface.alarms if stream.kind == PHASE]:
        moved = "cycle"
        if interface.moves is not None:
            moved = "moved"
            lines += ["  reg [31:0] moved;"]
            lines += ["  always @(posedge clk) moved <= rst ? 0 : moved + moves;"]
        lines += [f"  wire [{max(phases) - 1}:0] {PHASE} = {moved} % {interface.round};"]
    lines += [*_registers(interface), *_wires(interface)]
    lines += [*_starts(interface), *_loads(interface)]
    lines += ["  /* verilator tracing_on */", *_instance(interface), *view]
    lines += ["  /* verilator tracing_off */", *_outputs(interface)]
    return "\n".join([*lines, "endmodule", ""])


def name_signal(stream: Stream, signal: str) -> str:
    """A signal of a stream as the module calls it; a link lies inside the network."""
    if stream.kind in ALARMS:
        bits = f"{stream.kind}_{stream.node}"
        return {"valid": f"|{bits}", "ready": "1'b1", "payload": bits}[signal]
    if stream.kind == PHASE:
        bits = f"{PHASE}_{stream.node}"
        return {"valid": f"{bits} !== {PHASE}", "ready": "1'b1", "payload": bits}[signal]
    if not getattr(stream, signal):
        # The ready of a stream that is always ready, or the payload of words without a field.
        return "1'b1" if signal == "ready" else "1'b0"
    if stream.kind != "link":
        # A name of its own: the network's may be one of the module's.
        return f"{stream.kind}_{stream.node}__{signal}"
    return ".".join(["dut", *(_escape(part) for part in getattr(stream, signal).split("."))])


def _escape(name: str) -> str:
    """A name as Verilog takes it whatever is in it, keywords too."""
    return f"\\{name} "


def count_payload_words(interface: Interface) -> int:
    """How many 32-bit words hold the payload of any stream."""
    widest = max((stream.bits for stream in interface.streams), default=1)
    return -(-widest // _BITS)


def _groups(streams: Sequence[object]) -> list[range]:
    """The positions of the streams that share a port, for each of these ports."""
    positions = range(len(streams))
    return [positions[first : first + GROUP] for first in positions[::GROUP]]


def _ports(interface: Interface) -> Iterator[str]:
    """The ports; waveforms show clock and run."""
    yield "input wire clk"
    yield "input wire [31:0] run"
    yield "/* verilator tracing_off */ input wire reset"
    for name, streams in (("offer", interface.inject), ("take", interface.taken)):
        for number, group in enumerate(_groups(streams)):
            yield f"input wire [{len(group) - 1}:0] {name}_{number}"
    for number, stream in enumerate(interface.inject):
        yield f"input wire [{stream.bits - 1}:0] word_{number}"
    for number, group in enumerate(_groups(interface.streams)):
        yield f"output wire [{len(group) - 1}:0] fired_{number}"
    for number, stream in enumerate(interface.streams):
        yield f"output wire [{stream.bits - 1}:0] payload_{number}"
    yield from (f"output wire {name}" for name in _of_network(interface) if name != START)


def _of_network(interface: Interface) -> dict[str, str]:
    """The ports of the network itself, each under the name that the module has for it."""
    named = ((name, getattr(interface, name)) for name in OF_NETWORK)
    return {name: port for name, port in named if port is not None}


def draw_starts(round: int) -> list[bool]:  # noqa: A002
    """In which cycles a round begins where that needs a pulse, repeated for ever.

    At first they follow one another, then there are pauses, and some that are lost.
    """
    lots = random.Random(round)
    result = [cycle % round == 0 for cycle in range(6 * round)]
    while len(result) < 20 * round + 40:
        result += [True] * lots.choice([1, 1, 1, 3]) + [False] * lots.randrange(3 * round)
    return result


def _starts(interface: Interface) -> Iterator[str]:
    """When rounds begin."""
    if interface.start is not None:
        bits = draw_starts(interface.round)
        pattern = "".join(str(int(bit)) for bit in reversed(bits))
        yield f"  wire [{len(bits) - 1}:0] starts = {len(bits)}'b{pattern};"
        yield f"  wire start = !rst && starts[cycle % {len(bits)}];"


def _loads(interface: Interface) -> Iterator[str]:
    """The words that are written while the network is in reset, one a cycle."""
    if interface.load is None:
        return
    bits, words = interface.load.bits, interface.load.words
    yield f"  reg [{bits - 1}:0] rows [0:{max(len(words), 1) - 1}];"
    yield "  integer row = 0;"
    yield "  initial begin"
    yield from (f"    rows[{number}] = {bits}'h{word:x};" for number, word in enumerate(words))
    yield "  end"
    yield f"  always @(posedge clk) row <= !rst ? 0 : row + (row < {len(words)});"
    yield f"  wire {LOAD}_valid = rst && row < {len(words)};"
    yield f"  wire [{bits - 1}:0] {LOAD}_payload = {LOAD}_valid ? rows[row] : 0;"


def _registers(interface: Interface) -> Iterator[str]:
    """Those between the inputs and the network."""
    pairs = [("rst", "reset")]
    for register, port, streams in (
        ("offered", "offer", interface.inject),
        ("taking", "take", interface.taken),
    ):
        for number, group in enumerate(_groups(streams)):
            yield f"  reg [{len(group) - 1}:0] {register}_{number};"
            pairs.append((f"{register}_{number}", f"{port}_{number}"))
    for number, stream in enumerate(interface.inject):
        yield f"  reg [{stream.bits - 1}:0] {name_signal(stream, 'payload')};"
        pairs.append((name_signal(stream, "payload"), f"word_{number}"))
    yield "  always @(posedge clk) begin"
    yield from (f"    {register} <= {port};" for register, port in pairs)
    yield "  end"


def _wires(interface: Interface) -> Iterator[str]:
    """The network's own streams and alarms."""
    for number, stream in enumerate(interface.inject):
        group, bit = divmod(number, GROUP)
        yield f"  wire {name_signal(stream, 'ready')};"
        yield f"  wire {name_signal(stream, 'valid')} = offered_{group}[{bit}];"
    for number, stream in enumerate(interface.eject):
        group, bit = divmod(number, GROUP)
        yield f"  wire {name_signal(stream, 'valid')};"
        if stream.ready:
            yield f"  wire {name_signal(stream, 'ready')} = taking_{group}[{bit}];"
    first = len(interface.eject)
    for away in interface.away:
        bits = (divmod(bit, GROUP) for bit in reversed(range(first, first + away.bits)))
        joined = ", ".join(f"taking_{group}[{bit}]" for group, bit in bits)
        yield f"  wire [{away.bits - 1}:0] {away.name} = {{{joined}}};"
        first += away.bits
    for stream in (*interface.eject, *interface.alarms):
        yield f"  wire [{stream.bits - 1}:0] {name_signal(stream, 'payload')};"


def _instance(interface: Interface) -> Iterator[str]:
    """The network, each of its ports connected to the wire of its name."""
    wires = {
        getattr(stream, signal): name_signal(stream, signal)
        for stream in (*interface.inject, *interface.eject, *interface.alarms)
        for signal in ("valid", "ready", "payload")
        if getattr(stream, signal)
    }
    wires |= {interface.clock: "clk", interface.reset: "rst"}
    wires |= {port: name for name, port in _of_network(interface).items()}
    wires |= {away.signal: away.name for away in interface.away}
    if interface.load is not None:
        wires |= {interface.load.valid: f"{LOAD}_valid", interface.load.payload: f"{LOAD}_payload"}
    chosen = ", ".join(f".{name}({value})" for name, value in interface.parameters.items())
    yield f"  {_escape(interface.top)}{f'#({chosen}) ' if chosen else ''}dut ("
    yield ",\n".join(f"    .{_escape(port)}({wire})" for port, wire in wires.items())
    yield "  );"


def _outputs(interface: Interface) -> Iterator[str]:
    streams = interface.streams
    moves = [
        f"({name_signal(stream, 'valid')}) && {name_signal(stream, 'ready')}" for stream in streams
    ]
    for number, stream in enumerate(streams):
        if stream.delay:
            yield f"  reg moved_{number};"
            yield f"  always @(posedge clk) moved_{number} <= !rst && {moves[number]};"
            moves[number] = f"moved_{number}"
    for number, group in enumerate(_groups(streams)):
        # A concatenation begins with its highest bit.
        fired = [moves[n] for n in reversed(group)]
        yield f"  assign fired_{number} = {{" + ",\n    ".join(fired) + "};"
    for number, stream in enumerate(streams):
        yield f"  assign payload_{number} = {name_signal(stream, 'payload')};"


def _connections(interface: Interface) -> str:
    """The C++ that names these ports, and which nodes they belong to."""
    lists = {
        name: [f"port(top.{name}_{number})" for number in range(len(each))]
        for name, each in (
            ("fired", _groups(interface.streams)),
            ("offer", _groups(interface.inject)),
            ("take", _groups(interface.taken)),
            ("payload", interface.streams),
            ("word", interface.inject),
        )
    }
    lists["alarm"] = [f"{{'{alarm.kind[0]}', {alarm.node}}}" for alarm in interface.alarms]
    lists["senders"] = [str(stream.node) for stream in interface.inject]
    lists["takers"] = [str(stream.node) for stream in interface.eject]
    constants = {
        "NODES": interface.nodes,
        "STREAMS": len(interface.streams),
        "PAYLOAD_WORDS": count_payload_words(interface),
        "GROUP": GROUP,
        "RESET_CYCLES": interface.reset_cycles,
    }
    lines = [f"// The ports of {BENCH}.v."]
    lines += [f"constexpr unsigned {name} = {number};" for name, number in constants.items()]
    lines += ["static void connect(Vtop& top, Ports& ports) {"]
    lines += [f"    ports.{name} = {{{', '.join(each)}}};" for name, each in lists.items()]
    shown = (name for name in _of_network(interface) if name != START)
    lines += [f"    ports.{name} = &top.{name};" for name in shown]
    return "\n".join([*lines, "}", ""])
