"""Programs on a network, cycle by cycle; the same on every network, modelled or real.

An engine asks :meth:`Session.begin` in each cycle which words are offered, finds out which of them
the network takes and which words come out, and passes both to :meth:`Session.end`. What an offer
is, and a word that comes, depends on the network: :class:`WordSession` is for those where words say
what they are, :class:`noc.comm.rounds.RoundSession` for those where the cycle does.
"""

import importlib.util
import sys
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from noc.comm.comm import Comm
from noc.comm.setup import Setup
from noc.comm.world import Arrival, Event, Message, Run, World
from noc.errors import CheckError
from noc.programs.operations import ALL, Operation

#: The fields of a word by their names, as ``docs/collectives.md`` has them.
Fields = dict[str, int]

#: What a node does; the first argument is its Comm.
Program: TypeAlias = Callable[..., Coroutine[Any, None, Any]]


def launch(world: World, program: Program, arguments: Sequence[Any]) -> None:
    """Start a program at every node."""
    for rank in range(world.setup.size):
        coroutine = program(Comm(world, rank), *arguments)
        world.programs.append(world.loop.start(coroutine, world.setup.name(rank)))


class Session(ABC):
    """One run of a program at every node of a network.

    Messages are cut into words at the inject streams, and put together at the eject streams. The
    ``arguments`` of the program are the same at every node; after ``limit`` cycles it is given up.
    """

    def __init__(
        self, setup: Setup, program: Program, arguments: Sequence[Any], limit: int | None = None
    ) -> None:
        self._world, self._limit = World(setup), limit
        self._world.carry = self._carry
        self._idle_cycles = 0
        self._program, self._arguments = program, arguments

    def __enter__(self) -> "Session":
        """Start the programs."""
        try:
            launch(self._world, self._program, self._arguments)
        except BaseException:
            self._world.loop.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Cut off what the programs left behind."""
        self._world.loop.close()

    @abstractmethod
    def _carry(self, message: Message, taken: Event[None]) -> None:
        """Queue the words of a message."""

    @abstractmethod
    def _offers(self) -> Any:
        """What is offered in this cycle."""

    @abstractmethod
    def end(self, taken: Any, came: Any, moved: bool = True) -> None:
        """What moved in this cycle: which words were taken, and which came to which nodes.

        Where all nodes stand still at times, it also says whether they did.
        """

    def begin(self) -> Any:
        """Let programs go on; what is offered, or None when all have returned."""
        loop = self._world.loop
        loop.run()
        if self._world.ended:
            return None
        if self._idle_cycles > self._world.setup.quiet:
            raise self._world.deadlock()
        if loop.cycle == self._limit:
            raise CheckError(f"programs have not ended after {self._limit} cycles")
        return self._offers()

    def _go_on(self, *, idle: bool) -> None:
        """A cycle is over; one in which somebody sleeps is not idle."""
        loop = self._world.loop
        self._idle_cycles = self._idle_cycles + 1 if idle and loop.next_cycle is None else 0
        loop.cycle += 1

    def result(self) -> Run:
        """What the programs returned."""
        return self._world.result()


class WordSession(Session):
    """On a network whose words say what they are: each node has one word to offer, or none."""

    def __init__(
        self, setup: Setup, program: Program, arguments: Sequence[Any], limit: int | None = None
    ) -> None:
        super().__init__(setup, program, arguments, limit)
        assert setup.operations is not None
        self._number = setup.operations
        self._operation = {number: _read(name) for name, number in setup.operations.items()}
        #: By node, the words that have not left it; with the event of a message its last.
        self._waiting: list[deque[tuple[Fields, Event[None] | None]]] = [
            deque() for _ in range(setup.size)
        ]
        #: By node, operation and source, the data of unfinished messages.
        self._begun: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)

    def _offers(self) -> list[Fields | None]:
        return [waiting[0][0] if waiting else None for waiting in self._waiting]

    def end(
        self, taken: Sequence[int], came: Sequence[tuple[int, Fields]], _moved: bool = True
    ) -> None:
        """From which nodes words were taken, and to which words came."""
        for node in taken:
            _, event = self._waiting[node].popleft()
            if event is not None:
                event.set(None)
        for node, fields in came:
            self._receive(node, fields)
        self._go_on(idle=not taken and not came)

    def _carry(self, message: Message, taken: Event[None]) -> None:
        number, node = self._number[str(message.operation)], message.node or 0
        *before, last = message.words
        fields = {"operation": number, "node": node}
        waiting = self._waiting[message.giver]
        waiting.extend(({"data": word, "last": 0} | fields, None) for word in before)
        waiting.append(({"data": last, "last": 1} | fields, taken))

    def _receive(self, node: int, fields: Fields) -> None:
        number, source = fields.get("operation", 0), fields.get("source", 0)
        begun = self._begun[node, number, source]
        begun.append(fields["data"])
        if fields.get("last", 1):
            del self._begun[node, number, source]
            operation = self._operation[number]
            whose = None if operation.joined else source
            self._world.deliver(node, operation, Arrival(whose, tuple(begun)))


def _read(name: str) -> Operation:
    """An operation as the manifest spells it."""
    spelled, _, group = name.partition("@")
    kind, _, operator = spelled.partition(":")
    return Operation(kind, operator, group or ALL)


#: In the environment of a simulator, the file with the request.
REQUEST = "NOC_COMM_REQUEST"


@dataclass(frozen=True)
class Request:
    """What the process in a simulator is to do."""

    #: The Python file of the program, the name under which it is loaded, and its name in there.
    file: Path
    module: str
    program: str
    arguments: tuple[Any, ...]
    manifest: Path
    limit: int | None
    #: Where the run is written, or what failed.
    answer: Path

    def load_program(self) -> Program:
        """The program, in another process."""
        spec = importlib.util.spec_from_file_location(self.module, self.file)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[self.module] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        program: Program = getattr(module, self.program)
        return program
