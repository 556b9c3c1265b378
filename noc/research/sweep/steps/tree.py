"""The trees of a design: how high they are, and how long a word takes when nothing else moves."""

from pathlib import Path

import numpy as np

from noc.design import AnyDesign, OrderedDesign
from noc.errors import CheckError
from noc.model import broadcast, simulate
from noc.programs.latency import count_cycles, find_parties
from noc.programs.latency_bounds import bound_cycles
from noc.programs.ordered import OrderedProgram
from noc.programs.program import Program
from noc.research.sweep.steps.step import Axes, Step, Value

__all__ = ["STEP"]

_COLUMNS = (
    *("nodes", "links", "degree", "senders", "up_height", "down_height", "cycles_mean"),
    *("cycles_max", "modules", "buffers_one", "buffers_two"),
    *("joins", "operation_cycles", "operation_bound"),
)


def _measure(design: AnyDesign, _axes: Axes, _folder: Path) -> dict[str, Value]:
    network = design.network
    facts: dict[str, Value] = {
        "nodes": network.nodes,
        "links": int((network.neighbour >= 0).sum()),
        "degree": int((network.neighbour >= 0).sum(axis=1).max()),
    }
    if isinstance(design, OrderedDesign):
        # A plain tree has hubs beside.
        return facts | {"nodes": design.words.nodes} | _ordered(design.program)
    return facts | _direct(design.program)


def _ordered(program: OrderedProgram) -> dict[str, Value]:
    cycles = [program.cycles_to_all(source) for source in program.sources]
    giving = [node for node in range(program.network.nodes) if program.plan_of(node).injects]
    return {
        "senders": len(giving),
        "up_height": int(program.up_depth[giving].max()),
        "down_height": program.down.height,
        **(_cycles(cycles) if cycles else {}),
        "modules": len(program.plans),
        "buffers_one": program.buffers[0],
        "buffers_two": program.buffers[1],
        **_operations(program),
    }


def _operations(program: OrderedProgram) -> dict[str, Value]:
    """Of the operation that takes longest with one word, but for ``all_gather``."""
    if program.operations.only_broadcast:
        return {}
    latencies = []
    for operation in program.operations.listed:
        if operation.kind == "all_gather":
            continue
        parties = find_parties(program, operation)
        cycles = count_cycles(program, operation, parties, 1)
        if cycles is not None:
            latencies.append((cycles, bound_cycles(program, operation, parties, 1)))
    longest = max(latencies, default=(None, None))
    joins = [len(join.joins) for n in program.plan.tolist() for join in program.plans[n].joins]
    return {
        "joins": sum(joins),
        "operation_cycles": longest[0],
        "operation_bound": longest[1],
    }


def _direct(program: Program) -> dict[str, Value]:
    """The same of the trees of all sources, from a broadcast of each in the cycle model."""
    cycles = []
    for source in program.sources:
        run = simulate(program, broadcast(program, source), events=False, arrival=True)
        if run.arrival is None or not run.drained:
            raise CheckError(f"{program.network.spec}: a broadcast ends {run.end}")
        cycles.append(int(run.arrival.max()))
    return {
        "senders": len(program.sources),
        **_cycles(cycles),
        "modules": len(program.tables),
    }


def _cycles(cycles: list[int]) -> dict[str, Value]:
    return {"cycles_mean": round(float(np.mean(cycles)), 2), "cycles_max": max(cycles)}


STEP = Step("tree", _COLUMNS, (), verilog=False, measure=_measure)
