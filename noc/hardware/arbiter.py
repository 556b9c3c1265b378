"""Round-robin choice among requests, in one cycle."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RoundRobin", "lowest"]


def lowest(requests):
    """Only the lowest bit that is set."""
    bits = list(requests)
    return Cat(bit & ~Cat(bits[:place]).any() for place, bit in enumerate(bits))


class RoundRobin(wiring.Component):
    """Grants the first request in cyclic order after the one granted last.

    The grant is combinational. After reset the highest request counts as granted last.

    Parameters
    ----------
    count : int
        Number of requests.

    Members
    -------
    requests : In(count)
        Who asks.
    grant : Out(count)
        Who is granted: at most one bit.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        self._count = count
        super().__init__({"requests": In(count), "grant": Out(count)})

    @property
    def count(self) -> int:
        """Number of requests."""
        return self._count

    def elaborate(self, platform) -> Module:
        """Build the two priority chains: those after the last grant, then all."""
        m = Module()
        if self._count == 1:
            m.d.comb += self.grant.eq(self.requests)
            return m
        # One bit for each request that comes after the last grant; none does after the highest.
        after = Signal(self._count)
        favoured = self.requests & after
        with m.If(favoured.any()):
            m.d.comb += self.grant.eq(lowest(favoured))
        with m.Else():
            m.d.comb += self.grant.eq(lowest(self.requests))
        with m.If(self.requests.any()):
            above = [self.grant[:place].any() for place in range(1, self._count)]
            m.d.sync += after.eq(Cat(0, *above))
        return m
