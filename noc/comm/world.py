"""The programs of all nodes, and the messages that come to them."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from noc.comm.setup import Setup
from noc.comm.tasks import Event, Loop, Task
from noc.errors import CheckError, InputError, option, switch
from noc.programs.operations import Operation

#: Any source.
ANY = None

#: At most this many nodes, or things that are waited for, are named.
_NAMED = 8


class Arrival(NamedTuple):
    """A message as it came; ``source`` is None where words of several nodes were joined."""

    source: int | None
    words: tuple[int, ...]


@dataclass(frozen=True)
class Message:
    """The words that a node gives to an operation, and the node that they name, if they do."""

    operation: Operation
    giver: int
    words: tuple[int, ...]
    node: int | None = None

    def __str__(self) -> str:
        to = "" if self.node is None else f" to node {self.node}"
        return f"{self.operation}{to} with {len(self.words)} word{'s' * (len(self.words) > 1)}"

    def agrees(self, other: "Message") -> bool:
        """Whether a network can join the two."""
        kinds = [(m.operation, m.node, len(m.words)) for m in (self, other)]
        return kinds[0] == kinds[1]


class DeadlockError(CheckError):
    """Programs wait for what never comes."""


@dataclass(frozen=True)
class Run:
    """What programs returned.

    Parameters
    ----------
    results : list
        What each returned, by rank.
    cycles : int
        Cycles until the last one returned; of the reference only those that programs slept.
    ended : list of int
        The cycle in which each returned.
    """

    results: list[Any]
    cycles: int
    ended: list[int]


class _GroupOrder:
    """What the members of a group gave to be joined: all the same, in the same order.

    Networks join words of whatever operation comes; programs are refused here, on every engine.
    """

    def __init__(self, setup: Setup, name: str) -> None:
        self._setup, self._name = setup, name
        #: As first given.
        self._messages: list[Message] = []
        #: How many of them each member has given.
        self.count = dict.fromkeys(setup.groups[name], 0)

    def add(self, message: Message) -> None:
        rank = message.giver
        position = self.count[rank]
        self.count[rank] += 1
        if position == len(self._messages):
            self._messages.append(message)
        first = self._messages[position]
        if not message.agrees(first):
            raise InputError(
                f"{self._setup.name(rank)} gives {message} where {self._setup.name(first.giver)} "
                f"gave {first}: all members of the group {self._name!r} must give the same in the "
                "same order"
            )

    def missing(self, position: int) -> list[int]:
        """The members that have not given the message at a position."""
        return [rank for rank, count in self.count.items() if count <= position]


class World:
    """The programs of all nodes; an engine sets ``carry``, and calls ``deliver``.

    Each message goes to the request that fits it; both are served in their order.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.loop = Loop()
        #: Carries a message; the event is to happen when its last word has left its node.
        self.carry: Callable[[Message, Event[None]], None]
        self._orders = {name: _GroupOrder(setup, name) for name in setup.groups}
        #: Of each node and operation the messages that came, and the requests without one.
        self._arrived: defaultdict[tuple[int, Operation], list[Arrival]] = defaultdict(list)
        self._requests: defaultdict[
            tuple[int, Operation], list[tuple[int | None, Event[Arrival]]]
        ] = defaultdict(list)
        self._programs: list[Task[Any]] = []

    def launch(self, program: Callable[[int], Coroutine[Any, None, Any]]) -> None:
        """Start the program of each node, which is made for its rank."""
        for rank in range(self.setup.size):
            self._programs.append(self.loop.start(program(rank), self.setup.name(rank)))

    @property
    def ended(self) -> bool:
        """Whether all programs have returned."""
        return all(program.done for program in self._programs)

    def result(self) -> Run:
        """What the programs returned."""
        ended = [program.ended for program in self._programs]
        results: list[Any] = [program.value for program in self._programs]
        forgotten = [rank for rank, value in enumerate(results) if inspect.iscoroutine(value)]
        for rank in forgotten:
            results[rank].close()
        if forgotten:
            name = self.setup.name(forgotten[0])
            raise InputError(f"{name}: returned what it did not await: add 'await'")
        return Run(results, max(ended, default=0), ended)

    def give(self, message: Message) -> Event[None]:
        """Have a message carried; one that is joined has a position in the order of its group."""
        operation, rank = message.operation, message.giver
        if operation.joined:
            members = self.setup.groups[operation.group]
            if rank not in members:
                raise InputError(
                    f"{operation}: {self.setup.name(rank)} is not in the group "
                    f"{operation.group!r}, which has {_listed(members)}"
                )
            self._orders[operation.group].add(message)
        elif rank not in self.setup.senders:
            raise InputError(f"{self.setup.name(rank)} may not send: add it to {option('sources')}")
        taken: Event[None] = Event(self.loop, lambda: f"its words by {operation} to be taken")
        self.carry(message, taken)
        return taken

    def receive(self, rank: int, operation: Operation, source: int | None) -> Event[Arrival]:
        """The next message to a node by an operation that is sent."""
        if not self.setup.source_numbers:
            raise InputError(
                f"{operation}: words do not tell their source: leave out "
                f"{switch('source_numbers', False)}"
            )
        whose = "any node" if source is ANY else self.setup.name(source)
        return self._request(
            rank, operation, source, lambda: f"a message by {operation} from {whose}"
        )

    def receive_result(self, rank: int, operation: Operation) -> Event[Arrival]:
        """The result of the message that a node gave last to the group of an operation."""
        order = self._orders[operation.group]
        position = order.count[rank] - 1

        def what() -> str:
            missing = order.missing(position)
            if not missing:
                return f"the result of {operation}"
            have = "has" if len(missing) == 1 else "have"
            return f"{operation}, which {_listed(missing)} {have} not given"

        return self._request(rank, operation, ANY, what)

    def _request(
        self, rank: int, operation: Operation, source: int | None, what: Callable[[], str]
    ) -> Event[Arrival]:
        event: Event[Arrival] = Event(self.loop, what)
        arrived = self._arrived[rank, operation]
        for position, arrival in enumerate(arrived):
            if source in (ANY, arrival.source):
                event.set(arrived.pop(position))
                return event
        self._requests[rank, operation].append((source, event))
        return event

    def deliver(self, rank: int, operation: Operation, arrival: Arrival) -> None:
        """A message has come to a node."""
        requests = self._requests[rank, operation]
        for position, (source, event) in enumerate(requests):
            if source in (ANY, arrival.source):
                del requests[position]
                event.set(arrival)
                return
        self._arrived[rank, operation].append(arrival)

    def deadlock(self) -> DeadlockError:
        """Says what each node waits for."""
        waiting: dict[str, list[int]] = {}
        for rank, program in enumerate(self._programs):
            if not program.done:
                waiting.setdefault(program.what(), []).append(rank)
        shown = [f"{_listed(ranks)} for {what}" for what, ranks in waiting.items()]
        if len(shown) > _NAMED:
            shown[_NAMED:] = [f"and others for {len(shown) - _NAMED} more things"]
        return DeadlockError(f"programs wait for ever: {'; '.join(shown)}")


def _listed(ranks: Sequence[int]) -> str:
    """Some nodes, as words of a sentence."""
    more = f" and {len(ranks) - _NAMED} more" if len(ranks) > _NAMED else ""
    return f"node{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks[:_NAMED]))}{more}"
