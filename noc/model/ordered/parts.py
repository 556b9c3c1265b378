"""The parts of the ordered fabric as ``docs/ordered.md`` describes them: plain to read, and slow.

Parts are connected by streams. In each cycle every stream first finds out whether a word is
transferred on it, from the registers of all parts and from sources and sinks; then every part
changes its registers.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from noc.model.ordered.streams import OrderedStream

__all__ = ["Buffer", "Fork", "Merge", "Part", "Queue", "Sink", "Source", "Stream", "Wire", "Word"]

#: A word, whatever it holds; None where there is none.
Word = Any


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
        self._known = False

    def ready(self) -> bool:
        """Whether a word that is offered in this cycle is taken."""
        return self.target.ready(self)

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
        self.cycle = 0
        self.pattern = pattern

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


class Queue(Buffer):
    """Words that wait for a sink; one of a single word too takes no word while it holds one."""

    def ready(self, input_: Stream) -> bool:
        return len(self.words) < self.slots


class Merge(Part):
    """Two streams into one; its output leads to its buffer."""

    def __init__(self, weights: tuple[int, int]) -> None:
        super().__init__()
        self.weights = weights
        self.turn = 0  # 0 for the first stream, 1 for the second
        self.left = weights[0]

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

    Parameters
    ----------
    outputs : int
        How many there are.
    keeps : callable
        From an output and a word whether the word is kept from that output.
    """

    def __init__(self, outputs: int, keeps: Callable[[int, Word], bool]) -> None:
        super().__init__()
        self.sent = [False] * outputs
        self.keeps = keeps

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
