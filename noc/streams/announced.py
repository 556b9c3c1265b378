"""Streams that announce their words: what is passed on in a cycle is seen in a later one.

Whoever chooses among such streams need not choose among their payloads: of all but the one whose
word was passed on they are 0, so that they are only put together by OR, and what was chosen leads
to few gates.
"""

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.streams.slots import slot_like


class Announced(wiring.Signature):
    """A stream whose payload is that of the word passed on some cycles before, and otherwise 0.

    ``valid`` and ``ready`` are those of a stream. Those who merge such streams by OR rely upon the
    0. ``wiring.connect`` cannot tell it from a plain stream: words come in by :class:`Announce`
    and out by :class:`Arrive`, and where they may stall there, behind it, by a queue that is always
    ready and stops it in time.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    cycles : int
        How many cycles before.

    Members
    -------
    valid : Out(1)
        Whether a word is offered; it is until it is taken.
    ready : In(1)
        Whether it is taken.
    payload : Out(shape)
        The word that was offered and taken that many cycles before, or 0 if none was.
    """

    def __init__(self, shape: Any, cycles: int = 1) -> None:
        self._shape, self._cycles = shape, cycles
        super().__init__({"valid": Out(1), "ready": In(1), "payload": Out(shape)})

    def __eq__(self, other: object) -> bool:
        """Whether both are of the same words, in the same cycles."""
        same = type(other) is Announced and other._cycles == self._cycles
        return same and other.members == self.members

    def __repr__(self) -> str:
        """As it is made."""
        return f"Announced({self._shape!r}, {self._cycles})"


def stream_of(shape: Any, *, announced: int) -> wiring.Signature:
    """A stream of words that are announced so many cycles before they are seen, or a plain one."""
    return Announced(shape, int(announced)) if announced else stream.Signature(shape)


def shown(payload: Any, when: Signal) -> Value:
    """A payload in the cycles in which it is to be seen, and 0 in others."""
    bits = Value.cast(payload)
    return bits & when.replicate(len(bits))


def a_cycle_later(m: Module, value: Value) -> Signal:
    """A signal in the cycle after."""
    later = Signal.like(value, name="later")
    m.d.sync += later.eq(value)
    return later


class Announce(wiring.Component):
    """From a stream to an announced one: a register keeps a word for the cycle after.

    Parameters
    ----------
    shape : shape-like
        Of a word.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come.
    o : Out(Announced(shape))
        The same, in the same cycles.
    """

    def __init__(self, shape: Any) -> None:
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(Announced(shape))})

    def elaborate(self, platform: object) -> Module:
        """Keep whatever is offered; show it if it was taken."""
        m = Module()
        slot = slot_like(self.i.payload, "slot")
        gone = a_cycle_later(m, self.i.valid & self.o.ready)
        m.d.comb += [
            self.i.ready.eq(self.o.ready),
            self.o.valid.eq(self.i.valid),
            Value.cast(self.o.payload).eq(shown(slot, gone)),
        ]
        m.d.sync += slot.eq(self.i.payload)
        return m


class Postpone(wiring.Component):
    """From an announced stream to one whose payloads are seen a cycle later: a register.

    Parameters
    ----------
    shape : shape-like
        Of a word.

    Members
    -------
    i : In(Announced(shape))
        Words that come.
    o : Out(Announced(shape, 2))
        The same, in the same cycles.
    """

    def __init__(self, shape: Any) -> None:
        super().__init__({"i": In(Announced(shape)), "o": Out(Announced(shape, 2))})

    def elaborate(self, platform: object) -> Module:
        """Keep what is seen."""
        m = Module()
        m.d.comb += [self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready)]
        m.d.sync += self.o.payload.eq(self.i.payload)
        return m


class Arrive(wiring.Component):
    """From an announced stream to one whose words are always taken, when they are seen.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    cycles : int
        How many cycles that is after they were passed on.
    stops : bool
        Whether no word may be taken at times.

    Members
    -------
    i : In(Announced(shape, cycles))
        Words that come.
    stop : In(1)
        Whether none is taken in this cycle, if it stops.
    o : Out(stream.Signature(shape, always_ready=True))
        The word that was taken so many cycles before.
    """

    def __init__(self, shape: Any, *, cycles: int = 1, stops: bool = False) -> None:
        ports: dict[str, Any] = {"i": In(Announced(shape, cycles))}
        ports |= {"stop": In(1)} if stops else {}
        self._cycles, self._stops = cycles, stops
        super().__init__(ports | {"o": Out(stream.Signature(shape, always_ready=True))})

    def elaborate(self, platform: object) -> Module:
        """Say of the payload whether it is a word."""
        m = Module()
        stop = self.stop if self._stops else 0
        m.d.comb += [self.i.ready.eq(~stop), self.o.payload.eq(self.i.payload)]
        taken: Value = self.i.valid & self.i.ready
        for _ in range(self._cycles):
            taken = a_cycle_later(m, taken)
        m.d.comb += self.o.valid.eq(taken)
        return m
