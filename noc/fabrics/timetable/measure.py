"""What sweeps measure in the cycle model."""

from typing import Any

import numpy as np

from noc.fabrics.measured import Load
from noc.fabrics.timetable.design import TimetableDesign
from noc.model import Traffic, all_sources
from noc.model.ordered.load import BATCHES
from noc.model.timetable import simulate

#: Cycles that are counted, and those before them and after them each; the model lists each word.
_CYCLES, _WARM_UP = 20_000, 2_000


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
    run = simulate(
        program, Traffic(source, np.zeros_like(source), release, ready), cycles=end, events=False
    )
    last = np.full(release.size, end)
    word, cycle = run.taken.T
    last[word] = np.minimum(end, cycle + program.latency.max(axis=1)[source[word]])
    ended = last < end
    counted = (release >= _WARM_UP) & (release < _WARM_UP + _CYCLES)
    carried = (last >= _WARM_UP) & (last < _WARM_UP + _CYCLES)
    batch, waits = (release - _WARM_UP) * BATCHES // _CYCLES, last - release
    ended &= counted
    return Load(
        _CYCLES,
        int(carried.sum()),
        np.bincount(source[carried], minlength=nodes),
        np.bincount(batch[counted], minlength=BATCHES),
        np.bincount(batch[ended], minlength=BATCHES),
        np.bincount(batch[ended], waits[ended], minlength=BATCHES),
        int(np.quantile(waits[ended], 0.99, method="higher")) if ended.any() else 0,
    )
