"""What a page shows: runs of the cycle model, and broadcasts in the papers' step model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.explore.recording import OUTSIDE, Recording, Stream
from noc.model import LongTraffic, Traffic
from noc.model.ordered import simulate_ordered
from noc.model.ordered.run import AnyTraffic
from noc.model.ordered.traffic import Given, as_traffic
from noc.model.steps import Word
from noc.model.steps import run as run_steps
from noc.networks import IntArray, Network, memory
from noc.programs.operations import Operations
from noc.programs.ordered import OrderedProgram
from noc.trees import Algorithm, Ports, Tree, TreeFamily, algorithms_on, build_from, build_trees
from noc.trees.tree import NO_PARENT
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

    ``words`` are those of each source, by default as many as one can watch; runs are cut off after
    ``cycles``; and ``seed`` chooses what is drawn.
    """
    if not design.operations.only_broadcast:
        return [replace(_each_operation(design.program, design.width, words or 1), cycles=cycles)]
    if design.sources == "one":
        count = words or min(_MOST_ALONE, len(design.program.sources))
        return [run(design, ALONE, words=count, cycles=cycles, seed=seed)]
    if design.complete or any(design.inject_lanes(node) for node in design.senders):
        # One word alone shows nothing of an exchange, and where others go with it does not go.
        each = int((design.program.carried >= 0).sum()) + 2 * design.program.flows.phase.size
        most = max(1, min(_MOST_WORDS, _TRANSFERS // each))
        rounds = [words] if words else sorted({1, most})
        return [_rounds(design, count, count * each, cycles, seed) for count in rounds]
    each = 2 * design.network.nodes * len(design.program.sources)
    count = words or max(1, min(_MOST_WORDS, _TRANSFERS // each))
    full = run(design, "full", words=count, cycles=cycles, seed=seed)
    # Whoever asks for a number of words wants to see them.
    return [full] if words else [run(design, ALONE, words=1, cycles=cycles, seed=seed), full]


def _rounds(design: AnyDesign, rounds: int, transfers: int, cycles: int | None, seed: int) -> Run:
    """Rounds in which every inject stream has a word in each phase in which it gives one."""
    program = design.program
    words = rounds * program.flows.phase.size
    memory.require(
        words * _BYTES_PER_WORD + transfers * _BYTES_PER_TRANSFER,
        purpose=f"a run of {rounds} rounds with {words} words",
        remedy=f"use fewer {option('words')}",
    )
    # Offered when it is its turn, so that no further round begins at those whose turn comes early.
    turn = program.flows.phase + program.round * (program.waits + np.arange(rounds)[:, None])
    release = turn
    if design.complete:
        # Where words wait for their round nobody has to.
        release = np.broadcast_to(program.round * np.arange(rounds)[:, None], turn.shape)
    source = np.tile(program.flows.inject, rounds)
    order = np.argsort(turn, axis=None, kind="stable")
    ready = np.ones((1, design.network.nodes), dtype=np.bool_)
    what = "one round" if rounds == 1 else f"{rounds} rounds"
    return Run(
        what,
        f"every word of {what}",
        Traffic(source[order], release.ravel()[order], ready, seed),
        cycles,
    )


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


# In larger networks trees are listed from one root.
_EVERY_ROOT = 64

# In larger networks no tree is searched for that is not known at once.
_SEARCHED = 64

# From every node of larger networks there are more words than one can follow.
_ALL_TO_ALL = 32

# Slices of a message that one tree carries.
_SLICES = 4


def list_schedules(network: Network, root: int) -> list[dict[str, Any]]:
    """For each algorithm and model of ports, and each of its trees, the steps of a broadcast.

    In a symmetric network trees are listed from node 0, since those from other nodes are their
    translates; in others from every node of a small network, and else from ``root``.
    """
    if network.symmetric:
        roots = [0]
    else:
        roots = list(range(network.nodes)) if network.nodes <= _EVERY_ROOT else [root]
    listed: list[dict[str, Any]] = []
    for algorithm in algorithms_on(network):
        for ports in algorithm.models:
            listed += _schedules(network, algorithm, ports, roots)
    return listed


def _schedules(
    network: Network, algorithm: Algorithm, ports: Ports, roots: list[int]
) -> Iterator[dict[str, Any]]:
    """Each tree of an algorithm, from each root."""
    known = [each for each in roots if algorithm.at_once(network, each)]
    roots = known or (roots[:1] if network.nodes <= _SEARCHED else [])
    try:
        families = [build_from(algorithm, network, each, ports) for each in roots]
    except InputError:
        # Some refuse members of their families, such as adst a hypercube of odd dimension.
        return
    count = len(families[0].trees) if families else 0
    for number in range(count):
        yield {
            "algorithm": algorithm.name,
            "ports": ports,
            "tree": number if count > 1 else None,
            "trees": count,
            "anyRoot": network.symmetric,
            "from": {str(each.root): _tree(each.trees[number]) for each in families},
        }


def _tree(tree: Tree) -> dict[str, Any]:
    return {
        "height": tree.height,
        "steps": tree.steps,
        "parent": tree.parent.tolist(),
        "port": tree.port.tolist(),
        "step": tree.step.tolist(),
    }


@dataclass(frozen=True, eq=False)
class Play:
    """What was played.

    Parameters
    ----------
    trees : sequence of Tree
        The tree of each word.
    received : array (words, nodes)
        The step in which each node received each word; at its root the steps that were over when
        it began.
    """

    name: str
    what: str
    trees: Sequence[Tree] = field(repr=False)
    received: IntArray = field(repr=False)


def list_plays(network: Network, algorithm: str) -> Iterator[Play]:
    """Communications of many words, as the papers count their steps.

    Messages in slices along several trees; and of one algorithm slices, and all to all.
    """
    for each in algorithms_on(network):
        if each.name != algorithm and not each.at_once(network, 0):
            # A long search.
            continue
        for ports in each.models:
            try:
                family = build_trees(network, each.name, ports=ports)
            except InputError:
                # As in the list of schedules.
                continue
            if len(family.trees) > 1 or each.name == algorithm:
                yield _slices(family, ports)
            if each.name == algorithm and network.nodes <= _ALL_TO_ALL:
                yield _all_to_all(family, ports)


def _slices(family: TreeFamily, ports: Ports) -> Play:
    """A slice along each tree, or some along the only one."""
    count = len(family.trees)
    slices, along = (count, f"{count} trees") if count > 1 else (_SLICES, "one tree")
    words = [Word(family.trees[index % count], index // count) for index in range(slices)]
    return Play(
        f"{family.algorithm}, {ports}-port, a message in {slices} slices",
        f"{slices} slices from {family.network.label(family.root)}, along {along}",
        [word.tree for word in words],
        run_steps(family.network, words, ports).received,
    )


def _all_to_all(first: TreeFamily, ports: Ports) -> Play:
    network, algorithm = first.network, first.algorithm
    roots = range(1, network.nodes)
    others = [build_trees(network, algorithm, root=root, ports=ports) for root in roots]
    trees = [tree for source in (first, *others) for tree in source.trees]
    return Play(
        f"{algorithm}, {ports}-port, all to all",
        "a message from every node to all others",
        trees,
        run_steps(network, [Word(tree) for tree in trees], ports).received,
    )


def describe_play(play: Play) -> dict[str, Any]:
    """A play as the page has it: step s is in place of cycle s - 1."""
    document = _recorded(play).document()
    return {"name": play.name, "what": play.what, "unit": "step", **document}


def _recorded(play: Play) -> Recording:
    streams: dict[Stream, int] = {}
    events: list[tuple[int, int, int]] = []
    for word, (tree, received) in enumerate(zip(play.trees, play.received, strict=True)):
        begins = Stream("inject", OUTSIDE, tree.root)
        events.append((streams.setdefault(begins, len(streams)), int(received[tree.root]), word))
        for node in np.flatnonzero(tree.parent != NO_PARENT).tolist():
            link = Stream("link", int(tree.parent[node]), node, int(tree.port[node]))
            events.append((streams.setdefault(link, len(streams)), int(received[node]) - 1, word))
    table = np.array(events, dtype=np.int64)
    return Recording(
        streams=list(streams),
        stream=table[:, 0],
        cycle=table[:, 1],
        word=table[:, 2],
        more={},
        words={"source": [tree.root for tree in play.trees]},
        cycles=int(play.received.max()),
        end="drained",
    )
