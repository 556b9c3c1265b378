"""The cycle model of a design, and what its transfers are on the wires."""

from collections.abc import Callable, Iterator

import numpy as np

from noc.errors import InputError, option
from noc.fabrics.timetable.design import TimetableDesign
from noc.harness import count_payload_words, draw_starts
from noc.model.faults import Faults
from noc.model.operators import Rows
from noc.model.ordered.run import AnyTraffic
from noc.model.runs import Chunk
from noc.model.timetable import Events, SumData, simulate
from noc.model.timetable import stream as stream_model
from noc.model.traffic import payload_rows
from noc.networks import IntArray
from noc.programs.sums import SumProgram
from noc.verify.expected import broadcasts
from noc.verify.records import LOG_HEADER, WordArray, in_order, put_bits
from noc.verify.streams import Interface


def stream(
    design: TimetableDesign, traffic: AnyTraffic, cycles: int | None, faults: Faults
) -> Iterator[Chunk]:
    """Run the model, some cycles after the other."""
    if faults:
        raise InputError(
            f"{option('faults')}: of the timetable fabric the model knows words by their time, "
            f"not by their way; use {option('fabric', 'ordered')} or {option('fabric', 'direct')}"
        )
    starts = draw_starts(design.round)
    return stream_model(design.program, broadcasts(traffic), cycles=cycles, starts=starts)


def count_cycles(design: TimetableDesign, traffic: AnyTraffic) -> int:
    """The cycles until every word has arrived, whatever the pulses are."""
    cycles = simulate(design.program, broadcasts(traffic), events=False).cycles
    if design.config.pulsed:
        starts = draw_starts(design.round)
        pulses = np.flatnonzero([*starts, *starts])
        cycles += int(np.diff(pulses).max())
    return cycles


def records(
    design: TimetableDesign, interface: Interface, traffic: AnyTraffic
) -> Callable[[Chunk], tuple[WordArray, IntArray]]:
    """What makes records of the events of a run, and the word of each."""
    seed, width = broadcasts(traffic).seed, interface.width

    def data(events: Events) -> Rows:
        return payload_rows(seed, width, events.word)

    if isinstance(design.program, SumProgram):
        data = SumData(design.program, width, seed).rows
    return lambda chunk: _expected(interface, data(chunk.events), chunk.events)


def _expected(interface: Interface, data: Rows, events: Events) -> tuple[WordArray, IntArray]:
    """Events on links that the manifest does not list are left out, and phases never differ."""
    streams = *interface.inject, *interface.eject, *interface.links
    ports = 1 + max(stream.port for stream in streams)
    number = np.full((interface.nodes, ports), -1, dtype=np.int64)
    for place, each in enumerate(streams):
        number[each.node, each.port] = place
    stream_of = number[events.node, events.port]
    listed = stream_of >= 0
    words = events.word[listed]
    columns = LOG_HEADER + count_payload_words(interface)
    result = np.zeros((words.size, columns), dtype=np.uint32)
    result[:, 0], result[:, 1] = events.cycle[listed], stream_of[listed]
    result[:, LOG_HEADER : LOG_HEADER + data.shape[1]] = data[listed]
    # Words that wait for sinks carry the phase in which they came.
    carries = [any(field.name == "phase" for field in stream.fields) for stream in streams]
    rows = np.flatnonzero(np.array(carries)[result[:, 1]])
    if rows.size:
        put_bits(result, rows, interface.width, events.phase[listed][rows])
    return in_order(result, words)
