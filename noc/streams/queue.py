"""A queue in a memory, which is a block RAM where it is long."""

from typing import Any

from amaranth.hdl import Module, Mux, Shape, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

#: So few words are not worth a block RAM where there is no LUT RAM. In a memory that is read into a
#: register more words take a third of the gates there; on ECP5 about the same, and are faster.
_SHORT = 4


class Queue(wiring.Component):
    """Does what a SyncFIFO does; a long one reads its memory the cycle before it gives a word.

    What is read next is known a cycle before: the oldest word, or the one behind it if that one
    leaves. A word that is written where it is read passes by the memory.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    depth : int
        How many words it holds, at least 1.
    always_ready : bool
        Whether it never says that it is full: ``i`` has no ``ready`` then, and no word may come
        while there is no room. Who sends watches ``level``.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come.
    o : Out(stream.Signature(shape))
        The oldest word.
    level : Out(range(depth + 1))
        How many words there are.
    """

    def __init__(self, shape: Any, *, depth: int, always_ready: bool = False) -> None:
        if depth < 1:
            raise ValueError(f"depth must be at least 1, not {depth!r}")
        self._shape, self._depth, self._always_ready = shape, depth, always_ready
        comes = stream.Signature(shape, always_ready=always_ready)
        goes = stream.Signature(shape)
        super().__init__({"i": In(comes), "o": Out(goes), "level": Out(range(depth + 1))})

    def elaborate(self, platform: object) -> Module:
        """Count the words."""
        m = Module()
        newest, oldest = Signal(range(self._depth)), Signal(range(self._depth))
        taken, leaves, following = Signal(), Signal(), Signal.like(oldest)
        if not self._always_ready:
            m.d.comb += self.i.ready.eq(self.level != self._depth)
        m.d.comb += [
            self.o.valid.eq(self.level != 0),
            taken.eq(self.i.valid & self.i.ready),
            leaves.eq(self.o.valid & self.o.ready),
            following.eq(Mux(leaves, self._after(oldest), oldest)),
        ]
        m.d.sync += [oldest.eq(following), self.level.eq(self.level + taken - leaves)]
        with m.If(taken):
            m.d.sync += newest.eq(self._after(newest))
        # A memory must have bits.
        if Shape.cast(self._shape).width:
            self._store(m, taken, newest, oldest, following)
        return m

    def _store(
        self, m: Module, taken: Value, newest: Value, oldest: Value, following: Value
    ) -> None:
        """Write a word that is taken, and read the oldest: a long queue, one cycle ahead."""
        m.submodules.words = words = memory.Memory(shape=self._shape, depth=self._depth, init=[])
        write = words.write_port()
        if self._depth > _SHORT:
            read = words.read_port(transparent_for=(write,))
        else:
            read = words.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(taken),
            write.addr.eq(newest),
            write.data.eq(self.i.payload),
            read.addr.eq(following if self._depth > _SHORT else oldest),
            self.o.payload.eq(read.data),
        ]

    def _after(self, slot: Signal) -> Value:
        return Mux(slot == self._depth - 1, 0, slot + 1)
