"""Run the cycle model of a design, whichever its fabric, and record every transfer."""

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import option
from noc.explore.recording import Recording
from noc.model import LongTraffic
from noc.model.ordered.run import AnyTraffic
from noc.networks import memory

__all__ = ["record"]

# What a run takes in memory.
_BYTES_PER_WORD, _BYTES_PER_TRANSFER = 100, 150


def record(design: AnyDesign, traffic: AnyTraffic, cycles: int | None = None) -> Recording:
    """Run the model of a design until every word has arrived, or the cycles are over."""
    if isinstance(traffic, LongTraffic):
        _check_memory(design, traffic.words, cycles)
    recording: Recording = fabrics.module(design.fabric, "page").record(design, traffic, cycles)
    return recording


def _check_memory(design: AnyDesign, words: int, cycles: int | None) -> None:
    """Refuse a run that cannot be held in memory: a sink takes one word a cycle."""
    taken = words if cycles is None else min(words, cycles)
    memory.require(
        words * _BYTES_PER_WORD + 2 * design.network.nodes * taken * _BYTES_PER_TRANSFER,
        purpose=f"a run of {words} words",
        remedy=f"use fewer {option('words')} or {option('cycles')}",
    )
