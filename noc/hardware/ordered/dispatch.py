"""Where a node's own words go: up by themselves, or into the joins of a group."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.programs.operations import Operations
from noc.programs.ordered import NodePlan
from noc.programs.word_format import WordFormat

__all__ = ["Dispatch", "is_one_of", "may_be_wrong"]


def is_one_of(value: Value | None, numbers: tuple[int, ...], count: int) -> Value:
    """Whether a field holds one of some of its numbers; one that is not there holds 0."""
    if value is None or len(numbers) == count:
        return Const(int(bool(numbers)), 1)
    return Cat(value == number for number in numbers).any() if numbers else Const(0, 1)


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

    Parameters
    ----------
    plan : NodePlan
        What the node does.
    words : WordFormat
        The fields of the words.

    Members
    -------
    i : In(stream.Signature(words.inject))
        The node's own words.
    sent : Out(stream.Signature(words.inject))
        Those that move by themselves, if the node may send such.
    join_G : Out(stream.Signature(words.join(G)))
        Those of group G, for each that the node is in and whose words are joined.
    dropped : Out(1)
        In the cycle in which a word is dropped.
    """

    def __init__(self, plan: NodePlan, words: WordFormat) -> None:
        self._words = words
        layout = data.StructLayout(words.inject)
        members: dict[str, Any] = {"i": In(stream.Signature(layout)), "dropped": Out(1)}
        self._taken: dict[str, tuple[int, ...]] = {}
        if plan.sends:
            members["sent"] = Out(stream.Signature(layout))
            self._taken["sent"] = words.operations.sent
        for group in (joins.group for joins in plan.joins if joins.own):
            members[f"join_{group}"] = Out(stream.Signature(data.StructLayout(words.join(group))))
            self._taken[f"join_{group}"] = words.operations.joined_in(group)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Look at the operation, and at the node that a word is for."""
        m = Module()
        done, right = [], []
        for name, numbers in self._taken.items():
            output = getattr(self, name)
            mine = self._is_right(numbers)
            m.d.comb += [
                output.valid.eq(self.i.valid & mine),
                *(
                    getattr(output.payload, field).eq(value)
                    for field, value in self._fields(output, numbers)
                ),
            ]
            right.append(mine)
            done.append(mine & output.ready)
        wrong = ~Cat(*right).any()
        m.d.comb += [
            self.i.ready.eq(Cat(*done).any() | wrong),
            self.dropped.eq(self.i.valid & wrong),
        ]
        return m

    def _operation(self) -> Any:
        return self.i.payload.operation if "operation" in self._words.inject else None

    def _is_right(self, numbers: tuple[int, ...]) -> Value:
        """Whether the word has one of some operations, and is for a node that there is."""
        wanted = self._words.operations
        count, operation = len(wanted.listed), self._operation()
        mine: Value = is_one_of(operation, numbers, 1 << wanted.bits)
        to_node = tuple(n for n in numbers if wanted.listed[n].to_node)
        if not to_node or self._words.nodes == 1 << self._words.number_bits:
            return mine
        named = is_one_of(operation, to_node, count)
        there: Value = self.i.payload.node < self._words.nodes
        return mine & (~named | there)

    def _fields(self, output: Any, numbers: tuple[int, ...]) -> list[tuple[str, Any]]:
        """The fields of an output, as they are or, of the operation, by its choice."""
        operation = self._operation()
        choice: Value = Const(0, 1)
        for place, number in enumerate(numbers):
            if place:
                choice = choice | Mux(operation == number, place, 0)
        fields = output.payload.shape().members
        return [(f, choice if f == "choice" else getattr(self.i.payload, f)) for f in fields]
