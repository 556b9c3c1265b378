"""The words that sources have still to offer: a part of them at a time, more when one runs out."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np

from noc.compiled import inlined
from noc.networks import IntArray

__all__ = ["HUNGRY", "Draw", "Feed", "Part", "hungry"]

#: Why compiled code ended: a source has no words left, and there may be more.
HUNGRY = 4


class Part(Protocol):
    """Some words, in the order in which each source offers its own."""

    @property
    def source(self) -> IntArray:
        """The node that gives each word."""


class Offered(Protocol):
    """What compiled code knows of the words, under these names."""

    @property
    def next(self) -> IntArray: ...
    @property
    def end(self) -> IntArray: ...
    @property
    def more(self) -> IntArray: ...


@inlined
def hungry(offered: Offered) -> bool:
    """Whether a source has offered all words that are here, and there may be more."""
    for source in range(offered.next.size):
        if offered.next[source] == offered.end[source] and offered.more[source]:
            return True
    return False


_P = TypeVar("_P", bound=Part)
_O = TypeVar("_O")

#: From a node that has no words left to the next part of the traffic in which it may have some;
#: None if it has none there.
Draw = Callable[[int], _P | None]


class Feed(Generic[_P]):
    """What sources offer, for compiled code, which asks for more by ending with ``HUNGRY``.

    Parameters
    ----------
    nodes : sequence of int
        The node of each source, in the order in which compiled code numbers them.
    draw : callable
        Gives parts of the traffic.
    convert : callable
        From a part, and the number of its first word, to the columns that compiled code reads.

    Attributes
    ----------
    columns : tuple of array
        Those of the words that are left, sorted by source.
    next, end : array (sources)
        The places there of the next word of each source, and of the first behind its own.
    more : array (sources)
        Whether more words of it may come.
    given : array (sources)
        How many words of it there have been, in all parts.
    words : int
        How many words there have been.
    """

    def __init__(
        self,
        nodes: Sequence[int],
        draw: Draw[_P],
        convert: Callable[[_P, int], tuple[IntArray, ...]],
    ) -> None:
        self._nodes, self._draw, self._convert = np.array(nodes, dtype=np.int64), draw, convert
        count = len(nodes)
        self._sorted = np.argsort(self._nodes)
        self._source = np.zeros(0, dtype=np.int64)
        self.columns: tuple[IntArray, ...] = ()
        self.next, self.end, self.given = np.zeros((3, count), dtype=np.int64)
        self.more = np.ones(count, dtype=np.int64)
        self._fresh: list[tuple[int, _P]] = []
        self.words = 0
        self.refill()

    def offered(self, kind: Callable[..., _O], *rest: object) -> _O:
        """What compiled code is given: the columns, how far each source is, and the rest."""
        return kind(*self.columns, self.next, self.end, self.more, self.given, *rest)

    def go_on(self, advance: Callable[["Feed[_P]"], int]) -> int:
        """Why compiled code ended, which has got more words where it wanted some."""
        while (end := advance(self)) == HUNGRY:
            self.refill()
        return end

    def take_fresh(self) -> list[tuple[int, _P]]:
        """The parts that came since this was asked before, and the numbers of their first words."""
        taken, self._fresh = self._fresh, []
        return taken

    def refill(self) -> None:
        """Get more words, so that each source has some that will have any."""
        kept = np.arange(self._source.size) >= self.next[self._source]
        sources, columns = [self._source[kept]], [tuple(c[kept] for c in self.columns)]
        full = self.next < self.end
        for source, node in enumerate(self._nodes.tolist()):
            while self.more[source] and not full[source]:
                part = self._draw(node)
                if part is None:
                    self.more[source] = False
                    break
                mine = self._sorted[np.searchsorted(self._nodes, part.source, sorter=self._sorted)]
                sources.append(mine)
                columns.append(self._convert(part, self.words))
                self._fresh.append((self.words, part))
                self.words += mine.size
                full[mine] = True
                self.given += np.bincount(mine, minlength=full.size)
        joined = np.concatenate(sources)
        order = np.argsort(joined, kind="stable")
        self._source = joined[order]
        filled = [each for each in columns if each]
        self.columns = tuple(np.concatenate(c)[order] for c in zip(*filled, strict=True))
        self.end[:] = np.searchsorted(self._source, np.arange(full.size), side="right")
        self.next[:] = np.searchsorted(self._source, np.arange(full.size), side="left")
