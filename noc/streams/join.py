"""A join of two streams: a word of each becomes one."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Cat, EnableInserter, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.streams.buffers import BUFFERS


class Join(wiring.Component):
    """Takes a word of both streams at once, and passes on what they are together.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    combine : callable or wiring.Component
        What two words are together: a function of both, or a component with the ports ``a`` and
        ``b``, ``In(shape)``, and ``o``, ``Out(shape)``. Its registers, in the domain ``sync``,
        hold still while the join does.
    differ : callable, optional
        A function of two words: whether they should not have met.
    slots : 0, 1 or 2
        Of the buffer behind it; 0 for none.
    latency : int
        Cycles from ``a`` and ``b`` of the component to ``o``.
    watchdog : int
        Cycles after which a word that still waits for the other raises ``late``; 0 for no watchdog.

    Members
    -------
    first, second : In(stream.Signature(shape))
        Words that come; ``ready`` depends on the ``valid`` of the other and the buffer.
    o : Out(stream.Signature(shape))
        Words that go on.
    mismatch : Out(1)
        While two words that differ are offered, if there is ``differ``.
    late : Out(2)
        For the first and the second stream whether its word is still missing, if there is a
        watchdog.
    """

    def __init__(
        self,
        shape: Any,
        *,
        combine: "Callable[[Any, Any], Any] | wiring.Component[Any]",
        differ: Callable[[Any, Any], Value] | None = None,
        slots: int = 2,
        latency: int = 0,
        watchdog: int = 0,
    ) -> None:
        if slots and slots not in BUFFERS:
            raise ValueError(f"slots must be 0, 1 or 2, not {slots!r}")
        if latency and not isinstance(combine, wiring.Component):
            raise ValueError(f"latency must be 0 where combine is a function, not {latency!r}")
        self._shape, self._combine, self._differ = shape, combine, differ
        self._slots, self._latency, self._watchdog = slots, latency, watchdog
        member = stream.Signature(shape)
        members = {"first": In(member), "second": In(member), "o": Out(member)}
        members |= {"mismatch": Out(1)} if differ else {}
        super().__init__(members | ({"late": Out(2)} if watchdog else {}))

    def elaborate(self, platform: object) -> Module:
        """Wait for both, combine, store."""
        m = Module()
        result = self._stored(m)
        both, room, valid = Signal(), Signal(), Signal()
        m.d.comb += [
            both.eq(self.first.valid & self.second.valid),
            valid.eq(self._delayed(m, both, room)),
            # Stages move when nothing is in the last, or what is there moves on.
            room.eq(result.ready | ~valid if self._latency else result.ready),
            result.valid.eq(valid),
            result.payload.eq(self._combined(m, room)),
            self.first.ready.eq(room & self.second.valid),
            self.second.ready.eq(room & self.first.valid),
        ]
        if self._differ:
            m.d.comb += self.mismatch.eq(both & self._differ(self.first.p, self.second.p))
        if self._watchdog:
            self._watch(m)
        return m

    def _stored(self, m: Module) -> Any:
        """The stream that leads to the output."""
        output = wiring.flipped(self.o)
        if not self._slots:
            return output
        m.submodules.buffer = buffer = BUFFERS[self._slots](self._shape)
        wiring.connect(m, buffer.o, output)
        return buffer.i

    def _delayed(self, m: Module, both: Value, room: Value) -> Value:
        """Whether there are results, when the component is done."""
        for _ in range(self._latency):
            stage = Signal(name="stage")
            with m.If(room):
                m.d.sync += stage.eq(both)
            both = stage
        return both

    def _combined(self, m: Module, room: Value) -> Any:
        """What the two words are together."""
        part: Any = self._combine
        if not isinstance(part, wiring.Component):
            return part(self.first.p, self.second.p)
        m.submodules.combine = EnableInserter(room)(part)
        m.d.comb += [part.a.eq(self.first.p), part.b.eq(self.second.p)]
        return part.o

    def _watch(self, m: Module) -> None:
        """Count how long one of the words is missing."""
        waited, over = Signal(range(self._watchdog)), Signal()
        waits = self.first.valid ^ self.second.valid
        m.d.comb += [
            over.eq(waits & (waited == self._watchdog - 1)),
            self.late.eq(Cat(over & ~self.first.valid, over & ~self.second.valid)),
        ]
        m.d.sync += waited.eq(Mux(waits & ~over, waited + 1, 0))
