"""Messages as words of a network: cut on the way in, put together on the way out."""

from collections import defaultdict, deque
from collections.abc import Iterable

from noc.comm.mailbox import Arrival
from noc.comm.setup import Setup
from noc.comm.tasks import Event
from noc.comm.world import Deliver, Message
from noc.programs.operations import ALL, Operation

__all__ = ["Fields", "WordCarrier"]

#: The fields of a word by their names, as ``docs/collectives.md`` has them.
Fields = dict[str, int]


class WordCarrier:
    """Queues at the inject streams, and unfinished messages at the eject streams.

    Parameters
    ----------
    setup : Setup
        The nodes.
    deliver : callable
        Told of each whole message.
    """

    def __init__(self, setup: Setup, deliver: Deliver) -> None:
        self._deliver = deliver
        assert setup.operations is not None
        self._number = setup.operations
        self._operation = {number: _read(name) for name, number in setup.operations.items()}
        self._waiting: list[deque[tuple[Fields, Event[None] | None]]]
        self._waiting = [deque() for _ in range(setup.size)]
        #: By node, operation and source.
        self._begun: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)

    def give(self, message: Message, taken: Event[None]) -> None:
        """Queue the words of a message."""
        number, node = self._number[str(message.operation)], message.node or 0
        end = len(message.words) - 1
        self._waiting[message.giver] += [
            (
                {"data": word, "operation": number, "last": int(place == end), "node": node},
                taken if place == end else None,
            )
            for place, word in enumerate(message.words)
        ]

    def offers(self) -> list[Fields | None]:
        """The word that each node offers in this cycle."""
        return [waiting[0][0] if waiting else None for waiting in self._waiting]

    def take(self, nodes: Iterable[int]) -> None:
        """The words of some nodes were taken."""
        for node in nodes:
            _, taken = self._waiting[node].popleft()
            if taken is not None:
                taken.set(None)

    def come(self, words: Iterable[tuple[int, Fields]]) -> None:
        """Words came to some nodes, at most one to each."""
        for node, fields in words:
            number, source = fields.get("operation", 0), fields.get("source", 0)
            begun = self._begun[node, number, source]
            begun.append(fields["data"])
            if fields.get("last", 1):
                del self._begun[node, number, source]
                operation = self._operation[number]
                whose = None if operation.joined else source
                self._deliver(node, operation, Arrival(whose, tuple(begun)))


def _read(name: str) -> Operation:
    """An operation as the manifest spells it."""
    spelled, _, group = name.partition("@")
    kind, _, operator = spelled.partition(":")
    return Operation(kind, operator, group or ALL)
