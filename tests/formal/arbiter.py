"""The arbiters against their rules, for any requests."""

from amaranth.hdl import Assert, Assume, Cover, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring

from formal.contract import most_losses
from noc.hardware.arbiter import Lowest, Tournament

__all__ = ["LowestBench", "TournamentBench"]


class TournamentBench(wiring.Component):
    """One of those that ask wins, and one that keeps asking loses no more than `most_losses`.

    Wins that are not taken are none. While ``fair`` is down the lowest wins, and the claim about
    losses is for a tournament that is always fair.

    Parameters
    ----------
    arbiter : Tournament
        The arbiter.
    fair : bool
        Whether it is always fair.
    """

    def __init__(self, arbiter: Tournament, *, fair: bool) -> None:
        self.arbiter, self.fair = arbiter, fair
        self.ports = [arbiter.requests, arbiter.grant, arbiter.take, arbiter.fair]
        super().__init__({})

    def elaborate(self, platform) -> Module:
        """Watch the grant, and count what each has lost."""
        m = Module()
        m.submodules.arbiter = arbiter = self.arbiter
        m.d.comb += Assume(~ResetSignal())
        if self.fair:
            m.d.comb += Assume(arbiter.fair)
        else:
            m.d.comb += Assert(arbiter.fair | (arbiter.grant == _lowest(arbiter.requests)))
        m.d.comb += _one_that_asks(arbiter)
        count = len(arbiter.requests)
        for place in range(count if self.fair else 0):
            most = most_losses(place, count)
            lost = Signal(range(most + 2), name=f"lost_{place}")
            with m.If(~arbiter.requests[place] | (arbiter.grant[place] & arbiter.take)):
                m.d.sync += lost.eq(0)
            with m.Elif(arbiter.take & (lost <= most)):
                m.d.sync += lost.eq(lost + 1)
            m.d.comb += [Assert(lost <= most), Cover((lost == most) & arbiter.grant[place])]
        return m


class LowestBench(wiring.Component):
    """The lowest of those that ask wins.

    Parameters
    ----------
    arbiter : Lowest
        The arbiter.
    """

    def __init__(self, arbiter: Lowest) -> None:
        self.arbiter = arbiter
        self.ports = [arbiter.requests, arbiter.grant]
        super().__init__({})

    def elaborate(self, platform) -> Module:
        """Watch the grant."""
        m = Module()
        m.submodules.arbiter = arbiter = self.arbiter
        m.d.comb += [Assume(~ResetSignal()), Assert(arbiter.grant == _lowest(arbiter.requests))]
        m.d.comb += _one_that_asks(arbiter)
        return m


def _lowest(requests: Value) -> Value:
    """The lowest bit that is set."""
    return (requests & -requests)[: len(requests)]


def _one_that_asks(arbiter: Lowest | Tournament) -> list:
    """Exactly one is granted where one asks, and it asks."""
    grant = arbiter.grant
    return [
        Assert(~(grant & ~arbiter.requests).any()),
        Assert((grant & (grant - 1)[: len(grant)]) == 0),
        Assert(grant.any() == arbiter.requests.any()),
    ]
