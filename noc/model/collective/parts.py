"""The parts that a network with operations has beside those of the ordered fabric.

Slow, and plain to read, as ``docs/collectives.md`` describes them.
"""

from collections import deque
from collections.abc import Callable

from noc.model.collective.words import Word
from noc.model.ordered.parts import Buffer, Part, Stream, Wire

__all__ = ["DROPPED", "SENT", "Dispatch", "Join", "Rewrite", "Stages"]

#: Where a dispatched word goes, if not to the joins of a group, which is a number.
SENT, DROPPED = "sent", "dropped"


class Dispatch(Part):
    """A node's own words, each to where its operation says.

    Parameters
    ----------
    way : callable
        From a word to where it goes: :data:`SENT`, :data:`DROPPED`, or the group whose words it is
        joined with.
    """

    def __init__(self, way: Callable[[Word], str | int]) -> None:
        super().__init__()
        self.way = way
        #: For each output the words that it is for.
        self.ways: list[str | int] = []

    def offers(self, output: Stream) -> Word | None:
        word: Word | None = self.inputs[0].offered()
        here = self.ways[self.outputs.index(output)]
        return word if word is not None and self.way(word) == here else None

    def ready(self, input_: Stream) -> bool:
        way = self.way(input_.offered())
        return way == DROPPED or self.outputs[self.ways.index(way)].ready()

    @property
    def dropped(self) -> bool:
        """Whether a word is dropped in this cycle."""
        word = self.inputs[0].moved
        return word is not None and self.way(word) == DROPPED


class Rewrite(Wire):
    """Wires that change the fields of a word."""

    def __init__(self, change: Callable[[Word], Word]) -> None:
        super().__init__()
        self.change = change

    def offers(self, output: Stream) -> Word | None:
        word = self.inputs[0].offered()
        return None if word is None else self.change(word)


class Join(Part):
    """One word of each of two streams into one; its output leads to its buffer.

    Parameters
    ----------
    result : callable
        From the word of the first stream and that of the second to the word that goes on.
    match : callable
        From the same whether their headers match.
    watchdog : int
        After how many cycles a word that waits for the other tells; 0 for never.
    """

    def __init__(
        self,
        result: Callable[[Word, Word], Word],
        match: Callable[[Word, Word], bool],
        watchdog: int,
    ) -> None:
        super().__init__()
        self.result, self.match, self.watchdog = result, match, watchdog
        self.waited = 0

    def offers(self, output: Stream) -> Word | None:
        first, second = (stream.offered() for stream in self.inputs)
        return None if first is None or second is None else self.result(first, second)

    def ready(self, input_: Stream) -> bool:
        other = self.inputs[input_ is self.inputs[0]]
        return other.offered() is not None and self.outputs[0].ready()

    @property
    def mismatch(self) -> bool:
        """Whether both streams offer words in this cycle whose headers do not match."""
        first, second = (stream.offered() for stream in self.inputs)
        return first is not None and second is not None and not self.match(first, second)

    @property
    def late(self) -> int:
        """The bits of ``late`` in this cycle: 1 for the first stream, 2 for the second."""
        missing = [stream.offered() is None for stream in self.inputs]
        over = self.waited + 1 == self.watchdog and missing[0] != missing[1]
        return missing[0] + 2 * missing[1] if over else 0

    def step(self) -> None:
        missing = [stream.offered() is None for stream in self.inputs]
        waits = self.watchdog and missing[0] != missing[1] and not self.late
        self.waited = self.waited + 1 if waits else 0


class Stages(Buffer):
    """The stages of operators: all move together, if nothing is in the last or that moves on."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.stages: list[Word | None] = [None] * count

    def offers(self, output: Stream) -> Word | None:
        return self.stages[-1]

    def ready(self, input_: Stream) -> bool:
        return self.stages[-1] is None or self.outputs[0].transfer() is not None

    def step(self) -> None:
        if self.stages[-1] is None or self.outputs[0].moved is not None:
            self.stages = [self.inputs[0].moved, *self.stages[:-1]]
        self.words = deque(word for word in self.stages if word is not None)
