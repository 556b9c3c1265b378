"""The arbiter that chooses among requests within a cycle."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FixedPriority"]


class FixedPriority(wiring.Component):
    """Fixed-priority arbiter: grants the lowest request.

    Parameters
    ----------
    count : int
        Number of requests.

    Members
    -------
    requests : In(count)
        The requests.
    grant : Out(count)
        The request that is granted: at most one bit.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        super().__init__({"requests": In(count), "grant": Out(count)})

    def elaborate(self, platform: object) -> Module:
        """Grant a request if there is no lower one."""
        m = Module()
        for number, request in enumerate(self.requests):
            m.d.comb += self.grant[number].eq(request & ~self.requests[:number].any())
        return m
