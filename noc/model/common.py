"""What the compiled cycle models have in common: their arrays, their ends, and their runs."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from noc.compiled import inlined
from noc.errors import CheckError, InputError
from noc.model.traffic import LongTraffic, Traffic
from noc.networks import IntArray, Network

__all__ = [
    "DRAINED",
    "FULL",
    "LIMIT",
    "NONE",
    "STILL",
    "Chunk",
    "Room",
    "last_cycle",
    "new_arrays",
    "new_arrival",
    "new_record",
    "refuse_doubled",
    "run_in_parts",
    "write_arrival",
]

_R = TypeVar("_R")

#: What stands where there is no number.
NONE = -1

# What stands for the cycle of a delivery that happened more than once.
_TWICE = -2

#: Why a part of a run ended.
FULL, DRAINED, STILL, LIMIT = range(4)

# Cycles are stored in 32 bits.
_MOST_CYCLES = 2**31 - 1

#: Room for so many events at a time, or for those of one cycle if they are more.
EVENTS_AT_A_TIME = 1 << 19


class Room(Protocol):
    """Counts of a run, among them how many more events its list can hold."""

    room: int


def new_record(names: type[_R]) -> _R:
    """A record of whole numbers that compiled code can change, all of them zero."""
    fields = [(name, np.int64) for name in names.__annotations__]
    return cast(_R, np.zeros(1, fields).view(np.recarray)[0])


def new_arrays(kind: Callable[..., _R], shapes: dict[str, tuple[int, ...]], **rest: object) -> _R:
    """A named tuple of arrays of zeros, by the shapes of their names, and the other fields.

    Several names, with blanks between them, can have one shape.
    """
    arrays = {
        name: np.zeros(shape, dtype=np.int64)
        for names, shape in shapes.items()
        for name in names.split()
    }
    return kind(**arrays, **rest)


def last_cycle(cycles: int | None) -> int:
    """The first cycle that is not simulated, if so many are asked for."""
    if cycles is not None and not 0 <= cycles <= _MOST_CYCLES:
        raise InputError(f"cycles: {cycles} is out of range; 0 to {_MOST_CYCLES} are allowed")
    return _MOST_CYCLES if cycles is None else cycles


class Chunk(NamedTuple):
    """The events of some cycles of a run, one after the other.

    Parameters
    ----------
    events : Any
        As the run of the fabric has them.
    idle : array or None
        As the direct fabric's run has it.
    parts : list of (int, part)
        The words that sources were given for these cycles, and the numbers of the first ones.
    cycles, injected : int
        Cycles, and transfers at inject streams, from the beginning of the run.
    end : str or None
        Why the run ended, if it did.
    oldest : (int, int)
        The first word, and the first result of a join, that later events can be of.
    """

    events: Any
    idle: IntArray | None
    parts: list[Any]
    cycles: int
    injected: int
    end: str | None
    oldest: tuple[int, int] = (0, 0)


def run_in_parts(
    advance: Callable[[IntArray], int],
    counts: Room,
    most: int,
    columns: int,
    *,
    events: bool,
    kind: type[np.signedinteger[Any]] = np.int32,
) -> Iterator[tuple[int, IntArray]]:
    """Go on until a run ends: part by part why it did, or ``FULL``, and its events.

    Parameters
    ----------
    advance : callable
        Goes on until there is no room for the events of another cycle, and says why it ended.
    counts : record
        The counts of the run.
    most : int
        The most events of a cycle.
    columns : int
        Numbers of each event.
    events : bool
        Whether events are wanted.
    kind : type
        Of the numbers of an event.
    """
    room = max(EVENTS_AT_A_TIME, most) if events else 0
    end = FULL
    while end == FULL:
        part = np.empty((room, columns), dtype=kind)
        counts.room = room
        end = advance(part)
        yield end, part[: room - counts.room]


def new_arrival(traffic: Traffic | LongTraffic, network: Network, *, wanted: bool) -> IntArray:
    """Where the arrival of each word (words, nodes) is written, without rows if it is not."""
    return np.full((traffic.words if wanted else 0, network.nodes), NONE, dtype=np.int32)


@inlined
def write_arrival(arrival: IntArray, word: int, node: int, cycle: int) -> None:
    """A sink takes a word."""
    if arrival.shape[0]:
        twice = arrival[word, node] != NONE
        arrival[word, node] = _TWICE if twice else cycle


def refuse_doubled(arrival: IntArray, network: Network) -> None:
    """Refuse a run in which a sink took a word twice."""
    if (arrival == _TWICE).any():
        raise CheckError(f"{network.spec}: a sink took a word twice")
