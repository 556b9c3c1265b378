"""One eject stream for a node of the timetable fabric, out of those of all in-ports.

What comes by each in-port is written into a memory of its own, in places by rounds and phases. When
all words of a round are there, a reader names them one after the other, in the order of their
sources, or sums. A round only begins when there is room for its words, so that nothing stands
still, and nothing is lost.
"""

from collections.abc import Mapping, Sequence

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.gates import table_bit
from noc.hardware.timetable.pacer import TOLD
from noc.hardware.timetable.router import RoundRouter, pass_ports
from noc.programs.round_words import Place, Told
from noc.programs.word_format import WordFormat

#: In up to so many places a memory is read in the cycle of its address.
_SHORT = 32


def seen_signature(lanes: int, round: int) -> wiring.Signature:  # noqa: A002
    """What a reader sees: whether a word comes by each lane, the phase, and if it is to go on."""
    bits = max(1, (round - 1).bit_length())
    return wiring.Signature({"valid": Out(lanes), "phase": Out(bits), "next": Out(1)})


def row_signature(lanes: int, round: int, rounds: int, words: WordFormat) -> wiring.Signature:  # noqa: A002
    """Where the next word lies, and what is told of it; and which lanes have all of a round.

    Fields of no bits have one.
    """
    bits = {
        "lane": (lanes - 1).bit_length(),
        "phase": (round - 1).bit_length(),
        "turn": (rounds - 1).bit_length(),
        "number": words.told_bits,
    }
    fields = {name: Out(max(1, count)) for name, count in bits.items()}
    return wiring.Signature({"valid": Out(1), **fields, "last": Out(1), "ends": Out(lanes)})


class Reader(wiring.Component):
    """Names the words of a node round by round, when all of a round have come.

    Parameters
    ----------
    order : sequence of Place
        The words of a round in their order.
    arrivals : sequence of Told
        What comes by each lane in which phase, and how many rounds old it is.
    words : WordFormat
        The fields of words.
    rounds : int
        For the words of how many rounds there is room.

    Members
    -------
    seen : In(seen_signature(…))
        What comes, and whether the next word is to be named.
    row : Out(row_signature(…))
        The place of a word, from the cycle after that in which it is named on; and in each phase
        the lanes by which the last word of theirs comes then.
    """

    def __init__(
        self, order: Sequence[Place], arrivals: Sequence[Told], words: WordFormat, *, rounds: int
    ) -> None:
        self._order, self._rounds = order, rounds
        #: The phase in which the last word of a round comes by each lane, and how old it is.
        self._lasts = [_last_of(told) for told in arrivals]
        length = len(arrivals[0][0])
        super().__init__(
            {
                "seen": In(seen_signature(len(arrivals), length)),
                "row": Out(row_signature(len(arrivals), length, rounds, words)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the rounds that have come whole, and their words one after the other."""
        m, seen, row = Module(), self.seen, self.row
        for lane, (_, phase) in enumerate(self._lasts):
            m.d.comb += row.ends[lane].eq(seen.phase == phase)
        # By the lane whose last word comes last.
        lane = self._lasts.index(max(self._lasts))
        whole = seen.valid[lane] & row.ends[lane]
        waiting = Signal(range(self._rounds + 1))
        place, turn = Signal(range(len(self._order))), Signal(range(self._rounds))
        there, last = waiting != 0, place == len(self._order) - 1
        named = there & seen.next
        m.d.sync += waiting.eq(waiting + whole - (named & last))
        with m.If(named):
            m.d.sync += place.eq(Mux(last, 0, place + 1))
        with m.If(named & last):
            m.d.sync += turn.eq(Mux(turn == self._rounds - 1, 0, turn + 1))
        with m.If(seen.next):
            m.d.sync += [row.valid.eq(there), row.last.eq(last), row.turn.eq(turn)]
            for name, values in self._columns().items():
                m.d.sync += getattr(row, name).eq(_look_up(m, name, place, values))
        return m

    def _columns(self) -> Mapping[str, list[int]]:
        """What is looked up of each place."""
        return {name: [getattr(each, name) for each in self._order] for name in Place._fields}


def _last_of(told: Told) -> tuple[int, int]:
    """Of the last word of a round that comes by a lane, how old it is and the phase."""
    numbers, after = told
    return max(
        (after[phase] or 0, phase) for phase, number in enumerate(numbers) if number is not None
    )


def _look_up(m: Module, name: str, place: Value, values: Sequence[int]) -> Value:
    """A column of a table."""
    bits = max(values).bit_length()
    return Cat(
        table_bit(m, f"{name}_{bit}", place, {n: bool(v >> bit & 1) for n, v in enumerate(values)})
        for bit in range(bits)
    )


class MergedRouter(wiring.Component):
    """A router with one eject stream, and memories in front of it.

    Parameters
    ----------
    router : RoundRouter
        The router, with an eject stream for each in-port.
    words : WordFormat
        The fields of the words that it ejects.
    rounds : int
        For the words of how many rounds there is room.

    Members
    -------
    inject, phase, open, in_N, out_N
        As :class:`RoundRouter` has them.
    eject : Out(stream.Signature(StructLayout(words.eject)))
        The words of round after round, as the reader names them.
    seen, row
        What its :class:`Reader` sees, and names.
    freed : Out(TOLD)
        ``valid`` in each cycle in which the last word of a round leaves, so that there is room for
        those of one more.
    """

    def __init__(self, router: RoundRouter, words: WordFormat, *, rounds: int) -> None:
        self._router, self.table, self._rounds = router, router.table, rounds
        lanes, length = len(self.table.lanes), self.table.round
        super().__init__(
            {
                **router.signature.members,
                "eject": Out(stream.Signature(data.StructLayout(words.eject))),
                "seen": Out(seen_signature(lanes, length)),
                "row": In(row_signature(lanes, length, rounds, words)),
                "freed": Out(TOLD),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The router, and the memories behind it."""
        m = Module()
        m.submodules.router = inner = self._router
        pass_ports(m, self, inner, but=("eject",))
        m.d.comb += [
            self.seen.valid.eq(Cat(lane.valid for lane in inner.eject)),
            self.seen.phase.eq(inner.phase),
            self.seen.next.eq(~self.eject.valid | self.eject.ready),
            self.freed.valid.eq(
                self.eject.valid & self.eject.ready & self.eject.payload.end_of_round
            ),
        ]
        self._read(m, [self._keep(m, number) for number in range(len(self.table.lanes))])
        return m

    @property
    def _phase_bits(self) -> int:
        """Of a place in a memory; the others are those of the round's turn."""
        return (self.table.round - 1).bit_length()

    @property
    def _places(self) -> int:
        """Those of a memory."""
        return self._rounds << self._phase_bits

    def _place(self, phase: Value, turn: Value) -> Value:
        """Where a word lies, by its phase, and the turn of its round."""
        bits, turns = self._phase_bits, (self._rounds - 1).bit_length()
        return Cat(phase[:bits], turn[:turns])

    def _keep(self, m: Module, number: int) -> Value:
        """Write what comes by a lane; what is read there."""
        lane = self._router.eject[number]
        m.submodules[f"words_{number}"] = words = memory.Memory(
            shape=lane.payload.shape(), depth=max(2, self._places), init=[]
        )
        turn = Signal(range(self._rounds), name=f"turn_{number}")
        with m.If(lane.valid & self.row.ends[number]):
            m.d.sync += turn.eq(Mux(turn == self._rounds - 1, 0, turn + 1))
        write = words.write_port()
        m.d.comb += [
            write.addr.eq(self._place(self._router.phase, turn)),
            write.data.eq(lane.payload),
            write.en.eq(lane.valid),
        ]
        read = words.read_port(domain="comb" if self._places <= _SHORT else "sync")
        m.d.comb += read.addr.eq(self._place(self.row.phase, self.row.turn))
        if self._places > _SHORT:
            m.d.comb += read.en.eq(self.seen.next)
        result: Value = read.data
        return result

    def _read(self, m: Module, words: Sequence[Value]) -> None:
        """Offer the word that is named, when the one before has left."""
        row, eject, which = self.row, self.eject, self.row.lane
        # A long memory has a register.
        late = self._places > _SHORT
        if late:
            which = Signal.like(row.lane, name="read_lane")
        word = Array(words)[which]
        if late:
            m.d.comb += eject.payload.data.eq(word)
        with m.If(self.seen.next):
            m.d.sync += [eject.valid.eq(row.valid), eject.payload.end_of_round.eq(row.last)]
            for name in ("source", "sum"):
                if name in eject.payload.shape().members:
                    m.d.sync += eject.payload[name].eq(row.number)
            m.d.sync += which.eq(row.lane) if late else eject.payload.data.eq(word)
