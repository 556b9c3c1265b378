"""The programs of all nodes, each a coroutine; what they wait for, and messages that come to them.

There is one order in which they go on, which depends on nothing but what happens in which cycle.
"""

import heapq
import inspect
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar, cast

from noc.comm.setup import Setup
from noc.errors import CheckError, InputError, option, switch
from noc.programs.operations import Operation

T = TypeVar("T")


class Event(Generic[T]):
    """Happens once, and has a value then, which ``await`` returns; ``what`` says what it is."""

    def __init__(self, loop: "Loop", what: Callable[[], str]) -> None:
        self._loop, self.what = loop, what
        self.done = False
        #: None before it happens.
        self.value: T | None = None
        #: The tasks that wait for it.
        self.waiting: list[Task[Any]] = []

    def set(self, value: T) -> None:
        """It happens; whatever waited goes on in this cycle."""
        self.done, self.value = True, value
        self._loop.ready += self.waiting
        self.waiting = []

    def __await__(self) -> Generator["Event[Any]", None, T]:
        if not self.done:
            yield self
        return cast(T, self.value)


class Task(Event[T]):
    """A coroutine that was started, and whose it is; ``await`` gives what it returns."""

    def __init__(self, loop: "Loop", coroutine: Coroutine[Any, None, T], name: str) -> None:
        super().__init__(loop, lambda: self.waits_for.what() if self.waits_for else "its turn")
        self.coroutine, self.name = coroutine, name
        #: What it waits for, if it does.
        self.waits_for: Event[Any] | None = None
        #: The cycle in which it returned.
        self.ended = -1


class Loop:
    """All tasks, and the cycle in which they are."""

    def __init__(self) -> None:
        self.cycle = 0
        self.ready: deque[Task[Any]] = deque()
        #: By the cycle, then in the order of calls.
        self._sleeping: list[tuple[int, int, Event[None]]] = []
        self._calls = itertools.count()
        self._tasks: list[Task[Any]] = []

    def start(self, coroutine: Coroutine[Any, None, T], name: str) -> Task[T]:
        """Run a coroutine up to where it waits first; it goes on beside the others."""
        if not isinstance(coroutine, Coroutine):
            raise InputError(f"{name}: start takes a coroutine, such as comm.send(1, dest=0)")
        task = Task(self, coroutine, name)
        self._tasks.append(task)
        self._advance(task)
        return task

    def sleep(self, cycles: int) -> Event[None]:
        """An event after some cycles."""
        event: Event[None] = Event(self, lambda: "its sleep to end")
        heapq.heappush(self._sleeping, (self.cycle + cycles, next(self._calls), event))
        return event

    def run(self) -> None:
        """Let everything go on that can, in this cycle."""
        while self._sleeping and self._sleeping[0][0] <= self.cycle:
            heapq.heappop(self._sleeping)[2].set(None)
        while self.ready:
            self._advance(self.ready.popleft())

    @property
    def next_cycle(self) -> int | None:
        """The cycle in which the next sleep ends, if any task sleeps."""
        return self._sleeping[0][0] if self._sleeping else None

    def close(self) -> None:
        """Cut off whatever still waits."""
        for task in self._tasks:
            if not task.done:
                task.coroutine.close()

    def _advance(self, task: Task[Any]) -> None:
        try:
            event = task.coroutine.send(None)
        except StopIteration as end:
            task.ended = self.cycle
            task.set(end.value)
            return
        except Exception as error:
            error.add_note(f"in the program of {task.name}, in cycle {self.cycle}")
            raise
        if not isinstance(event, Event):
            raise InputError(
                f"{task.name}: a program can await only what its Comm gives, not {event!r}"
            )
        task.waits_for = event
        event.waiting.append(task)


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


class World:
    """The programs of all nodes; an engine sets ``carry``, and calls ``deliver``.

    Each message goes to the request that fits it; both are served in their order.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.loop = Loop()
        #: Carries a message; the event is to happen when its last word has left its node.
        self.carry: Callable[[Message, Event[None]], None]
        #: By group the messages that are joined, as first given; how many each member has given.
        self._joined: dict[str, list[Message]] = {name: [] for name in setup.groups}
        self._given = {name: dict.fromkeys(nodes, 0) for name, nodes in setup.groups.items()}
        #: Of each node and operation the messages that came, and the requests without one.
        self._arrived: defaultdict[tuple[int, Operation], list[Arrival]] = defaultdict(list)
        self._requests: defaultdict[
            tuple[int, Operation], list[tuple[int | None, Event[Arrival]]]
        ] = defaultdict(list)
        #: By rank.
        self.programs: list[Task[Any]] = []

    @property
    def ended(self) -> bool:
        """Whether all programs have returned."""
        return all(program.done for program in self.programs)

    def result(self) -> Run:
        """What the programs returned."""
        ended = [program.ended for program in self.programs]
        results: list[Any] = [program.value for program in self.programs]
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
            self._check_order(message)
        elif rank not in self.setup.senders:
            raise InputError(f"{self.setup.name(rank)} may not send: add it to {option('sources')}")
        taken: Event[None] = Event(self.loop, lambda: f"its words by {operation} to be taken")
        self.carry(message, taken)
        return taken

    def _check_order(self, message: Message) -> None:
        """All members of a group give the same to be joined, in the same order.

        Networks join words of whatever operation comes; programs are refused here, on every engine.
        """
        rank, group = message.giver, message.operation.group
        position = self._given[group][rank]
        self._given[group][rank] += 1
        if position == len(self._joined[group]):
            self._joined[group].append(message)
        first = self._joined[group][position]
        kinds = [(each.operation, each.node, len(each.words)) for each in (message, first)]
        if kinds[0] != kinds[1]:
            raise InputError(
                f"{self.setup.name(rank)} gives {message} where {self.setup.name(first.giver)} "
                f"gave {first}: all members of the group {group!r} must give the same in the "
                "same order"
            )

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
        given = self._given[operation.group]
        last = given[rank]

        def what() -> str:
            missing = [other for other, count in given.items() if count < last]
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
        for rank, program in enumerate(self.programs):
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
