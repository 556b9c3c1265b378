"""Words of compiled runs: numbers with a header that decides their way, and what data they hold.

Data decide nothing, and so are found after a run: given words have those of their sources, results
of joins those that operators make of them. A word that a node gives has its position in the traffic
as its number; results have numbers from -2 downwards, in the order in which they are made.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.errors import InputError
from noc.model.ordered.traffic import CollectiveTraffic
from noc.model.traffic import payload_rows
from noc.networks import IntArray
from noc.programs.operators import OPERATORS
from noc.programs.ordered import OrderedProgram

#: The number of the first result of a join.
FIRST_RESULT = -2

_WORD_BITS = 63


class Field(NamedTuple):
    """Where a field begins, and as many ones as it has bits; both are 0 where it is absent."""

    first: int
    ones: int


class Header(NamedTuple):
    """The fields below the number of a word.

    Parameters
    ----------
    source : Field
        The node that sent it, as the network numbers nodes; of a result, any of its members.
    operation, last, node : Field
        As ``docs/collectives.md`` has them.
    bits : int
        Those of all fields.
    """

    source: Field
    operation: Field
    last: Field
    node: Field
    bits: int

    def read(self, name: str, words: IntArray) -> IntArray:
        """One field of some words."""
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
    ]
    source, operation, last, node = (
        Field(sum(widths[:n]), (1 << width) - 1) for n, width in enumerate(widths)
    )
    return Header(source, operation, last, node, sum(widths))


#: Numbers of any size: each a row of words of 32 bits, the lowest first.
Rows = npt.NDArray[np.uint32]

_BITS = 32


def rows_of(numbers: Sequence[int], width: int) -> Rows:
    """Whole numbers of some bits as rows.

    >>> rows_of([5, 1 << 32], 33).tolist()
    [[5, 0], [0, 1]]
    """
    columns = -(-width // _BITS)
    packed = b"".join(number.to_bytes(4 * columns, "little") for number in numbers)
    return np.frombuffer(packed, dtype="<u4").reshape(len(numbers), columns).astype(np.uint32)


def whole_numbers(rows: Rows) -> list[int]:
    """Rows as whole numbers."""
    return [int.from_bytes(row.tobytes(), "little") for row in rows.astype("<u4")]


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
    """The data of the words of a run.

    Parameters
    ----------
    program : OrderedProgram
        What runs.
    width : int
        Bits of a word's data.
    seed : int, optional
        Names the data of all given words; without, they come with the words.
    """

    def __init__(self, program: OrderedProgram, width: int, seed: int | None = None) -> None:
        self._width, self._seed, self._header = width, seed, header_of(program)
        self._columns = -(-width // _BITS)
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
            self._given.add(rows_of(part.data, self._width))
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
                self._results.put(first + some, self._combine(number, left, right))
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
        return payload_rows(self._seed, self._width, numbers)

    def _combine(self, operation: int, left: Rows, right: Rows) -> Rows:
        name = self._operators[operation]
        if not name:
            return np.zeros_like(left)
        model = OPERATORS[name].model
        if model is not None:
            pairs = zip(whole_numbers(left), whole_numbers(right), strict=True)
            return rows_of([model(one, other, self._width) for one, other in pairs], self._width)
        return _BUILT_IN[name](left, right, self._width)


def _sum(left: Rows, right: Rows, width: int) -> Rows:
    result, carry = np.empty_like(left), np.zeros(len(left), dtype=np.uint64)
    for column in range(left.shape[1]):
        carry += left[:, column].astype(np.uint64) + right[:, column]
        result[:, column] = (carry & np.uint64(2**_BITS - 1)).astype(np.uint32)
        carry >>= np.uint64(_BITS)
    result[:, -1] &= np.uint32(2 ** (width % _BITS or _BITS) - 1)
    return result


def _extreme(left: Rows, right: Rows, width: int, *, least: bool, signed: bool) -> Rows:
    """The lesser, or the greater, of two numbers; with their signs turned they have that order."""
    less = np.zeros(len(left), dtype=np.bool_)
    for column in range(left.shape[1]):
        one, other = left[:, column], right[:, column]
        if signed and column == left.shape[1] - 1:
            sign = np.uint32(1 << (width - 1) % _BITS)
            one, other = one ^ sign, other ^ sign
        less = (one < other) | ((one == other) & less)
    return np.where((less if least else ~less)[:, None], left, right)


_BUILT_IN: dict[str, Callable[[Rows, Rows, int], Rows]] = {
    "sum": _sum,
    "min": partial(_extreme, least=True, signed=False),
    "max": partial(_extreme, least=False, signed=False),
    "min_signed": partial(_extreme, least=True, signed=True),
    "max_signed": partial(_extreme, least=False, signed=True),
    "band": lambda left, right, _: left & right,
    "bor": lambda left, right, _: left | right,
    "bxor": lambda left, right, _: left ^ right,
}
