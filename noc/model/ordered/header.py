"""Words as the compiled form has them: a number, and below it what decides their way.

Data decide nothing, and so are no part of it: :mod:`noc.model.ordered.data` finds them afterwards.
A word that a node gives has its place in the traffic as its number; the results of joins have
numbers from -2 downwards, in the order in which they are made.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from noc.errors import InputError
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

__all__ = ["FIRST_RESULT", "Field", "Header", "header_of"]

#: The number of the first result of a join.
FIRST_RESULT = -2

_WORD_BITS = 63


class Field(NamedTuple):
    """Where a field lies, and as many ones as it has bits; both are 0 where it is absent."""

    place: int
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
        return (words >> field.place) & field.ones

    def pack(self, numbers: IntArray, fields: Mapping[str, IntArray]) -> IntArray:
        """Some words."""
        most = int(np.abs(numbers).max(initial=0))
        if most >> (_WORD_BITS - self.bits):
            raise InputError(f"traffic: {most:,} words are too many for a network of this size")
        words = numbers << self.bits
        for name, values in fields.items():
            words |= values << getattr(self, name).place
        return words

    def numbers(self, words: IntArray) -> IntArray:
        """The numbers of some words; NONE of what is none."""
        return words >> self.bits


def header_of(program: OrderedProgram) -> Header:
    """The header of the words of a program."""
    operations = program.operations
    bits = (program.network.nodes - 1).bit_length()
    widths = {
        "source": bits,
        "operation": operations.bits,
        "last": int(operations.marks_last),
        "node": bits if operations.names_nodes else 0,
    }
    fields, place = {}, 0
    for name, width in widths.items():
        fields[name] = Field(place, (1 << width) - 1)
        place += width
    return Header(**fields, bits=place)
