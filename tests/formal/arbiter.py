"""The arbiter against its rule, for any requests."""

from amaranth.hdl import Assert, Assume, Module, ResetSignal, Value
from amaranth.lib import wiring

from noc.hardware.direct.router import FixedPriority

__all__ = ["FixedPriorityBench"]


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


def _one_request(arbiter: FixedPriority) -> list:
    """Exactly one request is granted where there is any."""
    grant = arbiter.grant
    return [
        Assert(~(grant & ~arbiter.requests).any()),
        Assert((grant & (grant - 1)[: len(grant)]) == 0),
        Assert(grant.any() == arbiter.requests.any()),
    ]
