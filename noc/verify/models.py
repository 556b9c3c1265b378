"""The cycle model of a design, whichever its fabric, and the records that it expects."""

import numpy as np

from noc.design import AnyDesign, OrderedDesign
from noc.errors import CheckError
from noc.model import Run, Traffic, simulate
from noc.model.collective.run import CollectiveRun, simulate_collectives
from noc.model.collective.traffic import CollectiveTraffic
from noc.model.ordered import OrderedRun, simulate_ordered
from noc.networks import IntArray
from noc.verify.expected import (
    WordArray,
    expected,
    expected_collectives,
    expected_ordered,
    with_idle,
)
from noc.verify.streams import Interface

__all__ = ["accepted_by_source", "expected_records", "run_model"]


def run_model(
    design: AnyDesign, traffic: Traffic, *, cycles: int | None = None, events: bool = False
) -> Run | OrderedRun:
    """Run the model of a design whose words are broadcast."""
    if isinstance(design, OrderedDesign):
        return simulate_ordered(design.program, traffic, cycles=cycles, events=events)
    return simulate(design.program, traffic, cycles=cycles, events=events)


def accepted_by_source(design: AnyDesign, traffic: Traffic, cycles: int) -> IntArray:
    """How many words of each node are accepted within so many cycles."""
    run = run_model(design, traffic, cycles=cycles)
    if isinstance(run, OrderedRun):
        words = traffic.source[run.accepted >= 0]
        return np.bincount(words, minlength=design.network.nodes)
    return run.accepted


def expected_records(
    design: AnyDesign,
    interface: Interface,
    traffic: Traffic | CollectiveTraffic,
    cycles: int | None,
) -> tuple[Run | OrderedRun | CollectiveRun, WordArray, IntArray]:
    """A run of the model, the records of its transfers, and the word of each."""
    if isinstance(traffic, CollectiveTraffic):
        if not isinstance(design, OrderedDesign):
            raise TypeError("operations are of the ordered fabric")
        collective = simulate_collectives(design.program, design.width, traffic, cycles=cycles)
        return collective, *expected_collectives(interface, collective)
    if isinstance(design, OrderedDesign):
        ordered = simulate_ordered(design.program, traffic, cycles=cycles)
        if ordered.events is None:
            raise CheckError("the model gave no list of events")
        bits = design.program.source_bits
        return ordered, *expected_ordered(interface, bits, traffic, ordered.events)
    direct = simulate(design.program, traffic, cycles=cycles)
    if direct.events is None:
        raise CheckError("the model gave no list of events")
    records, words = expected(interface, traffic, direct.events)
    return direct, *with_idle(interface, records, words, direct.idle)
