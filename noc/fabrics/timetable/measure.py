"""What sweeps measure in the cycle model."""

from typing import Any

import numpy as np

from noc.fabrics.measured import Load, load_of_words
from noc.fabrics.timetable.design import TimetableDesign
from noc.model import Traffic, all_sources
from noc.model.timetable import simulate

#: Cycles that are counted, and those before them and after them each; the model lists each word.
_CYCLES, _WARM_UP = 20_000, 2_000
_COUNTED = range(_WARM_UP, _WARM_UP + _CYCLES)


def trees(design: TimetableDesign) -> dict[str, Any]:
    """How long a broadcast of each source takes, and how many routers differ."""
    program = design.program
    return {
        "senders": len(program.sources),
        "cycles": program.latency.max(axis=1).tolist(),
        "modules": len(program.tables),
    }


def full(design: TimetableDesign, seed: int) -> Load:
    """Every source always has a word."""
    program = design.program
    words = all_sources(program, 1 + (_CYCLES + _WARM_UP) // program.round, seed=seed)
    begin, end = (
        simulate(program, words, cycles=stop, events=False)
        for stop in (_WARM_UP, _WARM_UP + _CYCLES)
    )
    carried = (end.delivered - begin.delivered) / (design.network.nodes - 1)
    return Load(_CYCLES, carried, end.accepted - begin.accepted)


def random(design: TimetableDesign, load: float, seed: int) -> Load:
    """Words come at random; ``load`` to all sources together in a cycle."""
    program, nodes = design.program, design.network.nodes
    end = _WARM_UP + _CYCLES + _WARM_UP
    comes = np.random.default_rng(seed).random((end, nodes)) < load / nodes
    release, source = (column.astype(np.int64) for column in np.nonzero(comes))
    ready = np.ones((1, nodes), dtype=np.bool_)
    run = simulate(program, Traffic(source, release, ready), cycles=end, events=False)
    last = np.full(release.size, -1)
    word, cycle = run.taken.T
    everywhere = cycle + program.latency.max(axis=1)[source[word]]
    last[word] = np.where(everywhere < end, everywhere, -1)
    return load_of_words(source, release, last, _COUNTED, design.senders)
