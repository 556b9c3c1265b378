"""The arrays on which the compiled form of the ordered fabric runs."""

from dataclasses import dataclass

import numpy as np

from noc.errors import CheckError
from noc.model.ordered import kernel
from noc.model.ordered.kernel import NONE, Fixed, Offered, Registers
from noc.model.ordered.streams import Kind, OrderedStream, ordered_streams
from noc.model.traffic import Traffic
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

__all__ = ["Flat", "flatten", "run_compiled"]

# Room for so many events at a time, or for one cycle of all streams if that is more.
_EVENTS_AT_A_TIME = 1 << 16


@dataclass(frozen=True)
class Flat:
    """A program on arrays.

    Parameters
    ----------
    fixed : Fixed
        What never changes.
    registers : Registers
        After reset.
    """

    fixed: Fixed
    registers: Registers


def flatten(program: OrderedProgram) -> Flat:
    """Number all buffers and stages, and lay out their registers."""
    return _Flattening(program).flat()


def run_compiled(
    program: OrderedProgram, traffic: Traffic, stop: int, *, events: bool, arrival: bool
) -> tuple[int, IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Run; code, totals, events, and for each word its acceptance, its passing and arrivals."""
    flat = flatten(program)
    fixed, nodes = flat.fixed, program.network.nodes
    offered = _offered(program, traffic, fixed, stop)
    total = np.zeros(kernel.TOTALS, dtype=np.int64)
    accepted, passed = (np.full(traffic.words, NONE, dtype=np.int64) for _ in range(2))
    taken = np.full((traffic.words if arrival else 0, nodes), NONE, dtype=np.int32)
    parts: list[IntArray] = []
    room = max(_EVENTS_AT_A_TIME, fixed.streams) if events else 0
    code = kernel.FULL
    while code == kernel.FULL:
        part = np.empty((room, 3), dtype=np.int32)
        code = kernel.advance(fixed, offered, flat.registers, total, accepted, passed, taken, part)
        parts.append(part[: room - int(total[kernel.ROOM])])
    if (taken == kernel.TWICE).any():
        raise CheckError(f"{program.network.spec}: a sink took a word twice")
    return code, total, np.concatenate(parts), accepted, passed, taken


def _offered(program: OrderedProgram, traffic: Traffic, fixed: Fixed, stop: int) -> Offered:
    order = np.argsort(traffic.source, kind="stable")
    source = traffic.source[order]
    senders = np.array(program.sources)
    ends = [np.searchsorted(source, senders, side=side) for side in ("left", "right")]
    words = order << fixed.bits | source
    return Offered(
        queue=np.stack([words, traffic.release[order].clip(0)], axis=-1).astype(np.int64),
        source=np.stack(ends, axis=-1).astype(np.int64),
        ready=traffic.ready.astype(np.int64),
        stop=stop,
    )


class _Flattening:
    def __init__(self, program: OrderedProgram) -> None:
        self._program = program
        self._number = {stream: place for place, stream in enumerate(ordered_streams(program))}
        self._streams = len(self._number)
        self._enters, self._nowhere = self._streams, self._streams + 2
        # Those in which words are offered have the numbers of their streams; one is always empty.
        self._empty = len(program.sources)
        self._buffers = self._empty + 1
        self._rising: list[list[int]] = []
        self._falling: list[list[int]] = []

    def flat(self) -> Flat:
        program, nodes = self._program, self._program.network.nodes
        top = self._up()
        fork = self._down(top)
        stage = np.array(self._falling + self._rising, dtype=np.int64)
        buffer = np.zeros((self._buffers, kernel.COLUMNS), dtype=np.int64)
        buffer[stage[:, kernel.BUFFER], kernel.LASTS] = stage[:, kernel.FIRST_WEIGHT]
        fixed = Fixed(
            stage=stage,
            fork=np.array(fork, dtype=np.int64),
            rising=len(self._falling),
            sources=len(program.sources),
            nodes=nodes,
            streams=self._streams,
            queue=program.config.queue,
            bits=(nodes - 1).bit_length(),
        )
        registers = Registers(
            buffer=buffer,
            waiting=np.zeros((nodes, 2), dtype=np.int64),
            queued=np.zeros((nodes, program.config.queue), dtype=np.int64),
            moved=np.full(self._streams + 3, NONE, dtype=np.int64),
            ready=np.zeros(nodes, dtype=np.int64),
        )
        return Flat(fixed, registers)

    def _stream(self, kind: Kind, node: int) -> int:
        return self._number[OrderedStream(kind, node)]

    def _stage(
        self,
        slots: int,
        first: tuple[int, int, int],
        second: tuple[int, int, int] | None = None,
        weights: tuple[int, int] = (1, 1),
        fork: int = NONE,
    ) -> tuple[list[int], int]:
        """A stage with a new buffer, and that buffer's number."""
        number, self._buffers = self._buffers, self._buffers + 1
        nowhere = self._nowhere
        other = second or (self._empty, nowhere, nowhere)
        row = [number, slots, fork, nowhere]
        for (buffer, *streams), weight in zip((first, other), weights, strict=True):
            row += [buffer, weight, *streams]
        return row, number

    def _up(self) -> int:
        """The stages on the way up, those of the root first; the buffer at its top."""
        program, nowhere = self._program, self._nowhere
        # What each node takes from below: a buffer, and the streams of which taking is a transfer.
        top: dict[int, tuple[int, int, int]] = {}
        for node in reversed(self._from_root(program.up_parent.tolist())):
            plan = program.plan_of(node)
            stages: list[list[int]] = []
            results: list[tuple[int, int, int]] = []
            if plan.sends:
                inject = self._stream("inject", node)
                results.append((inject, inject, nowhere))
            results += [top[child] for child in program.up_children[node]]
            for merge in plan.merges:
                row, number = self._stage(
                    merge.slots, results[merge.first], results[merge.second], merge.weights
                )
                stages.append(row)
                results.append((number, nowhere, nowhere))
            if plan.stored:
                row, number = self._stage(2, results[-1])
                stages.append(row)
                results.append((number, nowhere, nowhere))
            if node == program.root:
                stages[-1][kernel.INTO] = self._enters
                self._rising = (self._rising + stages)[::-1]
                return results[-1][0]
            if results:
                number, inject, _ = results[-1]
                end = (number, self._stream("up", node), inject)
                for _ in range(program.up_registers[node]):
                    row, number = self._stage(2, end)
                    stages.append(row)
                    end = (number, nowhere, nowhere)
                top[node] = end
            self._rising += stages
        raise AssertionError("a tree without a root")

    def _down(self, top: int) -> list[list[int]]:
        """The stages on the way down, those of leaves first; the forks in the same order."""
        program, nowhere = self._program, self._nowhere
        order = self._from_root(program.down.parent.tolist())[::-1]
        place = {node: number for number, node in enumerate(order)}
        forks = []
        for node in order:
            plan, stages = program.plan_of(node), []
            source = top
            if node != program.root:
                stream, fork = self._stream("down", node), place[int(program.down.parent[node])]
                registers = program.down_registers[node]
                slots = 2 if registers else plan.down_slots
                row, source = self._stage(slots, (self._empty, stream, nowhere), fork=fork)
                stages.append(row)
                for left in range(registers, 0, -1):
                    slots = plan.down_slots if left == 1 else 2
                    row, source = self._stage(slots, (source, nowhere, nowhere))
                    stages.append(row)
            begin = len(self._falling)
            self._falling += stages[::-1]
            forks.append(
                [
                    node,
                    source,
                    plan.down + 1,
                    node if plan.drops else NONE,
                    self._stream("eject", node),
                    begin,
                    len(self._falling),
                ]
            )
        return forks

    def _from_root(self, parent: list[int]) -> list[int]:
        """All nodes, each after its parent."""
        children: dict[int, list[int]] = {}
        for node, above in enumerate(parent):
            children.setdefault(above, []).append(node)
        order = [self._program.root]
        for node in order:
            order += children.get(node, [])
        return order
