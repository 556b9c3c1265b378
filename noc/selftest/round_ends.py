"""The source and the checker of a stream where nodes send by the clock, in rounds."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.patterns import LAP_BITS, SEED_BITS, following
from noc.selftest.rounds import RoundWords
from noc.selftest.words import held


class RoundGiver(wiring.Component):
    """Gives the words of an inject stream, in the rounds in which there are to be some.

    Where words wait until their round begins, the phases are those of the givers: they go on when
    no giver has a word that is still to be taken.
    """

    def __init__(self, words: RoundWords) -> None:
        self._words = words
        super().__init__(
            {
                # Constants: the number of the node, and the table of the stream.
                "rank": In(words.rank_bits),
                "lane": In(words.given_layout.size * words.round),
                # The round's seed, constant outside of ``clear``, which forgets everything, and
                # takes a cycle for each ``sweep``.
                "seed": In(SEED_BITS),
                "clear": In(1),
                "sweep": In(words.stream_bits),
                # The network's phase, or that of the givers, and whether it moves on.
                "phase": In(words.phase_bits),
                "moves": In(1),
                # In the next round words are to be given.
                "send": In(1),
                "inject": Out(stream.Signature(words.width)),
                # The word of this phase is not taken yet.
                **({"holds": Out(1)} if words.complete else {}),
                # A word was given, for which some have to come; and whether more will be given.
                "sent": Out(1),
                "owed": Out(1),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The turn of a phase is read in the cycle before."""
        m = Module()
        words, inject = self._words, self.inject
        entry, given = _row(words.given_layout, self.lane, self.phase), Signal()
        active = self._follow_rounds(m)
        due = entry.used & active.bit_select(entry.after, 1)
        if words.complete:
            done = Signal()
            m.d.comb += [
                inject.valid.eq(due & ~done),
                given.eq(inject.valid & inject.ready),
                self.holds.eq(inject.valid & ~inject.ready),
            ]
            m.d.sync += done.eq((done | given) & ~self.moves & ~self.clear)
        else:
            # It is taken at once, or never.
            m.d.comb += [inject.valid.eq(due), given.eq(inject.valid & self.moves)]
        m.d.sync += [self.sent.eq(given), self.owed.eq(given & entry.owes)]
        m.submodules.turns = turns = memory.Memory(shape=words.turn, depth=words.round, init=[])
        write = turns.write_port()
        read = turns.read_port(transparent_for=(write,))
        last = self.phase == words.round - 1
        with m.If(~self.clear):
            m.d.comb += read.addr.eq(Mux(self.moves, Mux(last, 0, self.phase + 1), self.phase))
        m.d.comb += inject.payload.eq(words.own(read.data, self.rank, self.seed, entry.key))
        place = read.data.place
        m.d.comb += [
            write.addr.eq(self.phase),
            write.data.number.eq(following(read.data.number)),
            write.data.place.eq(Mux(place == words.addends - 1, 0, place + 1)),
            write.en.eq(given),
        ]
        with m.If(self.clear):
            m.d.comb += [write.addr.eq(self.sweep), write.en.eq(1)]
            m.d.comb += [write.data.number.eq(0), write.data.place.eq(self.rank)]
        return m

    def _follow_rounds(self, m: Module) -> Signal:
        """Whether there are words in this round, and in those before."""
        words = self._words
        active, asked = Signal(words.most_after + 1), Signal()
        wish = asked | self.send
        m.d.sync += asked.eq(wish)
        with m.If(self.moves & (self.phase == words.round - 1)):
            m.d.sync += [active.eq(Cat(wish, active)), asked.eq(0)]
        m.d.sync += self.busy.eq(active.any() | wish)
        with m.If(self.clear):
            m.d.sync += [active.eq(0), asked.eq(0), self.busy.eq(0)]
        return active


class RoundJudge(wiring.Component):
    """Judges each word of an eject stream, a few cycles after it came.

    One that comes in a phase in which none may is extra; one that is not the next of its phase is
    wrong, and the one after that is expected in either case.
    """

    def __init__(self, words: RoundWords) -> None:
        self._words = words
        super().__init__(
            {
                # As for the giver.
                "lane": In(words.taken_layout.size * words.rows),
                "seed": In(SEED_BITS),
                "clear": In(1),
                "sweep": In(words.stream_bits),
                "phase": In(words.phase_bits),
                # A word may be taken in the next cycle.
                "take": In(1),
                "eject": In(stream.Signature(sum(words.eject.values()))),
                "right": Out(1),
                "wrong": Out(1),
                "extra": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The word is held, what is expected is looked up, then computed, then compared."""
        m = Module()
        words, eject = self._words, self.eject
        m.submodules.expected = numbers = memory.Memory(shape=LAP_BITS, depth=words.rows, init=[])
        write = numbers.write_port()
        read = numbers.read_port(transparent_for=(write,))
        m.d.sync += eject.ready.eq(self.take)
        word = data.View(data.StructLayout(words.eject), eject.payload)
        # Words that wait for their sinks say in which phase they came, or what they are.
        phase = word.phase if "phase" in words.eject else self.phase
        if words.merged:
            phase = word[words.numbered] if words.numbered else Const(0, 1)
        taken = eject.valid & eject.ready & ~self.clear
        come = held(m.d.sync, "come", here=taken, data=word.data, phase=phase)
        m.d.comb += read.addr.eq(come.phase)
        entry = _row(words.taken_layout, self.lane, come.phase)
        looked = held(
            m.d.sync,
            "looked",
            here=come.here & ~self.clear,
            data=come.data,
            phase=come.phase,
            used=entry.used,
            key=entry.key,
        )
        m.d.comb += [
            write.addr.eq(looked.phase),
            write.data.eq(following(read.data)),
            write.en.eq(looked.here & looked.used),
        ]
        with m.If(self.clear):
            m.d.comb += [write.addr.eq(self.sweep), write.data.eq(0), write.en.eq(1)]
        computed = held(
            m.d.sync,
            "computed",
            expected=words.expected(read.data, self.seed, looked.key),
            data=looked.data,
            due=looked.here & looked.used,
            extra=looked.here & ~looked.used,
        )
        equal = computed.data == computed.expected
        m.d.sync += [
            self.right.eq(computed.due & equal),
            self.wrong.eq(computed.due & ~equal),
            self.extra.eq(computed.extra),
        ]
        return m


def _row(layout: data.StructLayout, table: Value, phase: Value) -> Any:
    """What a table says of a phase."""
    return data.View(layout, table.word_select(phase, layout.size))
