"""One end of a link: streams on this side, pins to the other."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.links.frame import MOST_BITS, FrameFormat, Phase, bits_of
from noc.links.pins import CellsIn, CellsOut, CellsToBeats, PinsIn, PinsOut, PinsSignature
from noc.links.receiver import Receiver
from noc.links.sender import Sender


class ChipLink(wiring.Component):
    """One of the two ends of a link between chips.

    Words of some streams go to the other end, and those of others come from there, each once,
    unchanged and in the order of its stream, whatever bits are wrong on the way. A stream whose
    words are not taken holds up no other. Both chips have clocks of their own; neither may be twice
    as fast as the other.

    Parameters
    ----------
    goes, comes : sequence of shape-like
        Of the words of each stream to the other end, and from there. The other end has the same,
        the other way round.
    pins : int
        How many pins carry data in each direction, beside a clock.
    ddr : bool
        Whether they carry two bits in a cycle, through DDR cells.

    Members
    -------
    i_0, i_1, … : In(stream.Signature(shape))
        Words for the other end.
    o_0, o_1, … : Out(stream.Signature(shape))
        Words from there.
    tx, rx : Out(PinsSignature(pins)), In(PinsSignature(pins))
        The pins; with ``ddr`` the cells at them, Out(CellsOut(pins)) and In(CellsIn(pins)).
    down : Out(1)
        Whether nothing right has come for long: a cable is missing, or the other end is in reset,
        or was reset alone.
    faulty : Out(1)
        In cycles in which a frame was wrong; what was lost is sent again.
    """

    def __init__(
        self, goes: Sequence[Any], comes: Sequence[Any], *, pins: int, ddr: bool = False
    ) -> None:
        self._goes, self._comes, self._pins, self._ddr = [*goes], [*comes], pins, ddr
        half, most = bits_of(pins, ddr=ddr), MOST_BITS // bits_of(1, ddr=ddr)
        if not 1 <= pins <= most:
            raise ValueError(f"pins must be from 1 to {most}, not {pins!r}")
        #: What is on the pins, each way.
        self.sends = FrameFormat.of(self._goes, self._comes, half)
        self.receives = FrameFormat.of(self._comes, self._goes, half)
        members: dict[str, Any] = {
            f"i_{n}": In(stream.Signature(shape)) for n, shape in enumerate(goes)
        }
        members |= {f"o_{n}": Out(stream.Signature(shape)) for n, shape in enumerate(comes)}
        tx, rx = (CellsOut, CellsIn) if ddr else (PinsSignature, PinsSignature)
        members |= {"tx": Out(tx(pins)), "rx": In(rx(pins))}
        super().__init__(members | {"down": Out(1), "faulty": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Both sides, and their pins."""
        m = Module()
        # In which half cycle of the cells a beat begins.
        begins = Signal(2)
        if not self._ddr:
            m.submodules.pins_out = pins_out = PinsOut(self._pins)
        pins_in: Any = CellsToBeats(self._pins) if self._ddr else PinsIn(self._pins)
        m.submodules.pins_in = pins_in
        m.submodules.sender = sender = Sender(self.sends, self.receives, self._goes)
        m.submodules.receiver = receiver = Receiver(self.receives, self.sends, self._comes)
        for n in range(len(self._goes)):
            wiring.connect(m, wiring.flipped(getattr(self, f"i_{n}")), getattr(sender, f"i_{n}"))
        for n in range(len(self._comes)):
            wiring.connect(m, getattr(receiver, f"o_{n}"), wiring.flipped(getattr(self, f"o_{n}")))
        if self._ddr:
            wiring.connect(m, wiring.flipped(self.rx), pins_in.cells)
            given = [self.tx.data.eq(sender.half), pins_in.begins.eq(begins)]
        else:
            wiring.connect(m, pins_out.pins, wiring.flipped(self.tx))
            wiring.connect(m, wiring.flipped(self.rx), pins_in.pins)
            given = [pins_out.half.eq(sender.half), pins_out.first.eq(sender.first)]
        phase, strange = self._watch(m, sender, receiver)
        own = Signal(self.sends.trailer)
        m.d.comb += [
            *given,
            receiver.arrives.eq(pins_in.arrives),
            receiver.beat.eq(pins_in.beat),
            sender.comes.eq(receiver.comes & ~receiver.refuses),
            sender.news.eq(receiver.news),
            sender.linked.eq(phase == Phase.LINKED),
            # Who is strange falls silent, so that the other side sees it, too.
            sender.stops.eq(strange),
            own.eq(receiver.own),
            own.phase.eq(phase),
            sender.own.eq(own),
            self.faulty.eq(receiver.faulty),
        ]
        # Longer than the other side is ever silent, however slow its clock is.
        silent = Signal(3)
        missing = Signal(init=1)
        m.d.comb += self.down.eq(missing | strange)
        with m.If(sender.comes):
            m.d.sync += [silent.eq(0), missing.eq(0)]
        with m.Elif(sender.tick):
            m.d.sync += silent.eq(silent + 1)
            with m.If(silent.all()):
                m.d.sync += missing.eq(1)
        if self._ddr:
            _search(m, begins, receiver.comes, sender.tick, missing)
        return m

    def _watch(self, m: Module, sender: Sender, receiver: Receiver) -> tuple[Signal, Signal]:
        """How far this side is, and whether the other was reset after words had passed.

        Before words are sent each side has heard that the other has heard it. Who is linked and
        hears that the other is not any more knows that it was reset.
        """
        phase, other = Signal(Phase), receiver.news.phase
        # Whether the other was linked; and whether words have passed.
        was_linked = Signal()
        used = Signal()
        strange = Signal()
        with m.If(sender.sends | receiver.gains):
            m.d.sync += used.eq(1)
        lost = (phase == Phase.LINKED) & (
            (other == Phase.NEW) | (was_linked & (other == Phase.HEARD))
        )
        changes = Signal()
        m.d.comb += [
            # Of a link to what this side was before its reset.
            receiver.refuses.eq((phase == Phase.NEW) & (other == Phase.LINKED)),
            # Until both know of each other there is always something to say, but not without a
            # pause: of frames that are all alike a receiver could take the same wrong parts for
            # words for ever.
            sender.stale.eq(Mux(phase == Phase.LINKED, receiver.stale, sender.soon) | changes),
        ]
        with m.If(receiver.comes):
            with m.If(lost):
                m.d.sync += [strange.eq(used), phase.eq(Phase.HEARD), was_linked.eq(0)]
                m.d.comb += changes.eq(1)
            with m.Elif(other == Phase.LINKED):
                m.d.sync += was_linked.eq(phase != Phase.NEW)
            with m.If((phase == Phase.NEW) & (other != Phase.LINKED)):
                m.d.sync += phase.eq(Phase.HEARD)
                m.d.comb += changes.eq(1)
            with m.If((phase == Phase.HEARD) & (other != Phase.NEW)):
                m.d.sync += phase.eq(Phase.LINKED)
                m.d.comb += changes.eq(1)
        return phase, strange


def _search(m: Module, begins: Signal, comes: Signal, tick: Signal, missing: Signal) -> None:
    """Look for beats in the next half cycle, where none of the other side's frames is right.

    From one tick to the one after the next the other side, which may have half the clock, sends one
    at least, also if it has nothing to say; of those whose words are refused the beats are right.
    """
    waited = Signal()
    with m.If(comes):
        m.d.sync += waited.eq(0)
    with m.Elif(tick):
        m.d.sync += waited.eq(~waited)
        with m.If(waited & missing):
            m.d.sync += begins.eq(begins + 1)
