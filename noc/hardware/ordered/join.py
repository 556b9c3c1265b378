"""A join of two streams: a word of each becomes one."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.ordered.buffers import BUFFERS
from noc.hardware.ordered.operators import COMBINE

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
    slots : 1 or 2
        Of the buffer behind it.

    Members
    -------
    first, second : In(stream.Signature(layout))
        Words that come; ``ready`` depends on the ``valid`` of the other and the buffer.
    o : Out(stream.Signature(layout))
        Words that go on, with the header of the first.
    mismatch : Out(1)
        While two words with different headers are offered.
    """

    def __init__(
        self,
        layout: data.StructLayout,
        *,
        operators: Sequence[str],
        to_node: Sequence[bool],
        slots: int,
    ) -> None:
        if slots not in BUFFERS:
            raise ValueError(f"slots must be 1 or 2, not {slots!r}")
        self._layout, self._operators, self._slots = layout, tuple(operators), slots
        self._to_node = tuple(to_node)
        member = stream.Signature(layout)
        super().__init__(
            {"first": In(member), "second": In(member), "o": Out(member), "mismatch": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        """Wait for both, combine, store."""
        m = Module()
        m.submodules.buffer = buffer = BUFFERS[self._slots](self._layout)
        both = Signal()
        m.d.comb += [
            both.eq(self.first.valid & self.second.valid),
            buffer.i.valid.eq(both),
            Cat(buffer.i.payload).eq(Cat(self.first.payload)),
            self.first.ready.eq(buffer.i.ready & self.second.valid),
            self.second.ready.eq(buffer.i.ready & self.first.valid),
        ]
        if "data" in self._layout.members:
            m.d.comb += buffer.i.payload.data.eq(self._combined(m))
        m.d.comb += self.mismatch.eq(both & self._differ())
        wiring.connect(m, buffer.o, wiring.flipped(self.o))
        return m

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

    def _combined(self, m: Module) -> Any:
        """What the operator of the first word makes of the data of both."""
        a, b = self.first.payload.data, self.second.payload.data
        kinds = list(dict.fromkeys(self._operators))
        results = {kind: COMBINE[kind](a, b) for kind in kinds}
        if len(kinds) == 1:
            return results[kinds[0]]
        chosen: Any = Signal.like(a, name="combined")
        with m.Switch(self.first.payload.choice):
            for choice, kind in enumerate(self._operators):
                with m.Case(choice):
                    m.d.comb += chosen.eq(results[kind])
            with m.Default():
                m.d.comb += chosen.eq(results[self._operators[0]])
        return chosen
