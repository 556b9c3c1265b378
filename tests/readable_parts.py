"""The parts of the ordered fabric as its documents describe them: plain to read, and slow.

See ``docs/ordered.md`` and, for dispatch and joins, ``docs/collectives.md``.

Parts are connected by streams. In each cycle every stream first finds out whether a word is
transferred on it, from the registers of all parts and from sources and sinks; then every part
changes its registers.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from noc.model.ordered.streams import OrderedStream

#: A word, whatever it holds; None where there is none.
Word = Any

#: Where a dispatched word goes, if neither on nor to the joins of a group.
DROPPED = "dropped"

#: What goes through the wires that stop the root, instead of words.
STOPPED = "stopped"


class Part:
    """Takes words at its inputs and offers words at its outputs."""

    def __init__(self) -> None:
        self.inputs: list[Stream] = []
        self.outputs: list[Stream] = []

    def offers(self, output: "Stream") -> Word:
        """The word with which an output is valid in this cycle."""
        raise NotImplementedError

    def ready(self, input_: "Stream") -> bool:
        """Whether an input is ready in this cycle; asked only if a word is offered there."""
        raise NotImplementedError

    def step(self) -> None:
        """Change the registers at the end of the cycle."""


class Stream:
    """From one part to another."""

    def __init__(self, source: Part, target: Part, named: Iterable[OrderedStream] = ()) -> None:
        self.source, self.target = source, target
        self.named = tuple(named)
        self.moved: Word = None
        self._known = False
        self._offered: Word = None
        self._ready: bool | None = None
        source.outputs.append(self)
        target.inputs.append(self)

    def offered(self) -> Word:
        """The word that is offered in this cycle."""
        # Several parts ask for it, each through all wires before.
        if not self._known:
            self._known, self._offered = True, self.source.offers(self)
        return self._offered

    def forget(self) -> None:
        """A new cycle begins."""
        self._known, self._ready = False, None

    def ready(self) -> bool:
        """Whether a word that is offered in this cycle is taken."""
        if self._ready is None:
            self._ready = self.target.ready(self)
        return self._ready

    def transfer(self) -> Word:
        """The word that is transferred in this cycle."""
        word = self.offered()
        return word if word is not None and self.ready() else None


class Source(Part):
    """Offers the words of one node in their order, each from its release on."""

    def __init__(self, words: Iterable[tuple[int, Word]]) -> None:
        super().__init__()
        self.cycle = 0
        self.left = deque(words)  # (release, word)

    def offers(self, output: Stream) -> Word:
        release, word = self.left[0] if self.left else (self.cycle + 1, None)
        return word if release <= self.cycle else None

    def step(self) -> None:
        if self.outputs[0].moved is not None:
            self.left.popleft()
        self.cycle += 1


class Sink(Part):
    """Takes words in some cycles, the same ones in each period."""

    def __init__(self, pattern: list[bool]) -> None:
        super().__init__()
        self.cycle, self.pattern = 0, pattern

    def ready(self, input_: Stream) -> bool:
        return self.pattern[self.cycle % len(self.pattern)]

    def step(self) -> None:
        self.cycle += 1


class Wire(Part):
    """Nothing but wires."""

    def offers(self, output: Stream) -> Word:
        return self.inputs[0].offered()

    def ready(self, input_: Stream) -> bool:
        return self.outputs[0].ready()


class Buffer(Part):
    """A buffer of one slot or of two."""

    def __init__(self, slots: int) -> None:
        super().__init__()
        self.slots = slots
        self.words: deque[Word] = deque()

    def offers(self, output: Stream) -> Word:
        return self.words[0] if self.words else None

    def ready(self, input_: Stream) -> bool:
        if self.slots == 1:
            return not self.words or self.outputs[0].transfer() is not None
        return len(self.words) < self.slots

    def step(self) -> None:
        if self.outputs[0].moved is not None:
            self.words.popleft()
        if self.inputs[0].moved is not None:
            self.words.append(self.inputs[0].moved)


class Valve(Buffer):
    """A buffer of one slot that takes no word while its second stream says stop."""

    def __init__(self) -> None:
        super().__init__(1)

    def ready(self, input_: Stream) -> bool:
        return input_ is self.inputs[1] or self.inputs[1].offered() is None


class Stop(Part):
    """A register that says stop if any of its streams did in the cycle before."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped = False

    def offers(self, output: Stream) -> Word:
        return STOPPED if self.stopped else None

    def ready(self, input_: Stream) -> bool:
        return True

    def step(self) -> None:
        self.stopped = any(stream.moved is not None for stream in self.inputs)


class Queue(Buffer):
    """Words that wait for a sink; one of a single word too takes no word while it holds one.

    Its second output, if there is one, says stop while it holds as many as allowed.
    """

    def __init__(self, slots: int, allowed: int) -> None:
        super().__init__(slots)
        self.allowed = allowed

    def offers(self, output: Stream) -> Word:
        if output is self.outputs[0]:
            return super().offers(output)
        return STOPPED if len(self.words) >= self.allowed else None

    def ready(self, input_: Stream) -> bool:
        return len(self.words) < self.slots


class Guard(Part):
    """Gives its sink no words while that refuses one for too long, which is the first to come back.

    What comes in the meantime is lost.
    """

    def __init__(self, timeout: int, *, comes_back: bool) -> None:
        super().__init__()
        self.timeout, self.comes_back = timeout, comes_back
        self.refused, self.kept = 0, None

    @property
    def words(self) -> list[Word]:
        """What will leave it later."""
        return [] if self.kept is None or not self.comes_back else [self.kept]

    @property
    def absent(self) -> int:
        """The bits of ``absent`` in this cycle: 1 for the sink, and 2 for a word that is lost."""
        return 0 if self.kept is None else 1 + 2 * (self.inputs[0].moved is not None)

    def offers(self, output: Stream) -> Word:
        return self.inputs[0].offered() if self.kept is None else self.kept

    def ready(self, input_: Stream) -> bool:
        over = self.refused + 1 == self.timeout
        return self.kept is not None or over or self.outputs[0].ready()

    def step(self) -> None:
        came, left = self.inputs[0].moved, self.outputs[0].moved
        waits = self.inputs[0].offered() is not None and came is None
        self.refused = self.refused + 1 if waits else 0
        if self.kept is not None:
            self.kept = None if left is not None else self.kept
        elif left is None:
            self.kept = came


class Merge(Part):
    """Two streams into one; its output leads to its buffer."""

    def __init__(self, weights: tuple[int, int]) -> None:
        super().__init__()
        # The turn is 0 for the first stream, 1 for the second.
        self.weights, self.turn, self.left = weights, 0, weights[0]

    def winner(self) -> Stream:
        """The stream that has the turn, if it offers a word, otherwise the other."""
        if self.inputs[self.turn].offered() is not None:
            return self.inputs[self.turn]
        return self.inputs[1 - self.turn]

    def offers(self, output: Stream) -> Word:
        return self.winner().offered()

    def ready(self, input_: Stream) -> bool:
        return input_ is self.winner() and self.outputs[0].ready()

    def step(self) -> None:
        if self.inputs[self.turn].moved is not None:
            self.left -= 1
            if self.left == 0:
                self.turn = 1 - self.turn
                self.left = self.weights[self.turn]


class Fork(Part):
    """One word to the children and, by the last output, to the node's own sink.

    From some outputs some words are kept.
    """

    def __init__(self, outputs: int, keeps: Callable[[int, Word], bool]) -> None:
        super().__init__()
        self.sent, self.keeps = [False] * outputs, keeps

    def dropped(self, number: int) -> bool:
        """Whether the word that is offered is kept from an output."""
        word = self.inputs[0].offered()
        return word is not None and self.keeps(number, word)

    def offers(self, output: Stream) -> Word:
        number = self.outputs.index(output)
        if self.sent[number] or self.dropped(number):
            return None
        return self.inputs[0].offered()

    def ready(self, input_: Stream) -> bool:
        return all(
            self.sent[number] or self.dropped(number) or output.ready()
            for number, output in enumerate(self.outputs)
        )

    def step(self) -> None:
        for number, output in enumerate(self.outputs):
            if output.moved is not None:
                self.sent[number] = True
        if self.inputs[0].moved is not None:
            self.sent = [False] * len(self.sent)


class Dispatch(Part):
    """A node's own words, each to where its operation says.

    A word's way is ``SENT``, :data:`DROPPED`, or the group whose words it is joined with.
    """

    def __init__(self, way: Callable[[Word], str | int], *, may_drop: bool) -> None:
        super().__init__()
        self.way, self.may_drop = way, may_drop
        #: For each output the words that it is for.
        self.ways: list[str | int] = []

    def offers(self, output: Stream) -> Word | None:
        word: Word | None = self.inputs[0].offered()
        way = self.ways[self.outputs.index(output)]
        return word if word is not None and self.way(word) == way else None

    def ready(self, input_: Stream) -> bool:
        way = self.way(input_.offered())
        return way == DROPPED or self.outputs[self.ways.index(way)].ready()

    @property
    def certain(self) -> bool:
        """Whether all words go the same way."""
        return len(self.ways) == 1 and not self.may_drop

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


class Drain(Rewrite):
    """The same; void words are lost."""

    def offers(self, output: Stream) -> Word | None:
        word = super().offers(output)
        return None if word is None or word.void else word

    def ready(self, input_: Stream) -> bool:
        return input_.offered().void == 1 or super().ready(input_)


class StandIn(Part):
    """Lets words pass, or gives void words in their place; changes between words only."""

    def __init__(self, void: Word, pattern: list[bool]) -> None:
        super().__init__()
        self.void, self.pattern, self.cycle, self.stands = void, pattern, 0, False
        #: A void word that was offered and not taken.
        self.words: list[Word] = []

    def offers(self, output: Stream) -> Word:
        return self.void if self.stands else self.inputs[0].offered()

    def ready(self, input_: Stream) -> bool:
        return not self.stands and self.outputs[0].ready()

    def step(self) -> None:
        waits = self.outputs[0].offered() is not None and self.outputs[0].moved is None
        self.words = [self.void] * (waits and self.stands)
        if not waits:
            self.stands = self.pattern[self.cycle % len(self.pattern)]
        self.cycle += 1


class Join(Part):
    """One word of each of two streams into one; its output leads to its buffer.

    After ``watchdog`` cycles a word that still waits for the other is late; with 0 never.
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
        first, second = (stream.offered() is None for stream in self.inputs)
        self.waited = self.waited + 1 if self.watchdog and first != second and not self.late else 0


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
