"""Search for header codes whose table needs few gates, compiled.

Every bit of a next code is a function of the bits of the code, and most codes never come with
most sends: a partial function. One that depends on four bits fits one 4-input look-up table, and
each further bit doubles it. The search swaps codes, and keeps what makes that sum smaller.

All arithmetic is on integers, so that every machine finds the same codes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import IntArray

#: Codes of more bits are not searched: truth tables have 2**bits entries.
MOST_BITS = 12

WordArray = npt.NDArray[np.uint64]

# The inputs of one look-up table, and its price: the threshold of the search falls in steps of 1.
_INPUTS, _TABLE = 4, 4

# What the search accepts at first: so much more than before.
_THRESHOLD = 12

# How much work a search may be, a second or two.
_WORK = 2_000_000_000

# Where bit v of the index of a truth table is 0, for the six bits within a word.
_WORD_BITS = 6
_LOW = np.array(
    [
        0x5555555555555555,
        0x3333333333333333,
        0x0F0F0F0F0F0F0F0F,
        0x00FF00FF00FF00FF,
        0x0000FFFF0000FFFF,
        0x00000000FFFFFFFF,
    ],
    dtype=np.uint64,
)


@compiled
def _spread(table: WordArray, bit: int, low: WordArray) -> None:
    """Make a set of codes independent of a bit: with every code its partner."""
    if bit < _WORD_BITS:
        shift = np.uint64(1 << bit)
        for word in range(table.size):
            both = (table[word] | (table[word] >> shift)) & low[bit]
            table[word] = both | (both << shift)
    else:
        step = 1 << (bit - _WORD_BITS)
        for word in range(table.size):
            if not word & step:
                both = table[word] | table[word | step]
                table[word] = both
                table[word | step] = both


@compiled
def _gates(one: WordArray, zero: WordArray, bits: int, work: WordArray, low: WordArray) -> int:
    """The price of a partial function: leave out every bit that it can do without."""
    some_one, some_zero = False, False
    for word in range(one.size):
        some_one |= one[word] != 0
        some_zero |= zero[word] != 0
    if not (some_one and some_zero):
        return 0
    needed = 0
    for bit in range(bits):
        for word in range(one.size):
            work[0, word] = one[word]
            work[1, word] = zero[word]
        _spread(work[0], bit, low)
        _spread(work[1], bit, low)
        clash = False
        for word in range(one.size):
            clash |= (work[0, word] & work[1, word]) != 0
        if clash:
            needed += 1
        else:
            one[:] = work[0]
            zero[:] = work[1]
    if needed <= 1:
        return 0
    return int(_TABLE << max(0, needed - _INPUTS))


class _Decoded(NamedTuple):
    """What is decoded from a code; see :func:`least_gates`."""

    far: IntArray
    flags: IntArray
    bits: int
    low: WordArray


@compiled
def _mark(table: WordArray, code: int) -> None:
    """Add a code to a set of codes."""
    table[code >> _WORD_BITS] |= np.uint64(1) << np.uint64(code & 63)


@compiled
def _price(code: IntArray, decoded: _Decoded, work: WordArray) -> int:
    """The gates: next codes of every out-port, and the flags."""
    # The codes for which a function is 1, and those for which it is 0.
    sets = work[2:]
    total = 0
    for port in range(decoded.far.shape[1]):
        for bit in range(decoded.bits):
            sets[:] = 0
            for entry in range(code.size):
                far = decoded.far[entry, port]
                if far >= 0:
                    _mark(sets[1 - (code[far] >> bit & 1)], code[entry])
            total += _gates(sets[0], sets[1], decoded.bits, work, decoded.low)
    for flag in range(decoded.flags.shape[0]):
        sets[:] = 0
        for entry in range(code.size):
            _mark(sets[1 - decoded.flags[flag, entry]], code[entry])
        total += _gates(sets[0], sets[1], decoded.bits, work, decoded.low)
    return int(total)


@compiled
def _search(
    code: IntArray, group: IntArray, decoded: _Decoded, fixed_bits: int, rounds: int
) -> IntArray:
    """Accept every change that costs less than a threshold, which falls to nothing."""
    entries = code.size
    free = 1 << (decoded.bits - fixed_bits)
    work = np.zeros((4, max(1, (1 << decoded.bits) >> _WORD_BITS)), dtype=np.uint64)
    now = _price(code, decoded, work)
    best, least = code.copy(), now
    state = np.uint64(1)
    for turn in range(rounds):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        draw = int(state >> np.uint64(33))
        entry = draw % entries
        number = (draw // entries) % free
        old = code[entry]
        new = (old & ((1 << fixed_bits) - 1)) | number << fixed_bits
        if new == old:
            continue
        partner = -1
        for other in range(entries):
            if group[other] == group[entry] and code[other] == new:
                partner = other
        code[entry] = new
        if partner >= 0:
            code[partner] = old
        price = _price(code, decoded, work)
        threshold = _THRESHOLD * (rounds - turn) // rounds
        if price < now + threshold or price <= now:
            now = price
            if now < least:
                least = now
                best = code.copy()
        else:
            code[entry] = old
            if partner >= 0:
                code[partner] = new
    return best


def least_gates(
    code: IntArray, group: IntArray, far: IntArray, flags: IntArray, *, bits: int, fixed_bits: int
) -> IntArray:
    """Better codes than these to begin with, of which the ``fixed_bits`` lowest stay.

    Entries of one ``group`` have the same fixed bits. ``far`` (entries, out-ports) has the entry by
    which a copy is looked up at the far end, or -1; ``flags`` (flags, entries) other bits that are
    decoded from the code.
    """
    if fixed_bits >= bits or bits > MOST_BITS or not far.size:
        return code
    # What a round costs grows with the functions and with the words of a truth table.
    functions = far.shape[1] * bits + flags.shape[0]
    work = functions * bits * (code.size + (1 << max(0, bits - _WORD_BITS)))
    # Every entry is tried 200 times, and more often where it has more codes to choose from: three
    # times with every pair of them.
    free = 1 << (bits - fixed_bits)
    rounds = min(code.size * max(200, 3 * free * free), _WORK // work)
    decoded = _Decoded(far.astype(np.int64), flags.astype(np.int64), bits, _LOW)
    return _search(code.astype(np.int64), group.astype(np.int64), decoded, fixed_bits, rounds)
