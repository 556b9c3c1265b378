"""Sinks that stall: whatever they do, nothing is lost, doubled or out of order."""

import random

import cocotb
from driver import send_at_once
from folder import ALWAYS_READY, EXCHANGE, NODES

#: The words are for all, and sinks may stall.
FITS = EXCHANGE is None and not ALWAYS_READY

WORDS = 4
#: The highest word that is sent.
HIGHEST = len(NODES) * WORDS


def at_random(node: int, cycle: int) -> bool:
    """Ready in a third of the cycles, by lot."""
    return random.Random(f"{node} {cycle}").random() < 1 / 3


def in_bursts(node: int, cycle: int) -> bool:
    """Ready for 10 cycles, then not for 10, each node at another time."""
    return (cycle + 7 * node) % 20 < 10


def one_stands_still(node: int, cycle: int) -> bool:
    """One sink takes nothing for a long time; all words wait for it in the end."""
    return node != 0 or cycle > 600


@cocotb.test(timeout_time=50, timeout_unit="ms")
@cocotb.parametrize(pattern=[at_random, in_bursts, one_stands_still])
async def nothing_is_lost(dut, pattern) -> None:
    """All nodes send into sinks of one pattern."""
    await send_at_once(dut, WORDS, pattern)
