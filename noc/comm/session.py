"""Programs on a network, cycle by cycle; the same on every network, modelled or real.

An engine asks :meth:`Session.begin` in each cycle which words are offered, finds out which of them
the network takes and which words come out, and tells :meth:`Session.end`.
"""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeAlias

from noc.comm.comm import Comm
from noc.comm.setup import Setup
from noc.comm.words import Fields, WordCarrier
from noc.comm.world import Run, World
from noc.errors import CheckError

__all__ = ["Program", "Session", "launch"]

#: What a node does; the first argument is its Comm.
Program: TypeAlias = Callable[..., Coroutine[Any, None, Any]]


def launch(world: World, program: Program, arguments: Sequence[Any]) -> None:
    """Start a program at every node."""
    world.launch(lambda rank: program(Comm(world, rank), *arguments))


class Session:
    """One run of a program at every node of a network.

    Parameters
    ----------
    setup : Setup
        The nodes.
    program : callable
        What each does.
    arguments : sequence
        More for the program, the same at every node.
    limit : int, optional
        Give up after so many cycles.
    """

    def __init__(
        self, setup: Setup, program: Program, arguments: Sequence[Any], limit: int | None = None
    ) -> None:
        self._world, self._limit = World(setup), limit
        self._carrier = self._world.carrier = WordCarrier(setup, self._world.deliver)
        self._quiet = 0
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

    def begin(self) -> list[Fields | None] | None:
        """Let programs go on; the word that each node offers, or None when all have returned."""
        loop = self._world.loop
        loop.run()
        if self._world.ended:
            return None
        if self._quiet > self._world.setup.quiet and loop.next_cycle is None:
            raise self._world.deadlock()
        if loop.cycle == self._limit:
            raise CheckError(f"programs have not ended after {self._limit} cycles")
        return self._carrier.offers()

    def end(self, taken: Iterable[int], came: Iterable[tuple[int, Fields]]) -> None:
        """What moved in this cycle: from which nodes words were taken, and to which words came."""
        taken, came = list(taken), list(came)
        self._carrier.take(taken)
        self._carrier.come(came)
        self._quiet = 0 if taken or came else self._quiet + 1
        self._world.loop.cycle += 1

    def result(self) -> Run:
        """What the programs gave."""
        return self._world.result()
