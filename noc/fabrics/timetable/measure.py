"""What sweeps measure in the cycle model."""

from typing import Any

import numpy as np

from noc.errors import InputError
from noc.fabrics.measured import Load, load_of_words
from noc.fabrics.timetable.design import TimetableDesign
from noc.model import Traffic, all_sources
from noc.model.timetable import simulate, stream
from noc.programs.round_table import first_inject, first_lane

#: Cycles that are counted, and those before them and after them each; the model lists each word.
_CYCLES, _WARM_UP = 20_000, 2_000
_COUNTED = range(_WARM_UP, _WARM_UP + _CYCLES)


def trees(design: TimetableDesign) -> dict[str, Any]:
    """How long each word of a round takes, and how many routers differ."""
    program = design.program
    return {
        "senders": len(design.senders),
        "cycles": program.latency.tolist(),
        "modules": len(program.tables),
    }


def full(design: TimetableDesign, seed: int) -> Load:
    """Every source always has a word."""
    program = design.program
    most = int(np.bincount(program.flows.inject).max())
    words = all_sources(program, most * (1 + (_CYCLES + _WARM_UP) // program.round), seed=seed)
    begin, end = (
        simulate(program, words, cycles=stop, events=False)
        for stop in (_WARM_UP, _WARM_UP + _CYCLES)
    )
    carried = (end.delivered - begin.delivered) / _copies(design)
    taken = np.bincount(design.inject_nodes, weights=end.accepted - begin.accepted)
    return Load(_CYCLES, carried, taken.astype(np.int64)[design.senders])


def _copies(design: TimetableDesign) -> int:
    """How many nodes get each word, or sum."""
    nodes = design.network.nodes
    return {"all_gather": nodes - 1, "all_reduce": nodes}.get(design.program.exchange.name, 1)


def random(design: TimetableDesign, load: float, seed: int) -> Load:
    """Words come at random; ``load`` to all sources together in a cycle."""
    program, streams = design.program, len(design.program.sources)
    if program.exchange.adds:
        raise InputError(f"load {load}: of words that are added up the full load is measured")
    end = _WARM_UP + _CYCLES + _WARM_UP
    comes = np.random.default_rng(seed).random((end, streams)) < load / streams
    release, source = (column.astype(np.int64) for column in np.nonzero(comes))
    ready = np.ones((1, design.network.nodes), dtype=np.bool_)
    last, copies = np.full(release.size, -1), np.zeros(release.size, dtype=np.int64)
    first = first_lane(design.network)
    for chunk in stream(program, Traffic(source, release, ready), cycles=end):
        leaves = (chunk.events.port >= first) & (chunk.events.port < first_inject(design.network))
        np.maximum.at(last, chunk.events.word[leaves], chunk.events.cycle[leaves])
        np.add.at(copies, chunk.events.word[leaves], 1)
    last[copies < _copies(design)] = -1
    return load_of_words(design.inject_nodes[source], release, last, _COUNTED, design.senders)
