"""What sweeps measure in the cycle model."""

from typing import Any

import numpy as np

from noc.design import Design
from noc.errors import CheckError
from noc.fabrics.measured import Load, load_of_words
from noc.model import Traffic, back_to_back, broadcast, simulate

#: Cycles that are counted, and those before them and after them each; the model lists each word.
_CYCLES, _WARM_UP = 20_000, 2_000
_COUNTED = range(_WARM_UP, _WARM_UP + _CYCLES)


def trees(design: Design) -> dict[str, Any]:
    """How long a broadcast of each source takes, and how many routers differ."""
    program, cycles = design.program, []
    for source in program.sources:
        run = simulate(program, broadcast(program, source), events=False, arrival=True)
        if run.arrival is None or not run.drained:
            raise CheckError(f"{program.network.spec}: a broadcast ends {run.end}")
        cycles.append(int(run.arrival.max()))
    return {"senders": len(program.sources), "cycles": cycles, "modules": len(program.tables)}


def full(design: Design, seed: int) -> Load:
    """The first source always has a word."""
    program, source = design.program, design.root
    traffic = back_to_back(program, source, _CYCLES + _WARM_UP, seed=seed)
    begin = simulate(program, traffic, cycles=_WARM_UP, events=False)
    end = simulate(program, traffic, cycles=_WARM_UP + _CYCLES, events=False)
    carried = (end.delivered - begin.delivered) / (design.network.nodes - 1)
    return Load(_CYCLES, carried, (end.accepted - begin.accepted)[[source]])


def random(design: Design, load: float, seed: int) -> Load:
    """Words come at random to the first source."""
    program, nodes = design.program, design.network.nodes
    end = _WARM_UP + _CYCLES + _WARM_UP
    comes = np.random.default_rng(seed).random((end, 1)) < load
    release = np.nonzero(comes)[0].astype(np.int64)
    source = np.full_like(release, design.root)
    traffic = Traffic(source, release, np.ones((1, nodes), dtype=np.bool_))
    run = simulate(program, traffic, cycles=end, events=False, arrival=True)
    if run.arrival is None or run.end not in ("drained", "limit"):
        raise CheckError(f"{design.network.spec} at load {load:g}: {run.end}")
    everywhere = (run.arrival >= 0).sum(axis=1) == nodes - 1
    last = np.where(everywhere, run.arrival.max(axis=1), -1)
    return load_of_words(source, release, last, _COUNTED, [design.root])
