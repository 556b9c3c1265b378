"""A join of two streams: a word of each becomes one."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, EnableInserter, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.ordered.buffers import BUFFERS
from noc.hardware.ordered.operators import COMBINE
from noc.programs.operators import OPERATORS

__all__ = ["Join"]


class Join(wiring.Component):
    """Takes a word of both streams at once, and passes on what they are together.

    Parameters
    ----------
    layout : data.StructLayout
        Of a word: ``data`` if it has any, and a header: whatever else there is.
    operators : sequence of str
        By the word's ``choice`` what combines its data with that of the other.
    to_node : sequence of bool
        By the word's ``choice`` whether the result is for the node that the word names.
    slots : 0, 1 or 2
        Of the buffer behind it; 0 for none.
    latency : int
        Cycles of the slowest operator.
    watchdog : int
        After how many cycles a word that waits for the other tells; 0 for never.

    Members
    -------
    first, second : In(stream.Signature(layout))
        Words that come; ``ready`` depends on the ``valid`` of the other and the buffer.
    o : Out(stream.Signature(layout))
        Words that go on, with the header of the first.
    mismatch : Out(1)
        While two words with different headers are offered, if words have one.
    late : Out(2)
        For the first and the second stream whether its word has been missing so long, if there is
        a watchdog.
    """

    def __init__(
        self,
        layout: data.StructLayout,
        *,
        operators: Sequence[str],
        to_node: Sequence[bool],
        slots: int,
        latency: int = 0,
        watchdog: int = 0,
    ) -> None:
        if slots and slots not in BUFFERS:
            raise ValueError(f"slots must be 0, 1 or 2, not {slots!r}")
        self._layout, self._operators, self._slots = layout, tuple(operators), slots
        self._to_node, self._latency, self._watchdog = tuple(to_node), latency, watchdog
        member = stream.Signature(layout)
        members = {"first": In(member), "second": In(member), "o": Out(member)}
        members |= {"mismatch": Out(1)} if set(layout.members) - {"data"} else {}
        super().__init__(members | ({"late": Out(2)} if watchdog else {}))

    def elaborate(self, platform: object) -> Module:
        """Wait for both, combine, store."""
        m = Module()
        result = self._stored(m)
        both, room, valid = Signal(), Signal(), Signal()
        header = data.View(self._layout, self._later(m, room, Cat(self.first.payload)))
        m.d.comb += [
            both.eq(self.first.valid & self.second.valid),
            valid.eq(self._later(m, room, both, reset_less=False)),
            # Stages move when nothing is in the last, or what is there moves on.
            room.eq(result.ready | ~valid if self._latency else result.ready),
            result.valid.eq(valid),
            Cat(result.payload).eq(Cat(header)),
            self.first.ready.eq(room & self.second.valid),
            self.second.ready.eq(room & self.first.valid),
        ]
        if "mismatch" in self.signature.members:
            m.d.comb += self.mismatch.eq(both & self._differ())
        if "data" in self._layout.members:
            m.d.comb += result.payload.data.eq(self._combined(m, room, header))
        if self._watchdog:
            self._watch(m)
        return m

    def _stored(self, m: Module) -> Any:
        """The stream that leads to the output."""
        output = wiring.flipped(self.o)
        if not self._slots:
            return output
        m.submodules.buffer = buffer = BUFFERS[self._slots](self._layout)
        wiring.connect(m, buffer.o, output)
        return buffer.i

    def _later(
        self, m: Module, room: Value, value: Any, *, passed: int = 0, reset_less: bool = True
    ) -> Any:
        """A value as it is when the operators are done, where it has passed some stages already."""
        for _ in range(passed, self._latency):
            stage = Signal.like(value, name="stage", reset_less=reset_less)
            with m.If(room):
                m.d.sync += stage.eq(value)
            value = stage
        return value

    def _watch(self, m: Module) -> None:
        """Count how long one of the words is missing."""
        waited, over = Signal(range(self._watchdog)), Signal()
        waits = self.first.valid ^ self.second.valid
        m.d.comb += [
            over.eq(waits & (waited == self._watchdog - 1)),
            self.late.eq(Cat(over & ~self.first.valid, over & ~self.second.valid)),
        ]
        m.d.sync += waited.eq(Mux(waits & ~over, waited + 1, 0))

    def _differ(self) -> Value:
        """Whether the headers are different; only some operations look at the node."""
        first, second = self.first.payload, self.second.payload
        result: Value = Const(0)
        for name in self._layout.members:
            if name == "node":
                choices = Cat(
                    Const(1) if len(self._to_node) == 1 else first.choice == place
                    for place, named in enumerate(self._to_node)
                    if named
                )
                result = result | (choices.any() & (first.node != second.node))
            elif name != "data":
                result = result | (first[name] != second[name])
        return result

    def _combined(self, m: Module, room: Value, header: Any) -> Any:
        """What the operator of the first word makes of the data of both."""
        kinds = list(dict.fromkeys(self._operators))
        results = {kind: self._result(m, room, kind) for kind in kinds}
        if len(kinds) == 1:
            return results[kinds[0]]
        chosen: Any = Signal.like(self.o.payload.data, name="combined")
        with m.Switch(header.choice):
            for choice, kind in enumerate(self._operators):
                with m.Case(choice):
                    m.d.comb += chosen.eq(results[kind])
            with m.Default():
                m.d.comb += chosen.eq(results[self._operators[0]])
        return chosen

    def _result(self, m: Module, room: Value, name: str) -> Any:
        """What an operator makes of the data, in the cycle in which the slowest one is done."""
        a, b = self.first.payload.data, self.second.payload.data
        operator = OPERATORS[name]
        if operator.build is None:
            return self._later(m, room, COMBINE[name](a, b))
        part = operator.build(len(a))
        m.submodules[f"operator_{name.replace('-', '_')}"] = EnableInserter(room)(part)
        m.d.comb += [part.a.eq(a), part.b.eq(b)]
        return self._later(m, room, part.o, passed=operator.latency)
