"""The programs of all nodes, and what carries their messages."""

import inspect
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from noc.comm.mailbox import ANY, Arrival, Mailbox
from noc.comm.setup import Setup
from noc.comm.tasks import Event, Loop, Task
from noc.errors import CheckError, InputError, option, switch
from noc.programs.operations import Operation

__all__ = ["Carrier", "DeadlockError", "Deliver", "Message", "Run", "World"]


class JoinOrder:
    """What the members of all groups gave so far.

    Networks join words of whatever operation comes; programs are told here, on every engine.

    Parameters
    ----------
    setup : Setup
        Whose groups.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        #: For each group what was given, and by whom first.
        self._given: dict[str, list[tuple[Operation, int | None, int, int]]] = {}
        #: For each group how much of that each member has given.
        self._count: dict[str, dict[int, int]] = {}

    def add(self, rank: int, operation: Operation, root: int | None, words: int) -> None:
        """A node gives a message that is joined."""
        given = self._given.setdefault(operation.group, [])
        count = self._count.setdefault(operation.group, {})
        place = count.get(rank, 0)
        count[rank] = place + 1
        if place == len(given):
            given.append((operation, root, words, rank))
        if given[place][:3] != (operation, root, words):
            raise InputError(
                f"{self._setup.name(rank)} gives {_shown(operation, root, words)} where "
                f"{self._setup.name(given[place][3])} gave {_shown(*given[place][:3])}: all "
                f"members of the group {operation.group!r} must give the same in the same order"
            )

    def count(self, rank: int, operation: Operation) -> int:
        """How many messages a node has given to the group of an operation."""
        return self._count[operation.group].get(rank, 0)

    def missing(self, operation: Operation, place: int) -> list[int]:
        """The members that have not given the message of a place."""
        count = self._count[operation.group]
        return [rank for rank in self._setup.groups[operation.group] if count.get(rank, 0) <= place]


def _shown(operation: Operation, root: int | None, words: int) -> str:
    to = "" if root is None else f" to node {root}"
    return f"{operation}{to} with {words} word{'s' * (words > 1)}"


#: So many nodes, or things that are waited for, are named.
_NAMED = 8


class DeadlockError(CheckError):
    """Programs wait for what never comes."""


@dataclass(frozen=True)
class Message:
    """What a node gives.

    Parameters
    ----------
    operation : Operation
        What is wanted done.
    giver : int
        The node that gives it.
    words : tuple of int
        Its words.
    node : int or None
        The node that it names, if it names one.
    """

    operation: Operation
    giver: int
    words: tuple[int, ...]
    node: int | None = None


#: Told of a message that came to a node: the node, its operation, and what came.
Deliver = Callable[[int, Operation, Arrival], None]


class Carrier(Protocol):
    """Takes messages to mailboxes."""

    def give(self, message: Message, taken: Event[None]) -> None:
        """Carry a message; the event is to happen when its last word has left its node."""


@dataclass(frozen=True)
class Run:
    """What programs gave.

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


class World:
    """The programs of all nodes.

    Parameters
    ----------
    setup : Setup
        The nodes.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.loop = Loop()
        self.carrier: Carrier
        self._order = JoinOrder(setup)
        self._mailboxes = [Mailbox() for _ in range(setup.size)]
        self._programs: list[Task[Any]] = []

    def launch(self, program: Callable[[int], Coroutine[Any, None, Any]]) -> None:
        """Start the program of each node, which is given for its rank."""
        for rank in range(self.setup.size):
            self._programs.append(self.loop.start(program(rank), self.setup.name(rank)))

    @property
    def ended(self) -> bool:
        """Whether all programs have returned."""
        return all(program.done for program in self._programs)

    def result(self) -> Run:
        """What the programs gave."""
        ended = [program.ended for program in self._programs]
        results = [program.value for program in self._programs]
        self._check_awaited(results)
        return Run(results, max(ended, default=0), ended)

    def _check_awaited(self, results: list[Any]) -> None:
        forgotten = [rank for rank, value in enumerate(results) if inspect.iscoroutine(value)]
        for rank in forgotten:
            results[rank].close()
        if forgotten:
            name = self.setup.name(forgotten[0])
            raise InputError(f"{name}: returned what it did not await: add 'await'")

    def give(self, message: Message) -> Event[None]:
        """Have a message carried; what is joined has a place in the order of its group."""
        operation, rank = message.operation, message.giver
        if operation.joined:
            self._check_member(rank, operation)
            self._order.add(rank, operation, message.node, len(message.words))
        elif rank not in self.setup.senders:
            raise InputError(f"{self.setup.name(rank)} may not send: add it to {option('sources')}")
        taken: Event[None] = Event(self.loop, lambda: f"its words by {operation} to be taken")
        self.carrier.give(message, taken)
        return taken

    def receive(self, rank: int, operation: Operation, source: int | None) -> Event[Arrival]:
        """The next message to a node by an operation that is sent."""
        if not self.setup.source_numbers:
            raise InputError(
                f"{operation}: words do not tell their source: leave out "
                f"{switch('source_numbers', False)}"
            )
        whose = "any node" if source is ANY else self.setup.name(source)
        event: Event[Arrival] = Event(self.loop, lambda: f"a message by {operation} from {whose}")
        self._mailboxes[rank].ask(operation, source, event)
        return event

    def receive_result(self, rank: int, operation: Operation) -> Event[Arrival]:
        """The result of the message that a node gave last to the group of an operation."""
        place = self._order.count(rank, operation) - 1

        def what() -> str:
            missing = self._order.missing(operation, place)
            if not missing:
                return f"the result of {operation}"
            have = "has" if len(missing) == 1 else "have"
            return f"{operation}, which {_count(missing)} {have} not given"

        event: Event[Arrival] = Event(self.loop, what)
        self._mailboxes[rank].ask(operation, ANY, event)
        return event

    def deliver(self, rank: int, operation: Operation, arrival: Arrival) -> None:
        """A message has come to a node."""
        self._mailboxes[rank].put(operation, arrival)

    def deadlock(self) -> DeadlockError:
        """Says what each node waits for."""
        waiting: dict[str, list[int]] = {}
        for rank, program in enumerate(self._programs):
            if not program.done:
                waiting.setdefault(program.what(), []).append(rank)
        shown = [f"{_count(ranks)} for {what}" for what, ranks in waiting.items()]
        if len(shown) > _NAMED:
            shown[_NAMED:] = [f"and others for {len(shown) - _NAMED} more things"]
        return DeadlockError(f"programs wait for ever: {'; '.join(shown)}")

    def _check_member(self, rank: int, operation: Operation) -> None:
        members = self.setup.groups[operation.group]
        if rank not in members:
            raise InputError(
                f"{operation}: {self.setup.name(rank)} is not in the group "
                f"{operation.group!r}, which has {_count(members)}"
            )


def _count(ranks: Sequence[int]) -> str:
    """Some nodes, as words of a sentence."""
    return f"node{'s' * (len(ranks) > 1)} {_listed(ranks)}"


def _listed(ranks: Sequence[int]) -> str:
    more = f" and {len(ranks) - _NAMED} more" if len(ranks) > _NAMED else ""
    return ", ".join(map(str, ranks[:_NAMED])) + more
