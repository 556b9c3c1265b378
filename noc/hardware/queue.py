"""A queue in a memory that may be a block RAM."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

__all__ = ["BlockQueue", "build_queue"]

#: So few words are not worth a block RAM where there is no LUT RAM. In a memory that is read into a
#: register more words take a third of the gates there; on ECP5 about the same, and are faster.
_SHORT = 4


class BlockQueue(wiring.Component):
    """Does what a SyncFIFO does, without reading its memory in the cycle in which it gives a word.

    What is read next is known a cycle before: the oldest word, or the one behind it if that one
    leaves. A word that is written where it is read passes by the memory.

    Parameters
    ----------
    width : int
        Bits of a word.
    depth : int
        How many words it holds, at least 1.

    Members
    -------
    i : In(stream.Signature(width))
        Words that come.
    o : Out(stream.Signature(width))
        The oldest word.
    level : Out(range(depth + 1))
        How many words there are.
    """

    def __init__(self, width: int, *, depth: int) -> None:
        if depth < 1:
            raise ValueError(f"depth must be at least 1, not {depth!r}")
        self._depth = depth
        super().__init__(
            {
                "i": In(stream.Signature(width)),
                "o": Out(stream.Signature(width)),
                "level": Out(range(depth + 1)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the words; read one cycle ahead."""
        m = Module()
        m.submodules.words = words = memory.Memory(
            shape=self.i.payload.shape(), depth=self._depth, init=[]
        )
        write = words.write_port()
        read = words.read_port(transparent_for=(write,))
        newest, oldest = Signal(range(self._depth)), Signal(range(self._depth))
        taken, given = Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(self.level != self._depth),
            self.o.valid.eq(self.level != 0),
            taken.eq(self.i.valid & self.i.ready),
            given.eq(self.o.valid & self.o.ready),
            write.en.eq(taken),
            write.addr.eq(newest),
            write.data.eq(self.i.payload),
            read.addr.eq(Mux(given, self._after(oldest), oldest)),
            self.o.payload.eq(read.data),
        ]
        m.d.sync += [oldest.eq(read.addr), self.level.eq(self.level + taken - given)]
        with m.If(taken):
            m.d.sync += newest.eq(self._after(newest))
        return m

    def _after(self, slot: Signal) -> Value:
        return Mux(slot == self._depth - 1, 0, slot + 1)


def build_queue(width: int, depth: int) -> tuple[SyncFIFO | BlockQueue, Any, Any]:
    """A queue of so many words, with its two streams; all behave the same, cycle by cycle."""
    if depth <= _SHORT:
        short = SyncFIFO(width=width, depth=depth)
        return short, short.w_stream, short.r_stream
    long = BlockQueue(width, depth=depth)
    return long, long.i, long.o
