"""What the compiled form of the ordered fabric works on, by name.

Everything that stores a word on its way is a *buffer*, together with what may enter it: the winner
of a merge of two inputs, what a join makes of both, the word of one input, or that of a fork.
Buffers are processed by number, each after the one that takes its words: so a buffer of one slot
knows whether its word has left, and a word never moves twice. The words that sources offer are in
the buffers behind those, a node's own one for each way that they go; the last buffer is always
empty.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from noc.model.faults import NO_FAULTS, Faults
from noc.model.ordered.data import Header, header_of
from noc.model.ordered.streams import Kind, OrderedStream, ordered_streams
from noc.model.runs import NONE, new_arrays
from noc.networks import IntArray
from noc.programs.joins import JoinPlan
from noc.programs.ordered import OrderedProgram
from noc.trees.tree import NO_PARENT

#: Where a node's own words go, if not to the joins of a group, which is a number.
SENT = "sent"


class Fixed(NamedTuple):
    """What never changes.

    Inject and eject streams come first among the streams. ``enter``, ``leave`` and ``other`` are
    the numbers behind all streams: of words that enter the buffer at the root, of those that leave
    it, and of all that move elsewhere. Behind them each join has one for its ``late``.
    """

    slots: IntArray  # (buffers): how many words fit; 0 in a merge without a buffer
    stages: IntArray  # (buffers): of how many stages of operators it consists instead; 0 for none
    fork: IntArray  # (buffers): the fork that it takes words from, or NONE
    drains: IntArray  # (buffers): whether void words leave it by themselves
    join: IntArray  # (buffers): the join whose results it takes, or NONE
    input: IntArray  # (buffers, 2): else the buffers that it takes words from
    weight: IntArray  # (buffers, 2): of these inputs
    stream: IntArray  # (buffers, 2): where taking from an input, or the fork, is a transfer
    also: IntArray  # (buffers, 2): and another such stream
    lowest: IntArray  # (buffers): the numbers of the nodes to which an output of a fork leads
    highest: IntArray  # (buffers)
    leads: IntArray  # (buffers, operations): whether it leads to any node of the group
    alarm: IntArray  # (joins): where a mismatch is an event
    result: IntArray  # (joins): the link on which its result is a transfer
    late: IntArray  # (joins): the stream of its ``late``
    late_bit: IntArray  # (joins): the first of its two bits there
    node: IntArray  # (forks): its node; forks are numbered from the leaves to the root
    number: IntArray  # (forks): the number by which words name the node
    source: IntArray  # (forks): the buffer whose words it sends
    outputs: IntArray  # (forks): how many it has
    end: IntArray  # (forks): the first buffer behind those that bring words down to the node
    member: IntArray  # (forks, operations): whether its node is in the group
    drops: IntArray  # (forks, operations): the node whose words its sink does not get, or NONE
    named: IntArray  # (operations): whether words name the node that they are for
    match: IntArray  # (operations): the bits that must be the same in words that are joined
    routed: int  # whether any words are not for all nodes
    dropped: IntArray  # (sources): the alarm of a dropped word
    certain: IntArray  # (sources): whether all of its words go the same way
    ways: IntArray  # (sources and one more): where its buffers begin, and those before end
    stands_for: IntArray  # (stand-ins): the buffer of the own words; behind these it has one
    void: IntArray  # (stand-ins): the word that it gives
    bare: int  # whether there are merges without a buffer
    top: int  # the buffer at the root; those behind it are on the way up
    offering: int  # the first buffer of a source
    sources: int
    streams: int
    alarms: int  # the first stream of a mismatch, behind which there are such alarms alone
    enter: int
    leave: int
    other: int
    queue: int  # the most words that can wait for a sink
    depth: IntArray  # (nodes): words that can wait for its sink
    limit: int  # so many of them stop the root; 0 for never
    stop_to: IntArray  # (stops): the register behind it, or NONE; from the root to the leaves
    stop_node: IntArray  # (stops): the node whose queue it heeds, or NONE in a link
    absent: IntArray  # (nodes): the alarm of its sink
    timeout: int  # cycles after which a sink that takes no word is given none; 0 for never
    watchdog: int  # cycles after which a word that still waits at a join is late; 0 for never
    loses: int  # whether streams on the way down have no ready: one that is dead loses words
    dies: IntArray  # (faults, 2): streams by which no word passes any more, and from which cycle on
    header: Header


class Registers(NamedTuple):
    """The registers of all parts, the sinks, and what moves in a cycle."""

    length: IntArray  # (buffers): how many words it holds
    left: IntArray  # (buffers): how many have left it in this cycle
    open: IntArray  # (buffers): whether it was ready in this cycle
    word: IntArray  # (buffers, slots): the oldest one first; of stages the last one, or NONE
    turn: IntArray  # (buffers): the input of its merge that has the turn
    lasts: IntArray  # (buffers): for how many more words
    taken: IntArray  # (buffers): how many words it has taken from its fork
    waited: IntArray  # (joins): since when one of its words is missing
    gone: IntArray  # (forks): how many words it has sent everywhere
    sent: IntArray  # (forks): how many outputs have got the next one
    own: IntArray  # (forks): how many words its own sink has got, or does not get
    stop: IntArray  # (stops): whether it says that the root is to stop
    queue_length: IntArray  # (nodes)
    queue_first: IntArray  # (nodes): where the oldest word is
    queue_word: IntArray  # (nodes, slots)
    refused: IntArray  # (nodes): for how many cycles its sink has not taken the word before it
    kept: IntArray  # (nodes): the word that it refused for too long, or NONE
    returns: IntArray  # (nodes): whether its sink is ever ready
    moved: IntArray  # (streams, three more, and joins): the word on each, or NONE
    dead: IntArray  # (streams, and three more): whether no word passes
    ready: IntArray  # (nodes): the sinks
    stands: IntArray  # (stand-ins): whether it gives void words
    away: IntArray  # (stand-ins): whether it is to
    rounds: IntArray  # (sources): how often it gives its words again, if all of them are drawn
    results: IntArray  # (2): how many joins have made, and had before the present list


def reset(fixed: Fixed) -> Registers:
    """The registers after reset."""
    buffers, nodes, joins = fixed.slots.size, fixed.node.size, fixed.alarm.size
    return new_arrays(
        Registers,
        {
            "length left open turn taken": (buffers,),
            "waited": (joins,),
            "stands away": (fixed.void.size,),
            "gone sent own": (nodes,),
            "queue_length queue_first ready refused returns": (nodes,),
            "queue_word": (nodes, fixed.queue),
            "stop": (fixed.stop_to.size,),
            "rounds": (fixed.sources,),
            "results": (2,),
            "dead": (fixed.other + 1,),
        },
        word=np.full((buffers, max(2, fixed.slots.max(), fixed.stages.max())), NONE),
        lasts=fixed.weight[:, 0].copy(),
        kept=np.full(nodes, NONE, dtype=np.int64),
        moved=np.full(fixed.other + 1 + joins, NONE, dtype=np.int64),
    )


def lay_out(program: OrderedProgram) -> Fixed:
    """Number all buffers and forks of a program."""
    return Layout(program).fixed()


class _Input(NamedTuple):
    """A buffer that words are taken from, and the streams on which that is a transfer."""

    buffer: int
    stream: int
    also: int


class _Buffer(NamedTuple):
    """What is fixed of a buffer."""

    slots: int
    inputs: tuple[_Input, _Input]
    weights: tuple[int, int]
    fork: int
    stages: int


class _Join(NamedTuple):
    """What is fixed of a join, and its buffer."""

    node: int
    group: int
    number: int
    buffer: int


class Layout:
    """Numbers buffers as they come, those of sources and the empty one first, and sorts them."""

    def __init__(self, program: OrderedProgram) -> None:
        self._program, self._operations = program, program.operations
        #: For each node and way, ``SENT`` or a group, the number of its buffer among those of
        #: offered words.
        self.ways: dict[tuple[int, str | int], int] = {}
        self._nodes = range(program.network.nodes)
        for node in self._nodes:
            plan = program.plan_of(node)
            ways: list[str | int] = [SENT] if plan.sends else []
            for way in [*ways, *(join.group for join in plan.joins if join.own)]:
                self.ways[node, way] = len(self.ways)
        streams = ordered_streams(program)
        self._number = {stream: number for number, stream in enumerate(streams)}
        self._enter, self._leave, self._other = (len(streams) + more for more in range(3))
        # Behind those that are offered, what stand-ins let pass of them.
        self._empty = len(self.ways) + len(program.stand_ins)
        self._nothing = self._input(self._empty)
        self._buffers = [
            _Buffer(0, (self._nothing, self._nothing), (1, 1), NONE, 0)
            for _ in range(self._empty + 1)
        ]
        self._tops: dict[tuple[int, int], _Input] = {}
        self._joins: list[_Join] = []
        #: Those at the root with results.
        self._results_end: list[int] = []
        #: By the last join's buffer the link to the parent, on which its result is a transfer.
        self._results: dict[int, int] = {}

    def fixed(self, faults: Faults = NO_FAULTS) -> Fixed:
        """Everything that never changes."""
        program = self._program
        rising = self._up()[::-1]
        forks = _leaves_first(program.root, program.down.parent)
        falling, source, end = self._down(forks, rising[0])
        order = [*falling, *rising, *range(self._empty + 1)]
        final = np.argsort(order)
        slots, inputs, weights, fork, stages = zip(*(self._buffers[n] for n in order), strict=True)
        buffer, stream, also = (np.array(inputs, dtype=np.int64)[..., n].copy() for n in range(3))
        return Fixed(
            slots=np.array(slots),
            stages=np.array(stages),
            fork=np.array(fork),
            input=final[buffer],
            weight=np.array(weights),
            drains=np.isin(order, self._results_end).astype(np.int64),
            stream=stream,
            also=also,
            node=np.array(forks),
            number=np.array([program.numbers[node] for node in forks]),
            source=final[source],
            outputs=np.array([program.plan_of(node).down + 1 for node in forks]),
            end=np.array(end),
            member=np.array([self._in_groups([node]) for node in forks]),
            drops=np.array([self._drops(node) for node in forks]),
            routed=int(self._operations.routed),
            bare=int(0 in slots[len(falling) : len(falling) + len(rising)]),
            top=len(falling),
            offering=len(falling) + len(rising),
            streams=len(self._number),
            alarms=sum(each.kind not in ("mismatch", "late", "absent") for each in self._number),
            enter=self._enter,
            leave=self._leave,
            other=self._other,
            **self._of_queues(),
            absent=np.array([self._find("absent", node) for node in self._nodes]),
            timeout=program.config.sink_timeout,
            watchdog=program.config.watchdog,
            loses=int(program.config.falls_freely),
            dies=self._of_faults(faults),
            **self._of_joins(final),
            **self._of_outputs(np.array(fork), stream),
            **self._of_operations(),
            **self._of_sources(),
            **self._of_stand_ins(final),
        )

    def _of_queues(self) -> dict[str, Any]:
        """The queues of sinks, and the registers through which they stop the root."""
        program, config = self._program, self._program.config
        depth = np.array([plan.depth or config.queue for plan in map(program.plan_of, self._nodes)])
        stop_to, stop_node, entrance = [], [], {NO_PARENT: NONE}
        for node in _leaves_first(program.root, program.up_parent)[::-1] if config.stops else ():
            behind = entrance[int(program.up_parent[node])]
            for heeds in [*[NONE] * program.up_registers[node], node]:
                stop_to.append(behind)
                stop_node.append(heeds)
                behind = len(stop_to) - 1
            entrance[node] = behind
        return {
            "queue": int(depth.max()),
            "depth": depth,
            "limit": config.queue if config.stops else 0,
            "stop_to": np.array(stop_to, dtype=np.int64),
            "stop_node": np.array(stop_node, dtype=np.int64),
        }

    def _of_faults(self, faults: Faults) -> IntArray:
        """The streams that die: all that a link has, and that of a sink."""
        rows = []
        for stream, number in self._number.items():
            node, cycle = stream.node, None
            if stream.kind == "eject":
                cycle = faults.sinks.get(node)
            elif stream.kind in ("up", "join"):
                cycle = faults.links.get((node, int(self._program.up_parent[node])))
            elif stream.kind == "down":
                cycle = faults.links.get((int(self._program.down.parent[node]), node))
            rows += [] if cycle is None else [(number, cycle)]
        return np.array(rows, dtype=np.int64).reshape(-1, 2)

    def _of_joins(self, final: IntArray) -> dict[str, Any]:
        join = np.full(final.size, NONE, dtype=np.int64)
        # Those of a node and group have the bits of one ``late``, and are listed in their order.
        joins = sorted(self._joins)
        join[[final[each.buffer] for each in joins]] = range(len(joins))

        def column(values: Iterable[int]) -> IntArray:
            return np.array(list(values), dtype=np.int64)

        return {
            "join": join,
            "alarm": column(self._find("mismatch", each.node, each.group) for each in joins),
            "late": column(self._find("late", each.node, each.group) for each in joins),
            "result": column(self._results.get(each.buffer, self._other) for each in joins),
            "late_bit": column(2 * each.number for each in joins),
        }

    def _of_outputs(self, fork: IntArray, stream: IntArray) -> dict[str, Any]:
        """For each buffer that takes from a fork the numbers, and the groups, that it leads to."""
        program = self._program
        lowest, highest = np.zeros((2, fork.size), dtype=np.int64)
        leads = np.zeros((fork.size, len(self._operations.listed)), dtype=np.int64)
        streams = list(self._number)
        for buffer in np.flatnonzero(fork != NONE).tolist() if self._operations.routed else ():
            below = sorted(program.below[streams[stream[buffer, 0]].node])
            numbers = [program.numbers[node] for node in below]
            lowest[buffer], highest[buffer] = min(numbers), max(numbers)
            leads[buffer] = self._in_groups(below)
        return {"lowest": lowest, "highest": highest, "leads": leads}

    def _of_operations(self) -> dict[str, Any]:
        header, listed = header_of(self._program), self._operations.listed
        operation, last, name = (
            field.ones << field.first for field in (header.operation, header.last, header.node)
        )
        return {
            "header": header,
            "named": np.array([each.to_node for each in listed], dtype=np.int64),
            "match": np.array([operation + last + name * (e.kind == "reduce") for e in listed]),
        }

    def _of_sources(self) -> dict[str, Any]:
        nodes = [stream.node for stream in self._number if stream.kind == "inject"]
        ways = [node for node, _ in self.ways]
        dropped = np.array([self._find("dropped", node) for node in nodes])
        single = np.array([ways.count(node) == 1 for node in nodes])
        return {
            "sources": len(nodes),
            "dropped": dropped,
            "certain": (single & (dropped == self._other)).astype(np.int64),
            "ways": np.array([*map(ways.index, nodes), len(ways)]),
        }

    def _of_stand_ins(self, final: IntArray) -> dict[str, Any]:
        header, stand_ins = header_of(self._program), self._program.stand_ins
        # Words of no number: they are nobody's, and their data are 0.
        none = np.full(len(stand_ins), NONE, dtype=np.int64)
        first = [self._operations.joined_in(group)[0] for _, group in stand_ins]
        fields = {"operation": np.array(first, dtype=np.int64), "void": np.ones_like(none)}
        stands_for = [final[self.ways[each]] for each in stand_ins]
        return {
            "stands_for": np.array(stands_for, dtype=np.int64),
            "void": header.pack(none, fields) if stand_ins else none,
        }

    def _in_groups(self, nodes: list[int]) -> list[int]:
        """For each operation whether any of some nodes is in its group."""
        operations = self._operations
        if len(operations.groups) < 2:
            return [1] * len(operations.listed)
        groups = map(operations.group_of, range(len(operations.listed)))
        return [int(not set(nodes).isdisjoint(operations.members(group))) for group in groups]

    def _drops(self, node: int) -> list[int]:
        """For each operation the node whose words a node does not get: itself, or NONE."""
        drops = self._program.plan_of(node).drops
        return [
            node if drops and not operation.joined and not operation.to_node else NONE
            for operation in self._operations.listed
        ]

    def _find(self, kind: Kind, node: int, group: int = 0) -> int:
        """The number of a stream, if there is one."""
        return self._number.get(OrderedStream(kind, node, group), self._other)

    def _input(self, buffer: int, stream: int | None = None, also: int | None = None) -> _Input:
        """A buffer that words are taken from, and the streams on which that is a transfer."""
        streams = (self._other if number is None else number for number in (stream, also))
        return _Input(buffer, *streams)

    def _add(
        self,
        slots: int,
        first: _Input,
        second: _Input | None = None,
        weights: tuple[int, int] = (1, 1),
        fork: int = NONE,
        stages: int = 0,
    ) -> int:
        """A new buffer; its number."""
        inputs = first, second or self._nothing
        self._buffers.append(_Buffer(slots, inputs, weights, fork, stages))
        return len(self._buffers) - 1

    def _link(self, end: _Input, registers: int) -> _Input:
        """The far end of a link that begins at some input."""
        for _ in range(registers):
            end = self._input(self._add(2, end))
        return end

    def _inputs(self, node: int) -> list[_Input]:
        """All that a node merges: its own words, those from below and, at the root, results."""
        program, plan = self._program, self._program.plan_of(node)
        results = []
        if plan.sends:
            results.append(self._input(self.ways[node, SENT], self._find("inject", node)))
        joined = [self._join(node, join) for join in plan.joins]
        self._results_end += [top.buffer for top in joined] * plan.root
        self._tops.update(
            ((node, join.group), top) for join, top in zip(plan.joins, joined, strict=True)
        )
        results += [self._tops[child, NONE] for child in program.up_children[node]]
        return [*results, *joined] if plan.root else results

    def _own(self, node: int, group: int) -> int:
        """The buffer from which a node's own words for a group are taken."""
        stand_ins = self._program.stand_ins
        if (node, group) not in stand_ins:
            return self.ways[node, group]
        return len(self.ways) + stand_ins.index((node, group))

    def _join(self, node: int, plan: JoinPlan) -> _Input:
        """The joins of a node for a group, and at the parent the buffer behind them."""
        joins = self._operations.joined_groups.index(plan.group)
        children = self._program.joins[joins].children[node]
        results = [self._tops[child, plan.group] for child in children]
        if plan.own:
            given = self._input(self._own(node, plan.group), self._find("inject", node))
            if plan.waiting:
                given = self._input(self._add(plan.waiting, given))
            results.insert(0, given)
        for number, join in enumerate(plan.joins):
            inputs = results[join.first], results[join.second]
            buffer = self._add(join.slots or 2, *inputs, stages=join.latency)
            self._joins.append(_Join(node, plan.group, number, buffer))
            if join.latency and join.slots:
                buffer = self._add(join.slots, self._input(buffer))
            results.append(self._input(buffer))
        if node == self._program.root:
            return results[-1]
        top, link = results[-1], self._find("join", node, plan.group)
        if plan.joins and not plan.joins[-1].latency:
            # The last join has no buffer but the first in the link, or at its end.
            self._results[top.buffer] = link
        else:
            top = self._input(self._add(2, self._input(top.buffer, link, top.stream)))
        return self._link(top, self._program.up_registers[node])

    def _up(self) -> list[int]:
        """The buffers on the way up, from the leaves to the root."""
        program = self._program
        begin = len(self._buffers)
        for node in _leaves_first(program.root, program.up_parent):
            plan = program.plan_of(node)
            results = self._inputs(node)
            for merge in plan.merges:
                first, second = results[merge.first], results[merge.second]
                results.append(self._input(self._add(merge.slots, first, second, merge.weights)))
            if plan.stored:
                results.append(self._input(self._add(2, results[-1])))
            if plan.climbs:
                buffer, inject, _ = results[-1]
                end = self._input(buffer, self._find("up", node), inject)
                self._tops[node, NONE] = self._link(end, program.up_registers[node])
        return list(range(begin, len(self._buffers)))

    def _down(self, forks: list[int], top: int) -> tuple[list[int], list[int], list[int]]:
        """The buffers on the way down, each fork's source, and where the buffers before it end."""
        program = self._program
        number = {node: fork for fork, node in enumerate(forks)}
        falling: list[int] = []
        source, end = [], []
        for node in forks:
            plan = program.plan_of(node)
            buffers, slots = [], [1] * plan.turn_slots
            last = top
            if node != program.root:
                above = number[int(program.down.parent[node])]
                first = self._input(self._empty, self._find("down", node))
                slots = [2] * int(program.down_registers[node]) + [plan.down_slots]
                last = self._add(slots.pop(0), first, fork=above)
                buffers.append(last)
            for more in slots:
                last = self._add(more, self._input(last))
                buffers.append(last)
            falling += buffers[::-1]
            source.append(last)
            end.append(len(falling))
        return falling, source, end


def _leaves_first(root: int, parent: IntArray) -> list[int]:
    """All nodes, each before its parent."""
    children, order = defaultdict(list), [root]
    for node, above in enumerate(parent.tolist()):
        children[above].append(node)
    for node in order:
        order += children[node]
    return order[::-1]
