"""The trees of a design: how high they are, and how long a word takes when nothing else moves."""

from pathlib import Path
from typing import Any

import numpy as np

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.research.sweep.steps.step import Axes, Step, Value

_COLUMNS = (
    *("nodes", "links", "degree", "senders", "up_height", "down_height", "cycles_mean"),
    *("cycles_max", "modules", "buffers_one", "buffers_two"),
    *("joins", "operation_cycles", "operation_bound"),
)


def _measure(design: AnyDesign, _axes: Axes, _folder: Path) -> dict[str, Value]:
    network = design.network
    facts: dict[str, Any] = {
        "nodes": network.nodes,
        "links": int((network.neighbour >= 0).sum()),
        "degree": int((network.neighbour >= 0).sum(axis=1).max()),
    }
    facts |= fabrics.module(design.fabric, "measure").trees(design)
    cycles = facts.pop("cycles")
    if not cycles:
        return facts
    return facts | {"cycles_mean": round(float(np.mean(cycles)), 2), "cycles_max": max(cycles)}


STEP = Step("tree", _COLUMNS, (), verilog=False, measure=_measure)
