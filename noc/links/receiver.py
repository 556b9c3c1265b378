"""The receiving side of a link: words of good frames, each once, kept until they are taken."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import enum, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.links.frame import BLOCK, CHECKSUM, DEPTH, FRAME_WORDS, FrameFormat, is_full
from noc.streams import OneSlot


class Step(enum.Enum):
    """What is expected in a beat."""

    GAP = 0
    HEADER = 1
    WORDS = 2
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
    news : Out(frames.header)
        Its header.
    own : Out(back.header)
        What the other side is to know of these words; it is told in the header of a frame.
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
                "news": Out(frames.header),
                "own": Out(back.header),
                "stale": Out(1),
                "faulty": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Read beat after beat; at the end of a frame take its words, or forget them."""
        m = Module()
        frames, beat = self._frames, self._frames.beat
        step = Signal(Step)
        after_zero = Signal()
        part = Signal(range(frames.most_parts))
        header = Signal(beat * frames.header_beats)
        item = Signal(beat * frames.slot_beats)
        checked = Signal(beat * frames.checksum_beats)
        words = Signal(range(FRAME_WORDS + 1))
        spoilt = Signal()
        # Whether a word is whole, and whether a frame ends: with its checksum, or as it is none.
        stores = Signal()
        ends = Signal()
        m.submodules.checksum = checksum = CHECKSUM(data_width=beat).create()
        m.d.comb += [checksum.data.eq(self.beat), self.news.eq(header)]
        m.d.sync += [stores.eq(0), ends.eq(0)]
        with m.If(self.arrives):
            m.d.sync += after_zero.eq(self.beat == 0)
            with m.Switch(step):
                # In the midst of a frame that began unseen there is seldom such a beginning.
                with m.Case(Step.GAP), m.If(after_zero & (self.beat == frames.begin)):
                    m.d.comb += checksum.start.eq(1)
                    m.d.sync += [part.eq(0), words.eq(0), spoilt.eq(0), step.eq(Step.HEADER)]
                with m.Case(Step.HEADER):
                    m.d.comb += checksum.valid.eq(1)
                    m.d.sync += [header.eq(Cat(header[beat:], self.beat)), part.eq(part + 1)]
                    with m.If(part == frames.header_beats - 1):
                        m.d.sync += [part.eq(0), step.eq(Step.WORDS)]
                with m.Case(Step.WORDS):
                    m.d.comb += checksum.valid.eq(1)
                    m.d.sync += [item.eq(Cat(item[beat:], self.beat)), part.eq(part + 1)]
                    with m.If((part == 0) & (self.beat[: frames.tag] == 0)):
                        m.d.sync += [part.eq(0), step.eq(Step.CHECKSUM)]
                    with m.Elif(part == frames.slot_beats - 1):
                        m.d.sync += [part.eq(0), stores.eq(1), words.eq(words + 1)]
                        with m.If(words == FRAME_WORDS):
                            m.d.sync += [stores.eq(0), spoilt.eq(1), part.eq(0)]
                            m.d.sync += [ends.eq(1), step.eq(Step.GAP)]
                with m.Case(Step.CHECKSUM):
                    m.d.sync += [checked.eq(Cat(checked[beat:], self.beat)), part.eq(part + 1)]
                    with m.If(part == frames.checksum_beats - 1):
                        m.d.sync += [ends.eq(1), step.eq(Step.GAP)]
        own = self.own
        fits = Signal()
        gained = Signal(frames.count)
        m.d.comb += [
            fits.eq((self.news.first == own.expected) & ~self.refuses),
            gained.eq(words),
            self.gains.eq(self.comes & fits & (words != 0)),
            self.comes.eq(ends & (checked == checksum.crc) & ~spoilt),
            self.faulty.eq(ends & ~self.comes),
        ]
        leaves, overflows = self._store(m, item, stores & fits, self.comes & fits, self.faulty)
        with m.If(stores & fits & overflows):
            m.d.sync += spoilt.eq(1)
        with m.If(ends):
            m.d.sync += own.again.eq(~(self.comes & fits))
        with m.If(self.comes):
            m.d.sync += own.heard.eq(self.news.attempt)
            with m.If(fits):
                m.d.sync += own.expected.eq(own.expected + gained)
        m.d.comb += self.stale.eq(leaves | (ends & ~(self.comes & fits & (words == 0))))
        return m

    def _store(
        self, m: Module, item: Signal, stores: Value, takes: Value, forgets: Value
    ) -> tuple[Signal, Signal]:
        """The memories: write words of a frame behind those of good ones, which are read.

        Whether a word leaves, and whether there is no room for the one that is to be stored.
        """
        frames, count = self._frames, self._frames.count
        leaves = Signal()
        overflows = Signal()
        # Tags of no stream.
        m.d.comb += overflows.eq(1)
        gone = []
        for n, shape in enumerate(self._shapes):
            # A block RAM is slow: behind it is a register.
            m.submodules[f"register_{n}"] = register = OneSlot(shape)
            wiring.connect(m, register.o, wiring.flipped(getattr(self, f"o_{n}")))
            output = register.i
            # The numbers of the next words: to be written, to be taken with their frame, and read.
            written, taken, read = (
                Signal(count, name=f"{name}_{n}") for name in ("written", "taken", "read")
            )
            words = memory.Memory(shape=shape, depth=DEPTH, init=[], attrs=BLOCK)
            m.submodules[f"words_{n}"] = words
            write, reader = words.write_port(), words.read_port()
            following = Signal(count, name=f"following_{n}")
            own = item[: frames.tag] == n + 1
            room = ~is_full(written, read)
            goes = output.valid & output.ready
            gone.append(goes)
            m.d.comb += [
                following.eq(read + goes),
                reader.addr.eq(following),
                output.valid.eq(taken != read),
                output.payload.eq(reader.data),
                write.addr.eq(written),
                write.data.eq(item[frames.tag :]),
                write.en.eq(stores & own & room),
                self.own.left[n].eq(read),
            ]
            m.d.sync += read.eq(following)
            with m.If(own):
                m.d.comb += overflows.eq(~room)
            with m.If(write.en):
                m.d.sync += written.eq(written + 1)
            with m.If(takes):
                m.d.sync += taken.eq(written)
            with m.If(forgets):
                m.d.sync += written.eq(taken)
        m.d.comb += leaves.eq(Cat(gone).any())
        return leaves, overflows
