"""Which word of a page each word of a run is: those that are joined are one from the beginning."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from noc.explore.recording import OUTSIDE
from noc.model.ordered import CollectiveTraffic, OrderedRun
from noc.model.ordered.data import FIRST_RESULT
from noc.networks import IntArray


@dataclass(frozen=True)
class Identities:
    """The words of a run."""

    #: Which word that of the traffic is, and which the result of a join.
    given: IntArray
    results: IntArray
    #: Of each word the node that sent it, or -1 where several nodes' words become one.
    source: list[int]
    #: Of each word its operation.
    operation: list[int]

    def of(self, numbers: IntArray) -> IntArray:
        """The words of some numbers of the model."""
        result = np.full(numbers.size, OUTSIDE)
        given, joined = numbers >= 0, numbers <= FIRST_RESULT
        result[given] = self.given[numbers[given]]
        result[joined] = self.results[FIRST_RESULT - numbers[joined]]
        return result


def identify(run: OrderedRun, traffic: CollectiveTraffic) -> Identities:
    """Number the words of a run with operations, as nodes give them.

    The first words that all members of a group give to be joined become one, then the second ones,
    and so on.
    """
    operations = run.program.operations
    dropped = _dropped(run)
    accepted = np.where(run.accepted < 0, run.cycles, run.accepted)
    given = np.full(traffic.words, OUTSIDE)
    turns: Counter[tuple[int, int]] = Counter()
    messages: dict[tuple[int, int], int] = {}
    source: list[int] = []
    operation: list[int] = []
    for word in np.argsort(accepted, kind="stable").tolist():
        node = int(traffic.source[word])
        number = min(int(traffic.operation[word]), len(operations.listed) - 1)
        joined = word not in dropped and operations.listed[number].joined
        message = len(source)
        if joined:
            group = operations.group_of(number)
            message = messages.setdefault((group, turns[node, group]), message)
            turns[node, group] += 1
        given[word] = message
        if message == len(source):
            source.append(OUTSIDE if joined else node)
            operation.append(number)
    found = Identities(given, np.full(len(run.events.joins), OUTSIDE), source, operation)
    # Each is made of earlier ones.
    first = run.events.header.numbers(run.events.joins[:, 0]).tolist()
    for number, operand in enumerate(first):
        found.results[number] = (
            given[operand] if operand >= 0 else found.results[FIRST_RESULT - operand]
        )
    return found


def _dropped(run: OrderedRun) -> set[int]:
    """The words that no operation takes."""
    events, alarms = run.events.of_kind("inject"), run.events.of_kind("dropped")
    node = np.array([stream.node for stream in events.streams])
    told = set(zip(alarms.cycle.tolist(), node[alarms.stream].tolist(), strict=True))
    given = zip(events.cycle.tolist(), node[events.stream].tolist(), strict=True)
    return {word for word, at in zip(events.word.tolist(), given, strict=True) if at in told}
