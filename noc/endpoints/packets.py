"""Packets of many sources, put together again: none has a word of another in between."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import fifo, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.endpoints.options import BeatFormat

#: Finished packets that may wait to leave; more of them would not leave any sooner.
WAITING = 4


class Reassembly(wiring.Component):
    """Collects the words of each source in a ring of its own, and lets finished packets leave.

    Packets leave one after the other, in the order in which their last words came, one word a
    cycle. The input stops for a ring that is full. A full ring holds a whole packet, since a
    packet is no longer than a ring, and a whole packet leaves whatever else happens if only the
    sink takes it: seen from the network this is a sink that waits for nothing but itself.

    After reset the input is closed for as many cycles as there are sources.

    Parameters
    ----------
    format : BeatFormat
        The fields of a word, an end of packets among them.
    longest : int
        Words of the longest packet that may come; longer ones would stop the input for ever.

    Members
    -------
    i : In(stream.Signature)
        Words of many sources, each source's in order.
    o : Out(stream.Signature)
        The same words, packet by packet.
    """

    def __init__(self, format: BeatFormat, *, longest: int) -> None:  # noqa: A002
        if not format.last:
            raise ValueError("format must have an end of packets")
        if longest < 1:
            raise ValueError(f"longest must be at least 1, not {longest!r}")
        self._format, self._slots = format, 1 << (longest - 1).bit_length()
        word = stream.Signature(format.layout)
        super().__init__({"i": In(word), "o": Out(word)})

    def elaborate(self, platform: object) -> Module:
        """The rings, where each is written and read, and the queue of finished packets."""
        m = Module()
        sources, offset = self._format.sources, (self._slots - 1).bit_length()
        m.submodules.words = words = memory.Memory(
            shape=self._format.width, depth=sources << offset, init=[]
        )
        # A slot of a ring, with one more bit that distinguishes a full ring from an empty one.
        rings: dict[str, Any] = {"shape": offset + 1, "depth": sources, "init": []}
        m.submodules.written = written = memory.Memory(**rings)
        m.submodules.taken = taken = memory.Memory(**rings)
        m.submodules.finished = finished = fifo.SyncFIFO(
            width=self._format.source_bits + offset + 1, depth=WAITING
        )
        note_written, note_taken = written.write_port(), taken.write_port()
        self._arrive(m, words.write_port(), written, taken, note_written, finished)
        self._leave(m, words.read_port(), taken, note_taken, finished)
        self._clear(m, note_written, note_taken)
        return m

    def _arrive(
        self, m: Module, store: Any, written: Any, taken: Any, note: Any, queue: Any
    ) -> None:
        """Store a word in the ring of its source; the last of a packet queues the packet."""
        word, slots = self.i.payload, self._slots
        begin, end = taken.read_port(domain="comb"), written.read_port(domain="comb")
        after, stored = Signal.like(end.data), Signal()
        full = (end.data ^ begin.data) == slots
        m.d.comb += [
            begin.addr.eq(word.source),
            end.addr.eq(word.source),
            after.eq(end.data + 1),
            self.i.ready.eq(~full & (queue.w_rdy | ~word.last)),
            stored.eq(self.i.valid & self.i.ready),
            store.addr.eq(Cat(end.data[:-1], word.source)),
            store.data.eq(word.data),
            store.en.eq(stored),
            note.addr.eq(word.source),
            note.data.eq(after),
            note.en.eq(stored),
            queue.w_data.eq(Cat(after, word.source)),
            queue.w_en.eq(stored & word.last),
        ]

    def _leave(self, m: Module, fetch: Any, taken: Any, note: Any, queue: Any) -> None:
        """Read the words of the first packet of the queue, one a cycle while they are taken."""
        begin, after = taken.read_port(domain="comb"), Signal(len(note.data))
        bits = len(begin.data)
        end, source = queue.r_data[:bits], queue.r_data[bits:]
        read, last = Signal(), Signal()
        m.d.comb += [
            begin.addr.eq(source),
            after.eq(begin.data + 1),
            last.eq(after == end),
            read.eq(queue.r_rdy & (~self.o.valid | self.o.ready)),
            fetch.addr.eq(Cat(begin.data[:-1], source)),
            fetch.en.eq(read),
            note.addr.eq(source),
            note.data.eq(after),
            note.en.eq(read),
            queue.r_en.eq(read & last),
            self.o.payload.data.eq(fetch.data),
        ]
        with m.If(read):
            m.d.sync += [
                self.o.valid.eq(1),
                self.o.payload.source.eq(source),
                self.o.payload.last.eq(last),
            ]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)

    def _clear(self, m: Module, *notes: Any) -> None:
        """After reset, go through the rings and make them empty: a memory knows no reset."""
        cleared = Signal(range(self._format.sources + 1))
        with m.If(cleared != self._format.sources):
            m.d.sync += cleared.eq(cleared + 1)
            m.d.comb += self.i.ready.eq(0)
            for note in notes:
                m.d.comb += [note.addr.eq(cleared), note.data.eq(0), note.en.eq(1)]


class PacketArbiter(wiring.Component):
    """Round-robin arbiter that grants a node one packet, until it has arrived everywhere.

    So a network for one source at a time serves all, every node gets every packet without a word
    of another in between, and all nodes get the packets in the same order.

    Members
    -------
    request : In(count)
        Which nodes have a packet to send.
    grant : Out(count)
        Which node may send, at most one, until its packet has arrived everywhere.
    ends : In(count)
        A bit of each node that changes whenever the end of a packet passes it: into the network
        at the node that sent it, out of the network at the others.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        self._count = count
        super().__init__({"request": In(count), "grant": Out(count), "ends": In(count)})

    def elaborate(self, platform: object) -> Module:
        """Choose by carry chains, which are fast and small for many nodes."""
        m = Module()
        count = self._count
        # All bits above the node that was granted last.
        after, busy, parity, arrived = Signal(count), Signal(), Signal(), Signal()
        preferred, candidates, chosen = Signal(count), Signal(count), Signal(count)
        m.d.comb += [
            preferred.eq(self.request & after),
            candidates.eq(self.request),
            chosen.eq(candidates & (~candidates + 1)),
        ]
        with m.If(preferred.any()):
            m.d.comb += candidates.eq(preferred)
        m.d.sync += arrived.eq(busy & (self.ends == parity.replicate(count)))
        with m.If(arrived):
            m.d.sync += [busy.eq(0), self.grant.eq(0), arrived.eq(0)]
        with m.Elif(~busy & self.request.any()):
            m.d.sync += [
                busy.eq(1),
                self.grant.eq(chosen),
                after.eq(~(chosen | (chosen - 1))),
                parity.eq(~parity),
            ]
        return m
