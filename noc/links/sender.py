"""The sending side of a link: words of several streams become frames, sent until they have come."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.links.frame import BLOCK, CHECKSUM, DEPTH, FRAME_WORDS, FrameFormat, is_full

#: For so many of the longest frames a side waits: without an answer, then it sends words again; or
#: with nothing to send, then it sends a frame without words, which says that the link is there.
PATIENCE = 8


class Step(enum.Enum):
    """What is sent in a beat."""

    GAP = 0
    BEGIN = 1
    HEADER = 2
    WORDS = 3
    END = 4
    CHECKSUM = 5


class Sender(wiring.Component):
    """Keeps each word until it has come, and sends it again if it has not.

    ``back`` is what comes the other way.

    Members
    -------
    i_0, i_1, … : In(stream.Signature(shape))
        Words to be sent.
    moves : In(1)
        Whether the beat is taken, so that the next may follow; never in two cycles in a row.
    beat : Out(frames.beat)
        What is to be on the pins.
    comes : In(1)
        Whether a good frame has come the other way.
    news : In(back.header)
        Its header.
    own : In(frames.header)
        What this side says of the words that come to it.
    stale : In(1)
        Whether there is more of that to say.
    linked : In(1)
        Whether words may be sent.
    sends : Out(1)
        Whether a word is.
    tick : Out(1)
        Now and then, in times of about the longest frame.
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
                "moves": In(1),
                "beat": Out(frames.beat),
                "comes": In(1),
                "news": In(back.header),
                "own": In(frames.header),
                "stale": In(1),
                "linked": In(1),
                "sends": Out(1),
                "tick": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Number the words, keep them, and send what is to be sent."""
        m = Module()
        count = self._frames.count
        # The numbers of the next word to be kept, to be sent, and of the oldest that may not have
        # come; and which attempt it is to send them.
        kept, sent, lacks = (Signal(count, name=name) for name in ("kept", "sent", "lacks"))
        attempt = Signal()
        again = Signal()
        step = Signal(Step)
        answer = Signal(count)
        answered = Signal()
        # Words of a frame, at most: where many bits are wrong, short ones come nevertheless.
        most_words = Signal(range(FRAME_WORDS + 1), init=FRAME_WORDS)
        silent, still = self._timers(m, step)
        with m.If(self.comes):
            m.d.sync += [answer.eq(self.news.expected), answered.eq(1)]
            # An answer to words that are sent now, and not to an attempt before.
            with m.If(self.news.again & (self.news.heard == attempt)):
                m.d.sync += again.eq(1)
        # A frame has words one behind the other; so their numbers change between two of them. How
        # far apart they are is known a cycle later.
        fresh = Signal()
        seen, ahead, done, most = (
            Signal(count, name=name) for name in ("seen", "ahead", "done", "most")
        )
        m.d.sync += [
            fresh.eq(answered & (step == Step.GAP)),
            seen.eq(answer),
            ahead.eq(answer - lacks),
            done.eq(sent - lacks),
            most.eq(kept - lacks),
        ]
        with m.If(step == Step.GAP):
            with m.If(fresh):
                m.d.sync += [fresh.eq(0), answered.eq(self.comes | (answer != seen))]
                with m.If(ahead <= most):
                    m.d.sync += lacks.eq(seen)
                    with m.If(ahead != 0):
                        m.d.sync += silent.eq(0)
                        with m.If(most_words != FRAME_WORDS):
                            m.d.sync += most_words.eq(most_words << 1)
                    # Either they came while they were sent again, or those behind them did not.
                    with m.If((ahead > done) | again):
                        m.d.sync += sent.eq(seen)
                    with m.If(again):
                        m.d.sync += [again.eq(0), attempt.eq(attempt ^ (ahead != done))]
                        m.d.sync += most_words.eq(Mux(most_words == 1, 1, most_words >> 1))
            with m.Elif(~answered & (again | silent[-1])):
                m.d.sync += [again.eq(0), silent.eq(0), sent.eq(lacks)]
                with m.If(sent != lacks):
                    m.d.sync += attempt.eq(~attempt)
                    m.d.sync += most_words.eq(Mux(most_words == 1, 1, most_words >> 1))
        takes, item = self._keep(m, kept, sent, lacks)
        self._send(m, step, sent, kept, takes, item, attempt, most_words, still[-1])
        return m

    def _keep(self, m: Module, kept: Signal, sent: Signal, lacks: Signal) -> tuple[Signal, Value]:
        """Keep words of the streams in turn, and take out the one to be sent, with its tag."""
        frames, count, many = self._frames, self._frames.count, len(self._shapes)
        takes = Signal()
        if not many:
            return takes, Const(0, 0)
        streams = [getattr(self, f"i_{n}") for n in range(many)]
        asks = Signal(many)
        chosen = Signal(range(many))
        # How many words of each were kept, and how many have left the memory of the other side.
        given = [Signal(count, name=f"given_{n}") for n in range(many)] if many > 1 else [kept]
        left = [Signal(count, name=f"left_{n}") for n in range(many)]
        with m.If(self.comes):
            m.d.sync += [each.eq(self.news.left[n]) for n, each in enumerate(left)]
        m.d.comb += [
            asks[n].eq(each.valid & ~is_full(given[n], left[n])) for n, each in enumerate(streams)
        ]
        turn = Signal.like(chosen)
        with m.Switch(turn):
            for last in range(many):
                with m.Case(last):
                    # The later is the stronger.
                    for n in reversed(range(last + 1, last + 1 + many)):
                        with m.If(asks[n % many]):
                            m.d.comb += chosen.eq(n % many)
        m.submodules.words = words = memory.Memory(
            shape=frames.slot, depth=DEPTH, init=[], attrs=BLOCK
        )
        write, read = words.write_port(), words.read_port()
        free = ~is_full(kept, lacks)
        m.d.comb += [
            write.en.eq(asks.any() & free),
            write.addr.eq(kept),
            read.addr.eq(sent),
            read.en.eq(takes),
        ]
        for n, each in enumerate(streams):
            with m.If(chosen == n):
                m.d.comb += [
                    each.ready.eq(asks[n] & free),
                    write.data.eq(Cat(Const(n + 1, frames.tag), each.payload)),
                ]
                if many > 1:
                    m.d.sync += given[n].eq(given[n] + each.ready)
        with m.If(write.en):
            m.d.sync += [kept.eq(kept + 1), turn.eq(chosen)]
        # A block RAM is slow; there is a cycle to spare before the word is sent.
        item = Signal.like(read.data)
        with m.If(~self.moves):
            m.d.sync += item.eq(read.data)
        return takes, item

    def _timers(self, m: Module, step: Signal) -> tuple[Signal, Signal]:
        """For how long no word has come over there, and no frame has begun here.

        In times of the longest frame; the last bit of each says that this is too long.
        """
        beats = Signal((self._longest - 1).bit_length())
        silent, still = (Signal(PATIENCE.bit_length(), name=name) for name in ("silent", "still"))
        m.d.sync += beats.eq(beats + self.moves)
        m.d.comb += self.tick.eq(beats.all() & self.moves)
        with m.If(self.tick):
            m.d.sync += [silent.eq(silent + ~silent[-1]), still.eq(still + ~still[-1])]
        with m.If(step == Step.BEGIN):
            m.d.sync += still.eq(0)
        return silent, still

    def _send(
        self,
        m: Module,
        step: Signal,
        sent: Signal,
        kept: Signal,
        takes: Signal,
        item: Value,
        attempt: Signal,
        most_words: Signal,
        still: Value,
    ) -> None:
        """Frames, beat after beat."""
        frames = self._frames
        beat = frames.beat
        words = Signal(range(FRAME_WORDS + 1))
        part = Signal(range(frames.most_parts))
        header = Signal(frames.header)
        news = Signal()
        covered = Signal()
        more = (sent != kept) & self.linked
        m.d.comb += self.sends.eq(takes)
        # In the cycle after that in which a beat is chosen.
        m.submodules.checksum = checksum = CHECKSUM(data_width=beat).create()
        m.d.sync += covered.eq(0)
        m.d.comb += [
            checksum.start.eq(step == Step.BEGIN),
            checksum.valid.eq(covered),
            checksum.data.eq(self.beat),
        ]
        with m.If(self.stale):
            m.d.sync += news.eq(1)
        value = self._choose(m, step, part, header, item, checksum.crc)
        with m.If(self.moves):
            m.d.sync += [self.beat.eq(value), covered.eq(_is_covered(step)), part.eq(part + 1)]
            with m.Switch(step):
                with m.Case(Step.GAP), m.If(more | news | still):
                    m.d.sync += step.eq(Step.BEGIN)
                with m.Case(Step.BEGIN):
                    m.d.sync += [
                        header.eq(self.own),
                        header.first.eq(sent),
                        header.attempt.eq(attempt),
                        words.eq(0),
                        news.eq(self.stale),
                        part.eq(0),
                        step.eq(Step.HEADER),
                    ]
                with m.Case(Step.HEADER, Step.WORDS):
                    beats = Mux(step == Step.WORDS, frames.slot_beats, frames.header_beats)
                    with m.If(part == beats - 1):
                        m.d.sync += [part.eq(0), step.eq(Step.END)]
                        with m.If(more & (words != most_words)):
                            m.d.comb += takes.eq(1)
                            m.d.sync += [
                                words.eq(words + 1),
                                sent.eq(sent + 1),
                                step.eq(Step.WORDS),
                            ]
                with m.Case(Step.END):
                    m.d.sync += [part.eq(0), step.eq(Step.CHECKSUM)]
                with m.Case(Step.CHECKSUM), m.If(part == frames.checksum_beats - 1):
                    m.d.sync += step.eq(Step.GAP)

    def _choose(
        self, m: Module, step: Signal, part: Signal, header: Any, item: Value, crc: Value
    ) -> Signal:
        """The beat of a step."""
        frames, beat = self._frames, self._frames.beat
        value = Signal(beat)

        def part_of(whole: Value, beats: int) -> Value:
            padding = Const(0, beats * beat - len(Value.cast(whole)))
            return Cat(whole, padding).word_select(part, beat)

        with m.Switch(step):
            with m.Case(Step.BEGIN):
                m.d.comb += value.eq(frames.begin)
            with m.Case(Step.HEADER):
                m.d.comb += value.eq(part_of(header, frames.header_beats))
            with m.Case(Step.WORDS):
                m.d.comb += value.eq(part_of(item, frames.slot_beats))
            with m.Case(Step.CHECKSUM):
                m.d.comb += value.eq(part_of(crc, frames.checksum_beats))
        return value


def _is_covered(step: Signal) -> Value:
    """Whether the checksum is of what is sent in a step."""
    return (step == Step.HEADER) | (step == Step.WORDS) | (step == Step.END)
