"""Buffers of one and of two slots between two streams, and a register where nothing waits."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out


def slot_like(word: Any, name: str) -> Any:
    """A register for a word, with the attributes that the layout of the word has for it."""
    attributes = getattr(word.shape(), "slot_attributes", {})
    return Signal.like(word, name=name, reset_less=True, attrs=attributes)


class TwoSlots(wiring.Component):
    """A queue of two words whose ``valid`` and ``ready`` are registers.

    It takes and gives a word in every cycle, and cuts all paths but that from the slots to the
    output, which passes one multiplexer. A slot that is free takes what the input shows, word or
    not, so that it needs to know nothing else.

    Parameters
    ----------
    shape : shape-like
        Of a word.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come.
    o : Out(stream.Signature(shape))
        The oldest word.
    """

    def __init__(self, shape: Any) -> None:
        member = stream.Signature(shape)
        super().__init__({"i": In(member), "o": Out(member)})

    def elaborate(self, platform: object) -> Module:
        """Write the slots in turn, read them in turn."""
        m = Module()
        valid, ready, read, write = Signal(), Signal(init=1), Signal(), Signal()
        slots = [slot_like(self.i.p, f"slot_{n}") for n in range(2)]
        leaves = valid & self.o.ready
        m.d.comb += [
            self.i.ready.eq(ready),
            self.o.valid.eq(valid),
            # With one word, it is not where the next is written.
            write.eq(read ^ (valid & ready)),
            self.o.payload.eq(Mux(read, slots[1], slots[0])),
        ]
        m.d.sync += [
            valid.eq(self.i.valid | ~ready | (valid & ~self.o.ready)),
            ready.eq(leaves | (ready & ~(valid & self.i.valid))),
            read.eq(read ^ leaves),
        ]
        for number, slot in enumerate(slots):
            with m.If(ready & (write == number)):
                m.d.sync += slot.eq(self.i.payload)
        return m


class OneSlot(wiring.Component):
    """A register for one word, which takes the next as it gives one: ``ready`` passes through.

    Parameters and members are those of :class:`TwoSlots`.
    """

    def __init__(self, shape: Any) -> None:
        member = stream.Signature(shape)
        super().__init__({"i": In(member), "o": Out(member)})

    def elaborate(self, platform: object) -> Module:
        """Take a word where there is none, or none left."""
        m = Module()
        valid, slot = Signal(), slot_like(self.i.p, "slot")
        m.d.comb += [
            self.i.ready.eq(~valid | self.o.ready),
            self.o.valid.eq(valid),
            self.o.payload.eq(slot),
        ]
        with m.If(self.i.ready):
            m.d.sync += [valid.eq(self.i.valid), slot.eq(self.i.payload)]
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
        valid, slot = Signal(), slot_like(self.i.p, "slot")
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
