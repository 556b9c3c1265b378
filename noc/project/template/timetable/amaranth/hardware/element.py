"""What is at each node. This is the part to fill in."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from hardware.example import WORDS, fields, part_of

from noc.design import AnyDesign


class ProcessingElement(wiring.Component):
    """Gives some numbers, one in each round of the network, and adds up those that come.

    ``number`` is that of its node in the design. Whose word comes is known by the phase of the
    round: ``design.program.sources_of(number)`` has for each eject stream the source by phase, and
    ``phase_NAME`` of the network is the phase.

    Members
    -------
    start : In(1)
        Begin.
    total : Out(width)
        The sum of the data that came since the last start.
    done : Out(1)
        Whether all is given and all has come.
    inject : Out(stream.Signature)
        To the network.
    eject : In(stream.Signature).array
        From the network. Words may come by all of them in the same cycle.
    """

    def __init__(
        self,
        design: AnyDesign,
        number: int,
        *,
        inject: wiring.Member,
        eject: wiring.Member,
    ) -> None:
        self._part, self._always_ready = part_of(design, number), design.always_ready
        members = {"start": In(1), "total": Out(design.width), "done": Out(1)}
        super().__init__(members | {"inject": inject, "eject": eject})

    def elaborate(self, platform):
        """Each word is taken as soon as it comes: an element never holds up the network."""
        m, part = Module(), self._part
        came = Signal(range(part.awaits + 1), init=part.awaits)
        given = Signal(range(WORDS + 1), init=WORDS)
        words = [Mux(each.valid, fields(each.payload)["data"], 0) for each in self.eject]
        # Where sinks are always ready, there is nothing to say.
        m.d.comb += [each.ready.eq(1) for each in self.eject if not self._always_ready]
        m.d.comb += [
            self.inject.valid.eq(given != WORDS),
            self.inject.payload.eq(given + part.first),
            self.done.eq((given == WORDS) & (came == part.awaits)),
        ]
        with m.If(self.start):
            m.d.sync += [came.eq(0), self.total.eq(0), given.eq(0)]
        with m.Else():
            m.d.sync += came.eq(came + sum(each.valid for each in self.eject))
            m.d.sync += self.total.eq(self.total + sum(words))
            with m.If(self.inject.valid & self.inject.ready):
                m.d.sync += given.eq(given + 1)
        return m
