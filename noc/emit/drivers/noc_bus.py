"""A node of a network behind a bus, from Python: needs nothing but two functions.

They read and write a register, of whose byte address they are told, as over JTAG, a serial port or
/dev/mem. The folder's manifest.json says what operations and nodes there are.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

STATUS, ALARM, GIVE_HEAD, TAKE_HEAD, GIVE_DATA, TAKE_DATA = 0x08, 0x14, 0x18, 0x1C, 0x40, 0x80

#: Bits of ``alarm`` below those of the network.
OWN_ALARMS = ("overrun", "underrun")


class Word(NamedTuple):
    """A word that came."""

    data: int
    source: int
    operation: int
    last: int


class Node:
    """A node behind a bus.

    Parameters
    ----------
    read, write : callable
        ``read(address)`` gives the 32 bits of a register, ``write(address, value)`` sets them.
    manifest : path
        The ``manifest.json`` of the network.
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
        self._read, self._write, self._other = read, write, other
        known = json.loads(Path(manifest).read_text(encoding="utf-8"))
        self._data = range(-(-known["width"] // 32))
        #: The number of each operation.
        self.operations: dict[str, int] = known.get("operations", {"broadcast": 0})
        #: The number of each node, by its label.
        self.nodes = {node["label"]: number for number, node in enumerate(known["nodes"])}
        self._alarms = (*OWN_ALARMS, *known["bus"]["alarm"])

    @property
    def room(self) -> int:
        """How many words may be given."""
        return self._read(STATUS) & 0xFFFF

    @property
    def waiting(self) -> int:
        """How many words wait to be taken."""
        return self._read(STATUS) >> 16

    def give(self, data: int, operation: str = "broadcast", to: int = 0, last: int = 1) -> bool:
        """Give a word, if there is room; whether there was."""
        if not self.room:
            return False
        self._write(GIVE_HEAD, to | self.operations[operation] << 16 | last << 24)
        for place in self._data:
            self._write(GIVE_DATA + 4 * place, data >> 32 * place & 0xFFFFFFFF)
        return True

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
