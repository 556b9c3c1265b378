"""Buffers of one slot, of two, and of many, and a register where nothing waits."""

from typing import Any

from amaranth.hdl import Module, Mux, Shape, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.streams.announced import a_cycle_later, shown, stream_of
from noc.streams.slots import slot_like


class TwoSlots(wiring.Component):
    """A queue of two words whose ``valid`` and ``ready`` are registers.

    It takes and gives a word in every cycle, and cuts all paths but that from the slots to the
    output, which passes one multiplexer. A slot that is free takes what the input shows, word or
    not, so that it needs to know nothing else.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    announced : bool
        Whether both streams announce their words; slots are written and read a cycle later than
        the buffer says that it holds a word.

    Members
    -------
    i : In(stream.Signature(shape)) or In(Announced(shape))
        Words that come.
    o : Out(stream.Signature(shape)) or Out(Announced(shape))
        The oldest word.
    """

    def __init__(self, shape: Any, *, announced: bool = False) -> None:
        self._announced = announced
        member = stream_of(shape, announced=announced)
        super().__init__({"i": In(member), "o": Out(member)})

    def elaborate(self, platform: object) -> Module:
        """Know whether there are words, and whether there is room."""
        m = Module()
        valid, ready, read, write = Signal(), Signal(init=1), Signal(), Signal()
        leaves = valid & self.o.ready
        m.d.comb += [self.i.ready.eq(ready), self.o.valid.eq(valid)]
        m.d.sync += [
            valid.eq(self.i.valid | ~ready | (valid & ~self.o.ready)),
            ready.eq(leaves | (ready & ~(valid & self.i.valid))),
        ]
        if self._announced:
            self._shift(m, valid, ready, leaves)
        else:
            m.d.sync += read.eq(read ^ leaves)
            # With one word, it is not where the next is written.
            m.d.comb += write.eq(read ^ (valid & ready))
            self._take_turns(m, ready, read, write)
        return m

    def _take_turns(self, m: Module, ready: Signal, read: Signal, write: Signal) -> None:
        """Write the slots in turn, read them in turn."""
        slots = [slot_like(self.i.payload, f"slot_{n}") for n in range(2)]
        m.d.comb += self.o.payload.eq(Mux(read, slots[1], slots[0]))
        for number, slot in enumerate(slots):
            with m.If(ready & (write == number)):
                m.d.sync += slot.eq(self.i.payload)

    def _shift(self, m: Module, valid: Signal, ready: Signal, leaves: Value) -> None:
        """Write a word to one slot, from which it goes to the other as the next one comes.

        So gates that put a payload together lead to one register, which is beside them. A word is
        in the second slot if there are two.
        """
        newest, oldest = (slot_like(self.i.payload, name) for name in ("newest", "oldest"))
        with m.If(a_cycle_later(m, self.i.valid & ready)):
            m.d.sync += [newest.eq(self.i.payload), oldest.eq(newest)]
        one, two = (a_cycle_later(m, leaves & holds) for holds in (ready, ~ready))
        m.d.comb += Value.cast(self.o.payload).eq(shown(newest, one) | shown(oldest, two))


class OneSlot(wiring.Component):
    """A register for one word, which takes the next as it gives one: ``ready`` passes through.

    Parameters and members are those of :class:`TwoSlots`.
    """

    def __init__(self, shape: Any, *, announced: bool = False) -> None:
        self._announced = announced
        member = stream_of(shape, announced=announced)
        super().__init__({"i": In(member), "o": Out(member)})

    def elaborate(self, platform: object) -> Module:
        """Take a word where there is none, or none left."""
        m = Module()
        valid, slot = Signal(), slot_like(self.i.payload, "slot")
        m.d.comb += [self.i.ready.eq(~valid | self.o.ready), self.o.valid.eq(valid)]
        if not self._announced:
            m.d.comb += self.o.payload.eq(slot)
            with m.If(self.i.ready):
                m.d.sync += [valid.eq(self.i.valid), slot.eq(self.i.payload)]
            return m
        gone = a_cycle_later(m, valid & self.o.ready)
        m.d.comb += Value.cast(self.o.payload).eq(shown(slot, gone))
        with m.If(self.i.ready):
            m.d.sync += valid.eq(self.i.valid)
        with m.If(a_cycle_later(m, self.i.ready)):
            m.d.sync += slot.eq(self.i.payload)
        return m


class Register(wiring.Component):
    """A register between two streams whose words are always taken: each takes a cycle.

    Parameters are those of :class:`TwoSlots`; neither stream has a ``ready``.
    """

    def __init__(self, shape: Any) -> None:
        member = stream.Signature(shape, always_ready=True)
        super().__init__({"i": In(member), "o": Out(member)})

    def elaborate(self, platform: object) -> Module:
        """Pass on what is offered."""
        m = Module()
        valid, slot = Signal(), slot_like(self.i.payload, "slot")
        m.d.comb += [self.o.valid.eq(valid), self.o.payload.eq(slot)]
        m.d.sync += [valid.eq(self.i.valid), slot.eq(self.i.payload)]
        return m


class Valve(wiring.Component):
    """A register whose words are always taken, and which itself takes none while it is stopped.

    Parameters are those of :class:`TwoSlots`.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come.
    stop : In(1)
        Whether none is taken in this cycle.
    o : Out(stream.Signature(shape, always_ready=True))
        The word that was taken in the cycle before.
    """

    def __init__(self, shape: Any) -> None:
        members = {"i": In(stream.Signature(shape)), "stop": In(1)}
        super().__init__(members | {"o": Out(stream.Signature(shape, always_ready=True))})

    def elaborate(self, platform: object) -> Module:
        """Pass on what is taken."""
        m = Module()
        m.submodules.register = register = Register(self.i.p.shape())
        m.d.comb += [
            self.i.ready.eq(~self.stop),
            register.i.valid.eq(self.i.valid & ~self.stop),
            register.i.payload.eq(self.i.payload),
        ]
        wiring.connect(m, register.o, wiring.flipped(self.o))
        return m


#: By the number of their slots.
BUFFERS = {1: OneSlot, 2: TwoSlots}


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
    registered : bool
        Whether its ``ready`` is a register, and a slot that is free takes what the input shows,
        word or not: no gates lead to the memory, where words come over long wires.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come.
    o : Out(stream.Signature(shape))
        The oldest word.
    level : Out(range(depth + 1))
        How many words there are.
    """

    def __init__(
        self, shape: Any, *, depth: int, always_ready: bool = False, registered: bool = False
    ) -> None:
        if depth < 1:
            raise ValueError(f"depth must be at least 1, not {depth!r}")
        if always_ready and registered:
            raise ValueError("a queue that is always ready has no ready for a register")
        self._shape, self._depth = shape, depth
        self._always_ready, self._registered = always_ready, registered
        comes = stream.Signature(shape, always_ready=always_ready)
        goes = stream.Signature(shape)
        super().__init__({"i": In(comes), "o": Out(goes), "level": Out(range(depth + 1))})

    def elaborate(self, platform: object) -> Module:
        """Count the words."""
        m = Module()
        newest, oldest = Signal(range(self._depth)), Signal(range(self._depth))
        taken, leaves, following = Signal(), Signal(), Signal.like(oldest)
        if not (self._always_ready or self._registered):
            m.d.comb += self.i.ready.eq(self.level != self._depth)
        m.d.comb += [
            self.o.valid.eq(self.level != 0),
            taken.eq(self.i.valid & self.i.ready),
            leaves.eq(self.o.valid & self.o.ready),
            following.eq(Mux(leaves, self._after(oldest), oldest)),
        ]
        level = self.level + taken - leaves
        m.d.sync += [oldest.eq(following), self.level.eq(level)]
        if self._registered:
            room = Signal(init=1, name="ready")
            m.d.comb += self.i.ready.eq(room)
            m.d.sync += room.eq(level != self._depth)
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
            write.en.eq(self.i.ready if self._registered else taken),
            write.addr.eq(newest),
            write.data.eq(self.i.payload),
            read.addr.eq(following if self._depth > _SHORT else oldest),
            self.o.payload.eq(read.data),
        ]

    def _after(self, slot: Signal) -> Value:
        return Mux(slot == self._depth - 1, 0, slot + 1)
