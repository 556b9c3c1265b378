"""The sending side of a link: words of several streams become frames, sent until they have come."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from noc.links import checksum
from noc.links.frame import (
    BLOCK,
    FRAME_WORDS,
    FrameFormat,
    address,
    after,
    depth,
    has_room,
    number,
    quarter,
)

#: For so many of the longest frames a side is silent at most: then it sends a frame without words,
#: which says that the link is there, and with which an end that lost words notices that.
PATIENCE = 8


class Step(enum.Enum):
    """What is sent in a beat."""

    GAP = 0
    BEGIN = 1
    WORDS = 2
    TRAILER = 3
    CHECKSUM = 4


class Sender(wiring.Component):
    """Keeps each word until it has come, and sends it again if it has not.

    ``back`` is what comes the other way.

    Members
    -------
    i_0, i_1, … : In(stream.Signature(shape))
        Words to be sent.
    half : Out(frames.half)
        What is on the pins: a half of a beat.
    first : Out(1)
        Whether that is the first half.
    comes : In(1)
        Whether a good frame has come the other way.
    news : In(back.trailer)
        Its trailer.
    own : In(frames.trailer)
        What this side says of the words that come to it.
    stale : In(1)
        Whether there is more of that to say.
    linked : In(1)
        Whether words may be sent.
    stops : In(1)
        Whether nothing is sent any more.
    sends : Out(1)
        Whether a word is.
    soon : Out(1)
        Once in so short a time that frames without words leave silences in which every receiver
        comes to the end of what it takes for a frame.
    tick : Out(1)
        Once in the time for which a side is silent at most.
    """

    def __init__(self, frames: FrameFormat, back: FrameFormat, shapes: Sequence[Any]) -> None:
        self._frames, self._shapes = frames, shapes
        # Both sides have the same patience.
        self._longest = max(frames.most_beats, back.most_beats)
        members: dict[str, Any] = {
            f"i_{n}": In(stream.Signature(shape)) for n, shape in enumerate(shapes)
        }
        super().__init__(
            {
                **members,
                "half": Out(frames.half),
                "first": Out(1),
                "comes": In(1),
                "news": In(back.trailer),
                "own": In(frames.trailer),
                "stale": In(1),
                "linked": In(1),
                "stops": In(1),
                "sends": Out(1),
                "soon": Out(1),
                "tick": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Number the words, keep them, and send what is to be sent."""
        m = Module()
        frames = self._frames
        # The numbers of the next word to be kept, to be sent, and of the oldest that may not have
        # come; which attempt it is to send them, and whether frames have one word only: where many
        # bits are wrong, these come nevertheless.
        kept, sent, lacks = number("kept"), number("sent"), number("lacks")
        attempt = Signal()
        again = Signal()
        short = Signal()
        step = Signal(Step)
        part = Signal(range(2 * frames.most_parts))
        with m.If(self.comes):
            m.d.sync += [
                lacks.eq(self.news.expected),
                # An answer to words that are sent now, and not to an attempt before.
                again.eq(self.news.again & (self.news.heard == attempt)),
            ]
            with m.If(~self.news.again):
                m.d.sync += short.eq(0)
        # A frame has words one behind the other; so their numbers change between two of them.
        with m.If(again & (step == Step.GAP)):
            m.d.sync += [sent.eq(lacks), attempt.eq(~attempt), again.eq(0), short.eq(1)]
        item = self._keep(m, kept, lacks, address(sent, part, 2 * frames.slot_beats))
        with m.If((step == Step.WORDS) & (part == 0)):
            m.d.sync += sent.eq(after(sent))
        full = short | (sent[: ceil_log2(FRAME_WORDS)] == 0)
        self._follow(m, step, part, (sent != kept) & self.linked, full)
        m.d.comb += [self.sends.eq(step == Step.WORDS), self.first.eq(part[0])]
        self._send(m, step, part, item, sent, attempt)
        return m

    def _keep(self, m: Module, kept: Signal, lacks: Signal, where: Value) -> Value:
        """Keep words of the streams in turn, one half of a beat after the other, and read one.

        The number changes behind the first half of a word, here and where it is sent: so it may be
        sent while it is kept, and its other halves are one place further.
        """
        frames, many = self._frames, len(self._shapes)
        if not many:
            return Const(0, frames.half)
        streams = [getattr(self, f"i_{n}") for n in range(many)]
        asks = Signal(many)
        turn = Signal(range(many))
        part = Signal(range(2 * frames.slot_beats))
        begins = Signal()
        last = Signal()
        # How many words of each were kept, and in which quarter is what leaves the memory of the
        # other side.
        given = [number(f"given_{n}") for n in range(many)] if many > 1 else [kept]
        left = [Signal(2, name=f"left_{n}") for n in range(many)]
        with m.If(self.comes):
            m.d.sync += [each.eq(self.news.left[n]) for n, each in enumerate(left)]
        m.d.comb += [
            asks[n].eq(each.valid & has_room(given[n], left[n])) for n, each in enumerate(streams)
        ]
        chosen = _chosen(m, asks, turn, begun=part != 0)
        m.d.comb += [
            begins.eq((part == 0) & asks.any() & has_room(kept, quarter(lacks))),
            last.eq(part == 2 * frames.slot_beats - 1),
        ]
        with m.If(begins):
            m.d.sync += [kept.eq(after(kept)), turn.eq(chosen)]
        whole = Signal(frames.slot)
        for n, each in enumerate(streams):
            with m.If(chosen == n):
                m.d.comb += [
                    whole.eq(Cat(Const(n + 1, frames.tag), each.payload)),
                    each.ready.eq(last),
                ]
                if many > 1:
                    m.d.sync += given[n].eq(given[n] + begins)
        m.submodules.words = words = memory.Memory(
            shape=frames.half, depth=depth(2 * frames.slot_beats), init=[], attrs=BLOCK
        )
        write, read = words.write_port(), words.read_port()
        m.d.comb += [
            write.en.eq(begins | (part != 0)),
            write.addr.eq(address(kept, part, 2 * frames.slot_beats)),
            write.data.eq(_half(whole, frames.slot_beats, part, frames.half)),
            read.addr.eq(where),
        ]
        with m.If(write.en):
            m.d.sync += part.eq(Mux(last, 0, part + 1))
        return Value.cast(read.data)

    def _follow(self, m: Module, step: Signal, part: Signal, more: Value, full: Value) -> None:
        """Frames, half a beat after the other."""
        frames = self._frames
        news = Signal()
        last = Signal()
        ticks = Signal(ceil_log2(2 * PATIENCE * self._longest))
        m.d.sync += [Cat(ticks, self.tick).eq(ticks + 1), part.eq(Mux(last, 0, part + 1))]
        # Two frames, of which one is about something else, and a silence, in halves of beats.
        m.d.comb += self.soon.eq(
            ticks[: ceil_log2(2 * (2 * frames.empty_beats + frames.silence))].all()
        )
        beats = {
            Step.GAP: 1,
            Step.BEGIN: 1,
            Step.WORDS: frames.slot_beats,
            Step.TRAILER: frames.trailer_beats,
            Step.CHECKSUM: frames.checksum_beats,
        }
        with m.Switch(step):
            for each, count in beats.items():
                with m.Case(each):
                    m.d.comb += last.eq(part == 2 * count - 1)
        with m.If(last), m.Switch(step):
            with m.Case(Step.GAP), m.If(more | news):
                m.d.sync += step.eq(Step.BEGIN)
            with m.Case(Step.BEGIN):
                m.d.sync += step.eq(Mux(more, Step.WORDS, Step.TRAILER))
            with m.Case(Step.WORDS), m.If(full | ~more):
                m.d.sync += step.eq(Step.TRAILER)
            with m.Case(Step.TRAILER):
                m.d.sync += step.eq(Step.CHECKSUM)
            with m.Case(Step.CHECKSUM):
                m.d.sync += step.eq(Step.GAP)
        with m.If(step == Step.BEGIN):
            m.d.sync += news.eq(0)
        with m.If(self.stale | self.tick):
            m.d.sync += news.eq(1)
        with m.If(self.stops):
            m.d.sync += step.eq(Step.GAP)

    def _send(
        self, m: Module, step: Signal, part: Signal, item: Value, sent: Signal, attempt: Signal
    ) -> None:
        """What is on the pins."""
        frames, bits = self._frames, self._frames.half
        # What the other side is told does not change in the midst of the trailer.
        own = Signal.like(self.own)
        trailer = Signal(frames.trailer)
        with m.If(~(step == Step.TRAILER)):
            m.d.sync += own.eq(self.own)
        m.d.comb += [
            trailer.eq(own),
            trailer.end.eq(0),
            trailer.sent.eq(sent),
            trailer.attempt.eq(attempt),
        ]
        # A block RAM is slow: all else is chosen in the cycle after its step, too.
        is_begin = Signal()
        is_word = Signal()
        is_sum = Signal()
        other = Signal(bits)
        m.d.sync += [
            is_begin.eq(step == Step.BEGIN),
            is_word.eq(step == Step.WORDS),
            is_sum.eq(step == Step.CHECKSUM),
            other.eq(
                Mux(
                    step == Step.BEGIN,
                    _half(Const(frames.begin, frames.beat), 1, part, bits),
                    _half(Value.cast(trailer), frames.trailer_beats, part, bits),
                )
            ),
        ]
        with m.If(~((step == Step.BEGIN) | (step == Step.TRAILER))):
            m.d.sync += other.eq(0)
        said = Signal(bits)
        m.d.sync += said.eq(other | (item & is_word.replicate(bits)))
        self._sum_up(m, said, is_begin, is_sum)

    def _sum_up(self, m: Module, said: Signal, is_begin: Signal, is_sum: Signal) -> None:
        """What is on the pins is summed up, so that what follows is due."""
        bits = len(said)
        begun = Signal()
        covers = Signal()
        adds = Signal()
        sums = Signal(checksum.BITS)
        following = Signal(checksum.BITS)
        m.d.comb += following.eq(checksum.follow(sums, self.half ^ checksum.due(sums, bits)))
        m.d.sync += [
            adds.eq(is_sum),
            self.half.eq(said | (checksum.due(following, bits) & adds.replicate(bits))),
            begun.eq(is_begin),
            covers.eq(~begun),
            sums.eq(Mux(covers, following, checksum.INITIAL)),
        ]


def _chosen(m: Module, asks: Signal, turn: Signal, *, begun: Value) -> Signal:
    """The next stream behind the latest that asks, unless a word of that one is not all there."""
    many = len(asks)
    chosen = Signal(range(many))
    with m.Switch(turn):
        for latest in range(many):
            with m.Case(latest):
                # The later is the stronger.
                for n in reversed(range(latest + 1, latest + 1 + many)):
                    with m.If(asks[n % many]):
                        m.d.comb += chosen.eq(n % many)
    with m.If(begun):
        m.d.comb += chosen.eq(turn)
    return chosen


def _half(whole: Value, beats: int, part: Value, bits: int) -> Value:
    """The part of a number of beats that goes next; of each beat the upper half is the first."""
    whole = Cat(whole, Const(0, 2 * beats * bits - len(whole)))
    return _choose([whole.word_select(n ^ 1, bits) for n in range(2 * beats)], part)


def _choose(parts: Sequence[Value], place: Value) -> Value:
    """One of several, by choices of two: Yosys makes more of a choice of many."""
    if len(parts) == 1:
        return parts[0]
    bit = ceil_log2(len(parts)) - 1
    low, high = parts[: 1 << bit], parts[1 << bit :]
    return Mux(place[bit], _choose(high, place), _choose(low, place))
