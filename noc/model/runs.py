"""What both compiled cycle models have around them: words to offer, parts of runs, and signals."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast, get_type_hints

import numpy as np
import numpy.typing as npt

from noc.compiled import inlined
from noc.errors import InputError
from noc.networks import IntArray

#: No number.
NONE = -1

#: Why compiled code ended: a list is full, or the run is over in one of three ways, or a source has
#: no words left and there may be more.
FULL, DRAINED, STILL, LIMIT, HUNGRY = range(5)

# Cycles are stored in 32 bits.
_MOST_CYCLES = 2**31 - 1

#: Room for events at a time, or for those of one cycle if they are more.
EVENTS_AT_A_TIME = 1 << 19

# Streams times cycles of which it is written down at a time what they show.
_CELLS = 1 << 24

_R = TypeVar("_R")


def new_record(names: type[_R]) -> _R:
    """A record of whole numbers that compiled code can change, all of them zero."""
    fields = [(name, np.int64) for name in get_type_hints(names)]
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
    """The first cycle that is not simulated."""
    if cycles is not None and not 0 <= cycles <= _MOST_CYCLES:
        raise InputError(f"cycles: {cycles} is out of range; 0 to {_MOST_CYCLES} are allowed")
    return _MOST_CYCLES if cycles is None else cycles


class Part(Protocol):
    """Some words, in the order in which each source offers its own."""

    @property
    def source(self) -> IntArray:
        """The node that gives each word."""

    @property
    def release(self) -> IntArray:
        """The first cycle in which it may be offered."""


_P = TypeVar("_P", bound=Part)

#: From a node that has no words left to the next part of the traffic in which it may have some;
#: None if there is none.
Draw = Callable[[int], _P | None]


class Offered(NamedTuple):
    """The words of all sources, sorted by source, the sinks, and when to give up."""

    word: IntArray
    way: IntArray  # where it goes at its source
    release: IntArray
    next: IntArray  # (sources): the next word of its own
    end: IntArray  # (sources): the first behind them
    more: IntArray  # (sources): whether more of its words may come
    drawn: IntArray  # (sources): how many there have been
    ready: npt.NDArray[np.bool_]  # (period, nodes)
    patience: int  # quiet cycles after which only a new word could move
    stop: int  # the first cycle that is not simulated


@inlined
def runs_out(offered: Offered) -> bool:
    """Whether a source has offered all words drawn so far, and there may be more."""
    for source in range(offered.next.size):
        if offered.next[source] == offered.end[source] and offered.more[source]:
            return True
    return False


@inlined
def all_offered(offered: Offered, cycle: int) -> bool:
    """Whether no source will offer a word that it did not before."""
    for source in range(offered.next.size):
        word = offered.next[source]
        if word < offered.end[source] and offered.release[word] >= cycle:
            return False
    return True


class Feed(Generic[_P]):
    """What sources offer, drawn part by part from traffic when one of them runs out.

    Parameters
    ----------
    nodes : sequence of int
        The node of each source, in the order in which compiled code numbers them.
    draw : callable
        Gives parts of the traffic.
    convert : callable
        From a part and the numbers of its words to the first two columns of :class:`Offered`.
    rest : tuple
        The sinks, and when to give up.

    Attributes
    ----------
    more, drawn : array (sources)
        As :class:`Offered` has them.
    words : int
        How many words have been drawn of all sources.
    """

    def __init__(
        self,
        nodes: Sequence[int],
        draw: Draw[_P],
        convert: Callable[[_P, IntArray], tuple[IntArray, IntArray]],
        rest: tuple[npt.NDArray[np.bool_], int, int],
    ) -> None:
        self._nodes, self._draw, self._convert = np.array(nodes, dtype=np.int64), draw, convert
        self._rest, self._sorted = rest, np.argsort(self._nodes)
        self._source = np.zeros(0, dtype=np.int64)
        self._columns: tuple[IntArray, ...] = ()
        self._next, self._end, self.drawn = np.zeros((3, len(nodes)), dtype=np.int64)
        self.more = np.ones(len(nodes), dtype=np.int64)
        self._fresh: list[tuple[int, _P]] = []
        self.words = 0
        self._refill()

    def go_on(self, advance: Callable[[Offered], int]) -> int:
        """Why compiled code ended, which gets more words whenever a source runs out."""
        while (end := advance(self._offered())) == HUNGRY:
            self._refill()
        return end

    def _offered(self) -> Offered:
        word, way, release = self._columns
        progress = self._next, self._end, self.more, self.drawn
        return Offered(word, way, release, *progress, *self._rest)

    @property
    def accepted(self) -> IntArray:
        """How many words of each source were taken."""
        return self.drawn - (self._end - self._next)

    @property
    def left(self) -> IntArray:
        """The words, as compiled code has them, that sources have still to offer."""
        return np.concatenate(
            [self._columns[0][n:e] for n, e in zip(self._next, self._end, strict=True)]
            if self._columns
            else [self._source]
        )

    def take_fresh(self) -> list[tuple[int, _P]]:
        """The parts drawn since this was last asked, and the numbers of their first words."""
        taken, self._fresh = self._fresh, []
        return taken

    def _refill(self) -> None:
        """Draw words, so that each source has some that will have any."""
        kept = np.arange(self._source.size) >= self._next[self._source]
        sources, columns = [self._source[kept]], [tuple(c[kept] for c in self._columns)]
        full = self._next < self._end
        for source, node in enumerate(self._nodes.tolist()):
            while self.more[source] and not full[source]:
                part = self._draw(node)
                if part is None:
                    self.more[source] = False
                    break
                of = self._sorted[np.searchsorted(self._nodes, part.source, sorter=self._sorted)]
                sources.append(of)
                numbers = np.arange(self.words, self.words + of.size, dtype=np.int64)
                release = part.release.clip(0).astype(np.int64)
                columns.append((*self._convert(part, numbers), release))
                self._fresh.append((self.words, part))
                self.words += of.size
                full[of] = True
                self.drawn += np.bincount(of, minlength=full.size)
        joined = np.concatenate(sources)
        order = np.argsort(joined, kind="stable")
        self._source = joined[order]
        filled = [each for each in columns if each]
        self._columns = tuple(np.concatenate(c)[order] for c in zip(*filled, strict=True))
        self._end[:] = np.searchsorted(self._source, np.arange(full.size), side="right")
        self._next[:] = np.searchsorted(self._source, np.arange(full.size), side="left")


def by_number(_part: Part, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Words that go one way: each is its number."""
    return numbers, np.zeros_like(numbers)


class Chunk(NamedTuple):
    """The events of some cycles of a run, one after the other."""

    #: As the run of the fabric has them.
    events: Any
    #: As the direct fabric's run has it.
    idle: IntArray | None
    #: The words that sources were given for these cycles, and the numbers of the first ones.
    parts: list[Any]
    #: Cycles, and transfers at inject streams, from the beginning of the run.
    cycles: int
    injected: int
    #: Why the run ended, if it did.
    end: str | None
    #: The first word, and the first result of a join, that later events can be of.
    oldest: tuple[int, int] = (0, 0)
    #: As the timetable fabric's run has it.
    waiting: Any = None


class Counts:
    """A record of what was counted so far; each kernel has more."""

    cycle: int
    quiet: int  # cycles since anything moved
    injected: int  # transfers at inject streams
    ejected: int  # and at eject streams
    room: int  # for further events in the list
    watched: int  # cycles of which it was written what streams show


@dataclass(frozen=True, eq=False)
class Signals:
    """Every change of what streams show, sorted by stream, then cycle.

    Before its first change a stream shows neither ``valid`` nor ``ready``.
    """

    #: Array (changes). Where and when.
    stream: IntArray = field(repr=False)
    cycle: IntArray = field(repr=False)
    #: Array (changes). The word that is offered from then on, by its position in the traffic; -1
    #: for none.
    word: IntArray = field(repr=False)
    #: Array (changes). Whether the stream is ready from then on.
    ready: IntArray = field(repr=False)


@inlined
def signals_of(word: int, ready: bool) -> int:
    """What a stream shows as one number: the word that it offers, or NONE, and its ``ready``."""
    return (word + 1) << 1 | ready


class Model:
    """A compiled model with everything that it works on; each fabric has one.

    It has ``most`` events in a cycle at most; ``empty`` (columns, 0) has the columns of events.
    """

    def __init__(self, counts: Counts, most: int, empty: IntArray) -> None:
        self.counts, self._most, self._empty = counts, most, empty

    def advance(self, events: IntArray, signals: IntArray) -> int:
        """Go on until one of these is full, or the run ends, and say why."""
        raise NotImplementedError

    def run(self, *, events: bool) -> Iterator[tuple[int, IntArray]]:
        """Why it ended, or ``FULL``, and the events (events, columns), part by part."""
        room, end = max(EVENTS_AT_A_TIME, self._most) if events else 0, FULL
        while end == FULL:
            part = np.empty((len(self._empty), room), dtype=self._empty.dtype)
            self.counts.room = room
            end = self.advance(part, np.zeros((0, 0), dtype=np.int32))
            yield end, part[:, : room - self.counts.room].T

    def watch(self, streams: int, listed: int) -> Signals:
        """What the first of the streams show until the run ends."""
        rows = max(1, _CELLS // streams)
        last, begin, end = np.zeros((1, streams), dtype=np.int32), 0, FULL
        parts: list[tuple[IntArray, ...]] = []
        while end == FULL:
            part = np.zeros((rows, streams), dtype=np.int32)
            self.counts.watched = 0
            end = self.advance(self._empty, part)
            shown = np.concatenate([last, part[: self.counts.watched]])
            cycle, stream = np.nonzero((shown[1:] != shown[:-1])[:, :listed])
            parts.append((stream, cycle + begin, shown[cycle + 1, stream]))
            last, begin = shown[-1:], begin + int(self.counts.watched)
        stream, cycle, value = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((cycle, stream))
        value = value[order].astype(np.int64)
        return Signals(stream[order], cycle[order], (value >> 1) - 1, value & 1)
