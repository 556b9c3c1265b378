"""Operators that are not in the package, one that is late and one that is not."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.programs.operators import OPERATORS, Operator, register_operator


class Late(wiring.Component):
    """Twice the left number and once the right one, after three cycles."""

    def __init__(self, width: int) -> None:
        super().__init__({"a": In(width), "b": In(width), "o": Out(width)})

    def elaborate(self, _platform) -> Module:
        m = Module()
        value = (2 * self.a + self.b)[: len(self.o)]
        for stage in range(3):
            later = Signal.like(self.o, name=f"stage_{stage}")
            m.d.sync += later.eq(value)
            value = later
        m.d.comb += self.o.eq(value)
        return m


class Soon(wiring.Component):
    """The left number minus the right one, at once."""

    def __init__(self, width: int) -> None:
        super().__init__({"a": In(width), "b": In(width), "o": Out(width)})

    def elaborate(self, _platform) -> Module:
        m = Module()
        m.d.comb += self.o.eq(self.a - self.b)
        return m


@contextmanager
def own_operators() -> Iterator[None]:
    """``own-late`` and ``own`` are there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OPERATORS, "_entries", dict(OPERATORS.items()))
        register_operator(
            Operator("own-late", "", lambda a, b, width: (2 * a + b) % 2**width, Late, latency=3)
        )
        register_operator(Operator("own", "", lambda a, b, width: (a - b) % 2**width, Soon))
        yield


#: A plug-in with an operator, in the way in which users write them.
PLUGIN = """
from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from noc.programs.operators import Operator


class Saturating(wiring.Component):
    def __init__(self, width):
        super().__init__({"a": In(width), "b": In(width), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        total = self.a + self.b
        m.d.comb += self.o.eq(Mux(total[-1], ~0, total))
        return m


OPERATORS = [
    Operator(
        name="saturate",
        summary="sum, or the greatest number where that is less",
        model=lambda left, right, width: min(left + right, 2**width - 1),
        build=Saturating,
    )
]
"""
