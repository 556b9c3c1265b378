"""Bits of tables as gates, and what chooses one of several values."""

from collections.abc import Iterable, Mapping
from itertools import combinations

from amaranth.hdl import Cat, Const, Module, Signal, Value

# All sets of bits are tried up to this width; above, one bit after the other is left out.
_TRIED = 10


def needed_bits(output: Mapping[int, bool], bits: int) -> tuple[int, ...]:
    """The smallest set of code bits that decides the output."""
    every = tuple(range(bits))
    if bits > _TRIED:
        for bit in range(bits):
            fewer = tuple(kept for kept in every if kept != bit)
            if _enough(output, fewer):
                every = fewer
        return every
    for count in range(bits):
        for kept in combinations(range(bits), count):
            if _enough(output, kept):
                return kept
    return every


def _part(code: int, kept: tuple[int, ...]) -> int:
    return sum((code >> bit & 1) << index for index, bit in enumerate(kept))


def _enough(output: Mapping[int, bool], kept: tuple[int, ...]) -> bool:
    seen: dict[int, bool] = {}
    return all(seen.setdefault(_part(code, kept), one) == one for code, one in output.items())


def table_bit(m: Module, name: str, code: Value, output: Mapping[int, bool]) -> Value:
    """One output of a table, by code; any value for codes that cannot come."""
    kept = needed_bits(output, len(code))
    ones = sorted({_part(number, kept) for number, one in output.items() if one})
    if not kept:
        return Const(1 if ones else 0, 1)
    if len(kept) == 1:
        return code[kept[0]] if ones == [1] else ~code[kept[0]]
    result = Signal(name=name)
    with m.Switch(Cat(code[bit] for bit in kept)), m.Case(*ones):
        m.d.comb += result.eq(1)
    return result


def one_hot_or(chosen: Iterable[Value], values: Iterable[Value]) -> Value:
    """The value whose choice is up; zeros where none is."""
    result: Value = Const(0, 1)
    for choice, value in zip(chosen, values, strict=True):
        result |= value & choice.replicate(len(value))
    return result
