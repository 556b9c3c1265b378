"""Which word each transfer of a network with operations is of.

The model of collectives tells of each transfer the bits of its word. Here words get numbers that
they keep on their way, by what docs/collectives.md says of their order; the words of a group that
become one have one number from the beginning.
"""

from collections import defaultdict, deque
from dataclasses import dataclass

import numpy as np

from noc.explore.recording import OUTSIDE
from noc.model.collective import CollectiveRun, unpack
from noc.model.collective.words import Word, pack
from noc.programs.word_format import Fields

__all__ = ["Identities", "identify"]


@dataclass(frozen=True)
class Identities:
    """The words of a run.

    Parameters
    ----------
    word : list of int
        Of each event the number of its word, or -1 where that is not known.
    source : list of int
        Of each word the node that sent it, or -1 where several nodes' words became one.
    operation : list of int
        Of each word its operation.
    """

    word: list[int]
    source: list[int]
    operation: list[int]


def identify(run: CollectiveRun) -> Identities:
    """Follow every word."""
    return _Follower(run).identities()


class _Follower:
    def __init__(self, run: CollectiveRun) -> None:
        self._run, self._operations = run, run.program.operations
        self._inside = run.format.inside
        self._source: list[int] = []
        self._operation: list[int] = []
        #: What each node gives, in its order.
        self._given = [
            deque(np.flatnonzero(run.traffic.source == node).tolist())
            for node in range(run.program.network.nodes)
        ]
        #: The words of each group that become one, in their order.
        self._messages: dict[int, list[int]] = defaultdict(list)
        self._turn: dict[tuple[str, int, int], int] = defaultdict(int)
        #: The words that are sent and wait at a node, by their bits.
        self._waiting: dict[tuple[int, int], deque[int]] = defaultdict(deque)

    def identities(self) -> Identities:
        upwards = [self._upward(stream, bits) for _, stream, bits in self._run.events]
        order = [self._passing(bits) for _, bits in self._run.order]
        downwards = self._downwards(order)
        word = [down if up is None else up for up, down in zip(upwards, downwards, strict=True)]
        return Identities(word, self._source, self._operation)

    def _new(self, source: int, operation: int) -> int:
        self._source.append(source)
        self._operation.append(operation)
        return len(self._source) - 1

    def _message(self, group: int, turn: int, operation: int) -> int:
        """The word that the words of a group become, by its place among these."""
        messages = self._messages[group]
        while len(messages) <= turn:
            messages.append(self._new(OUTSIDE, operation))
        return messages[turn]

    def _next(self, *at: int | str) -> int:
        """How many came here before."""
        key = (str(at[0]), int(at[1]), int(at[2]))
        self._turn[key] += 1
        return self._turn[key] - 1

    def _upward(self, number: int, bits: int) -> int | None:
        """The word of an event on the way to the root, None for other events."""
        stream = self._run.streams[number]
        if stream.kind == "inject":
            return self._inject(stream.node)
        if stream.kind == "join":
            turn = self._next("join", stream.node, stream.group)
            chosen = unpack(bits, self._run.format.join(stream.group)).get("choice", 0)
            operation = self._operations.joined_in(stream.group)[chosen]
            return self._message(stream.group, turn, operation)
        if stream.kind == "up":
            return self._move(stream.node, bits)
        return OUTSIDE if stream.kind in ("dropped", "mismatch", "late") else None

    def _inject(self, node: int) -> int:
        given = self._given[node]
        place = given.popleft()
        given.append(place)
        word, program = self._run.traffic.word(place), self._run.program
        listed = self._operations.listed
        if _is_dropped(self._run, node, word):
            return self._new(node, min(word.operation, len(listed) - 1))
        if listed[word.operation].joined:
            group = self._operations.group_of(word.operation)
            return self._message(group, self._next("inject", node, group), word.operation)
        number = self._new(node, word.operation)
        inside = Word(word.data, program.numbers[node], word.operation, 0, word.last, word.node)
        self._waiting[node, pack(inside, self._inside)].append(number)
        return number

    def _move(self, node: int, bits: int) -> int:
        """A word goes up from a node; equal ones are as good as each other."""
        waiting = self._waiting[node, bits]
        if not waiting:
            return OUTSIDE
        word = waiting.popleft()
        self._waiting[int(self._run.program.up_parent[node]), bits].append(word)
        return word

    def _passing(self, bits: int) -> int:
        """The word that passes the root."""
        operation = unpack(bits, self._inside).get("operation", 0)
        if self._operations.listed[operation].joined:
            group = self._operations.group_of(operation)
            return self._message(group, self._next("root", 0, group), operation)
        waiting = self._waiting[self._run.program.root, bits]
        return waiting.popleft() if waiting else OUTSIDE

    def _target(self, bits: int) -> int | None:
        """The number of the node that a word which passed the root is for, if it names one."""
        word = unpack(bits, self._inside)
        named = self._operations.listed[word.get("operation", 0)].to_node
        return word["node"] if named else None

    def _downwards(self, order: list[int]) -> list[int]:
        """The words of the events on the way down: each stream has some of those that passed.

        A word with the same bits as another comes down to the same nodes, so that the first of
        them is the right one. At an eject stream a word no longer says which node it is for.
        """
        passed = [bits for _, bits in self._run.order]
        ejected = [_project(bits, self._inside, self._run.format.eject) for bits in passed]
        number, targets = self._run.program.numbers, [self._target(bits) for bits in passed]
        # What has come down before its last copy has left the root.
        place: dict[int, int] = defaultdict(int)
        words = []
        for _, stream, bits in self._run.events:
            kind, node = self._run.streams[stream].kind, self._run.streams[stream].node
            column = ejected if kind == "eject" else passed
            if kind not in ("eject", "down"):
                words.append(OUTSIDE)
                continue
            at = place[stream]
            other = set(number) - {number[node]} if kind == "eject" else set[int]()
            while at < len(column) and (column[at] != bits or targets[at] in other):
                at += 1
            words.append(order[at] if at < len(column) else OUTSIDE)
            place[stream] = at + 1
        return words


def _is_dropped(run: CollectiveRun, node: int, word: Word) -> bool:
    """Whether a word that a node gives goes nowhere, by the rules of docs/collectives.md."""
    operations = run.program.operations
    if word.operation >= len(operations.listed):
        return True
    operation, plan = operations.listed[word.operation], run.program.plan_of(node)
    if operation.to_node and word.node >= run.program.network.nodes:
        return True
    if not operation.joined:
        return not plan.sends
    return node not in operations.members(operations.group_of(word.operation))


def _project(bits: int, inside: Fields, fields: Fields) -> int:
    """A word with some of its fields only."""
    values, result, place = unpack(bits, inside), 0, 0
    for name, width in fields.items():
        result |= values[name] << place
        place += width
    return result
