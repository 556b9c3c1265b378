"""A node of the ordered fabric: merges on the way up, a fork on the way down."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Shape
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.ordered.buffers import BUFFERS, TwoSlots
from noc.hardware.ordered.fork import Fork
from noc.hardware.ordered.merge import Merge
from noc.hardware.queue import build_queue
from noc.programs.ordered import NodePlan

__all__ = ["Node", "node_signature", "word_shape"]


def word_shape(width: int, source_bits: int) -> Any:
    """A word inside of the fabric: the data, and above it the number of the node that sent it."""
    if not source_bits:
        return width
    return data.StructLayout({"data": width, "source": source_bits})


def node_signature(plan: NodePlan, *, width: int, source_bits: int) -> wiring.Signature:
    """The ports of a node, as its class lists them."""
    word = stream.Signature(word_shape(width, source_bits))
    members = {}
    if plan.sends:
        members["inject"] = In(stream.Signature(width))
        if source_bits:
            members["number"] = In(source_bits)
    members |= {f"up_in_{number}": In(word) for number in range(plan.up)}
    if plan.climbs:
        members["up_out"] = Out(word)
    if not plan.root:
        members["down_in"] = In(word)
    members |= {f"down_out_{number}": Out(word) for number in range(plan.down)}
    members["eject"] = Out(word)
    return wiring.Signature(members)


class Node(wiring.Component):
    """Merges the words of its children with its own, and forks the words from its parent.

    The exact behaviour is written in ``docs/ordered.md``.

    Parameters
    ----------
    plan : NodePlan
        What it does.
    width : int
        Bits of a word's data.
    source_bits : int
        Bits of the number of the node that sent a word; 0 where words carry none.
    queue : int
        Words that can wait for the node's sink; 0 for none.

    Members
    -------
    inject : In(stream.Signature(width))
        Words of the node itself, if it may send.
    number : In(source_bits)
        Its own number, a constant, if it may send and words carry numbers.
    up_in_N : In(stream.Signature(word_shape(width, source_bits)))
        Words that come up from child N.
    up_out : Out(stream.Signature(word_shape(width, source_bits)))
        Words that go up to the parent.
    down_in : In(stream.Signature(word_shape(width, source_bits)))
        Words that come down from the parent.
    down_out_N : Out(stream.Signature(word_shape(width, source_bits)))
        Words that go down to child N.
    eject : Out(stream.Signature(word_shape(width, source_bits)))
        Words for the node.
    """

    def __init__(self, plan: NodePlan, *, width: int, source_bits: int = 0, queue: int = 0) -> None:
        if plan.drops and not source_bits:
            raise ValueError("source_bits must not be 0 where a node drops its own words")
        self._plan, self._width, self._queue = plan, width, queue
        self._source_bits = source_bits
        super().__init__(node_signature(plan, width=width, source_bits=source_bits))

    @property
    def _bits(self) -> int:
        """Of a word, with a bit that says whether it is the node's own."""
        return self._width + self._source_bits + 1

    def elaborate(self, platform: object) -> Module:
        """Wire merges, fork and queue together."""
        m = Module()
        result = self._merged(m)
        if self._plan.root:
            self._forked(m, result)
            return m
        if result is not None:
            self._connect_word(m, result, wiring.flipped(self.up_out))
        m.submodules.down = buffer = BUFFERS[self._plan.down_slots](self._bits)
        m.d.comb += [
            buffer.i.valid.eq(self.down_in.valid),
            buffer.i.payload.eq(Cat(self.down_in.payload, self._is_own(self.down_in.payload))),
            self.down_in.ready.eq(buffer.i.ready),
        ]
        self._forked(m, buffer.o)
        return m

    def _is_own(self, word: Any) -> Any:
        """Whether the node sent a word itself."""
        return word.source == self.number if self._plan.drops else Const(0)

    def _inputs(self, m: Module) -> list[stream.Interface]:
        """The streams from below; only the node's own words are its own."""
        sources = [(getattr(self, f"up_in_{number}"), 0) for number in range(self._plan.up)]
        if self._plan.sends:
            sources.insert(0, (self.inject, 1))
        result = []
        for place, (source, own) in enumerate(sources):
            entering = stream.Signature(self._bits).create(path=(f"input_{place}",))
            number = [self.number] if own and self._source_bits else []
            m.d.comb += [
                entering.valid.eq(source.valid),
                # Beyond the root nobody asks.
                entering.payload.eq(Cat(source.payload, *number, own and self._plan.root)),
                source.ready.eq(entering.ready),
            ]
            result.append(entering)
        return result

    def _merged(self, m: Module) -> Any:
        """What goes on from the inputs, if there are any."""
        streams = self._inputs(m)
        if not streams:
            return None
        for number, plan in enumerate(self._plan.merges):
            merge = Merge(self._bits, weights=plan.weights, slots=plan.slots)
            m.submodules[f"merge_{number}"] = merge
            for side, source in ((merge.first, plan.first), (merge.second, plan.second)):
                self._connect(m, streams[source], side)
            streams.append(merge.o)
        if self._plan.stored:
            m.submodules.up = buffer = TwoSlots(self._bits)
            self._connect(m, streams[-1], buffer.i)
            return buffer.o
        return streams[-1]

    def _forked(self, m: Module, source: stream.Interface) -> None:
        """Give a word to the children and to the node's sink, if it is not its own."""
        m.submodules.fork = fork = Fork(self._bits, outputs=self._plan.down + 1)
        self._connect(m, source, fork.i)
        m.d.comb += fork.skip.eq(source.payload[-1] if self._plan.drops else 0)
        for number in range(self._plan.down):
            output = getattr(fork, f"o_{number}")
            self._connect_word(m, output, wiring.flipped(getattr(self, f"down_out_{number}")))
        last, eject = getattr(fork, f"o_{self._plan.down}"), wiring.flipped(self.eject)
        if not self._queue:
            self._connect_word(m, last, eject)
            return
        bits = self._width + self._source_bits
        m.submodules.queue, enter, leave = build_queue(bits, self._queue)
        self._connect_word(m, last, enter)
        self._connect_word(m, leave, eject)

    def _connect(self, m: Module, source: Any, target: Any) -> None:
        m.d.comb += [
            target.valid.eq(source.valid),
            target.payload.eq(source.payload),
            source.ready.eq(target.ready),
        ]

    def _connect_word(self, m: Module, source: Any, target: Any) -> None:
        """Without the bit that says whether it is the node's own."""
        bits = Shape.cast(target.payload.shape()).width
        m.d.comb += [
            target.valid.eq(source.valid),
            Cat(target.payload).eq(Cat(source.payload)[:bits]),
            source.ready.eq(target.ready),
        ]
