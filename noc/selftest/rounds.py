"""Which words nodes give in the self-test where they send by the clock, in rounds.

Stream and phase say which word of a round it is: its *key* is its number among them or, where words
are added up, that of its sum. So who gets it knows each of them before it comes: in that phase, and
with the data of :mod:`noc.selftest.patterns`. Out of one eject stream it is known by its number.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.programs.operators import OPERATORS
from noc.programs.round_table import NONE
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram
from noc.selftest.patterns import (
    ALTERNATING,
    LAP_BITS,
    PAIRED,
    TABLE_BITS,
    Patterns,
    result,
    spread,
)


class Entry(NamedTuple):
    """What goes by a stream in a phase."""

    #: Which of the words, or sums, of a round.
    key: int
    #: How many rounds after the round began to which it belongs.
    after: int = 0
    #: Whether words have to come for it.
    owes: bool = False


#: Of a stream what goes by it, by phase; None for nothing.
Lane = Sequence[Entry | None]


class RoundWords:
    """The words of a network of the timetable fabric in its self-test.

    Of each sum every node gives a word in each round, or none does.
    """

    #: The report counts all words together, and no node waits for others.
    reported = ()
    laps, words_of_lap = False, 0

    def __init__(self, design: AnyDesign) -> None:
        self._spec, self._program = design.network.spec, design.program
        program: RoundProgram = design.program
        adds, self.nodes = program.exchange.adds, design.network.nodes
        self.width, self.round = design.width, program.round
        #: The fields of a word that a sink gets, and bits of the number of a phase.
        self.eject = design.words.eject
        self.phase_bits = program.tables[0].phase_bits
        #: The rows by which a sink knows what comes, which are phases, or numbers in words: of
        #: sources, or of several sums.
        self.merged, told = program.config.merged, design.told
        self.rows = told[1] if self.merged else self.round
        self.numbered = told[0] if self.merged and told[0] in self.eject else ""
        self.stream_bits = max(self.phase_bits, (self.rows - 1).bit_length())
        #: What adds words up, and how many each sum has.
        self.operator = program.exchange.operator
        #: Whether a round has words of all nodes, or none: they wait until it begins then.
        self.complete = program.config.complete
        self.addends = self.nodes if adds else 1
        #: What goes by each inject stream, and by each eject stream, of each node.
        self.given = [[*_given(program, node)] for node in range(self.nodes)]
        self.taken = [[*_taken(program, node)] for node in range(self.nodes)]
        #: How many words come for one that owes some, in all.
        self.copies = self.nodes - 1 if program.gathers else 1
        entries = [
            each for lane in chain.from_iterable(self.given) for each in lane if each is not None
        ]
        #: For how many rounds words may have to wait.
        self.most_after = max(each.after for each in entries)
        keys = 1 + max(each.key for each in entries)
        self.key_bits = max(1, (keys - 1).bit_length())
        self.rank_bits = max(1, (self.nodes - 1).bit_length())
        self.patterns = Patterns(self.width, self.key_bits, self.rank_bits)

    @property
    def injects(self) -> int:
        """The inject streams of all nodes."""
        return sum(map(len, self.given))

    @property
    def ejects(self) -> int:
        """The eject streams of all nodes."""
        return sum(map(len, self.taken))

    @property
    def most_owed(self) -> int:
        """Words that may come for those which are given in one cycle."""
        return self.copies * self.injects

    @property
    def together(self) -> bool:
        """Whether all nodes give words in the same rounds, since these are added up, or needed."""
        return self.addends > 1 or self.complete

    def owed(self, givers: Sequence[Mapping[str, Any]]) -> dict[int, list[Value]]:
        """The words that were given, by how many come for one."""
        return {self.copies: [each["owed"] for each in givers]}

    def check(self) -> "RoundWords":
        """Refuse a width that cannot tell the words of a round apart."""
        if self.width < self.key_bits:
            raise InputError(
                f"{option('width', self.width)}: the self-test of {self._spec} needs at least "
                f"{self.key_bits} bits, to tell the words of a round apart"
            )
        return self

    @cached_property
    def given_layout(self) -> data.StructLayout:
        """A row of the table of an inject stream."""
        after = max(1, self.most_after.bit_length())
        return data.StructLayout({"used": 1, "owes": 1, "key": self.key_bits, "after": after})

    @cached_property
    def taken_layout(self) -> data.StructLayout:
        """A row of the table of an eject stream."""
        return data.StructLayout({"used": 1, "key": self.key_bits})

    @cached_property
    def turn(self) -> data.StructLayout:
        """What a giver counts: the next word, and whose turn it is to give *a*."""
        return data.StructLayout({"number": LAP_BITS, "place": range(self.addends)})

    def giver_constants(self, node: int) -> list[dict[str, int]]:
        """What the giver of each inject stream of a node knows, by the names of its ports."""
        layout = self.given_layout
        return [{"rank": node, "lane": _packed(layout, lane)} for lane in self.given[node]]

    def judge_constants(self, node: int) -> list[dict[str, int]]:
        """What the judge of each eject stream of a node knows, by the names of its ports."""
        return [{"lane": _packed(self.taken_layout, lane)} for lane in self.taken[node]]

    def own(self, turn: Any, rank: Value, seed: Value, key: Value) -> Value:
        """The data of a word that a node gives."""
        if self._own_operator:
            choice = self.patterns.choice(turn.number, seed, key)
            return Cat(self._own_word(choice, rank, key))
        a, b = self.patterns.pair(turn.number, seed, key)
        if self.addends == 1:
            return Cat(a)
        first = turn.place == 0
        if self.operator == PAIRED and self.addends > 2:
            first |= turn.number[0] & (turn.place == self.addends // 2)
        turned = ~turn.place[0] if self.operator in ALTERNATING else Const(0)
        return Mux(first, a, b ^ turned.replicate(self.width))

    def expected(self, number: Value, seed: Value, key: Signal) -> Value:
        """The data of a word, or sum, that comes."""
        if self._own_operator:
            rows = [Const(each, self.width) for sums in self.table for each in sums]
            row: Value = Array(rows)[Cat(self.patterns.choice(number, seed, key), key)]
            return row
        a, b = self.patterns.pair(number, seed, key)
        return result(self.operator, self.addends, Cat(a), Cat(b))

    def _own_word(self, choice: Any, rank: Any, key: Any) -> Any:
        """The word of a node for an operator of a user."""
        return self.patterns.chosen(choice, rank) ^ spread(key, self.key_bits, self.width)

    @property
    def _own_operator(self) -> bool:
        """Whether a table has the sums, since the operator is a user's."""
        return bool(self.operator) and OPERATORS[self.operator].model is not None

    @property
    def table(self) -> Iterator[list[int]]:
        """Of each sum what it is for each choice, by the model of a user's operator."""
        program, model = self._program, OPERATORS[self.operator].model
        assert model is not None
        sources = program.flows.source.tolist()
        for key, total in enumerate(program.totals):
            results = []
            for choice in range(1 << TABLE_BITS):
                values = [self._own_word(choice, source, key) for source in sources]
                for first, *others in program.inputs:
                    value = values[first]
                    for other in others:
                        value = model(value, values[other], self.width)
                    values.append(value)
                results.append(values[total])
            yield results


def _given(program: RoundProgram, node: int) -> Iterator[Lane]:
    """What goes by each inject stream of a node."""
    if isinstance(program, SumProgram):
        scattered, own = program.exchange.scatters_sums, _own_sums(program, node)
        for sums, after in program.given_sums(node):
            yield [
                # Of the words of a sum for one node its own stands for all.
                None if s is None or a is None else Entry(s, a, owes=not scattered or s in own)
                for s, a in zip(sums, after, strict=True)
            ]
        return
    flows = program.flows
    for stream, inject in enumerate(program.injects):
        if inject.node == node:
            lane: list[Entry | None] = [None] * program.round
            for word in np.flatnonzero(flows.inject == stream).tolist():
                lane[int(flows.phase[word])] = Entry(word, owes=True)
            yield lane


def _own_sums(program: SumProgram, node: int) -> set[int | None]:
    """The sums that a node gets."""
    return {each for sums, _ in program.arrivals(node) for each in sums}


def _taken(program: RoundProgram, node: int) -> Iterator[Lane]:
    """What goes by each eject stream of a node."""
    if program.config.merged:
        yield from _taken_in_order(program, node)
        return
    if isinstance(program, SumProgram):
        for sums, _ in program.arrivals(node):
            yield [None if each is None else Entry(each) for each in sums]
        return
    # What is on a link is ejected in the next cycle.
    ejected = np.roll(program.taken[:, node], 1, axis=0)
    for port in program.table_of(node).lanes:
        words = ejected[:, port].tolist()
        yield [None if word == NONE else Entry(word) for word in words]


def _taken_in_order(program: RoundProgram, node: int) -> Iterator[Lane]:
    """What goes by the only eject stream of a node, by its number."""
    words = program.taken[:, node][program.taken[:, node] != NONE]
    numbers = program.numbers[words].tolist()
    keys, rows = words.tolist(), program.network.nodes
    if isinstance(program, SumProgram):
        keys, rows = numbers, len(program.totals)
    known = dict(zip(numbers, keys, strict=True))
    if known:
        yield [Entry(known[number]) if number in known else None for number in range(rows)]


def _packed(layout: data.StructLayout, lane: Lane) -> int:
    """A table as a number: the row of phase 0 in its lowest bits."""
    number = 0
    for phase, entry in enumerate(lane):
        if entry is not None:
            fields = {"used": 1, **entry._asdict()}
            row = layout.const({name: int(fields[name]) for name in layout.members})
            number |= row.as_bits() << phase * layout.size
    return number
