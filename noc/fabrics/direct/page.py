"""What the page shows of a design: its program, and the transfers of a run."""

from typing import Any

import numpy as np

from noc.design import Design
from noc.errors import CheckError
from noc.explore.recording import OUTSIDE, Recording, Stream, list_spans
from noc.model import simulate, watch
from noc.model.ordered.run import AnyTraffic
from noc.model.traffic import Traffic
from noc.networks import IntArray
from noc.programs import Program
from noc.programs.table import RouterTable
from noc.verify.expected import broadcasts


def facts(design: Design) -> dict[str, Any]:
    """What a reader sees of the hardware."""
    program = design.program
    return {
        "ports": program.ports,
        "routers": len(program.tables),
        "ROM bits of a router": program.rom_bits,
        **({"slices of a word": program.slices} if program.slices > 1 else {}),
    }


def record(design: Design, traffic: AnyTraffic, cycles: int | None) -> Recording:
    """Run the cycle model, and list its transfers."""
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
        more={"row": run.events.row},
        words={
            "source": traffic.source.tolist(),
            "release": traffic.release.tolist(),
        },
        cycles=run.cycles,
        end=run.end,
        spans=_spans(design.program, traffic, run.cycles, number),
    )


def _spans(program: Program, traffic: Traffic, cycles: int, number: IntArray) -> dict[str, Any]:
    """When words wait on streams; slices never do."""
    if program.slices > 1:
        return {}
    return list_spans(watch(program, traffic, cycles), number.ravel(), cycles)


def _streams(design: Design) -> tuple[list[Stream], IntArray]:
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


def describe_program(design: Design) -> dict[str, Any]:
    """The tables of the routers."""
    program = design.program
    return {
        "fabric": "direct",
        "sources": list(program.sources),
        "ports": program.ports,
        "linkRegisters": program.config.link_registers,
        "queue": program.config.queue,
        **({"slices": program.slices} if program.slices > 1 else {}),
        "tables": [_table(table) for table in program.tables],
        "table": program.table.tolist(),
    }


def _table(table: RouterTable) -> dict[str, Any]:
    """Its rows, of which the last are for the node's own words, one for each slice."""
    return {
        "own": table.trees,
        "rows": [
            {"code": row.code, "deliver": row.deliver, "sends": row.sends} for row in table.entries
        ],
    }
