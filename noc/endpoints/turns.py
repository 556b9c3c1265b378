"""One packet after the other in the whole network."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Turns"]


class Turns(wiring.Component):
    """Gives the nodes turns to send a packet; the next turn begins when it has arrived everywhere.

    So a network for one source at a time serves all, every node gets every packet without a word
    of another in between, and all nodes get the packets in the same order. Turns go round among
    the nodes that want one.

    Parameters
    ----------
    count : int
        Number of nodes.

    Members
    -------
    want : In(count)
        Which nodes have a packet to send.
    turn : Out(count)
        Which node may send, at most one, until its packet has arrived everywhere.
    ends : In(count)
        A bit of each node that changes whenever the end of a packet passes it: into the network
        at the node that sent it, out of the network at the others.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        self._count = count
        super().__init__({"want": In(count), "turn": Out(count), "ends": In(count)})

    @property
    def count(self) -> int:
        """Number of nodes."""
        return self._count

    def elaborate(self, platform: object) -> Module:
        """Choose by carry chains, which are fast and small for many nodes."""
        m = Module()
        count = self._count
        # All bits above the node that had the last turn.
        after, busy, parity, arrived = Signal(count), Signal(), Signal(), Signal()
        favoured, wanted, chosen = Signal(count), Signal(count), Signal(count)
        m.d.comb += [
            favoured.eq(self.want & after),
            wanted.eq(self.want),
            chosen.eq(wanted & (~wanted + 1)),
        ]
        with m.If(favoured.any()):
            m.d.comb += wanted.eq(favoured)
        m.d.sync += arrived.eq(busy & (self.ends == parity.replicate(count)))
        with m.If(arrived):
            m.d.sync += [busy.eq(0), self.turn.eq(0), arrived.eq(0)]
        with m.Elif(~busy & self.want.any()):
            m.d.sync += [
                busy.eq(1),
                self.turn.eq(chosen),
                after.eq(~(chosen | (chosen - 1))),
                parity.eq(~parity),
            ]
        return m
