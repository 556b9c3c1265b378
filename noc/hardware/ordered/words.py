"""Words of the ordered fabric in hardware: their shapes, and how they pass on field by field."""

from typing import Any, ClassVar

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.lib import data

from noc.programs.word_format import Fields

#: The attribute of registers of words with a parity, which need no other copy; and of registers
#: that say only that another one has flipped.
WORD, ALARM = "noc_word", "noc_alarm"


class WithParity(data.StructLayout):
    """The layout of words whose parity is looked at wherever they are taken."""

    slot_attributes: ClassVar[dict[str, Any]] = {WORD: 1}


def word_shape(fields: Fields) -> Any:
    """The shape of a word: a number if it has nothing but data."""
    if "parity" in fields:
        return WithParity(fields)
    return data.StructLayout(fields) if set(fields) != {"data"} else fields["data"]


def fields_of(word: Any) -> dict[str, Any]:
    """The fields of a word by name; a number is nothing but data."""
    if not isinstance(word, data.View):
        return {"data": word}
    layout: Any = word.shape()
    return {name: word[name] for name in layout.members}


def forward(m: Module, source: Any, target: Any, /, **others: Any) -> None:
    """Pass the words of a stream on to another, every field by its name.

    What the target has no field for is left out; ``others`` are fields that are not the source's.
    """
    fields = fields_of(source.payload) | others
    m.d.comb += [
        target.valid.eq(source.valid),
        *(field.eq(fields[name]) for name, field in fields_of(target.payload).items()),
    ]
    if not isinstance(source.ready, Const):
        m.d.comb += source.ready.eq(target.ready)
    elif not isinstance(target.ready, Const):
        raise TypeError("words that are always taken lead to a stream that may not take them")


def is_one_of(value: Value | None, numbers: tuple[int, ...], count: int) -> Value:
    """Whether a field holds one of some of its numbers; one that is not there holds 0."""
    if value is None or len(numbers) == count:
        return Const(int(bool(numbers)), 1)
    return Cat(value == number for number in numbers).any() if numbers else Const(0, 1)
