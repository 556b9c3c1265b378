"""Words of compiled runs: numbers with a header that decides their way, and what data they hold.

Data decide nothing, and so are found after a run: given words have those of their sources, results
of joins those that operators make of them. A word that a node gives has its position in the traffic
as its number; results have numbers from -2 downwards, in the order in which they are made.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from noc.errors import InputError
from noc.model.operators import Rows, combine_rows, count_columns, rows_of
from noc.model.ordered.traffic import CollectiveTraffic
from noc.model.traffic import payload_rows
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

#: The number of the first result of a join.
FIRST_RESULT = -2

_WORD_BITS = 63

_Words = TypeVar("_Words", int, IntArray)


class Field(NamedTuple):
    """Where a field begins, and as many ones as it has bits; both are 0 where it is absent."""

    first: int
    ones: int


class Header(NamedTuple):
    """The fields below the number of a word."""

    #: The node that sent it, as the network numbers nodes; of a result, any of its members.
    source: Field
    #: As ``docs/collectives.md`` has them.
    operation: Field
    last: Field
    node: Field
    #: Whether it is joined, and void.
    void: Field
    #: Those of all fields.
    bits: int

    def read(self, name: str, words: _Words) -> _Words:
        """One field of a word, or of some."""
        field: Field = getattr(self, name)
        return (words >> field.first) & field.ones

    def pack(self, numbers: IntArray, fields: Mapping[str, IntArray]) -> IntArray:
        """Some words."""
        most = int(np.abs(numbers).max(initial=0))
        if most >> (_WORD_BITS - self.bits):
            raise InputError(f"traffic: {most:,} words are too many for a network of this size")
        words = numbers << self.bits
        for name, values in fields.items():
            words |= values << getattr(self, name).first
        return words

    def numbers(self, words: IntArray) -> IntArray:
        """The numbers of some words; -1 of what is none."""
        return words >> self.bits


def header_of(program: OrderedProgram) -> Header:
    """The header of the words of a program."""
    operations = program.operations
    bits = (program.network.nodes - 1).bit_length()
    widths = [
        *(bits, operations.bits, int(operations.marks_last)),
        bits if operations.names_nodes else 0,
        int(program.config.void_words),
    ]
    source, operation, last, node, void = (
        Field(sum(widths[:n]), (1 << width) - 1) for n, width in enumerate(widths)
    )
    return Header(source, operation, last, node, void, sum(widths))


class _Kept:
    """Rows by numbers from 0 on, of which the first may be forgotten."""

    def __init__(self, columns: int) -> None:
        self._first, self._rows = 0, np.zeros((0, columns), dtype=np.uint32)

    def add(self, rows: Rows) -> None:
        self._rows = np.concatenate([self._rows, rows])

    def find(self, numbers: IntArray) -> Rows:
        return self._rows[numbers - self._first]

    def put(self, numbers: IntArray, rows: Rows) -> None:
        self._rows[numbers - self._first] = rows

    def forget(self, end: int) -> None:
        self._rows, self._first = self._rows[end - self._first :].copy(), end


class Data:
    """The data of the words of a run, of so many bits.

    A seed names the data of all given words; without, they come with the words.
    """

    def __init__(self, program: OrderedProgram, width: int, seed: int | None = None) -> None:
        #: Bits of the data of a word.
        self.width = width
        self._seed, self._header = seed, header_of(program)
        self._columns = count_columns(width)
        self._given, self._results = _Kept(self._columns), _Kept(self._columns)
        self._joined = 0
        #: By operation what joins data, and whether its results have none.
        self._operators = [""] * len(program.operations.listed)
        self.no_data = np.zeros(len(self._operators), dtype=np.bool_)
        for group in program.operations.joined_groups:
            numbers = program.operations.joined_in(group)
            names = program.operations.operators_in(group)
            self.no_data[list(numbers)] = not names
            for number, name in zip(numbers, names, strict=False):
                self._operators[number] = name

    def learn(self, parts: Iterable[CollectiveTraffic], joins: IntArray) -> None:
        """Words that were given, and both words of each further result."""
        for part in parts:
            self._given.add(rows_of(part.data, self.width))
        if not len(joins):
            return
        first, self._joined = self._joined, self._joined + len(joins)
        self._results.add(np.zeros((len(joins), self._columns), dtype=np.uint32))
        operands = self._header.numbers(joins)
        operations = self._header.read("operation", joins[:, 0])
        # Each after those that it is made of.
        pending, done = np.arange(len(joins)), np.zeros(len(joins), dtype=np.bool_)
        local = FIRST_RESULT - operands - first
        while pending.size:
            rows = local[pending]
            ready = ((rows < 0) | (operands[pending] >= 0) | done[rows.clip(0)]).all(axis=1)
            now, pending = pending[ready], pending[~ready]
            for number in np.unique(operations[now]).tolist():
                some = now[operations[now] == number]
                left, right = (self.rows(operands[some, side]) for side in range(2))
                both = self._combine(number, left, right)
                void = self._header.read("void", joins[some])[:, :, None] == 1
                result = np.where(void[:, 0], right, np.where(void[:, 1], left, both))
                self._results.put(first + some, result)
            done[now] = True

    def rows(self, numbers: IntArray) -> Rows:
        """The data of some words, by their numbers."""
        given = numbers >= 0
        if given.all():
            return self._of_given(numbers)
        result = np.zeros((numbers.size, self._columns), dtype=np.uint32)
        result[given] = self._of_given(numbers[given])
        results = numbers <= FIRST_RESULT
        result[results] = self._results.find(FIRST_RESULT - numbers[results])
        return result

    def forget(self, given: int, results: int) -> None:
        """Words and results before these are not asked for again."""
        if self._seed is None:
            self._given.forget(given)
        self._results.forget(results)

    def _of_given(self, numbers: IntArray) -> Rows:
        if self._seed is None:
            return self._given.find(numbers)
        return payload_rows(self._seed, self.width, numbers)

    def _combine(self, operation: int, left: Rows, right: Rows) -> Rows:
        name = self._operators[operation]
        return combine_rows(name, left, right, self.width) if name else np.zeros_like(left)
