"""The events of a compiled run, with the bits that words have on each stream."""

import numpy as np

from noc.model.collective.state import place_of
from noc.model.collective.streams import (
    collective_streams,
    fields_of,
    operations_of,
    word_format,
)
from noc.model.collective.traffic import CollectiveTraffic
from noc.model.collective.words import pack
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import Fields

__all__ = ["list_events"]


def list_events(
    program: OrderedProgram, width: int, traffic: CollectiveTraffic, table: IntArray
) -> list[tuple[int, int, int]]:
    """Cycle, stream and bits of each event, from those in which words are as on a link."""
    words, operations = word_format(program, width), operations_of(program)
    bits = table[:, 2].copy()
    for number, stream in enumerate(collective_streams(program)):
        mine = table[:, 1] == number
        if stream.kind == "inject":
            bits[mine] = _given(traffic, stream.node, words.inject, int(mine.sum()))
        elif stream.kind == "join":
            choice = np.zeros(1 << operations.bits, dtype=np.int64)
            numbers = list(operations.joined_in(stream.group))
            choice[numbers] = np.arange(len(numbers))
            bits[mine] = _moved(bits[mine], words.inside, fields_of(stream, words), choice)
        elif stream.kind == "eject":
            bits[mine] = _moved(bits[mine], words.inside, words.eject)
    table = np.column_stack([table[:, :2], bits])
    return [(cycle, stream, word) for cycle, stream, word in table.tolist()]


def _given(traffic: CollectiveTraffic, node: int, fields: Fields, count: int) -> IntArray:
    """The first words that a node gives, as it gives them."""
    words = np.flatnonzero(traffic.source == node).tolist()
    bits = [pack(traffic.word(word), fields) for word in words]
    return np.resize(np.array(bits, dtype=np.int64), count)


def _moved(
    words: IntArray, inside: Fields, fields: Fields, choice: IntArray | None = None
) -> IntArray:
    """Words with other fields, and with these at other places."""
    result = np.zeros_like(words)
    for name in fields:
        place, ones = place_of("operation" if name == "choice" else name, inside)
        value = (words >> place) & ones
        if name == "choice" and choice is not None:
            value = choice[value]
        result |= value << place_of(name, fields)[0]
    return result
