"""The receiving side of a link: words of good frames, each once, kept until they are taken."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import enum, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.links import checksum
from noc.links.frame import (
    BLOCK,
    FrameFormat,
    address,
    after,
    depth,
    has_room,
    number,
    quarter,
)


class Step(enum.Enum):
    """What is expected in a beat."""

    GAP = 0
    WORDS = 1
    TRAILER = 2
    CHECKSUM = 3


class Receiver(wiring.Component):
    """Takes the words of a frame if all of it is right, and if they are the next ones.

    ``back`` is what is sent the other way.

    Members
    -------
    arrives : In(1)
        Whether there is a beat.
    beat : In(frames.beat)
        That beat.
    o_0, o_1, … : Out(stream.Signature(shape))
        Words that have come.
    refuses : In(1)
        Whether the words of the frame that has come are not for this side, as it is now.
    comes : Out(1)
        Whether a good frame has come.
    gains : Out(1)
        Whether words of it are taken.
    news : Out(frames.trailer)
        Its trailer.
    own : Out(back.trailer)
        What the other side is to know of these words; it is told in the trailer of a frame.
    stale : Out(1)
        Whether there is more of that to say.
    faulty : Out(1)
        Whether a frame was wrong.
    """

    def __init__(self, frames: FrameFormat, back: FrameFormat, shapes: Sequence[Any]) -> None:
        self._frames, self._shapes = frames, shapes
        members: dict[str, Any] = {
            f"o_{n}": Out(stream.Signature(shape)) for n, shape in enumerate(shapes)
        }
        super().__init__(
            {
                **members,
                "arrives": In(1),
                "beat": In(frames.beat),
                "refuses": In(1),
                "comes": Out(1),
                "gains": Out(1),
                "news": Out(frames.trailer),
                "own": Out(back.trailer),
                "stale": Out(1),
                "faulty": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Read beat after beat; at the end of a frame take its words, or forget them."""
        m = Module()
        frames, beat, own = self._frames, self._frames.beat, self.own
        step = Signal(Step)
        after_zero = Signal()
        part = Signal(range(frames.most_parts))
        trailer = Signal(beat * frames.trailer_beats)
        # Whether a frame has ended, whether its checksum is wrong, whether it had words, and one
        # for which there is no room: those that are repeated in vain are more than were allowed.
        ends = Signal()
        wrong = Signal()
        filled = Signal()
        spoilt = Signal()
        sums = Signal(checksum.BITS)
        differs = Signal(beat)
        m.d.comb += [differs.eq(self.beat ^ checksum.due(sums, beat)), self.news.eq(trailer)]
        with m.If(step == Step.GAP):
            m.d.sync += [sums.eq(checksum.INITIAL), filled.eq(0), spoilt.eq(0)]
        with m.Elif(self.arrives):
            m.d.sync += sums.eq(checksum.follow(sums, differs))
        m.d.sync += ends.eq(0)
        with m.If(self.arrives):
            m.d.sync += [after_zero.eq(self.beat == 0), part.eq(part + 1)]
            m.d.sync += wrong.eq((step == Step.CHECKSUM) & (wrong | differs.any()))
            with m.If(~(step == Step.CHECKSUM)):
                m.d.sync += trailer.eq(Cat(trailer[beat:], self.beat))
            writes, stores = self._follow(m, step, part, after_zero, filled, ends)
        takes = Signal()
        behind, lacks, frees = self._store(m, part, writes, stores, takes, step == Step.GAP)
        with m.If(lacks):
            m.d.sync += spoilt.eq(1)
        fits = Signal()
        m.d.comb += [
            self.comes.eq(ends & ~wrong),
            self.faulty.eq(ends & wrong),
            fits.eq((self.news.sent == behind) & ~spoilt & ~self.refuses),
            takes.eq(self.comes & fits),
            self.gains.eq(takes & filled),
        ]
        m.d.sync += self.stale.eq(frees | (ends & ~(takes & ~filled)))
        with m.If(ends):
            m.d.sync += own.again.eq(~takes)
        with m.If(self.comes):
            m.d.sync += own.heard.eq(self.news.attempt)
        return m

    def _follow(
        self, m: Module, step: Signal, part: Signal, zero: Signal, filled: Signal, ends: Signal
    ) -> tuple[Signal, Signal]:
        """The beats of a frame: whether one of a word has come, and whether it is the last."""
        frames = self._frames
        writes = Signal()
        stores = Signal()
        with m.Switch(step):
            # In the midst of a frame that began unseen there is seldom such a beginning.
            with m.Case(Step.GAP):
                m.d.sync += part.eq(0)
                with m.If(zero & (self.beat == frames.begin)):
                    m.d.sync += step.eq(Step.WORDS)
            with m.Case(Step.WORDS):
                with m.If((part == 0) & (self.beat[: frames.tag] == 0)):
                    if frames.trailer_beats == 1:
                        m.d.sync += [part.eq(0), step.eq(Step.CHECKSUM)]
                    else:
                        m.d.sync += step.eq(Step.TRAILER)
                with m.Else():
                    m.d.comb += writes.eq(1)
                    with m.If(part == frames.slot_beats - 1):
                        m.d.comb += stores.eq(1)
                        m.d.sync += [part.eq(0), filled.eq(1)]
            with m.Case(Step.TRAILER), m.If(part == frames.trailer_beats - 1):
                m.d.sync += [part.eq(0), step.eq(Step.CHECKSUM)]
            with m.Case(Step.CHECKSUM), m.If(part == frames.checksum_beats - 1):
                m.d.sync += [ends.eq(1), step.eq(Step.GAP)]
        return writes, stores

    def _store(
        self,
        m: Module,
        part: Signal,
        writes: Signal,
        stores: Signal,
        takes: Signal,
        forgets: Value,
    ) -> tuple[Signal, Value, Value]:
        """The memories: write words of a frame behind those of good ones, which are read.

        The number behind that of the last word, whether one has no room, and whether more of a
        memory is free.
        """
        frames, many = self._frames, len(self._shapes)
        behind, expected = number("behind"), number("expected")
        m.d.comb += self.own.expected.eq(expected)
        # Which stream a word is of, its first beat says.
        tag, first = self.beat[: frames.tag], part == 0
        lane = Signal(frames.tag)
        with m.If(writes & first):
            m.d.sync += lane.eq(tag)
        if many != 1:
            _count(m, behind, expected, stores, takes, forgets)
        lacks, frees = [], []
        for n in range(many):
            words = memory.Memory(
                shape=frames.beat, depth=depth(frames.slot_beats), init=[], attrs=BLOCK
            )
            m.submodules[f"words_{n}"] = words
            write, read = words.write_port(), number(f"read_{n}")
            # The numbers of the next words to be written, and to be taken with their frame.
            written, taken, own = behind, expected, Value.cast(stores)
            if many > 1:
                written, taken = number(f"written_{n}"), number(f"taken_{n}")
                own = stores & (Mux(first, tag, lane) == n + 1)
            room = has_room(written, quarter(read))
            m.d.comb += [
                write.addr.eq(address(written, part, frames.slot_beats)),
                write.data.eq(self.beat),
                write.en.eq(writes & room),
                self.own.left[n].eq(quarter(read)),
            ]
            _count(m, written, taken, own & room, takes, forgets)
            lacks.append(own & ~room)
            frees.append(self._give(m, n, words.read_port(), read, taken))
        return behind, Cat(lacks).any(), Cat(frees).any()

    def _give(self, m: Module, n: int, port: Any, read: Signal, taken: Signal) -> Value:
        """Put words of a stream together, beat after beat, and whether a quarter is free by that.

        A block RAM is slow: a beat comes a cycle after it is read.
        """
        frames, output = self._frames, getattr(self, f"o_{n}")
        slot = Signal(frames.slot_beats * frames.beat, name=f"slot_{n}", reset_less=True)
        part = Signal(range(frames.slot_beats), name=f"part_{n}")
        valid, reads, shifts, whole, waits = (
            Signal(name=f"{name}_{n}") for name in ("valid", "reads", "shifts", "whole", "waits")
        )
        last = part == frames.slot_beats - 1
        m.d.comb += [
            waits.eq(whole | (valid & ~output.ready)),
            reads.eq((read != taken) & ~waits),
            port.addr.eq(address(read, part, frames.slot_beats)),
            output.valid.eq(valid),
            output.payload.eq(slot[frames.tag :]),
        ]
        m.d.sync += [shifts.eq(reads), whole.eq(reads & last), valid.eq(waits)]
        with m.If(shifts):
            m.d.sync += slot.eq(Cat(slot[frames.beat :], port.data))
        with m.If(reads):
            m.d.sync += part.eq(part + 1)
            with m.If(last):
                m.d.sync += [part.eq(0), read.eq(after(read))]
        return reads & last & read[:-2].all()


def _count(
    m: Module, written: Signal, taken: Signal, stores: Value, takes: Value, forgets: Value
) -> None:
    """Count words as they come, and again from those that were taken."""
    with m.If(forgets):
        m.d.sync += written.eq(taken)
    with m.Elif(stores):
        m.d.sync += written.eq(after(written))
    with m.If(takes):
        m.d.sync += taken.eq(written)
