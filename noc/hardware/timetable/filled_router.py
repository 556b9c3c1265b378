"""The router of the timetable fabric where rounds have the words of all nodes, or none."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from noc.hardware.timetable.paced_router import PacedRouter
from noc.hardware.timetable.pacer import TOLD
from noc.hardware.timetable.router import RoundRouter, list_injects
from noc.hardware.timetable.tally import Tally
from noc.streams import Queue


class FilledRouter(wiring.Component):
    """A router with a queue for each inject stream, which tells when the words of a round are in.

    Parameters
    ----------
    router : RoundRouter or PacedRouter
        The router of a node that gives words, which takes them in the rounds that are ``open``.
    rounds : int
        For the words of how many rounds a queue has room.

    Members
    -------
    inject
        As the router has it; but words are taken while there is room for them.
    filled : Out(TOLD)
        ``valid`` in the cycle after each in which the words of one more round have come.
    phase, eject, in_N, out_N, full, pace, open
        As the router has them.
    """

    def __init__(self, router: RoundRouter | PacedRouter, *, rounds: int) -> None:
        self._router: Any = router
        self._table, self._rounds = router.table, rounds
        super().__init__({**router.signature.members, "filled": Out(TOLD)})

    def elaborate(self, platform: object) -> Module:
        """The router, and queues before it."""
        m = Module()
        m.submodules.router = inner = self._router
        for name, member in inner.signature.members.items():
            outer, own = getattr(self, name), getattr(inner, name)
            if name == "inject":
                self._keep_given(m)
            elif member.is_port:
                m.d.comb += outer.eq(own)
            else:
                pairs = zip(outer, own, strict=True) if member.dimensions else [(outer, own)]
                for one, other in pairs:
                    wiring.connect(m, wiring.flipped(one), other)
        return m

    def _keep_given(self, m: Module) -> None:
        """Let words wait until their round begins."""
        outside, inside = (list_injects(each, self._table) for each in (self, self._router))
        # How many words of a round each has.
        counts = [sum(self._table.gives(port)) for port in self._table.inject_lanes] or [1]
        m.submodules.tally = tally = Tally(len(counts), most=self._rounds)
        streams = zip(outside, inside, counts, strict=True)
        for number, (outer, inner, count) in enumerate(streams):
            shape = outer.payload.shape()
            m.submodules[f"queue_{number}"] = queue = Queue(shape, depth=self._rounds * count)
            wiring.connect(m, wiring.flipped(outer), queue.i)
            wiring.connect(m, queue.o, inner)
            taken = queue.i.valid & queue.i.ready
            if count > 1:
                place = Signal(range(count), name=f"place_{number}")
                last = place == count - 1
                with m.If(taken):
                    m.d.sync += place.eq(Mux(last, 0, place + 1))
                taken &= last
            m.d.comb += tally.i[number].eq(taken)
        m.d.sync += self.filled.valid.eq(tally.o)
