"""The checksum of a frame, computed over as many bits in a cycle as come.

Of 24 bits, since a wrong bit can make a frame end too soon, and what is taken for its checksum then
is right once in 2 ** 24 times. The polynomial is that of LTE (3GPP TS 36.212, gCRC24B), which needs
few gates; a line that falls to zeros makes no good frame.
"""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const, Value

#: Bits of the checksum, its polynomial without the first term, and what it is before the first bit.
BITS, POLYNOMIAL, INITIAL = 24, 0x800063, 0xFFFFFF


def due(checksum: Value, bits: int) -> Value:
    """The next bits of a checksum that is sent, its upper bits first, and zeros behind it."""
    return Cat(Const(0, max(0, bits - BITS)), checksum)[-bits:]


def follow(checksum: Value, differs: Value) -> Value:
    """The checksum after bits that differ so from those that are due."""
    bits = len(differs)
    kept = Cat(Const(0, bits), checksum)[:BITS]
    terms = [
        [differs[n] for n in range(bits) if _remainder(n) >> place & 1] for place in range(BITS)
    ]
    return Cat(reduce(xor, each, kept[place]) for place, each in enumerate(terms))


def _remainder(place: int) -> int:
    """Of a bit at this place before the checksum, in the division by the polynomial."""
    rest = POLYNOMIAL
    for _ in range(place):
        rest = rest << 1 ^ (rest >> BITS - 1) * (1 << BITS | POLYNOMIAL)
    return rest
