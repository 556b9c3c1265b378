"""A queue in a memory that may be a block RAM."""

from amaranth.hdl import Elaboratable, Module, Mux, Signal, Value
from amaranth.lib import memory
from amaranth.lib.fifo import FIFOInterface, SyncFIFO

__all__ = ["BlockFIFO", "queue"]

#: So few words are not worth a block RAM where there is no LUT RAM. In a memory that is read into a
#: register more words take a third of the gates there; on ECP5 about the same, and are faster.
_SHORT = 4


def queue(width: int, depth: int) -> FIFOInterface:
    """A queue of so many words; all behave the same, cycle by cycle."""
    return (SyncFIFO if depth <= _SHORT else BlockFIFO)(width=width, depth=depth)


class BlockFIFO(Elaboratable, FIFOInterface):
    """Does what a SyncFIFO does, without reading its memory in the cycle in which it gives a word.

    What is read next is known a cycle before: the oldest word, or the one behind it if that one
    leaves. A word that is written where it is read passes by the memory.
    """

    def elaborate(self, platform) -> Module:
        """Count the words; read one cycle ahead."""
        m = Module()
        m.submodules.words = words = memory.Memory(shape=self.width, depth=self.depth, init=[])
        write = words.write_port()
        read = words.read_port(transparent_for=(write,))
        newest, oldest = Signal(range(self.depth)), Signal(range(self.depth))
        taken, given = Signal(), Signal()
        m.d.comb += [
            self.w_rdy.eq(self.w_level != self.depth),
            self.r_rdy.eq(self.w_level != 0),
            self.r_level.eq(self.w_level),
            taken.eq(self.w_rdy & self.w_en),
            given.eq(self.r_rdy & self.r_en),
            write.en.eq(taken),
            write.addr.eq(newest),
            write.data.eq(self.w_data),
            read.addr.eq(Mux(given, self._after(oldest), oldest)),
            self.r_data.eq(read.data),
        ]
        m.d.sync += [oldest.eq(read.addr), self.w_level.eq(self.w_level + taken - given)]
        with m.If(taken):
            m.d.sync += newest.eq(self._after(newest))
        return m

    def _after(self, place: Signal) -> Value:
        return Mux(place == self.depth - 1, 0, place + 1)
