"""Arbiters that choose among requests within a cycle."""

from collections.abc import Iterator

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FixedPriority", "TreeRoundRobin"]


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
        super().__init__(_requests(count))

    def elaborate(self, platform: object) -> Module:
        """Grant a request if there is no lower one."""
        m = Module()
        for number, request in enumerate(self.requests):
            m.d.comb += self.grant[number].eq(request & ~self.requests[:number].any())
        return m


class TreeRoundRobin(wiring.Component):
    """Round-robin arbiter: a binary tree of arbiters of two inputs.

    The root chooses between the first half of the requests, rounded up, and the second, and so on
    inside each half. If both halves request, the one that the pointer names wins: the first after
    reset, then the one that lost when a grant last came from below this arbiter. So a request that
    stays is granted after at most 2**depth - 1 others. While ``fair`` is low, the first half wins.

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
    advance : In(1)
        Whether the grant is used: only then do pointers move.
    fair : In(1)
        Whether pointers count; without, priority is fixed.
    """

    def __init__(self, count: int) -> None:
        super().__init__(_requests(count) | {"advance": In(1), "fair": In(1)})

    def elaborate(self, platform: object) -> Module:
        """Grant the request that wins at every level."""
        m = Module()
        for number, won in enumerate(self._wins(m, 0, len(self.requests))):
            m.d.comb += self.grant[number].eq(self.requests[number] & won)
        return m

    def _wins(self, m: Module, first: int, end: int) -> Iterator[Value]:
        """For each of these requests, whether it wins at every level among them."""
        if end - first == 1:
            yield Value.cast(1)
            return
        middle = first + (end - first + 1) // 2
        lower, upper = self.requests[first:middle].any(), self.requests[middle:end].any()
        pointer = Signal(name=f"pointer_{first}_{end - 1}")
        second = Signal(name=f"second_{first}_{end - 1}")
        m.d.comb += second.eq(Mux(pointer & self.fair, upper, ~lower))
        granted = self.grant[first:end].any()
        with m.If(self.advance & granted):
            m.d.sync += pointer.eq(~second)
        for won in self._wins(m, first, middle):
            yield won & ~second
        for won in self._wins(m, middle, end):
            yield won & second


def _requests(count: int) -> dict[str, wiring.Member]:
    """The members that both arbiters have."""
    if count < 1:
        raise ValueError(f"count must be at least 1, not {count!r}")
    return {"requests": In(count), "grant": Out(count)}
