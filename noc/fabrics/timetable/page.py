"""What the page shows of a design: its tables, and the transfers of a run."""

from typing import Any

import numpy as np

from noc.errors import CheckError, InputError, option
from noc.explore.recording import OUTSIDE, Recording, Stream
from noc.fabrics.timetable.design import TimetableDesign
from noc.model.ordered.run import AnyTraffic
from noc.model.timetable import simulate
from noc.networks import IntArray
from noc.programs.round_table import RoundTable, first_inject, first_lane
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
    if design.program.exchange.adds:
        raise InputError(
            f"{option('exchange', str(design.program.exchange))}: the page shows words as they are "
            "given, and none that are added up on their way in the timetable fabric"
        )
    traffic = broadcasts(traffic).whole
    run = simulate(design.program, traffic, cycles=cycles)
    if run.events is None:
        raise CheckError("the model gave no list of events")
    streams, number = _streams(design)
    return Recording(
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
        *(
            (there, arrival, Stream("link", node, there, port))
            for node, port, there, arrival in program.links()
        ),
    ]
    number = np.full((network.nodes, given + network.ports), OUTSIDE, dtype=np.int64)
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
        "tables": [_table(table) for table in program.tables],
        "table": program.table.tolist(),
    }


def _table(table: RoundTable) -> dict[str, Any]:
    """For each out-port and phase the in-port, or ``OWN``, and the age of the word that leaves."""
    return {"sends": table.sends}
