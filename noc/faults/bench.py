"""What drives the gates of a design: the words and sinks of a run, as the cycle model has them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from noc.design import AnyDesign
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.errors import InputError, option
from noc.faults.gates import ONE, ZERO, Gates, read_gates
from noc.faults.kernel import Bench, Planes
from noc.harness import PHASE, draw_starts
from noc.networks import IntArray
from noc.verify.expected import QUIET, expect
from noc.verify.expected import Expected as Chunk
from noc.verify.records import LOG_HEADER, WordArray
from noc.verify.runs import Run
from noc.verify.streams import Interface, Stream, interface, ready_by_stream

#: Cycles after the last word of a run without a fault in which words may still come: a share of
#: that run, and so many more.
_SHARE, _MORE = 2, 100


class Expected(NamedTuple):
    """What sinks get without a fault, by the cycle model, in the order of cycles and sinks."""

    #: When, the number of the eject stream, and the word of the traffic or -1 for what was joined.
    cycle: IntArray
    sink: IntArray
    word: IntArray
    #: What the payload is, as a number that names it.
    name: Planes


@dataclass(frozen=True, eq=False)
class Subject:
    """A design as gates, and a run of it."""

    #: The network.
    design: AnyDesign
    #: Its streams.
    interface: Interface
    #: Its gates.
    gates: Gates
    #: What drives them.
    bench: Bench = field(repr=False)
    #: A number for each bit of a payload; those that are up, together, name it.
    bits: Planes = field(repr=False)
    #: Array (words). The number of the inject stream of each word of the traffic.
    source: IntArray = field(repr=False)
    #: What sinks get.
    expected: Expected = field(repr=False)
    #: How many words are taken; more are offered where words lack that a round needs.
    taken: int


def build_subject(design: AnyDesign, run: Run, folder: Path) -> Subject:
    """Map the Verilog of a design to gates, in an existing folder, and prepare a run."""
    sources = [module.write(folder) for module in modules(design)]
    document = build_manifest(design, [source.name for source in sources])
    return read_subject(design, document, sources, run, folder)


def read_subject(
    design: AnyDesign,
    document: Mapping[str, Any],
    sources: Sequence[Path],
    run: Run,
    folder: Path,
) -> Subject:
    """The same of Verilog that lies there, with its manifest."""
    streams = interface(document, design)
    chunks = [*expect(design, streams, run)]
    if chunks[-1].end not in QUIET:
        raise InputError(
            f"{run.name}: words are still given when the run ends, so that no fault is seen to "
            f"stop it; use {option('words')}, and not {option('cycles')}"
        )
    if not chunks[-1].injected:
        raise InputError("no word is sent")
    kept = [stream.valid for stream in streams.links]
    gates = read_gates(sources, streams.top, kept, folder)
    offered = np.concatenate([chunk.offered for chunk in chunks])
    bench = _bench(streams, gates, offered, run, chunks[-1].cycles)
    count = bench.eject_bits.shape[1]
    bits: Planes = np.random.default_rng(0).integers(1, 2**64, size=(count,), dtype=np.uint64)
    expected = _expected(streams, chunks, bits)
    if not expected.sink.size:
        raise InputError(f"{run.name}: no word comes out")
    source = offered[:, 0].astype(np.int64)
    return Subject(design, streams, gates, bench, bits, source, expected, chunks[-1].injected)


def _expected(streams: Interface, chunks: Sequence[Chunk], bits: Planes) -> Expected:
    """What sinks get, of all that the model says."""
    records = np.concatenate([chunk.records for chunk in chunks])
    words = np.concatenate([chunk.words for chunk in chunks])
    sinks = records[:, 1].astype(np.int64) - len(streams.inject)
    got = (sinks >= 0) & (sinks < len(streams.eject))
    payload = np.ascontiguousarray(records[got, LOG_HEADER:].astype("<u4")).view(np.uint8)
    up = np.unpackbits(payload, axis=1, bitorder="little")[:, : bits.size].astype(bool)
    wide = np.array([stream.bits for stream in streams.eject])[sinks[got]]
    up &= np.arange(up.shape[1]) < wide[:, None]
    name = np.bitwise_xor.reduce(np.where(up, bits[: up.shape[1]], np.uint64(0)), axis=1)
    cycles = records[got, 0].astype(np.int64)
    return Expected(cycles, sinks[got].astype(np.int32), words[got], name)


def _bench(streams: Interface, gates: Gates, offered: WordArray, run: Run, busy: int) -> Bench:
    """The signals of streams, and the words of each source one after the other."""
    order = np.argsort(offered[:, 0], kind="stable")
    offered = offered[order]
    counts = np.bincount(offered[:, 0], minlength=len(streams.inject))
    alarms = [
        signal
        for stream in streams.alarms
        if stream.kind != PHASE
        for signal in gates.wires[stream.payload].tolist()
    ]
    starts = [] if streams.start is None else [(streams.start, draw_starts(streams.round))]
    payload = offered[:, 2:].astype("<u4").view(np.uint8)
    return Bench(
        inject=_handshakes(gates, streams.inject),
        inject_bits=_payloads(gates, streams.inject),
        eject=_handshakes(gates, streams.eject),
        eject_bits=_payloads(gates, streams.eject),
        alarms=np.array(alarms, dtype=np.int32),
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        release=offered[:, 1].astype(np.int32),
        words=np.unpackbits(payload, axis=1, bitorder="little"),
        ready=ready_by_stream(run.traffic.ready, streams.eject).astype(np.uint8),
        start=np.array([gates.wires[port][0] for port, _ in starts], dtype=np.int32),
        starts=np.array([bits for _, bits in starts], dtype=np.uint8).reshape(-1),
        busy=busy,
        cycles=busy + busy // _SHARE + _MORE,
    )


def _signal(gates: Gates, name: str, usual: int) -> int:
    """The signal of a port of one bit; what it is where there is none."""
    return int(gates.wires[name][0]) if name else usual


def _handshakes(gates: Gates, streams: tuple[Stream, ...]) -> IntArray:
    """``valid`` and ``ready`` of each stream."""
    pairs = [
        (_signal(gates, stream.valid, ZERO), _signal(gates, stream.ready, ONE))
        for stream in streams
    ]
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


def _payloads(gates: Gates, streams: tuple[Stream, ...]) -> IntArray:
    """The signals of each stream's payload."""
    result = np.full((len(streams), max((s.bits for s in streams), default=1)), -1, dtype=np.int32)
    for row, stream in zip(result, streams, strict=True):
        if stream.payload:
            row[: stream.bits] = gates.wires[stream.payload]
    return result


def usual_run(design: AnyDesign) -> str:
    """The name of a run in which words meet, and wait where they can."""
    kind = "mixed"
    if design.operations.only_broadcast:
        kind = "back-to-back" if design.sources == "one" else "full"
    return f"{kind}:{'always' if design.always_ready else 'half'}"
