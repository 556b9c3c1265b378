"""The arbiter against its rule, for any requests."""

from amaranth.hdl import Assert, Assume, Elaboratable, Module, Mux, ResetSignal, Signal

from noc.hardware.arbiter import RoundRobin

__all__ = ["ArbiterBench"]


class ArbiterBench(Elaboratable):
    """Grants the first request after the last one granted, and so each within a round.

    Parameters
    ----------
    arbiter : RoundRobin
        The arbiter.
    """

    def __init__(self, arbiter: RoundRobin) -> None:
        self.arbiter = arbiter
        self.ports = [arbiter.requests, arbiter.grant]

    def elaborate(self, platform) -> Module:
        """Keep the number of the last one granted, and count the rounds that each has lost."""
        m = Module()
        m.submodules.arbiter = self.arbiter
        m.d.comb += Assume(~ResetSignal())
        requests, grant, count = self.arbiter.requests, self.arbiter.grant, self.arbiter.count
        last = Signal(range(max(2, count)), init=count - 1)
        for now in range(count):
            rule = 0
            for step in range(count, 0, -1):
                place = (now + step) % count
                rule = Mux(requests[place], 1 << place, rule)
            m.d.comb += Assert((last != now) | (grant == rule))
        for place in range(count):
            lost = Signal(range(count + 1), name=f"lost_{place}")
            with m.If(grant[place]):
                m.d.sync += [last.eq(place), lost.eq(0)]
            with m.Elif(~requests[place]):
                m.d.sync += lost.eq(0)
            with m.Elif(lost < count):
                m.d.sync += lost.eq(lost + 1)
            m.d.comb += Assert(lost < count)
        return m
