"""Where a node's own words go: up by themselves, or into the joins of a group."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.ordered.words import fields_of, is_one_of, word_shape
from noc.programs.operations import Operations
from noc.programs.ordered import NodePlan
from noc.programs.word_format import WordFormat


def takes(plan: NodePlan, operations: Operations) -> tuple[int, ...]:
    """The numbers of the operations for which a node takes words of its own."""
    joined = [n for p in plan.joins if p.own for n in operations.joined_in(p.group)]
    return (*(operations.sent if plan.sends else ()), *joined)


def may_be_wrong(plan: NodePlan, words: WordFormat) -> bool:
    """Whether a node can be given a word that no operation takes."""
    codes = 1 << words.operations.bits
    odd = words.operations.names_nodes and words.nodes != 1 << words.number_bits
    return odd or len(takes(plan, words.operations)) < codes


class Dispatch(wiring.Component):
    """Gives each word to the one stream that takes its operation; without one it is dropped.

    Members
    -------
    i : In(stream.Signature(word_shape(words.inject)))
        The node's own words.
    sent : Out(stream.Signature(word_shape(words.inject)))
        Those that move by themselves, if the node may send such.
    join_G : Out(stream.Signature(data.StructLayout(words.join(G))))
        Those of group G, for each that the node is in and whose words are joined.
    dropped : Out(1)
        In the cycle in which a word is dropped.
    """

    def __init__(self, plan: NodePlan, words: WordFormat) -> None:
        self._words = words
        own = stream.Signature(word_shape(words.inject))
        members: dict[str, Any] = {"i": In(own), "dropped": Out(1)}
        self._taken: dict[str, tuple[int, ...]] = {}
        if plan.sends:
            members["sent"] = Out(own)
            self._taken["sent"] = words.operations.sent
        for group in (joins.group for joins in plan.joins if joins.own):
            operand = stream.Signature(data.StructLayout(words.join(group)))
            members[f"join_{group}"] = Out(operand)
            self._taken[f"join_{group}"] = words.operations.joined_in(group)
        super().__init__(members)

    @property
    def outputs(self) -> dict[str, Any]:
        """The streams to which words go, by name."""
        return {name: getattr(self, name) for name in self._taken}

    def elaborate(self, platform: object) -> Module:
        """Look at the operation, and at the node that a word is for."""
        m = Module()
        done, right = [], []
        for name, output in self.outputs.items():
            numbers = self._taken[name]
            mine = self._is_right(numbers)
            fields = fields_of(self.i.payload) | {"choice": self._choice(numbers)}
            m.d.comb += [
                output.valid.eq(self.i.valid & mine),
                *(field.eq(fields[name]) for name, field in fields_of(output.payload).items()),
            ]
            right.append(mine)
            done.append(mine & output.ready)
        wrong = ~Cat(*right).any()
        m.d.comb += [
            self.i.ready.eq(Cat(*done).any() | wrong),
            self.dropped.eq(self.i.valid & wrong),
        ]
        return m

    @property
    def _operation(self) -> Any:
        return fields_of(self.i.payload).get("operation")

    def _is_right(self, numbers: tuple[int, ...]) -> Value:
        """Whether the word has one of some operations, and is for a node that there is."""
        operations = self._words.operations
        mine = is_one_of(self._operation, numbers, 1 << operations.bits)
        to_node = tuple(n for n in numbers if operations.listed[n].to_node)
        if not to_node or self._words.nodes == 1 << self._words.number_bits:
            return mine
        named = is_one_of(self._operation, to_node, len(operations.listed))
        there: Value = self.i.payload.node < self._words.nodes
        return mine & (~named | there)

    def _choice(self, numbers: tuple[int, ...]) -> Value:
        """Which of some operations the word has."""
        choice: Value = Const(0, 1)
        for index, number in enumerate(numbers[1:], 1):
            choice = choice | Mux(self._operation == number, index, 0)
        return choice
