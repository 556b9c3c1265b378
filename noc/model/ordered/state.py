"""What the compiled form of the ordered fabric works on, by name.

Everything that stores a word on its way is a *buffer*, together with what may enter it: the winner
of a merge of two inputs, the word of one input, or that of a fork. Buffers are processed by number,
each after the one that takes its words: so a buffer of one slot knows whether its word has left,
and a word never moves twice. The words that sources offer lie in the buffers behind those, and the
last buffer is always empty.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from noc.model.common import NONE, new_arrays
from noc.model.ordered.streams import Kind, OrderedStream, ordered_streams
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

__all__ = ["Fixed", "Input", "Layout", "Registers", "lay_out", "reset"]


class Fixed(NamedTuple):
    """What never changes.

    Inject and eject streams come first among the streams. ``enter``, ``leave`` and ``other`` are
    the numbers behind all streams: of words that enter the buffer at the root, of those that leave
    it, and of all that move elsewhere.
    """

    slots: IntArray  # (buffers): how many words fit
    fork: IntArray  # (buffers): the fork that it takes words from, or NONE
    input: IntArray  # (buffers, 2): else the buffers that it takes words from
    weight: IntArray  # (buffers, 2): of these inputs
    stream: IntArray  # (buffers, 2): where taking from an input, or the fork, is a transfer
    also: IntArray  # (buffers, 2): and another such stream
    node: IntArray  # (forks): its node; forks are numbered from the leaves to the root
    source: IntArray  # (forks): the buffer whose words it sends
    outputs: IntArray  # (forks): how many it has
    drops: IntArray  # (forks): the node whose words its own sink does not get, or NONE
    end: IntArray  # (forks): the first buffer behind those that bring words down to the node
    top: int  # the buffer at the root; those behind it are on the way up
    offering: int  # the first buffer of a source
    sources: int
    streams: int
    enter: int
    leave: int
    other: int
    queue: int  # words that wait for a sink
    bits: int  # a word is its number, and in so many bits behind it the node that sent it


class Registers(NamedTuple):
    """The registers of all parts, the sinks, and what moves in a cycle."""

    length: IntArray  # (buffers): how many words it holds
    left: IntArray  # (buffers): how many have left it in this cycle
    open: IntArray  # (buffers): whether it was ready in this cycle
    word: IntArray  # (buffers, places): the oldest one first
    turn: IntArray  # (buffers): the input of its merge that has the turn
    lasts: IntArray  # (buffers): for how many more words
    taken: IntArray  # (buffers): how many words it has taken from its fork
    waited: IntArray  # (buffers): where words are joined, since when one is missing
    gone: IntArray  # (forks): how many words it has sent everywhere
    sent: IntArray  # (forks): how many outputs have got the next one
    own: IntArray  # (forks): how many words its own sink has got, or does not get
    queue_length: IntArray  # (nodes)
    queue_first: IntArray  # (nodes): the place of the oldest word
    queue_word: IntArray  # (nodes, places)
    moved: IntArray  # (streams and three more): the word on each, or NONE
    ready: IntArray  # (nodes): the sinks


def reset(fixed: Fixed) -> Registers:
    """The registers after reset."""
    buffers, nodes = fixed.slots.size, fixed.node.size
    return new_arrays(
        Registers,
        {
            "length left open turn taken waited": (buffers,),
            "word": (buffers, max(2, fixed.slots.max())),
            "gone sent own": (nodes,),
            "queue_length queue_first ready": (nodes,),
            "queue_word": (nodes, fixed.queue),
        },
        lasts=fixed.weight[:, 0].copy(),
        moved=np.full(fixed.other + 1, NONE, dtype=np.int64),
    )


def lay_out(program: OrderedProgram) -> Fixed:
    """Number all buffers and forks of a program."""
    return Layout(program, ordered_streams(program), len(program.sources)).fixed()


class Input(NamedTuple):
    """A buffer that words are taken from, and the streams on which that is a transfer."""

    buffer: int
    stream: int
    also: int


class _Buffer(NamedTuple):
    """What is fixed of a buffer."""

    slots: int
    inputs: tuple[Input, Input]
    weights: tuple[int, int]
    fork: int


class Layout:
    """Numbers buffers as they come, those of sources and the empty one first, and sorts them.

    Parameters
    ----------
    program : OrderedProgram
        What is laid out.
    streams : sequence of OrderedStream
        All streams.
    offering : int
        How many buffers hold words that sources offer.
    """

    def __init__(
        self, program: OrderedProgram, streams: Sequence[OrderedStream], offering: int
    ) -> None:
        self._program = program
        self._number = {stream: place for place, stream in enumerate(streams)}
        self._enter, self._leave, self._other = (len(self._number) + more for more in range(3))
        self._injects = [stream.kind for stream in streams].count("inject")
        self._empty = offering
        self._nothing = self.input(self._empty)
        self._buffers = [
            _Buffer(0, (self._nothing, self._nothing), (1, 1), NONE) for _ in range(self._empty + 1)
        ]

    def fixed(self) -> Fixed:
        """Everything that never changes."""
        program, nodes = self._program, self._program.network.nodes
        rising = self._up()[::-1]
        forks = _from_root(program.root, program.down.parent)[::-1]
        falling, source, end = self._down(forks, rising[0])
        order = [*falling, *rising, *range(self._empty + 1)]
        #: The final number of each buffer.
        self.final = number = np.argsort(order)
        buffers = [self._buffers[buffer] for buffer in order]
        inputs = np.array([buffer.inputs for buffer in buffers], dtype=np.int64)
        plans = [program.plan_of(node) for node in forks]
        return Fixed(
            slots=np.array([buffer.slots for buffer in buffers]),
            fork=np.array([buffer.fork for buffer in buffers]),
            input=number[inputs[..., 0]],
            weight=np.array([buffer.weights for buffer in buffers]),
            stream=inputs[..., 1].copy(),
            also=inputs[..., 2].copy(),
            node=np.array(forks),
            source=number[source],
            outputs=np.array([plan.down + 1 for plan in plans]),
            drops=np.array(
                [node if plan.drops else NONE for node, plan in zip(forks, plans, strict=True)]
            ),
            end=np.array(end),
            top=len(falling),
            offering=len(falling) + len(rising),
            sources=self._injects,
            streams=len(self._number),
            enter=self._enter,
            leave=self._leave,
            other=self._other,
            queue=program.config.queue,
            bits=(nodes - 1).bit_length(),
        )

    def stream(self, kind: Kind, node: int, group: int = 0) -> int:
        """The number of a stream."""
        return self._number[OrderedStream(kind, node, group)]

    def input(self, buffer: int, stream: int | None = None, also: int | None = None) -> Input:
        """A buffer that words are taken from, and the streams on which that is a transfer."""
        streams = (self._other if number is None else number for number in (stream, also))
        return Input(buffer, *streams)

    def add(
        self,
        slots: int,
        first: Input,
        second: Input | None = None,
        weights: tuple[int, int] = (1, 1),
        fork: int = NONE,
    ) -> int:
        """A new buffer; its number."""
        self._buffers.append(_Buffer(slots, (first, second or self._nothing), weights, fork))
        return len(self._buffers) - 1

    def link(self, end: Input, registers: int) -> Input:
        """The far end of a link that begins at some input."""
        for _ in range(registers):
            end = self.input(self.add(2, end))
        return end

    def inputs(self, node: int) -> list[Input]:
        """What a node takes but from below: its own words, and after them all else."""
        if not self._program.plan_of(node).sends:
            return []
        inject = self.stream("inject", node)
        return [self.input(inject, inject)]

    def _up(self) -> list[int]:
        """The buffers on the way up, from the leaves to the root."""
        program = self._program
        begin = len(self._buffers)
        # What each node takes from below.
        top: dict[int, Input] = {}
        for node in reversed(_from_root(program.root, program.up_parent)):
            plan = program.plan_of(node)
            results = self.inputs(node)
            results[plan.sends : plan.sends] = [top[child] for child in program.up_children[node]]
            for merge in plan.merges:
                first, second = results[merge.first], results[merge.second]
                results.append(self.input(self.add(merge.slots, first, second, merge.weights)))
            if plan.stored:
                results.append(self.input(self.add(2, results[-1])))
            if plan.climbs:
                buffer, inject, _ = results[-1]
                end = self.input(buffer, self.stream("up", node), inject)
                top[node] = self.link(end, program.up_registers[node])
        return list(range(begin, len(self._buffers)))

    def _down(self, forks: list[int], top: int) -> tuple[list[int], list[int], list[int]]:
        """The buffers on the way down, each fork's source, and where the buffers before it end."""
        program = self._program
        number = {node: fork for fork, node in enumerate(forks)}
        falling: list[int] = []
        source, end = [], []
        for node in forks:
            buffers = [top]
            if node != program.root:
                above = number[int(program.down.parent[node])]
                first = self.input(self._empty, self.stream("down", node))
                slots = [2] * int(program.down_registers[node]) + [program.plan_of(node).down_slots]
                buffers = [self.add(slots[0], first, fork=above)]
                for more in slots[1:]:
                    buffers.append(self.add(more, self.input(buffers[-1])))
                falling += buffers[::-1]
            source.append(buffers[-1])
            end.append(len(falling))
        return falling, source, end


def _from_root(root: int, parent: IntArray) -> list[int]:
    """All nodes, each after its parent."""
    children: dict[int, list[int]] = {}
    for node, above in enumerate(parent.tolist()):
        children.setdefault(above, []).append(node)
    order = [root]
    for node in order:
        order += children.get(node, [])
    return order
