"""One end of a link: streams on this side, pins to the other."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Shape, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.links.frame import FrameFormat
from noc.links.pins import PinsIn, PinsOut, PinsSignature
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
        self.sends = FrameFormat(pins, [*map(_width, goes)], len(self._comes))
        self.receives = FrameFormat(pins, [*map(_width, comes)], len(self._goes))
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
        m.d.comb += [
            pins_out.beat.eq(sender.beat),
            sender.moves.eq(pins_out.moves),
            receiver.arrives.eq(pins_in.arrives),
            receiver.beat.eq(pins_in.beat),
            sender.comes.eq(receiver.comes),
            sender.news.eq(receiver.news),
            sender.own.eq(receiver.own),
            sender.stale.eq(receiver.stale),
            self.faulty.eq(receiver.faulty),
        ]
        # Longer than the other side is ever silent, however slow its clock is.
        silent, down = Signal(range(8 * PATIENCE)), Signal(init=1)
        m.d.comb += self.down.eq(down)
        with m.If(receiver.comes):
            m.d.sync += [silent.eq(0), down.eq(sender.strange)]
        with m.Elif(sender.tick):
            m.d.sync += silent.eq(silent + ~silent.all())
            with m.If(silent.all()):
                m.d.sync += down.eq(1)
        return m


def _width(shape: Any) -> int:
    return Shape.cast(shape).width
