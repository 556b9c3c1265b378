"""The ordered fabric as ``docs/ordered.md`` describes it, part by part: slow, and plain to read.

Parts are connected by streams. In each cycle every stream first finds out whether a word is
transferred on it, from the registers of all parts and from sources and sinks; then every part
changes its registers.
"""

from collections import deque
from collections.abc import Iterable

from noc.model.ordered.streams import Kind, OrderedStream, ordered_streams
from noc.model.traffic import Traffic
from noc.programs.ordered import OrderedProgram

__all__ = ["Buffer", "Fabric", "Fork", "Merge", "Part", "Queue", "Sink", "Source", "Stream", "Wire"]

#: A word, by its place in the traffic; None where there is none.
Word = int | None


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
        source.outputs.append(self)
        target.inputs.append(self)

    def offered(self) -> Word:
        """The word that is offered in this cycle."""
        return self.source.offers(self)

    def ready(self) -> bool:
        """Whether a word that is offered in this cycle is taken."""
        return self.target.ready(self)

    def transfer(self) -> Word:
        """The word that is transferred in this cycle."""
        word = self.offered()
        return word if word is not None and self.ready() else None


class Source(Part):
    """Offers the words of one node in their order, each from its release on."""

    def __init__(self, words: Iterable[tuple[int, int]]) -> None:
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
        self.words: deque[int] = deque()

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
    """One word to the children and, by the last output, to the node's own sink."""

    def __init__(self, outputs: int, own_words: Iterable[int]) -> None:
        super().__init__()
        self.sent = [False] * outputs
        self.own_words = frozenset(own_words)  # those that its own sink does not get

    def dropped(self, number: int) -> bool:
        """Whether the word that is offered is kept from an output."""
        return number == len(self.sent) - 1 and self.inputs[0].offered() in self.own_words

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


class Fabric:
    """All nodes and links of a program, with sources and sinks."""

    def __init__(self, program: OrderedProgram, traffic: Traffic) -> None:
        self.program, self.traffic = program, traffic
        self.parts: list[Part] = []
        self.streams: list[Stream] = []
        self.number = {stream: place for place, stream in enumerate(ordered_streams(program))}
        self._source, self._release = traffic.source.tolist(), traffic.release.tolist()
        root = self._up(program.root)
        self._down(program.root, root)
        #: Words pass the root where they enter its fork.
        self.root = root.outputs[0]
        self.cycle = self.quiet = 0
        #: (cycle, stream, word), as :meth:`noc.model.ordered.OrderedEvents.tuples` lists them.
        self.events: list[tuple[int, int, int]] = []
        #: The cycle in which each word passed the root.
        self.passed: dict[int, int] = {}

    def run(self, cycles: int) -> str:
        """Go on until every word has arrived, or none can move, or to a cycle; which of these."""
        while not self._empty():
            if self.cycle >= cycles:
                return "limit"
            if self.quiet >= len(self.traffic.ready) and not self._expects():
                return "starved"
            self.step()
        return "drained"

    def step(self) -> None:
        """One cycle: first every stream finds out what moves, then every part changes."""
        for stream in self.streams:
            stream.moved = stream.transfer()
        for part in self.parts:
            part.step()
        self.events += sorted(
            (self.cycle, self.number[name], stream.moved)
            for stream in self.streams
            for name in stream.named
            if stream.moved is not None
        )
        if self.root.moved is not None:
            self.passed[self.root.moved] = self.cycle
        moved = any(stream.moved is not None for stream in self.streams)
        self.quiet = 0 if moved else self.quiet + 1
        self.cycle += 1

    def _empty(self) -> bool:
        """Whether no part holds a word, nor will get one."""
        return not any(
            part.left if isinstance(part, Source) else part.words
            for part in self.parts
            if isinstance(part, Source | Buffer)
        )

    def _expects(self) -> bool:
        """Whether a source will offer a word in this cycle, or later, that it did not before."""
        sources = (part for part in self.parts if isinstance(part, Source))
        return any(source.left and source.left[0][0] >= self.cycle for source in sources)

    def _add(self, part: Part) -> Part:
        self.parts.append(part)
        return part

    def _connect(self, source: Part, target: Part, kind: Kind | None = None, node: int = 0) -> Part:
        """A stream, whose transfers are events if it has a kind; gives the target."""
        named = [] if kind is None else [OrderedStream(kind, node)]
        self.streams.append(Stream(source, target, named))
        return target

    def _words(self, node: int) -> list[int]:
        return [word for word, source in enumerate(self._source) if source == node]

    def _up(self, node: int) -> Part:
        """Everything from which words come to the top of a node; the part that offers them."""
        plan = self.program.plan_of(node)
        results: list[Part] = []
        if plan.sends:
            words = [(self._release[word], word) for word in self._words(node)]
            wire = self._add(Wire())
            results.append(self._connect(self._add(Source(words)), wire, "inject", node))
        for child in self.program.up_children[node]:
            top = self._up(child)
            results.append(self._link(top, self.program.up_registers[child], "up", child))
        for planned in plan.merges:
            merge = self._add(Merge(planned.weights))
            self._connect(results[planned.first], merge)
            self._connect(results[planned.second], merge)
            results.append(self._connect(merge, self._add(Buffer(planned.slots))))
        if plan.stored:
            results.append(self._connect(results[-1], self._add(Buffer(2))))
        return results[-1]

    def _link(self, source: Part, registers: int, kind: Kind, node: int) -> Part:
        """The far end of a link."""
        end = self._connect(source, self._add(Wire()), kind, node)
        for _ in range(registers):
            end = self._connect(end, self._add(Buffer(2)))
        return end

    def _down(self, node: int, source: Part) -> None:
        """A node's fork, and everything to which it sends words."""
        plan, children = self.program.plan_of(node), self.program.down_children[node]
        own_words = self._words(node) if plan.drops else []
        fork = self._connect(source, self._add(Fork(len(children) + 1, own_words)))
        for child in children:
            end = self._link(fork, self.program.down_registers[child], "down", child)
            slots = self.program.plan_of(child).down_slots
            self._down(child, self._connect(end, self._add(Buffer(slots))))
        if self.program.config.queue:
            fork = self._connect(fork, self._add(Queue(self.program.config.queue)))
        sink = self._add(Sink(self.traffic.ready[:, node].tolist()))
        self._connect(fork, sink, "eject", node)
