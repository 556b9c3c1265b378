"""Coroutines that wait for each other, and for cycles to pass.

There is one order in which they go on, which depends on nothing but what happens in which cycle.
"""

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Generic, TypeVar, cast

from noc.errors import InputError

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
