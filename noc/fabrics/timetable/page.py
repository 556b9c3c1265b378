"""What the page shows of a design: its tables, and the transfers of a run."""

from dataclasses import replace
from typing import Any

import numpy as np

from noc.errors import CheckError
from noc.explore.recording import MOST_DATA, OUTSIDE, PLACES, Recording, Stream
from noc.fabrics.timetable.design import TimetableDesign
from noc.model.ordered.run import AnyTraffic
from noc.model.timetable import Events, SumData, find_given, simulate
from noc.model.timetable.kernel import FIRST_SUM
from noc.networks import IntArray
from noc.programs.round_table import first_inject, first_lane, loop_of
from noc.programs.sums import SumProgram
from noc.verify.expected import broadcasts


def facts(design: TimetableDesign) -> dict[str, Any]:
    """What a reader sees of the hardware."""
    program = design.program
    return {
        "cycles of a round": program.round,
        "routers": len(program.tables),
        "inputs of a multiplexer": max(table.inputs for table in program.tables),
    }


def record(design: TimetableDesign, traffic: AnyTraffic, cycles: int | None) -> Recording:
    """Run the cycle model, and list its transfers; no word waits in it, so that no spans do."""
    traffic, program = broadcasts(traffic).whole, design.program
    run = simulate(program, traffic, cycles=cycles)
    if run.events is None:
        raise CheckError("the model gave no list of events")
    streams, number = _streams(design)
    recording = Recording(
        streams=streams,
        stream=number[run.events.node, run.events.port],
        cycle=run.events.cycle,
        word=run.events.word,
        more={},
        words={
            "source": design.inject_nodes[traffic.source].tolist(),
            "release": traffic.release.tolist(),
        },
        cycles=run.cycles,
        end=run.end,
    )
    if isinstance(program, SumProgram):
        return _of_sums(recording, design, program, run.events, traffic.seed)
    return recording


def _of_sums(
    recording: Recording,
    design: TimetableDesign,
    program: SumProgram,
    events: Events,
    seed: int,
) -> Recording:
    """The same with sums in place of words, and where each of them is whole."""
    word, words = _by_sum(program, events)
    more = {}
    if design.width <= MOST_DATA:
        rows = SumData(program, design.width, seed).rows(events)
        more["data"] = rows.astype(np.int64) @ PLACES[: rows.shape[1]]
    # Its root gets it in the next cycle, and sends it on then, or later.
    loop = first_lane(program.network) + loop_of(program.network)
    at_root = np.flatnonzero(events.port == loop)
    roots, place = np.unique(events.node[at_root], return_inverse=True)
    begun = np.full(int(word.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(begun, word, events.cycle - program.eject_cycles * (events.port >= loop))
    whole = begun[word[at_root]] - 1
    return replace(
        recording,
        streams=[*recording.streams, *(Stream("sum", node, node) for node in roots.tolist())],
        stream=np.append(recording.stream, len(recording.streams) + place),
        cycle=np.append(recording.cycle, whole),
        word=np.append(word, word[at_root]),
        more={name: np.append(data, data[at_root]) for name, data in more.items()},
        words=words,
    )


def _by_sum(program: SumProgram, events: Events) -> tuple[IntArray, dict[str, list[Any]]]:
    """For each event in place of its word what it goes into, and what is known of these.

    It is a sum of a round, or the words for it, which are added up on their way.
    """
    own, sums = events.word >= 0, len(program.totals)
    round_of, flow_of = np.zeros((2, len(events)), dtype=np.int64)
    # Each own word is known by how it was given.
    given, flow, rounds = find_given(program, events)
    word, first = np.unique(events.word[given], return_index=True)
    place = np.searchsorted(word, events.word[own])
    round_of[own], flow_of[own] = rounds[first][place], flow[first][place]
    if not own.all():
        rounds, value = divmod(FIRST_SUM - events.word[~own], len(program.inputs))
        round_of[~own], flow_of[~own] = rounds, value + program.flows.phase.size
    number = np.array([program.total_of[words[0]] for words in program.members])
    whole = np.isin(flow_of, program.totals)
    which = 2 * (round_of * sums + number[flow_of]) + whole
    listed = np.arange(2 * sums * (1 + int(round_of.max(initial=0))))
    return which, {
        "source": [OUTSIDE] * listed.size,
        "round": (listed // (2 * sums)).tolist(),
        "sum": (listed // 2 % sums).tolist(),
        "whole": (listed % 2).tolist(),
    }


def _streams(design: TimetableDesign) -> tuple[list[Stream], IntArray]:
    """All streams, and the number of each by node and port, as events of the model name it."""
    network, program = design.network, design.program
    lane, given, nodes = first_lane(network), first_inject(network), range(network.nodes)
    ends = [
        *(
            (node, lane - 1, Stream("inject", OUTSIDE, node))
            if port is None
            else (node, given + port, Stream("inject", OUTSIDE, node, port))
            for node, port in program.injects
        ),
        *(
            (node, lane + port, Stream("eject", node, OUTSIDE, port))
            for node in nodes
            for port in design.lanes(node)
        ),
        # One for all, as the model numbers it.
        *(
            (node, lane, Stream("eject", node, OUTSIDE))
            for node in (design.receivers if design.config.merged else ())
        ),
        *(
            (there, arrival, Stream("link", node, there, port))
            for node, port, there, arrival in program.links()
        ),
    ]
    number = np.full((network.nodes, given + loop_of(network) + 1), OUTSIDE, dtype=np.int64)
    for place, (node, port, _) in enumerate(ends):
        number[node, port] = place
    return [stream for _, _, stream in ends], number


def describe_program(design: TimetableDesign) -> dict[str, Any]:
    """The tables of the routers."""
    program = design.program
    return {
        "fabric": "timetable",
        # Those whose trees can be shown.
        "sources": list(program.sources) if program.gathers else [],
        "trees": 1,
        "round": program.round,
        "before": int(program.own_register),
        # For each out-port and phase the in-port, or ``OWN``, and the age of the word that leaves.
        "tables": [{"sends": table.sends} for table in program.tables],
        "table": program.table.tolist(),
    }
