"""What sweeps measure in the cycle model."""

from typing import Any

import numpy as np

from noc.design import OrderedDesign
from noc.fabrics.measured import Load
from noc.model.ordered import Given, as_traffic, simulate_ordered
from noc.model.ordered.load import run_load
from noc.programs.latency import bound_cycles, count_cycles, find_parties

#: Cycles that are counted, and those before them and after them each.
_CYCLES, _WARM_UP = 100_000, 10_000


def trees(design: OrderedDesign) -> dict[str, Any]:
    """How high the trees are, and how long a word takes when nothing else moves."""
    program, senders = design.program, design.senders
    cycles = [program.cycles_to_all(source) for source in program.sources]
    return {
        # A plain tree has hubs beside.
        "nodes": design.words.nodes,
        "senders": len(senders),
        "up_height": int(program.up_depth[senders].max()),
        "down_height": program.down.height,
        "cycles": cycles,
        "modules": len(program.plans),
        "buffers_one": program.buffers[0],
        "buffers_two": program.buffers[1],
        **_longest(design),
    }


def _longest(design: OrderedDesign) -> dict[str, Any]:
    """Of the operation that takes longest with one word, but for ``all_gather``."""
    program = design.program
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


def full(design: OrderedDesign, seed: int) -> Load:
    """Every source always has a word."""
    return _run(design, 1, seed)


def random(design: OrderedDesign, load: float, seed: int) -> Load:
    """Words come at random; ``load`` to all sources together in a cycle."""
    return _run(design, load / len(design.program.sources), seed)


def _run(design: OrderedDesign, chance: float, seed: int) -> Load:
    """Words come to each source with this chance in each cycle."""
    sources = list(design.program.sources)
    run = run_load(design.program, chance, _CYCLES, warm_up=_WARM_UP, drain=_WARM_UP, seed=seed)
    counted = _CYCLES, run.passed, run.injected[sources]
    if chance == 1:
        return Load(*counted)
    below = np.cumsum(run.since_came) / max(1, run.since_came.sum())
    p99 = int(np.searchsorted(below, 0.99))
    return Load(*counted, run.came, run.finished, run.taken, p99)


def operations(design: OrderedDesign) -> tuple[int, int]:
    """Cycles, and the words that pass the root in them.

    Every node always has words of all its operations, in turn.
    """
    program = design.program
    words: list[list[Given]] = [[] for _ in range(program.network.nodes)]
    known = program.operations
    for number, operation in enumerate(known.listed):
        members = known.members(known.group_of(number))
        for node in members if operation.joined else program.sources:
            # Words that are joined name one node, others each another.
            other = 0 if operation.joined else (node + 1) % program.network.nodes
            words[node].append(Given(0, number, other if operation.to_node else 0))
    traffic = as_traffic(program, words)
    rounds = _CYCLES + _WARM_UP
    # The data make no difference, and narrow words are quick.
    begin, end = (
        simulate_ordered(program, traffic, cycles=stop, events=False, rounds=rounds)
        for stop in (_WARM_UP, _WARM_UP + _CYCLES)
    )
    return _CYCLES, end.passed - begin.passed
