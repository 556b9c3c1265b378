"""Run the cycle model of a design, whichever its fabric, and record every transfer."""

from dataclasses import replace

import numpy as np

from noc.design import AnyDesign, Design, OrderedDesign
from noc.errors import CheckError, option
from noc.explore.joined import identify
from noc.explore.recording import OUTSIDE, Recording, Stream
from noc.explore.spans import Spans, list_spans
from noc.model import LongTraffic, Traffic, simulate, watch
from noc.model.ordered import (
    CollectiveTraffic,
    OrderedStream,
    simulate_ordered,
    watch_ordered,
)
from noc.model.ordered.run import AnyTraffic
from noc.model.signals import Signals
from noc.networks import IntArray, memory
from noc.programs.ordered import Lane
from noc.verify.stimulus import broadcasts

__all__ = ["record"]

# What a run takes in memory.
_BYTES_PER_WORD, _BYTES_PER_TRANSFER = 100, 150

# Data of more bits are no exact numbers in a browser.
_MOST_DATA = 48
_PLACES = np.array([1, 1 << 32], dtype=np.int64)


def record(design: AnyDesign, traffic: AnyTraffic, cycles: int | None = None) -> Recording:
    """Run the model of a design until every word has arrived, or the cycles are over."""
    if isinstance(traffic, LongTraffic):
        _check_memory(design, traffic.words, cycles)
    if isinstance(design, OrderedDesign):
        return _ordered(design, traffic.whole, cycles)
    return _direct(design, broadcasts(traffic).whole, cycles)


def _check_memory(design: AnyDesign, words: int, cycles: int | None) -> None:
    """Refuse a run that cannot be held in memory: a sink takes one word a cycle."""
    taken = words if cycles is None else min(words, cycles)
    memory.require(
        words * _BYTES_PER_WORD + 2 * design.network.nodes * taken * _BYTES_PER_TRANSFER,
        purpose=f"a run of {words} words",
        remedy=f"use fewer {option('words')} or {option('cycles')}",
    )


def _ordered(
    design: OrderedDesign, traffic: Traffic | CollectiveTraffic, cycles: int | None
) -> Recording:
    run = simulate_ordered(design.program, traffic, width=design.width, cycles=cycles)
    events, signals = run.events, watch_ordered(design.program, traffic, run.cycles)
    word, more = events.word, {}
    if isinstance(traffic, Traffic):
        words = {"source": traffic.source.tolist(), "release": traffic.release.tolist()}
    else:
        named = identify(run, traffic)
        words = {"source": named.source, "operation": named.operation}
        word, signals = named.of(word), replace(signals, word=named.of(signals.word))
        if design.width <= _MOST_DATA:
            more["data"] = run.values.data @ _PLACES[: run.values.data.shape[1]]
    lanes: dict[tuple[str, int, int], Lane] = {
        (lane.carries, lane.node, lane.group or 0): lane for lane in design.program.lanes
    }
    return Recording(
        streams=[
            _stream(each, lanes.get((each.kind, each.node, each.group))) for each in events.streams
        ],
        stream=events.stream,
        cycle=events.cycle,
        word=word,
        more=more,
        words=words,
        cycles=run.cycles,
        end=run.end,
        spans=_spans(signals, np.arange(len(events.streams)), run.cycles),
    )


def _stream(stream: OrderedStream, lane: Lane | None) -> Stream:
    """The two ends of a stream of the ordered fabric, which is a lane or a node's own."""
    node, kind = stream.node, stream.kind
    if lane is not None:
        return Stream(kind, lane.sender, lane.receiver, lane.out_port, stream.group)
    if kind == "inject":
        return Stream(kind, OUTSIDE, node)
    if kind == "eject":
        return Stream(kind, node, OUTSIDE)
    return Stream(kind, node, node, group=stream.group)


def _direct(design: Design, traffic: Traffic, cycles: int | None) -> Recording:
    run = simulate(design.program, traffic, cycles=cycles)
    if run.events is None:
        raise CheckError("the model gave no list of events")
    streams, number = _direct_streams(design)
    return Recording(
        streams=streams,
        stream=number[run.events.node, run.events.port],
        cycle=run.events.cycle,
        word=run.events.word,
        more={"row": run.events.row},
        words={
            "source": traffic.source.tolist(),
            "release": traffic.release.tolist(),
            "tree": traffic.tree.tolist(),
        },
        cycles=run.cycles,
        end=run.end,
        spans=_spans(watch(design.program, traffic, run.cycles), number.ravel(), run.cycles),
    )


def _spans(signals: Signals, number: IntArray, cycles: int) -> dict[str, Spans]:
    waiting, free = list_spans(signals, number, cycles)
    return {"waiting": waiting, "free": free}


def _direct_streams(design: Design) -> tuple[list[Stream], IntArray]:
    """All streams, and the number of each by node and port, as events of the model name it."""
    program = design.program
    streams = [
        *(Stream("inject", OUTSIDE, node) for node in program.sources),
        *(Stream("eject", node, OUTSIDE) for node in range(program.network.nodes)),
        *(Stream("link", node, there, port) for node, port, there, _ in program.links()),
    ]
    number = np.full((program.network.nodes, program.inject + 2), OUTSIDE, dtype=np.int64)
    for place, stream in enumerate(streams):
        if stream.kind == "inject":
            number[stream.receiver, program.inject] = place
        elif stream.kind == "eject":
            # Port -1, which is the last column.
            number[stream.sender, OUTSIDE] = place
        else:
            number[stream.receiver, program.network.arrival[stream.sender, stream.port]] = place
    return streams, number
