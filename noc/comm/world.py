"""The programs of all nodes, and what carries their messages."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from noc.comm.mailbox import ANY, Arrival, Mailbox
from noc.comm.order import JoinOrder
from noc.comm.setup import Setup
from noc.comm.tasks import Event, Loop, Task
from noc.errors import CheckError, InputError
from noc.programs.operations import Operation

__all__ = ["Carrier", "DeadlockError", "Deliver", "Message", "Run", "World"]

#: So many nodes that wait are named.
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

    def launch(self, coroutines: Sequence[Coroutine[Any, None, Any]]) -> None:
        """Start the program of each node."""
        for rank, coroutine in enumerate(coroutines):
            self._programs.append(self.loop.start(coroutine, self.setup.name(rank)))

    @property
    def ended(self) -> bool:
        """Whether all programs have returned."""
        return all(program.done for program in self._programs)

    def result(self) -> Run:
        """What the programs gave."""
        ended = [program.ended for program in self._programs]
        results = [program._value for program in self._programs]
        return Run(results, max(ended, default=0), ended)

    def give(self, message: Message) -> Event[None]:
        """Have a message carried; what is joined has a place in the order of its group."""
        operation, rank = message.operation, message.giver
        if operation.joined:
            self._check_member(rank, operation)
            self._order.add(rank, operation, message.node, len(message.words))
        elif rank not in self.setup.senders:
            raise InputError(f"{self.setup.name(rank)} may not send: its network was built so")
        taken: Event[None] = Event(self.loop, lambda: f"its words by {operation} to be taken")
        self.carrier.give(message, taken)
        return taken

    def receive(self, rank: int, operation: Operation, source: int | None) -> Event[Arrival]:
        """The next message to a node by an operation that is sent."""
        if not self.setup.source_numbers:
            raise InputError(
                f"{operation}: words do not tell their source; build the network with source "
                "numbers"
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
            nodes = "node" if len(missing) == 1 else "nodes"
            shown = f", which {nodes} {_listed(missing)} have not given" if missing else ""
            return f"the result of {operation}{shown}"

        event: Event[Arrival] = Event(self.loop, what)
        self._mailboxes[rank].ask(operation, ANY, event)
        return event

    def deliver(self, rank: int, operation: Operation, arrival: Arrival) -> None:
        """A message has come to a node."""
        self._mailboxes[rank].put(operation, arrival)

    def deadlock(self) -> DeadlockError:
        """Says what each node waits for."""
        waiting = [program for program in self._programs if not program.done]
        shown = [f"{program.name} for {program.what()}" for program in waiting[:_NAMED]]
        if len(waiting) > _NAMED:
            shown.append(f"and {len(waiting) - _NAMED} more")
        return DeadlockError(f"programs wait for ever: {'; '.join(shown)}")

    def _check_member(self, rank: int, operation: Operation) -> None:
        members = self.setup.groups[operation.group]
        if rank not in members:
            raise InputError(
                f"{operation}: {self.setup.name(rank)} is not in the group "
                f"{operation.group!r}, which has the nodes {_listed(members)}"
            )


def _listed(ranks: Sequence[int]) -> str:
    more = f" and {len(ranks) - _NAMED} more" if len(ranks) > _NAMED else ""
    return ", ".join(map(str, ranks[:_NAMED])) + more
