"""What the compiled form of networks with operations works on, by name.

It is that of the ordered fabric and what operations add. A word is the bits that it has on a link,
as one whole number, also where it is joined: fields that are absent there are 0. A node has a
buffer of offered words for each way that they go.
"""

from typing import NamedTuple

import numpy as np

from noc.model.collective.parts import SENT
from noc.model.collective.streams import collective_streams, operations_of, word_format
from noc.model.common import NONE
from noc.model.ordered.state import Fixed, Input, Layout
from noc.model.ordered.streams import OrderedStream
from noc.networks import IntArray
from noc.programs.joins import JoinPlan
from noc.programs.operators import BUILT_IN
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import Fields

__all__ = ["MOST_BITS", "CollectiveFixed", "Ways", "lay_out_collectives", "place_of"]

#: The most bits of a word on a link that the compiled form can hold.
MOST_BITS = 62

#: For each node and way the place of its buffer of offered words.
Ways = dict[tuple[int, str | int], int]


class CollectiveFixed(NamedTuple):
    """What never changes, beside that of the ordered fabric."""

    plain: Fixed
    alarm: IntArray  # (buffers): of a join, where a mismatch is told; NONE of others
    result: IntArray  # (buffers): of a join, the link on which its result is a transfer
    late: IntArray  # (buffers): where it tells that a word is missing
    late_place: IntArray  # (buffers): with which bits, from this one on
    lowest: IntArray  # (buffers): the numbers of the nodes to which an output of a fork leads
    highest: IntArray  # (buffers)
    leads: IntArray  # (buffers, operations): whether it leads to any node of the group
    number: IntArray  # (forks): of its node
    mine: IntArray  # (forks, operations): whether its node is in the group
    drops: IntArray  # (forks, operations): the source of words that its sink does not get, or NONE
    named: IntArray  # (operations): whether words name the node that they are for
    operator: IntArray  # (operations): the place of its operator
    match: IntArray  # (operations): the bits that must be the same in words that are joined
    dropped: IntArray  # (sources): where a dropped word is told
    told: int  # the first stream of a mismatch, behind which there are such alarms alone
    watchdog: int  # after how many cycles a missing word is told; 0 for never
    width: int
    source_place: int
    source_ones: int
    operation_place: int
    operation_ones: int
    node_place: int
    node_ones: int


def place_of(name: str, fields: Fields) -> tuple[int, int]:
    """Where a field begins, and as many ones as it has bits."""
    place = 0
    for other, bits in fields.items():
        if other == name:
            return place, (1 << bits) - 1
        place += bits
    return 0, 0


def lay_out_collectives(program: OrderedProgram, width: int) -> tuple[CollectiveFixed, Ways]:
    """Number all buffers and forks of a program."""
    layout = _CollectiveLayout(program)
    return layout.collective_fixed(width), layout.ways


class _CollectiveLayout(Layout):
    def __init__(self, program: OrderedProgram) -> None:
        self._operations = operations_of(program)
        self.ways: Ways = {}
        for node in range(program.network.nodes):
            plan = program.plan_of(node)
            if plan.sends:
                self.ways[node, SENT] = len(self.ways)
            for join in plan.joins:
                if join.own:
                    self.ways[node, join.group] = len(self.ways)
        self._tops: dict[tuple[int, int], Input] = {}
        self._alarm: dict[int, int] = {}
        self._late: dict[int, tuple[int, int]] = {}
        self._result: dict[int, int] = {}
        super().__init__(program, collective_streams(program), len(self.ways))

    def inputs(self, node: int) -> list[Input]:
        """What a node takes but from below: its own words and, at the root, results of joins."""
        plan, results = self._program.plan_of(node), []
        if plan.sends:
            results.append(self.input(self.ways[node, SENT], self.stream("inject", node)))
        for join in plan.joins:
            result = self._join(node, join)
            if plan.root:
                results.append(result)
            else:
                self._tops[node, join.group] = result
        return results

    def _join(self, node: int, plan: JoinPlan) -> Input:
        """The joins of a node for a group, and at the parent the buffer behind them."""
        place = self._operations.joined_groups.index(plan.group)
        children = self._program.joins[place].children[node]
        results = [self._tops[child, plan.group] for child in children]
        if plan.own:
            way = self.ways[node, plan.group]
            given = self.input(way, self.stream("inject", node))
            results.insert(0, self.input(self.add(plan.waiting, given)) if plan.waiting else given)
        told, late = (OrderedStream(kind, node, plan.group) for kind in ("mismatch", "late"))
        for place, join in enumerate(plan.joins):
            buffer = self.add(join.slots or 2, results[join.first], results[join.second])
            self._alarm[buffer] = self._number.get(told, self._other)
            self._late[buffer] = self._number.get(late, self._other), 2 * place
            results.append(self.input(buffer))
        if node == self._program.root:
            return results[-1]
        return self._climb(node, plan, results[-1])

    def _climb(self, node: int, plan: JoinPlan, top: Input) -> Input:
        """The far end of the link from a node to its parent, where words are stored."""
        link = self.stream("join", node, plan.group)
        if plan.joins:
            # The last join has no buffer but the first in the link, or at its end.
            self._result[top.buffer] = link
        else:
            top = self.input(self.add(2, self.input(top.buffer, link, top.stream)))
        return self.link(top, self._program.up_registers[node])

    def collective_fixed(self, width: int) -> CollectiveFixed:
        """Everything that never changes."""
        plain, program, operations = self.fixed(), self._program, self._operations
        alarm, late, late_place = np.full((3, plain.slots.size), NONE, dtype=np.int64)
        result = np.full(plain.slots.size, self._other, dtype=np.int64)
        for buffer, told in self._alarm.items():
            number = self.final[buffer]
            alarm[number], result[number] = told, self._result.get(buffer, self._other)
            late[number], late_place[number] = self._late[buffer]
        inside = word_format(program, width).inside
        lowest, highest, leads = self._led(plain)
        injecting = [stream.node for stream in self._number if stream.kind == "inject"]
        dropped = [
            self._number.get(OrderedStream("dropped", node), self._other) for node in injecting
        ]
        listed = operations.listed
        codes = [self._operator(number) for number in range(len(listed))]
        return CollectiveFixed(
            plain=plain,
            alarm=alarm,
            result=result,
            late=late,
            late_place=late_place,
            lowest=lowest,
            highest=highest,
            leads=leads,
            number=np.array([program.numbers[node] for node in plain.node.tolist()]),
            mine=np.array([self._in_groups([node]) for node in plain.node.tolist()]),
            drops=np.array([self._drops(node) for node in plain.node.tolist()]),
            named=np.array([operation.to_node for operation in listed], dtype=np.int64),
            operator=np.array([BUILT_IN.index(code) for code in codes]),
            match=np.array([_compared(operation.kind, inside) for operation in listed]),
            dropped=np.array(dropped),
            told=sum(stream.kind not in ("mismatch", "late") for stream in self._number),
            watchdog=program.config.watchdog,
            width=width,
            source_place=place_of("source", inside)[0],
            source_ones=place_of("source", inside)[1],
            operation_place=place_of("operation", inside)[0],
            operation_ones=place_of("operation", inside)[1],
            node_place=place_of("node", inside)[0],
            node_ones=place_of("node", inside)[1],
        )

    def _operator(self, number: int) -> str:
        """What joins the data of an operation; without data any operator does."""
        group = self._operations.group_of(number)
        numbers, operators = self._operations.joined_in(group), self._operations.operators_in(group)
        return operators[numbers.index(number)] if number in numbers and operators else "bor"

    def _in_groups(self, nodes: list[int]) -> list[int]:
        """For each operation whether any of some nodes is in its group."""
        members = [self._operations.members(group) for group in range(len(self._operations.groups))]
        numbers = range(len(self._operations.listed))
        groups = [self._operations.group_of(number) for number in numbers]
        return [int(not set(nodes).isdisjoint(members[group])) for group in groups]

    def _drops(self, node: int) -> list[int]:
        """For each operation the source whose words a node does not get back, or NONE."""
        number, drops = self._program.numbers[node], self._program.plan_of(node).drops
        return [
            number if drops and not operation.joined and not operation.to_node else NONE
            for operation in self._operations.listed
        ]

    def _led(self, plain: Fixed) -> tuple[IntArray, IntArray, IntArray]:
        """For each buffer that takes from a fork the numbers, and the groups, that it leads to."""
        program, buffers = self._program, plain.slots.size
        lowest, highest = np.zeros((2, buffers), dtype=np.int64)
        leads = np.zeros((buffers, len(self._operations.listed)), dtype=np.int64)
        node_of = {
            number: stream.node for stream, number in self._number.items() if stream.kind == "down"
        }
        for buffer in np.flatnonzero(plain.fork != NONE).tolist():
            below = sorted(program.below[node_of[int(plain.stream[buffer, 0])]])
            numbers = [program.numbers[node] for node in below]
            lowest[buffer], highest[buffer] = min(numbers), max(numbers)
            leads[buffer] = self._in_groups(below)
        return lowest, highest, leads


def _compared(kind: str, inside: Fields) -> int:
    """The bits that must be the same in words that are joined."""
    names = ["operation", "last", *(["node"] if kind == "reduce" else [])]
    places = [place_of(name, inside) for name in names]
    return sum(ones << place for place, ones in places)
