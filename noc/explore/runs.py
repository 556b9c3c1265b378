"""The runs of a page: those for which no traffic is asked for, and their recording."""

from dataclasses import replace

import numpy as np

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import option
from noc.explore.recording import Recording
from noc.model import LongTraffic
from noc.model.ordered import simulate_ordered
from noc.model.ordered.run import AnyTraffic
from noc.model.ordered.traffic import Given, as_traffic
from noc.networks import memory
from noc.programs.operations import Operations
from noc.programs.ordered import OrderedProgram
from noc.verify.runs import ALONE, Run, run

# What a run takes in memory.
_BYTES_PER_WORD, _BYTES_PER_TRANSFER = 100, 150


def record(design: AnyDesign, traffic: AnyTraffic, cycles: int | None = None) -> Recording:
    """Run the model of a design until every word has arrived, or the cycles are over."""
    if isinstance(traffic, LongTraffic):
        # A sink takes one word a cycle.
        words = traffic.words
        taken = words if cycles is None else min(words, cycles)
        memory.require(
            words * _BYTES_PER_WORD + 2 * design.network.nodes * taken * _BYTES_PER_TRANSFER,
            purpose=f"a run of {words} words",
            remedy=f"use fewer {option('words')} or {option('cycles')}",
        )
    recording: Recording = fabrics.module(design.fabric, "page").record(design, traffic, cycles)
    return recording


# Transfers of a page's run, about; and the most words that a source sends for them.
_TRANSFERS, _MOST_WORDS = 60_000, 3

# Broadcasts one after the other.
_MOST_ALONE = 12

# Nodes that send words of one operation, and quiet cycles between two operations.
_SENDERS, _PAUSE = 3, 3


def usual_runs(
    design: AnyDesign, *, words: int | None = None, cycles: int | None = None, seed: int = 0
) -> list[Run]:
    """One broadcast, and a few words of every source; with operations, each by itself.

    Parameters
    ----------
    design : AnyDesign
        The network.
    words : int, optional
        Words of each source; without, as many as one can watch.
    cycles : int, optional
        Cut runs off after this number of cycles.
    seed : int
        Chooses what is drawn.
    """
    if not design.operations.only_broadcast:
        return [replace(_each_operation(design.program, design.width, words or 1), cycles=cycles)]
    if design.sources == "one":
        count = words or min(_MOST_ALONE, len(design.program.sources) * design.program.trees)
        return [run(design, ALONE, words=count, cycles=cycles, seed=seed)]
    each = 2 * design.network.nodes * len(design.program.sources)
    count = words or max(1, min(_MOST_WORDS, _TRANSFERS // each))
    full = run(design, "full", words=count, cycles=cycles, seed=seed)
    # Whoever asks for a number of words wants to see them.
    return [full] if words else [run(design, ALONE, words=1, cycles=cycles, seed=seed), full]


def _each_operation(program: OrderedProgram, width: int, words: int) -> Run:
    """Each operation by itself: small numbers as data, so that results are easy to follow."""
    listed, cycle = program.operations.listed, 0
    words_of: list[list[Given]] = [[] for _ in range(program.network.nodes)]
    for number in range(len(listed)):
        alone = _operation(program, width, number, words)
        for node, some in enumerate(alone):
            words_of[node] += [replace(each, release=cycle) for each in some]
        run = simulate_ordered(program, as_traffic(program, alone), events=False)
        cycle += run.cycles + _PAUSE
    names = ", ".join(map(str, listed))
    return Run("each operation", f"one after the other: {names}", as_traffic(program, words_of))


def _operation(program: OrderedProgram, width: int, number: int, words: int) -> list[list[Given]]:
    """What each node gives to show an operation."""
    operations, operation = program.operations, program.operations.listed[number]
    nodes = program.network.nodes
    words_of: list[list[Given]] = [[] for _ in range(nodes)]
    for index, node in enumerate(_senders(program, operations, number)):
        # What is gathered or joined goes to one node.
        to = nodes - 1 - index if operation.kind in ("send", "scatter") else nodes // 2
        named = program.numbers[to % nodes] if operation.to_node else 0
        data = (index + 1) & ((1 << width) - 1)
        for word in range(words):
            last = int(operations.marks_last and word == words - 1)
            words_of[node].append(Given(0, number, named, last, data))
    return words_of


def _senders(program: OrderedProgram, operations: Operations, number: int) -> list[int]:
    """Whose words show an operation."""
    operation = operations.listed[number]
    if operation.joined:
        return list(operations.members(operations.group_of(number)))
    sources = [node for node in range(program.network.nodes) if program.plan_of(node).sends]
    if operation.kind in ("all_gather", "gather"):
        return sources
    chosen = np.linspace(0, len(sources) - 1, min(_SENDERS, len(sources))).astype(int)
    return [sources[index] for index in dict.fromkeys(chosen.tolist())]
