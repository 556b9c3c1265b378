"""Words of a network with operations, and their bits."""

from collections.abc import Mapping
from dataclasses import dataclass

from noc.programs.word_format import Fields

__all__ = ["Word", "cut", "pack", "pack_fields", "unpack"]


@dataclass(frozen=True)
class Word:
    """The fields of a word, as ``docs/collectives.md`` names them; 0 where it has none."""

    data: int = 0
    source: int = 0
    operation: int = 0
    choice: int = 0
    last: int = 0
    node: int = 0


def pack(word: Word, fields: Fields) -> int:
    """The bits of a word.

    >>> pack(Word(data=3, last=1), {"data": 8, "last": 1})
    259
    """
    return pack_fields(vars(word), fields)


def pack_fields(values: Mapping[str, int], fields: Fields) -> int:
    """The same of values by name."""
    bits = place = 0
    for name, width in fields.items():
        bits |= int(values[name]) << place
        place += width
    return bits


def unpack(bits: int, fields: Fields) -> dict[str, int]:
    """The fields of a word.

    >>> unpack(259, {"data": 8, "last": 1})
    {'data': 3, 'last': 1}
    """
    result = {}
    for name, width in fields.items():
        result[name] = bits & ((1 << width) - 1)
        bits >>= width
    return result


def cut(word: Word, fields: Fields) -> Word:
    """A word without the fields that are not there."""
    return Word(**{name: getattr(word, name) for name in fields})
