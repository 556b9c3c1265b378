"""Run the cycle model of a design, whichever its fabric, and record every transfer."""

from dataclasses import replace

import numpy as np

from noc.design import AnyDesign, Design, OrderedDesign
from noc.errors import CheckError, option
from noc.explore.joined import identify
from noc.explore.recording import OUTSIDE, Recording, Stream
from noc.explore.spans import Spans, list_spans
from noc.model import LongTraffic, Traffic, simulate, watch
from noc.model.collective import (
    CollectiveEvents,
    CollectiveRun,
    CollectiveTraffic,
    simulate_collectives,
    watch_collectives,
)
from noc.model.ordered import OrderedStream, simulate_ordered, watch_ordered
from noc.model.signals import Signals
from noc.networks import IntArray, memory
from noc.programs.ordered import OrderedProgram
from noc.verify.stimulus import AnyTraffic

__all__ = ["record"]

# What a run takes in memory.
_BYTES_PER_WORD, _BYTES_PER_TRANSFER = 100, 150

# Data of more bits are no exact numbers in a browser.
_MOST_DATA = 48


def record(design: AnyDesign, traffic: AnyTraffic, cycles: int | None = None) -> Recording:
    """Run the model of a design until every word has arrived, or the cycles are over."""
    if isinstance(traffic, LongTraffic):
        _check_memory(design, traffic.words, cycles)
    traffic = traffic.whole
    if isinstance(traffic, CollectiveTraffic):
        if not isinstance(design, OrderedDesign):
            raise CheckError("operations are of the ordered fabric")
        return _collective(
            design,
            traffic,
            simulate_collectives(design.program, design.width, traffic, cycles=cycles),
        )
    if isinstance(design, OrderedDesign):
        return _ordered(design, traffic, cycles)
    return _direct(design, traffic, cycles)


def _check_memory(design: AnyDesign, words: int, cycles: int | None) -> None:
    """Refuse a run that cannot be held in memory: a sink takes one word a cycle."""
    taken = words if cycles is None else min(words, cycles)
    memory.require(
        words * _BYTES_PER_WORD + 2 * design.network.nodes * taken * _BYTES_PER_TRANSFER,
        purpose=f"a run of {words} words",
        remedy=f"use fewer {option('words')} or {option('cycles')}",
    )


def _ordered(design: OrderedDesign, traffic: Traffic, cycles: int | None) -> Recording:
    run = simulate_ordered(design.program, traffic, cycles=cycles)
    if run.events is None:
        raise CheckError("the model gave no list of events")
    signals = watch_ordered(design.program, traffic, run.cycles)
    number = np.arange(len(run.events.streams))
    return Recording(
        streams=[_stream(design.program, stream) for stream in run.events.streams],
        stream=run.events.stream,
        cycle=run.events.cycle,
        word=run.events.word,
        more={},
        words={"source": traffic.source.tolist(), "release": traffic.release.tolist()},
        cycles=run.cycles,
        end=run.end,
        spans=_spans(signals, number, run.cycles),
    )


def _stream(program: OrderedProgram, stream: OrderedStream) -> Stream:
    """The two ends of a stream of the ordered fabric."""
    node, kind = stream.node, stream.kind
    if kind == "inject":
        return Stream(kind, OUTSIDE, node)
    if kind == "eject":
        return Stream(kind, node, OUTSIDE)
    if kind == "down":
        return Stream(kind, int(program.down.parent[node]), node, int(program.down.port[node]))
    if kind in ("up", "join"):
        above, port = int(program.up_parent[node]), int(program.up_port[node])
        return Stream(kind, node, above, port, stream.group)
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


def _collective(design: OrderedDesign, traffic: CollectiveTraffic, run: CollectiveRun) -> Recording:
    named, events = identify(run), run.events
    word, more = np.array(named.word, dtype=np.int64), {}
    if design.width <= _MOST_DATA:
        ones = (1 << design.width) - 1
        more["data"] = (events.bits & ones).astype(np.int64)
    signals = watch_collectives(design.program, design.width, traffic, run.cycles)
    signals = _with_next_word(signals, events, word)
    return Recording(
        streams=[_stream(design.program, stream) for stream in run.streams],
        stream=events.stream,
        cycle=events.cycle,
        word=word,
        more=more,
        words={"source": named.source, "operation": named.operation},
        cycles=run.cycles,
        end=run.end,
        spans=_spans(signals, np.arange(len(run.streams)), run.cycles),
    )


def _with_next_word(signals: Signals, events: CollectiveEvents, word: IntArray) -> Signals:
    """Signals that say which word is offered: the next that moves on the stream, if one does."""
    order = np.lexsort((events.cycle, events.stream))
    most = max(signals.cycle.max(initial=0), events.cycle.max(initial=0)) + 1
    moves = events.stream[order] * most + events.cycle[order]
    place = np.searchsorted(moves, signals.stream * most + signals.cycle)
    there = place < moves.size
    there[there] = events.stream[order][place[there]] == signals.stream[there]
    offered = np.full(place.size, OUTSIDE)
    offered[there] = word[order][place[there]]
    return replace(signals, word=np.where(signals.word < 0, signals.word, offered))
