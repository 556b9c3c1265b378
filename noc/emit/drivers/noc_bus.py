"""A node of a network behind a bus, from Python: needs nothing but two functions.

They read and write a register, of whose byte address they are told, as over JTAG, a serial port or
/dev/mem. The folder's manifest.json says what operations and nodes there are, and who gives which
words in rounds.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

STATUS, ALARM, GIVE_HEAD, TAKE_HEAD, GIVE_DATA, TAKE_DATA = 0x08, 0x14, 0x18, 0x1C, 0x40, 0x80

#: Bits of ``alarm`` below those of the network.
OWN_ALARMS = ("overrun", "underrun")


class Word(NamedTuple):
    """A word that came."""

    data: int
    source: int
    operation: int
    last: int


def list_gives(manifest: Mapping[str, Any], number: int) -> list[tuple[int, int]]:
    """What a node gives in a round, in order: for which node, or sum, and by which stream."""
    node, numbers = manifest["nodes"][number], number_nodes(manifest)
    if "inject_phase" in manifest:
        return [(number, 0)]
    found = []
    for stream, lane in enumerate(node["inject_lanes"]):
        after = lane.get("after", [0] * manifest["round"])
        for phase, key in enumerate(lane.get("sums") or lane["targets"]):
            if key is not None:
                found.append((after[phase], phase, stream, numbers.get(key, key)))
    return [(key, stream) for _, _, stream, key in sorted(found)]


def has_barrier(manifest: Mapping[str, Any]) -> bool:
    """Whether no node ends a round before all are there: each gives words, and gets some."""
    nodes = range(len(manifest["nodes"]))
    return all(list_gives(manifest, n) and manifest["nodes"][n].get("order") for n in nodes)


def number_nodes(manifest: Mapping[str, Any]) -> dict[str, int]:
    """The number of each node, by its label."""
    return {node["label"]: number for number, node in enumerate(manifest["nodes"])}


class Registers:
    """What all nodes behind a bus have.

    Parameters
    ----------
    read, write : callable
        ``read(address)`` gives the 32 bits of a register, ``write(address, value)`` sets them.
    manifest : path
        The ``manifest.json`` of the network.
    """

    def __init__(
        self, read: Callable[[int], int], write: Callable[[int, int], None], manifest: str | Path
    ) -> None:
        self._read, self._write = read, write
        self._manifest = known = json.loads(Path(manifest).read_text(encoding="utf-8"))
        self._data = range(-(-known["width"] // 32))
        #: The number of each node, by its label.
        self.nodes = number_nodes(known)
        self._alarms = (*OWN_ALARMS, *known["bus"]["alarm"])

    @property
    def room(self) -> int:
        """How many words may be given."""
        return self._read(STATUS) & 0xFFFF

    @property
    def waiting(self) -> int:
        """How many words wait to be taken."""
        return self._read(STATUS) >> 16

    def _give(self, head: int, data: int) -> None:
        self._write(GIVE_HEAD, head)
        for place in self._data:
            self._write(GIVE_DATA + 4 * place, data >> 32 * place & 0xFFFFFFFF)

    def take(self) -> Word | None:
        """Take a word, if one waits."""
        if not self.waiting:
            return None
        head = self._read(TAKE_HEAD)
        data = sum(self._read(TAKE_DATA + 4 * place) << 32 * place for place in self._data)
        return Word(data, head & 0xFFFF, head >> 16 & 0xFF, head >> 24 & 1)

    def alarms(self) -> list[str]:
        """What has happened since this was asked last."""
        bits = self._read(ALARM)
        self._write(ALARM, bits)
        return [name for bit, name in enumerate(self._alarms) if bits >> bit & 1]


class Node(Registers):
    """A node behind a bus.

    Parameters
    ----------
    read, write, manifest
        As of :class:`Registers`.
    other : callable, optional
        Gets words that come while others are waited for.
    """

    def __init__(
        self,
        read: Callable[[int], int],
        write: Callable[[int, int], None],
        manifest: str | Path,
        other: Callable[[Word], None] = lambda _: None,
    ) -> None:
        super().__init__(read, write, manifest)
        self._other = other
        #: The number of each operation.
        self.operations: dict[str, int] = self._manifest.get("operations", {"broadcast": 0})

    def give(self, data: int, operation: str = "broadcast", to: int = 0, last: int = 1) -> bool:
        """Give a word, if there is room; whether there was."""
        if not self.room:
            return False
        self._give(to | self.operations[operation] << 16 | last << 24, data)
        return True

    def send(self, data: Sequence[int], operation: str = "send", to: int = 0) -> None:
        """A message."""
        for place, each in enumerate(data, start=1):
            while not self.give(each, operation, to, int(place == len(data))):
                # A network that waits for this node to take words may take none from it.
                if (word := self.take()) is not None:
                    self._other(word)

    def bcast(self, data: Sequence[int], operation: str = "broadcast") -> None:
        """A message for all nodes."""
        self.send(data, operation)

    def recv(self) -> Word:
        """The next word."""
        while (word := self.take()) is None:
            pass
        return word

    def allreduce(self, data: Sequence[int], operation: str) -> list[int]:
        """As many results as words; all members of the group call it."""
        left, result = list(data), []
        while len(result) < len(data):
            if left and self.give(left[0], operation, last=int(len(left) == 1)):
                left.pop(0)
            if (word := self.take()) is None:
                continue
            if word.operation == self.operations[operation]:
                result.append(word.data)
            else:
                self._other(word)
        return result

    def barrier(self, operation: str = "barrier") -> None:
        """Wait until all members of the group have come here."""
        self.allreduce([0], operation)


class RoundNode(Registers):
    """A node behind a bus whose network works in rounds; all nodes make the same calls.

    Parameters
    ----------
    read, write, manifest
        As of :class:`Registers`.
    label : str
        Which node it is.
    """

    def __init__(
        self,
        read: Callable[[int], int],
        write: Callable[[int, int], None],
        manifest: str | Path,
        label: str,
    ) -> None:
        super().__init__(read, write, manifest)
        #: Its number.
        self.number = self.nodes[label]
        self._gives = list_gives(self._manifest, self.number)
        self._gets = bool(self._manifest["nodes"][self.number].get("order"))

    def exchange(self, words: Mapping[int, Sequence[int]], rounds: int) -> dict[int, list[int]]:
        """Take part in some rounds: give all words of this node, and take all that are for it.

        Those for each node, or sum, by its number; those that there are not are void. The same of
        the words that come, by their nodes or sums.
        """
        left = [(n, stream, turn) for turn in range(rounds) for n, stream in self._gives]
        result: dict[int, list[int]] = {}
        came = 0 if self._gets else rounds
        left.reverse()
        while left or came < rounds:
            if left and self.room:
                number, stream, turn = left.pop()
                given = words.get(number, ())
                self._give(stream << 25, given[turn] if turn < len(given) else 0)
            if came < rounds and (word := self.take()) is not None:
                result.setdefault(word.source, []).append(word.data)
                came += word.last
        return result

    def allgather(self, data: Sequence[int]) -> dict[int, list[int]]:
        """The words of each node, by its number; those of all are as many."""
        return self.exchange({self.number: data}, len(data)) | {self.number: [*data]}

    def alltoall(self, data: Mapping[int, Sequence[int]], count: int) -> dict[int, list[int]]:
        """The words for each node, by its number; those of each node."""
        own = {self.number: [*data[self.number]]} if self.number in data else {}
        return self.exchange(data, count) | own

    def scatter(self, data: Mapping[int, Sequence[int]], count: int) -> list[int]:
        """The words of the root, which has those for each node; what others have is not sent."""
        root = self.nodes[self._manifest["root"]] == self.number
        came = self.exchange(data if root else {}, count)
        return [*data.get(self.number, ())] if root else next(iter(came.values()), [])

    def gather(self, data: Sequence[int]) -> dict[int, list[int]]:
        """The words of each node at the root, and none at other nodes."""
        came = self.exchange(dict.fromkeys(self.nodes.values(), data), len(data))
        return came | ({self.number: [*data]} if self._gets else {})

    def reduce_scatter_block(self, data: Mapping[int, Sequence[int]], count: int) -> list[int]:
        """Of the words for each node the sums of those that are for this one."""
        return next(iter(self.exchange(data, count).values()), [])

    def allreduce(self, data: Sequence[int]) -> list[int]:
        """As many sums as words."""
        sums = self._manifest["sums"]
        parts = {number: data[number::sums] for number in range(sums)}
        came = self.exchange(parts, -(-len(data) // sums))
        return [came[place % sums][place // sums] for place in range(len(data))]

    def barrier(self) -> None:
        """Wait until all nodes have come here, where all give and get words."""
        if not has_barrier(self._manifest):
            raise ValueError("no barrier: some nodes give no words in a round, or get none")
        self.exchange({}, 1)
