"""The arbiters against their rules, for any requests."""

from amaranth.hdl import Assert, Assume, Cover, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring

from formal.contract import most_losses
from noc.hardware.arbiter import FixedPriority, TreeRoundRobin

__all__ = ["FixedPriorityBench", "TreeRoundRobinBench"]


class TreeRoundRobinBench(wiring.Component):
    """A request wins where there is one, and one that stays loses no more than `most_losses` times.

    Grants without ``advance`` do not count. While ``fair`` is low the lowest wins; the claim
    about losses is for an arbiter that is always fair.

    Parameters
    ----------
    arbiter : TreeRoundRobin
        The arbiter.
    fair : bool
        Whether it is always fair.
    """

    def __init__(self, arbiter: TreeRoundRobin, *, fair: bool) -> None:
        self.arbiter, self.fair = arbiter, fair
        self.ports = [arbiter.requests, arbiter.grant, arbiter.advance, arbiter.fair]
        super().__init__({})

    def elaborate(self, platform) -> Module:
        """Watch the grant, and count how often each request has lost."""
        m = Module()
        m.submodules.arbiter = arbiter = self.arbiter
        m.d.comb += Assume(~ResetSignal())
        if self.fair:
            m.d.comb += Assume(arbiter.fair)
        else:
            m.d.comb += Assert(arbiter.fair | (arbiter.grant == _lowest(arbiter.requests)))
        m.d.comb += _one_request(arbiter)
        count = len(arbiter.requests)
        for number in range(count if self.fair else 0):
            most = most_losses(number, count)
            lost = Signal(range(most + 2), name=f"lost_{number}")
            with m.If(~arbiter.requests[number] | (arbiter.grant[number] & arbiter.advance)):
                m.d.sync += lost.eq(0)
            with m.Elif(arbiter.advance & (lost <= most)):
                m.d.sync += lost.eq(lost + 1)
            m.d.comb += [Assert(lost <= most), Cover((lost == most) & arbiter.grant[number])]
        return m


class FixedPriorityBench(wiring.Component):
    """The lowest request wins.

    Parameters
    ----------
    arbiter : FixedPriority
        The arbiter.
    """

    def __init__(self, arbiter: FixedPriority) -> None:
        self.arbiter = arbiter
        self.ports = [arbiter.requests, arbiter.grant]
        super().__init__({})

    def elaborate(self, platform) -> Module:
        """Watch the grant."""
        m = Module()
        m.submodules.arbiter = arbiter = self.arbiter
        m.d.comb += [Assume(~ResetSignal()), Assert(arbiter.grant == _lowest(arbiter.requests))]
        m.d.comb += _one_request(arbiter)
        return m


def _lowest(requests: Value) -> Value:
    """The lowest bit that is set."""
    return (requests & -requests)[: len(requests)]


def _one_request(arbiter: FixedPriority | TreeRoundRobin) -> list:
    """Exactly one request is granted where there is any."""
    grant = arbiter.grant
    return [
        Assert(~(grant & ~arbiter.requests).any()),
        Assert((grant & (grant - 1)[: len(grant)]) == 0),
        Assert(grant.any() == arbiter.requests.any()),
    ]
