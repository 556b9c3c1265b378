"""The ordered fabric as ``docs/ordered.md`` describes it, part by part: slow, and plain to read."""

from collections.abc import Iterable

from noc.model.ordered.parts import (
    Buffer,
    Fork,
    Merge,
    Part,
    Queue,
    Sink,
    Source,
    Stream,
    Wire,
    Word,
)
from noc.model.ordered.streams import OrderedStream, ordered_streams
from noc.model.traffic import BoolArray, Traffic
from noc.programs.ordered import OrderedProgram

__all__ = ["Buffer", "Fabric", "Fork", "Merge", "OrderedParts"]


class OrderedParts:
    """All nodes and links of a program, with sources and sinks, whatever a word holds.

    Parameters
    ----------
    program : OrderedProgram
        What is built.
    streams : iterable of OrderedStream
        Those at which transfers are events, by number.
    ready : array of bool (period, nodes)
        When each sink takes a word, repeated for ever.
    """

    def __init__(
        self, program: OrderedProgram, streams: Iterable[OrderedStream], ready: BoolArray
    ) -> None:
        self.program, self.sinks = program, ready
        self.parts: list[Part] = []
        self.streams: list[Stream] = []
        self.number = {stream: place for place, stream in enumerate(streams)}
        root = self.up(program.root)
        self._down(program.root, root)
        #: Words pass the root where they enter its fork.
        self.root = root.outputs[0]
        self.cycle = self.quiet = 0
        #: So long nothing moves before nothing ever will.
        self.patience = max(len(self.sinks), program.config.watchdog + 1)
        #: (cycle, stream, word as a number), sorted.
        self.events: list[tuple[int, int, int]] = []
        #: (cycle, word) of all that passed the root.
        self.order: list[tuple[int, Word]] = []

    def words(self, node: int) -> list[tuple[int, Word]]:
        """The release of each word that a node gives, and the word."""
        raise NotImplementedError

    def keeps(self, node: int, output: int, word: Word) -> bool:
        """Whether a word is kept from an output of a node's fork."""
        raise NotImplementedError

    def name(self, stream: OrderedStream, word: Word) -> int:
        """The number that stands for a word in the list of events."""
        raise NotImplementedError

    def alarms(self) -> list[tuple[int, int]]:
        """What parts tell of this cycle, by number of stream and word."""
        return []

    def run(self, cycles: int) -> str:
        """Go on until no part holds a word, or none can move, or to a cycle; which of these."""
        while not self._empty():
            if self.cycle >= cycles:
                return "limit"
            if self.quiet >= self.patience and not self._expects():
                return "starved"
            self.step()
        return "drained"

    def step(self) -> None:
        """One cycle: first every stream finds out what moves, then every part changes."""
        for stream in self.streams:
            stream.forget()
        for stream in self.streams:
            stream.moved = stream.transfer()
        moves = [
            (self.number[named], self.name(named, stream.moved))
            for stream in self.streams
            for named in stream.named
            if stream.moved is not None
        ]
        self.events += sorted((self.cycle, *move) for move in [*moves, *self.alarms()])
        if self.root.moved is not None:
            self.order.append((self.cycle, self.root.moved))
        for part in self.parts:
            part.step()
        moved = any(stream.moved is not None for stream in self.streams)
        self.quiet = 0 if moved else self.quiet + 1
        self.cycle += 1

    def shown(self) -> dict[int, tuple[bool, bool]]:
        """By number what each stream shows in this cycle: ``valid``, and whether it is ready."""
        for stream in self.streams:
            stream.forget()
        return {
            self.number[named]: self.shown_by(stream)
            for stream in self.streams
            for named in stream.named
        }

    def shown_by(self, stream: Stream) -> tuple[bool, bool]:
        """What one stream shows."""
        return stream.offered() is not None, stream.ready()

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

    def add(self, part: Part) -> Part:
        """A new part."""
        self.parts.append(part)
        return part

    def connect(self, source: Part, target: Part, *named: OrderedStream) -> Part:
        """A stream, whose transfers are events if it is named; gives the target."""
        self.streams.append(Stream(source, target, named))
        return target

    def link(self, source: Part, registers: int, named: OrderedStream) -> Part:
        """The far end of a link."""
        end = self.connect(source, self.add(Wire()), named)
        for _ in range(registers):
            end = self.connect(end, self.add(Buffer(2)))
        return end

    def give(self, node: int) -> Part:
        """The part that offers a node's own words to its merges."""
        source = self.add(Source(self.words(node)))
        return self.connect(source, self.add(Wire()), OrderedStream("inject", node))

    def inputs(self, node: int) -> list[Part]:
        """The parts that offer words to a node's merges."""
        results = [self.give(node)] if self.program.plan_of(node).sends else []
        for child in self.program.up_children[node]:
            named = OrderedStream("up", child)
            results.append(self.link(self.up(child), self.program.up_registers[child], named))
        return results

    def up(self, node: int) -> Part:
        """Everything from which words come to the top of a node; the part that offers them."""
        plan, results = self.program.plan_of(node), self.inputs(node)
        for planned in plan.merges:
            merge = self.add(Merge(planned.weights))
            self.connect(results[planned.first], merge)
            self.connect(results[planned.second], merge)
            results.append(self.connect(merge, self.add(Buffer(planned.slots))))
        if plan.stored:
            results.append(self.connect(results[-1], self.add(Buffer(2))))
        return results[-1]

    def _down(self, node: int, source: Part) -> None:
        """A node's fork, and everything to which it sends words."""
        children = self.program.down_children[node]

        def keeps(output: int, word: Word) -> bool:
            return self.keeps(node, output, word)

        fork = self.connect(source, self.add(Fork(len(children) + 1, keeps)))
        for child in children:
            named = OrderedStream("down", child)
            end = self.link(fork, self.program.down_registers[child], named)
            slots = self.program.plan_of(child).down_slots
            self._down(child, self.connect(end, self.add(Buffer(slots))))
        if self.program.config.queue:
            fork = self.connect(fork, self.add(Queue(self.program.config.queue)))
        sink = self.add(Sink(self.sinks[:, node].tolist()))
        self.connect(fork, sink, OrderedStream("eject", node))


class Fabric(OrderedParts):
    """Broadcasts: a word is its place in the traffic."""

    def __init__(self, program: OrderedProgram, traffic: Traffic) -> None:
        self._source, self._release = traffic.source.tolist(), traffic.release.tolist()
        super().__init__(program, ordered_streams(program), traffic.ready)

    @property
    def passed(self) -> dict[int, int]:
        """The cycle in which each word passed the root."""
        return {word: cycle for cycle, word in self.order}

    def words(self, node: int) -> list[tuple[int, Word]]:
        """The release of each word that a node gives, and the word."""
        words = (word for word, source in enumerate(self._source) if source == node)
        return [(self._release[word], word) for word in words]

    def keeps(self, node: int, output: int, word: Word) -> bool:
        """Whether a word is kept from an output of a node's fork: its own from its sink."""
        own = self._source[word] == node and self.program.plan_of(node).drops
        return own and output == len(self.program.down_children[node])

    def name(self, stream: OrderedStream, word: Word) -> int:
        """The number that stands for a word in the list of events."""
        return int(word)
