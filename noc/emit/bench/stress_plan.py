"""What stress.cpp gives to the network in the folder above, and what it expects to come out.

It tells the program what manifest.json says of nodes, words and operations.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

from folder import (
    ALWAYS_READY,
    EJECT,
    EXCHANGE,
    KEPT_ROUNDS,
    LABELS,
    MANIFEST,
    NODES,
    ORDER,
    RETURNED,
    ROUND,
    SINK_TIMEOUT,
    SOURCES,
    SUMS,
    TURNS,
    find_field,
    list_streams,
    list_turns,
)
from operations import GROUPS, LISTED, OPERATORS, Operation

#: The words are given in so many rounds, each with another load and other stalls.
ROUNDS = 16

#: Of so many words alone, at most, the latency of an operation is looked at, and of no more than
#: so many in the mean over the receivers; but of some.
ALONE, PAIRS, LEAST = 1000, 400_000, 16

#: So many members of a group, at most, are absent, one at a time.
ABSENT = 16

#: Chances are given in these parts.
CERTAIN = 1 << 16

#: The fields of a word, in the order in which the program reads them.
FIELDS = ("data", "source", "operation", "node", "last", "phase", "sum", "end_of_round")

#: What is 0 in all words that are given.
UNUSED = ("void",)

#: Whether nodes are told who sent a word, or it is known.
TOLD = TURNS or any(find_field(EJECT, name) for name in ("source", "phase"))


@dataclass(frozen=True)
class Round:
    """What is random, and how much.

    A node that has no word to give gets one in a cycle with the chance of the load. A sink is not
    ready with the chance of the stall, and stays as it is for some cycles; but never for so long
    that it is given no words any more.
    """

    load: float
    stall: float
    hold: int
    words: int
    #: Cycles for which links between chips may be silent.
    silent: int = 0

    @property
    def patience(self) -> int:
        """Cycles within which something surely moves."""
        return int(1000 * self.hold / (1 - self.stall)) + 100 * len(NODES) + self.silent

    @property
    def line(self) -> str:
        """As the program reads it."""
        load, stall = max(1, round(self.load * CERTAIN)), round(self.stall * CERTAIN)
        return f"round {load} {stall} {self.hold} {self.words} {self.patience}"


def find_unknown() -> list[str]:
    """Operations whose results are not known here, since their operators are the user's own."""
    added = [MANIFEST["operator"]] if SUMS else []
    unknown = [each.name for each in LISTED if each.operator and not each.known]
    return unknown + [each for each in added if each not in OPERATORS]


def count_deliveries(operation: Operation) -> float:
    """To how many nodes a word of an operation comes, or its part in a result."""
    if operation.joined:
        return (1 if operation.to_node else len(operation.members)) / len(operation.members)
    return 1 if operation.to_node else len(operation.members) - (not RETURNED)


def mean_deliveries() -> float:
    """To how many nodes a word comes in the mean over the operations, and at least to one."""
    if EXCHANGE:
        return 1.0
    return max(1.0, sum(map(count_deliveries, LISTED)) / len(LISTED))


def draw_rounds(
    words: int, seed: int, load: float | None, stall: float | None, silent: int = 0
) -> list[Round]:
    """Rounds with this load and stall; where none is given, the extremes and random ones."""
    lots = random.Random(seed)
    each, rounds = max(1, -(-words // ROUNDS)), []
    for number, first in enumerate(range(0, words, each)):
        chosen_load, chosen_stall, hold = draw_chances(number, lots)
        rounds.append(
            Round(
                chosen_load if load is None else load,
                chosen_stall if stall is None else stall,
                hold,
                min(each, words - first),
                silent,
            )
        )
    return rounds


def draw_chances(number: int, lots: random.Random) -> tuple[float, float, int]:
    """Load, stall and hold of a round."""
    at_once = 1 if TURNS else len(SOURCES)
    extremes = ((1.0, 0.0, 1), (1.0, 0.5, 1), (0.3 / at_once, 0.0, 1))
    if number < len(extremes):
        load, stall, hold = extremes[number]
        return load, stall * (not ALWAYS_READY), hold
    # From a network that is nearly empty to one in which all sources wait.
    load = min(1.0, 10 ** lots.uniform(-1, 1) / at_once)
    stall = lots.choice([0.0, lots.uniform(0, 0.3), lots.uniform(0.3, 0.8)]) * (not ALWAYS_READY)
    # Sinks that rest for long slow down the network: every word waits for all of them.
    return load, stall, lots.choice([1, 1, 16]) if stall < 0.3 else 1


def draw_lone(operation: Operation, lots: random.Random) -> list[tuple[int, int]]:
    """Givers and nodes of words that are alone; one giver stands for all members."""
    givers = operation.members[:1] if operation.joined else SOURCES
    nodes = range(len(NODES)) if operation.to_node else [0]
    every = [*itertools.product(givers, nodes)]
    most = max(LEAST, min(ALONE, PAIRS // len(NODES)))
    return every if len(every) <= most else lots.sample(every, most)


def draw_absent(lots: random.Random) -> Iterator[tuple[str, str]]:
    """Groups whose words are joined, each with members that give theirs last."""
    for group in MANIFEST.get("joined", ()):
        members = GROUPS[group]
        for label in lots.sample(members, min(ABSENT, len(members))) if members[1:] else ():
            yield group, label


def list_fields(stream: dict) -> str:
    """Where each field lies in the payloads of a stream."""
    fields = (find_field(stream, name) or {"first": 0, "bits": 0} for name in FIELDS)
    return " ".join(f"{field['first']} {field['bits']}" for field in fields)


def list_sums() -> Iterator[str]:
    """Of each stream into which sum a word goes, or which one comes, by phase and round."""
    yield f"sums {SUMS} {MANIFEST['operator']}"
    for number, entry in enumerate(NODES):
        # In their order each sum comes by itself; the order is checked elsewhere.
        came = entry.get("lanes", [])
        if ORDER:
            came = [{"sums": entry["order"], "after": [0] * len(entry["order"])}]
        for kind, lanes in (("given", entry.get("inject_lanes", [])), ("came", came)):
            for lane in lanes:
                line: list[object] = [kind, *[number] * (kind == "came")]
                turns = range(len(lane["sums"]))
                if KEPT_ROUNDS and kind == "given":
                    turns = list_turns(lane["sums"], lane["after"])
                for each, after in ((lane["sums"][turn], lane["after"][turn]) for turn in turns):
                    line += [-1, 0] if each is None else [each, after]
                yield " ".join(map(str, line))


def list_targets() -> Iterator[str]:
    """Of each of several inject streams of a node, for whom a word is and when it comes.

    By phase; or by turn, where rounds have the words of all nodes.
    """
    comes = {}
    for node, entry in enumerate(NODES if EXCHANGE else ()):
        for lane in entry.get("lanes", ()):
            phases = enumerate(lane["sources"])
            comes |= {(label, node): phase for phase, label in phases if label is not None}
    for node in SOURCES if EXCHANGE else ():
        for lane in NODES[node]["inject_lanes"]:
            line: list[object] = ["targets"]
            for phase in list_turns(lane["targets"]) if KEPT_ROUNDS else range(ROUND):
                label = lane["targets"][phase]
                target = -1 if label is None else LABELS.index(label)
                came = comes.get((LABELS[node], target), 0)
                # What comes in the phase in which it is given comes a round later.
                line += [target, (came - phase - 1) % ROUND + 1]
            yield " ".join(map(str, line))


def list_sources() -> Iterator[str]:
    """Of each eject stream whose word comes in which phase, where words carry that."""
    for entry in NODES if find_field(EJECT, "phase") else ():
        for lane in entry["lanes"]:
            sources = (-1 if label is None else LABELS.index(label) for label in lane["sources"])
            yield " ".join(map(str, ("sources", *sources)))


def list_orders() -> Iterator[str]:
    """Of each node with one eject stream the sources, or sums, of a round in their order."""
    for entry in NODES if ORDER else ():
        if entry["order"]:
            numbers = (each if SUMS else LABELS.index(each) for each in entry["order"])
            yield " ".join(map(str, ("order", *numbers)))


def list_plan(seed: int, rounds: list[Round], *, exact: bool) -> Iterator[str]:
    """The lines that the program reads; whether words alone come in the cycles of the manifest."""
    lots, groups = random.Random(seed), list(GROUPS)
    queue = MANIFEST.get("group_queue", 1)
    flags = RETURNED, TURNS, bool(MANIFEST["queue"]), ROUND is None
    facts = (seed, queue, *map(int, flags), SINK_TIMEOUT, int(KEPT_ROUNDS > 0))
    yield " ".join(map(str, ("facts", *facts)))
    for entry in NODES:
        yield f"node {entry['label']}"
    for node in SOURCES:
        yield f"inject {node} {list_fields(list_streams(NODES[node], 'inject')[0])}"
    yield f"eject {list_fields(EJECT)}"
    yield from list_orders()
    if SUMS:
        yield from list_sums()
    else:
        yield from list_targets()
        yield from list_sources()
    for labels in GROUPS.values():
        yield " ".join(map(str, ("group", *map(LABELS.index, labels))))
    for each in LISTED:
        flags = f"{each.joined:d} {each.to_node:d} {each.operator or '-'}"
        yield f"operation {each.name} {flags} {groups.index(each.group)}"
    # In an exchange each word has to come in its exact cycle. Where all go together none is alone.
    for each in () if EXCHANGE or KEPT_ROUNDS or not exact else LISTED:
        for giver, node in draw_lone(each, lots):
            cycles = each.latency(giver, node)
            listed = (cycles.get(receiver, -1) for receiver in range(len(NODES)))
            yield " ".join(map(str, ("lone", each.number, giver, node, *listed)))
    for group, label in draw_absent(lots):
        yield f"absent {groups.index(group)} {LABELS.index(label)}"
    for each in rounds:
        yield each.line
