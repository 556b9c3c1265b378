"""One end of a link: streams on this side, pins to the other.

Data pins change in every cycle of the sender's clock; the clock pin changes half a cycle later, in
the midst of a bit, up for the first half of a beat and down for the second. The receiver takes the
pins at both edges, so that all is made of flip-flops which every chip has.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Module, Mux, ResetSignal, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import ResetSynchronizer
from amaranth.lib.fifo import AsyncFIFO
from amaranth.lib.wiring import In, Out

from noc.links.frame import FrameFormat, Phase
from noc.links.receiver import Receiver
from noc.links.sender import PATIENCE, Sender


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

    Members
    -------
    i_0, i_1, … : In(stream.Signature(shape))
        Words for the other end.
    o_0, o_1, … : Out(stream.Signature(shape))
        Words from there.
    tx, rx : Out(PinsSignature(pins)), In(PinsSignature(pins))
        The pins.
    down : Out(1)
        Whether nothing right has come for long: a cable is missing, or the other end is in reset,
        or was reset alone.
    faulty : Out(1)
        In cycles in which a frame was wrong; what was lost is sent again.
    """

    def __init__(self, goes: Sequence[Any], comes: Sequence[Any], *, pins: int) -> None:
        self._goes, self._comes, self._pins = [*goes], [*comes], pins
        #: What is on the pins, each way.
        self.sends = FrameFormat.of(self._goes, self._comes, pins)
        self.receives = FrameFormat.of(self._comes, self._goes, pins)
        members: dict[str, Any] = {
            f"i_{n}": In(stream.Signature(shape)) for n, shape in enumerate(goes)
        }
        members |= {f"o_{n}": Out(stream.Signature(shape)) for n, shape in enumerate(comes)}
        members |= {"tx": Out(PinsSignature(pins)), "rx": In(PinsSignature(pins))}
        super().__init__(members | {"down": Out(1), "faulty": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Both sides, and their pins."""
        m = Module()
        m.submodules.pins_out = pins_out = PinsOut(self._pins)
        m.submodules.pins_in = pins_in = PinsIn(self._pins)
        m.submodules.sender = sender = Sender(self.sends, self.receives, self._goes)
        m.submodules.receiver = receiver = Receiver(self.receives, self.sends, self._comes)
        for n in range(len(self._goes)):
            wiring.connect(m, wiring.flipped(getattr(self, f"i_{n}")), getattr(sender, f"i_{n}"))
        for n in range(len(self._comes)):
            wiring.connect(m, getattr(receiver, f"o_{n}"), wiring.flipped(getattr(self, f"o_{n}")))
        wiring.connect(m, pins_out.pins, wiring.flipped(self.tx))
        wiring.connect(m, wiring.flipped(self.rx), pins_in.pins)
        phase, strange = self._watch(m, sender, receiver)
        own = Signal(self.sends.header)
        m.d.comb += [
            # Who is strange falls silent, so that the other side sees it, too.
            pins_out.beat.eq(Mux(strange, 0, sender.beat)),
            receiver.arrives.eq(pins_in.arrives & ~strange),
            receiver.beat.eq(pins_in.beat),
            sender.moves.eq(pins_out.moves),
            sender.comes.eq(receiver.comes & ~receiver.refuses),
            sender.news.eq(receiver.news),
            sender.linked.eq(phase == Phase.LINKED),
            own.eq(receiver.own),
            own.phase.eq(phase),
            sender.own.eq(own),
            self.faulty.eq(receiver.faulty),
        ]
        # Longer than the other side is ever silent, however slow its clock is.
        silent, missing = Signal(range(8 * PATIENCE)), Signal(init=1)
        m.d.comb += self.down.eq(missing | strange)
        with m.If(receiver.comes & ~receiver.refuses):
            m.d.sync += [silent.eq(0), missing.eq(0)]
        with m.Elif(sender.tick):
            m.d.sync += silent.eq(silent + ~silent.all())
            with m.If(silent.all()):
                m.d.sync += missing.eq(1)
        return m

    def _watch(self, m: Module, sender: Sender, receiver: Receiver) -> tuple[Signal, Signal]:
        """How far this side is, and whether the other was reset after words had passed.

        Before words are sent each side has heard that the other has heard it. Who is linked and
        hears that the other is not any more knows that it was reset.
        """
        phase, other = Signal(Phase), receiver.news.phase
        # Whether the other was linked; and whether words have passed.
        was_linked, used, strange = Signal(), Signal(), Signal()
        with m.If(sender.sends | receiver.gains):
            m.d.sync += used.eq(1)
        lost = (phase == Phase.LINKED) & (
            (other == Phase.NEW) | (was_linked & (other == Phase.HEARD))
        )
        changes = Signal()
        m.d.comb += [
            # Of a link to what this side was before its reset.
            receiver.refuses.eq((phase == Phase.NEW) & (other == Phase.LINKED)),
            # Until both know of each other there is always something to say.
            sender.stale.eq(receiver.stale | changes | (phase != Phase.LINKED)),
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


#: Beats that wait to be seen in the clock of the chip, which takes them twice as fast as they come.
_WAIT = 8


class PinsSignature(wiring.Signature):
    """The pins of one direction, as the sender has them."""

    def __init__(self, pins: int) -> None:
        super().__init__({"clock": Out(1), "data": Out(pins)})


class PinsOut(wiring.Component):
    """Beats out of this chip.

    Members
    -------
    beat : In(2 * pins)
        What is taken where ``moves`` is 1.
    moves : Out(1)
        In every second cycle.
    pins : Out(PinsSignature(pins))
        The pins.
    """

    def __init__(self, pins: int) -> None:
        super().__init__({"beat": In(2 * pins), "moves": Out(1), "pins": Out(PinsSignature(pins))})

    def elaborate(self, platform: object) -> Module:
        """Half a beat in a cycle; the clock is never still, even in reset."""
        m = Module()
        m.domains.fall = fall = ClockDomain(local=True, clk_edge="neg", reset_less=True)
        m.d.comb += fall.clk.eq(ClockSignal())
        pins = len(self.pins.data)
        second, clock = Signal(reset_less=True), Signal(reset_less=True)
        later = Signal(pins, reset_less=True)
        data = Signal(pins, reset_less=True)
        # ``second`` says what is on the pins.
        m.d.comb += [self.moves.eq(second), self.pins.data.eq(data), self.pins.clock.eq(clock)]
        m.d.sync += second.eq(~second)
        with m.If(second):
            m.d.sync += Cat(data, later).eq(self.beat)
        with m.Else():
            m.d.sync += data.eq(later)
        m.d.fall += clock.eq(~second)
        return m


class PinsIn(wiring.Component):
    """Beats into this chip.

    Members
    -------
    pins : In(PinsSignature(pins))
        The pins.
    arrives : Out(1)
        Whether there is a beat.
    beat : Out(2 * pins)
        That beat.
    """

    def __init__(self, pins: int) -> None:
        super().__init__(
            {"pins": In(PinsSignature(pins)), "arrives": Out(1), "beat": Out(2 * pins)}
        )

    def elaborate(self, platform: object) -> Module:
        """Flip-flops at both edges of the clock that comes, and a queue to the chip's own."""
        m = Module()
        m.domains.pins = rise = ClockDomain("pins", local=True, async_reset=True)
        m.domains.pins_fall = fall = ClockDomain(
            "pins_fall", local=True, clk_edge="neg", reset_less=True
        )
        m.d.comb += [rise.clk.eq(self.pins.clock), fall.clk.eq(self.pins.clock)]
        m.submodules.reset = ResetSynchronizer(ResetSignal(), domain="pins")
        halves = [Signal.like(self.pins.data, name=f"half_{n}", reset_less=True) for n in range(2)]
        m.d.pins += halves[0].eq(self.pins.data)
        m.d.pins_fall += halves[1].eq(self.pins.data)
        m.submodules.queue = queue = AsyncFIFO(
            width=len(self.beat), depth=_WAIT, w_domain="pins", r_domain="sync"
        )
        m.d.comb += [
            queue.w_data.eq(Cat(halves)),
            queue.w_en.eq(1),
            queue.r_en.eq(1),
            self.arrives.eq(queue.r_rdy),
            self.beat.eq(queue.r_data),
        ]
        return m
