"""The cycle model of a design, and what its transfers are on the wires."""

from collections.abc import Callable, Iterator

import numpy as np

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
from noc.programs.round_table import NONE, first_lane
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram
from noc.verify.expected import broadcasts
from noc.verify.records import LOG_HEADER, WordArray, in_order, put_bits
from noc.verify.streams import EJECT, Interface


def stream(
    design: TimetableDesign, traffic: AnyTraffic, cycles: int | None, faults: Faults
) -> Iterator[Chunk]:
    """Run the model, some cycles after the other."""
    return stream_model(
        design.program,
        broadcasts(traffic),
        cycles=cycles,
        starts=draw_starts(design.round),
        faults=faults,
    )


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
    # The only eject stream of a node is behind its inject stream, where the first of several is.
    one = first_lane(events.program.network)
    ports = 1 + max(one, *(stream.port for stream in streams))
    number = np.full((interface.nodes, ports), -1, dtype=np.int64)
    for place, each in enumerate(streams):
        number[each.node, one if each.port == EJECT else each.port] = place
    stream_of = number[events.node, events.port]
    listed = stream_of >= 0
    words = events.word[listed]
    columns = LOG_HEADER + count_payload_words(interface)
    result = np.zeros((words.size, columns), dtype=np.uint32)
    result[:, 0], result[:, 1] = events.cycle[listed], stream_of[listed]
    result[:, LOG_HEADER : LOG_HEADER + data.shape[1]] = data[listed]
    # Words that wait for sinks carry the phase in which they came, or what they are known by.
    ends = _ends_of(events.program) if events.program.config.merged else None
    for name in ("phase", "source", "sum", "end_of_round"):
        first = [next((f.first for f in each.fields if f.name == name), 0) for each in streams]
        rows = np.flatnonzero(np.array(first)[result[:, 1]])
        values = events.phase[listed][rows]
        if name == "end_of_round" and ends is not None:
            values = (ends[events.node[listed][rows]] == values).astype(np.int64)
        if rows.size:
            put_bits(result, rows, max(first), values)
    return in_order(result, words)


def _ends_of(program: RoundProgram) -> IntArray:
    """What the last word of a round is known by at each node with one eject stream."""
    _, node, _ = np.nonzero(program.taken != NONE)
    ends = np.full(program.network.nodes, NONE, dtype=np.int64)
    np.maximum.at(ends, node, program.numbers[program.taken[program.taken != NONE]])
    return ends
