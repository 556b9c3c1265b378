"""The test bench around a network, in Verilog: it drives sources and sinks and logs transfers.

It is Verilog-2005, so that every simulator runs it and waveforms show it. No simulation step needs
Python: cocotb gives the clock and the reset, and waits for the end.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from noc.harness import (
    BENCH,
    connect_network,
    count_payload_words,
    declare_alarms,
    name_signal,
)
from noc.verify.streams import ALARM, Interface, Stream

__all__ = ["LOG_HEADER", "Sizes", "bench"]

#: 32-bit words of a record of the log before the payload: the cycle, and the number of the stream.
#: In the last record of a whole log both are all ones.
LOG_HEADER = 2

_BITS = 32


@dataclass(frozen=True)
class Sizes:
    """Room for the longest of several runs.

    Parameters
    ----------
    words : int
        Words of all sources together.
    period : int
        Cycles after which the pattern of the sinks repeats.
    """

    words: int
    period: int


def _offer_bits(interface: Interface) -> int:
    """Bits of the widest payload of an inject stream."""
    return max((stream.bits for stream in interface.inject), default=interface.width)


def bench(interface: Interface, sizes: Sizes, *, waves: bool = False) -> str:
    """The text of the bench for a network; with waves it has a view of every node."""
    lines = _HEAD.format(
        bench=BENCH,
        nodes=interface.nodes,
        top_node=interface.nodes - 1,
        words=max(1, sizes.words),
        period=sizes.period,
        offer=_offer_bits(interface) - 1,
        log=count_payload_words(interface) * _BITS - 1,
    ).splitlines()
    lines += _wires(interface)
    lines.append("  /* verilator tracing_on */")
    lines += connect_network(interface)
    if waves:
        lines += view(interface, name_signal)
    lines += _note(count_payload_words(interface))
    lines += _CLOCKED.splitlines()
    lines += [
        f"        if (({name_signal(stream, 'valid')}) && {name_signal(stream, 'ready')})"
        f" note(log, cycle, {number}, {name_signal(stream, 'payload')});"
        for number, stream in enumerate(interface.streams)
    ]
    if interface.idle is not None:
        lines.append(_IDLE.format(number=len(interface.streams)))
    return "\n".join([*lines, _TAIL])


def _wires(interface: Interface) -> Iterator[str]:
    if interface.idle is not None:
        yield "  wire idle;"
        yield "  reg was_idle;"
        # Not undefined before the first reset.
        yield "  always @(posedge clk) was_idle <= rst || idle;"
    for stream in interface.inject:
        bits, node = stream.bits, stream.node
        yield f"  wire {name_signal(stream, 'ready')};"
        yield f"  wire {name_signal(stream, 'valid')} = offered[{node}] && !rst;"
        payload = name_signal(stream, "payload")
        yield f"  wire [{bits - 1}:0] {payload} = offer[{node}][{bits - 1}:0];"
        yield f"  assign accepted[{node}] = {name_signal(stream, 'ready')};"
    for stream in interface.eject:
        yield f"  wire {name_signal(stream, 'valid')};"
        yield f"  wire {name_signal(stream, 'ready')} = taking[{stream.node}];"
        yield f"  wire [{stream.bits - 1}:0] {name_signal(stream, 'payload')};"
    yield from declare_alarms(interface)


def _note(words: int) -> Iterator[str]:
    parts = ", ".join(f"value[{_BITS * word + _BITS - 1}:{_BITS * word}]" for word in range(words))
    inputs = ("integer file", "[31:0] now", "[31:0] stream", "[LOG:0] value")
    yield f"  task note({', '.join(f'input {name}' for name in inputs)});"
    yield "    /* verilator no_inline_task */"
    yield f'    $fwrite(file, "{"%u" * (LOG_HEADER + words)}", now, stream, {parts});'
    yield "  endtask"


_HEAD = """\
// Written by noc verify. Drives every inject stream from a queue of words and every eject stream
// from a repeated pattern, and logs each transfer: cycle, number of the stream, payload; and each
// change of the output that says whether the network is empty.
module {bench} (
  input wire clk /* verilator public_flat_rw */,
  input wire rst /* verilator public_flat_rw */,
  input wire [31:0] run /* verilator public_flat_rw */,
  output reg done /* verilator public_flat_rw */
);
  reg [31:0] cycle;

  /* verilator tracing_off */
  localparam NODES = {nodes}, WORDS = {words}, PERIOD = {period}, OFFER = {offer}, LOG = {log};

  // The cycle from which on all sinks are ready, the cycle of the end, and the sinks' period.
  reg [31:0] plan [0:2];
  // Where the words of each node begin, in which cycle each is due, and what it holds.
  reg [31:0] first [0:NODES];
  reg [31:0] due [0:WORDS];
  reg [OFFER:0] word [0:WORDS];
  reg [NODES-1:0] pattern [0:PERIOD-1];

  reg [31:0] next [0:NODES-1];
  reg [NODES-1:0] offered, taking;
  reg [OFFER:0] offer [0:NODES-1];
  wire [NODES-1:0] accepted;
  reg [31:0] phase, loaded, at;
  reg [8*32-1:0] name;
  integer log, n;

"""

_CLOCKED = """\

  initial begin
    done = 0;
    loaded = ~0;
  end

  always @(posedge clk)
    if (rst) begin
      if (loaded != run) begin
        $sformat(name, "%0d.plan", run);
        $readmemh(name, plan);
        $sformat(name, "%0d.first", run);
        $readmemh(name, first);
        $sformat(name, "%0d.due", run);
        $readmemh(name, due, 0, first[NODES]);
        $sformat(name, "%0d.word", run);
        $readmemh(name, word, 0, first[NODES]);
        $sformat(name, "%0d.pattern", run);
        $readmemh(name, pattern, 0, plan[2] - 1);
        $sformat(name, "%0d.log", run);
        log = $fopen(name, "wb");
        loaded <= run;
      end
      done <= 0;
      cycle <= 0;
      phase <= plan[2] > 1 ? 1 : 0;
      taking <= plan[0] == 0 ? {NODES{1'b1}} : pattern[0];
      for (n = 0; n < NODES; n = n + 1) begin
        next[n] <= first[n];
        offered[n] <= first[n] < first[n + 1] && due[first[n]] == 0;
        offer[n] <= word[first[n]];
      end
    end else if (!done) begin
      cycle <= cycle + 1;
      phase <= phase + 1 < plan[2] ? phase + 1 : 0;
      taking <= cycle + 1 >= plan[0] ? {NODES{1'b1}} : pattern[phase];
      for (n = 0; n < NODES; n = n + 1) begin
        at = next[n] + (offered[n] && accepted[n] ? 1 : 0);
        next[n] <= at;
        offered[n] <= at < first[n + 1] && due[at] <= cycle + 1;
        offer[n] <= word[at];
      end"""

_IDLE = """\
        if (idle != was_idle) note(log, cycle, {number}, idle);"""

_TAIL = """\
      if (cycle + 1 >= plan[1]) begin
        done <= 1;
        note(log, ~0, ~0, 0);
        $fclose(log);
      end
    end
endmodule
"""


def view(interface: Interface, path: Callable[[Stream, str], str]) -> Iterator[str]:
    """A scope for each node, with the streams into it and out of it, payloads split into fields.

    Parameters
    ----------
    interface : Interface
        The streams.
    path : callable
        How the bench calls a signal of a stream: valid, ready or payload.
    """
    by_node: list[list[Stream]] = [[] for _ in interface.names]
    for stream in interface.streams:
        by_node[stream.node].append(stream)
    for name, streams in zip(interface.names, by_node, strict=True):
        yield f"  generate if (1) begin : node_{name}"
        for stream in streams:
            yield from _fields(stream, path)
        yield "  end endgenerate"


def _fields(stream: Stream, path: Callable[[Stream, str], str]) -> Iterator[str]:
    if stream.kind in ALARM:
        yield f"    wire [{stream.bits - 1}:0] {stream.brief} = {path(stream, 'payload')};"
        return
    for signal in ("valid", "ready"):
        yield f"    wire {stream.brief}__{signal} = {path(stream, signal)};"
    payload = path(stream, "payload")
    for field in stream.fields:
        # A signal of one bit has no bits to select.
        span = f"[{field.bits - 1}:0] " if field.bits > 1 else ""
        part = f"[{field.first + field.bits - 1}:{field.first}]" if stream.bits > 1 else ""
        yield f"    wire {span}{stream.brief}__{field.name} = {payload}{part};"
