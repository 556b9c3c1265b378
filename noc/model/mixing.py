"""Random numbers that are the same on every machine and with every version of every library."""

from typing import Any

import numpy as np
import numpy.typing as npt

UInt64Array = npt.NDArray[np.uint64]

_MASK = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15
_BITS_OF_A_DRAW = 64


def _scrambled(bits: Any) -> Any:
    """The output function of SplitMix64, on one whole number or on an array of uint64."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & _MASK
    return bits ^ (bits >> 31)


def key(*parts: int) -> int:
    """One 64-bit number that depends on all the parts and on their order."""
    mixed: int = 0
    for part in parts:
        mixed = _scrambled((mixed ^ (part & _MASK)) + _STEP & _MASK)
    return mixed


def draws(count: int, *parts: int, first: int = 0) -> UInt64Array:
    """``count`` independent 64-bit numbers of the sequence that the parts name, from one on."""
    number = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    drawn: UInt64Array = _scrambled(number * np.uint64(_STEP) + np.uint64(key(*parts)))
    return drawn


def bits(width: int, *parts: int) -> int:
    """``width`` bits that depend on all the parts and on their order."""
    begin, drawn = key(*parts), 0
    for chunk in range(-(-width // _BITS_OF_A_DRAW)):
        drawn |= key(begin, chunk) << (chunk * _BITS_OF_A_DRAW)
    return drawn & ((1 << width) - 1)


def many_bits(width: int, numbers: npt.NDArray[np.int64], *parts: int) -> npt.NDArray[np.uint32]:
    """The bits of each number, as rows of 32-bit words, the lowest first: ``bits`` of all at once.

    >>> many_bits(40, np.array([7]), 3).tolist() == [[bits(40, 3, 7) % 2**32, bits(40, 3, 7) >> 32]]
    True
    """
    step = np.uint64(_STEP)
    begin = _scrambled((np.uint64(key(*parts)) ^ numbers.astype(np.uint64)) + step)
    begin = _scrambled(begin + step)
    chunks = [
        _scrambled((begin ^ np.uint64(chunk)) + step)
        for chunk in range(-(-width // _BITS_OF_A_DRAW))
    ]
    drawn = np.stack(chunks, axis=1).astype("<u8").view("<u4")[:, : -(-width // 32)]
    drawn[:, -1] &= np.uint32(2 ** (width % 32 or 32) - 1)
    return drawn.astype(np.uint32)
