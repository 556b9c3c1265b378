"""Fair choice among requests, in one cycle."""

from collections.abc import Iterator

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Lowest", "Tournament"]


class Lowest(wiring.Component):
    """Grants the lowest request: for requests that hardly ever meet.

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
        super().__init__(_requests(count))

    def elaborate(self, platform: object) -> Module:
        """Grant where nothing lower asks."""
        m = Module()
        for place, request in enumerate(self.requests):
            m.d.comb += self.grant[place].eq(request & ~self.requests[:place].any())
        return m


class Tournament(wiring.Component):
    """Grants one request: pairs play, then the winners' pairs, and each pair takes turns.

    The first half of the requests, rounded up, plays against the other, and so on inside each
    half. Where both sides ask, the one wins whose turn it is: the first after reset, then the one
    that did not win when that pair last gave the winner. So a request that stays is granted after
    at most 2**rounds - 1 others. While ``fair`` is down, the first side always wins.

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
    take : In(1)
        Whether the grant is used: only then do turns pass.
    fair : In(1)
        Whether turns count.
    """

    def __init__(self, count: int) -> None:
        super().__init__(_requests(count) | {"take": In(1), "fair": In(1)})

    def elaborate(self, platform: object) -> Module:
        """Play all rounds; a request is granted that wins them all."""
        m = Module()
        for place, won in enumerate(self._play(m, 0, len(self.requests))):
            m.d.comb += self.grant[place].eq(self.requests[place] & won)
        return m

    def _play(self, m: Module, first: int, end: int) -> Iterator[Value]:
        """For each request whether it wins all rounds between these."""
        if end - first == 1:
            yield Value.cast(1)
            return
        middle = first + (end - first + 1) // 2
        left, right = self.requests[first:middle].any(), self.requests[middle:end].any()
        turn = Signal(name=f"turn_{first}_{end - 1}")
        second = Signal(name=f"second_{first}_{end - 1}")
        m.d.comb += second.eq(Mux(turn & self.fair, right, ~left))
        granted = self.grant[first:end].any()
        with m.If(self.take & granted):
            m.d.sync += turn.eq(~second)
        for won in self._play(m, first, middle):
            yield won & ~second
        for won in self._play(m, middle, end):
            yield won & second


def _requests(count: int) -> dict[str, wiring.Member]:
    """Who asks, and who is granted."""
    if count < 1:
        raise ValueError(f"count must be at least 1, not {count!r}")
    return {"requests": In(count), "grant": Out(count)}
