"""One packet after the other in the whole network."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class PacketArbiter(wiring.Component):
    """Round-robin arbiter that grants a node one packet, until it has arrived everywhere.

    So a network for one source at a time serves all, every node gets every packet without a word
    of another in between, and all nodes get the packets in the same order.

    Parameters
    ----------
    count : int
        Number of nodes.

    Members
    -------
    request : In(count)
        Which nodes have a packet to send.
    grant : Out(count)
        Which node may send, at most one, until its packet has arrived everywhere.
    ends : In(count)
        A bit of each node that changes whenever the end of a packet passes it: into the network
        at the node that sent it, out of the network at the others.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        self._count = count
        super().__init__({"request": In(count), "grant": Out(count), "ends": In(count)})

    def elaborate(self, platform: object) -> Module:
        """Choose by carry chains, which are fast and small for many nodes."""
        m = Module()
        count = self._count
        # All bits above the node that was granted last.
        after, busy, parity, arrived = Signal(count), Signal(), Signal(), Signal()
        preferred, candidates, chosen = Signal(count), Signal(count), Signal(count)
        m.d.comb += [
            preferred.eq(self.request & after),
            candidates.eq(self.request),
            chosen.eq(candidates & (~candidates + 1)),
        ]
        with m.If(preferred.any()):
            m.d.comb += candidates.eq(preferred)
        m.d.sync += arrived.eq(busy & (self.ends == parity.replicate(count)))
        with m.If(arrived):
            m.d.sync += [busy.eq(0), self.grant.eq(0), arrived.eq(0)]
        with m.Elif(~busy & self.request.any()):
            m.d.sync += [
                busy.eq(1),
                self.grant.eq(chosen),
                after.eq(~(chosen | (chosen - 1))),
                parity.eq(~parity),
            ]
        return m
