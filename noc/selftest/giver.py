"""The source of a node: gives a word of each operation in turn."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.patterns import ALTERNATING, LAP_BITS, SEED_BITS, following
from noc.selftest.words import Words, among, held


class Giver(wiring.Component):
    """Gives a word of each operation in a lap, in their order, where the node has a part in it.

    After the word of a barrier it waits until the barrier's word has come.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        count, node = len(words.listed), max(1, words.number_bits)
        super().__init__(
            {
                # Constants: the number of the node, the operations of which it gives words, and its
                # number in each group whose words are joined.
                "node": In(node),
                "gives": In(count),
                "ranks": In(node).array(len(words.operations.joined_groups)),
                # The round's seed, constant outside of ``clear``, which forgets everything.
                "seed": In(SEED_BITS),
                "clear": In(1),
                # One more lap may be run; without joined words there is no end to the laps.
                "grant": In(1),
                # A new word may be offered, and also one that is joined with others.
                "send": In(1),
                "joined": In(1),
                # The word of a barrier has come to the node.
                "released": In(count),
                "inject": Out(stream.Signature(sum(words.inject.values()))),
                # The node has given the word of a barrier, and that has not come.
                "waiting": Out(1),
                # The operation of which a word is offered for the first cycle.
                "sent": Out(count),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """A word is made when there is room for it; an operation without one takes a cycle."""
        m = Module()
        words, inject, count = self._words, self.inject, len(self._words.listed)
        operation = Signal(range(max(2, count)))
        mine, new, step, ends = Signal(), Signal(), Signal(), Signal()
        due, sends = self._due(m, ends), among(operation, words.operations.sent)
        m.d.comb += [
            mine.eq(self.gives.bit_select(operation, 1)),
            new.eq(
                (due & mine & self.send & (self.joined | sends) & ~self.waiting)
                & (~inject.valid | inject.ready)
            ),
            step.eq(new | due & ~mine),
            ends.eq(step & (operation == count - 1)),
        ]
        m.d.sync += [
            inject.valid.eq(new | inject.valid & ~inject.ready),
            self.sent.eq(Cat(new & (operation == number) for number in range(count))),
        ]
        with m.If(step):
            m.d.sync += operation.eq(Mux(ends, 0, operation + 1))
        if barriers := words.of_kind("barrier"):
            entered = new & among(operation, barriers)
            m.d.sync += self.waiting.eq(entered | self.waiting & ~self.released.any())
        self._offer(m, operation, new, ends)
        with m.If(self.clear):
            m.d.sync += [operation.eq(0), self.waiting.eq(0), inject.valid.eq(0), self.sent.eq(0)]
        return m

    def _due(self, m: Module, ends: Signal) -> Value:
        """Whether a lap is granted that has not ended."""
        if not self._words.laps:
            return Const(1)
        due = Signal(range(3 * self._words.words_of_lap + 4))
        m.d.sync += due.eq(due + self.grant - ends)
        with m.If(self.clear):
            m.d.sync += due.eq(0)
        return due != 0

    def _offer(self, m: Module, operation: Signal, new: Signal, ends: Signal) -> None:
        """The word of an operation in this lap."""
        words, node = self._words, Signal(range(max(2, self._words.nodes)))
        last = node == words.nodes - 1
        with m.If(ends):
            m.d.sync += node.eq(Mux(last, 0, node + 1))
        with m.If(self.clear):
            m.d.sync += node.eq(0)
        to_node = among(operation, words.to_node)
        number, counted = self._numbers(m, to_node, ends, ends & last)
        # Where no node is named, members may say what they like.
        named = Mux(to_node, node, self.node)
        if words.laps:
            result = self._joined(m, operation, ends, counted, Mux(to_node, node, 0))
            payload = self._payload(operation, number, named, counted, result)
            with m.If(new):
                m.d.sync += self.inject.payload.eq(payload)
            return
        # Registers for what a word is made of are fewer than for the word.
        with m.If(new):
            made_of = held(m.d.sync, "held", operation=operation, number=number, named=named)
        m.d.comb += self.inject.payload.eq(self._payload(**vars(made_of)))

    def _numbers(
        self, m: Module, to_node: Value, ends: Value, ends_all: Value
    ) -> tuple[Signal, Signal]:
        """The number of a word that is sent, and of one that is joined: among those for its node.

        Those for all nodes have the next number in the next lap, those for a node when all had one.
        """
        number, counted = Signal(self._words.count_bits), Signal(LAP_BITS)
        for ending, of_node in ((ends, 0), (ends_all, 1)):
            sent, joined = Signal.like(number), Signal.like(counted)
            with m.If(ending):
                m.d.sync += [sent.eq(sent + 1), joined.eq(following(joined))]
            with m.If(self.clear):
                m.d.sync += [sent.eq(0), joined.eq(0)]
            with m.If(to_node == of_node):
                m.d.comb += [number.eq(sent), counted.eq(joined)]
        return number, counted

    def _payload(self, operation: Value, number: Value, named: Value, *joined: Value) -> Value:
        """A word that is sent or, of other operations, the number and the data of one joined."""
        words = self._words
        fields: dict[str, Any] = {"operation": operation, "node": named, "last": number[0]}
        fields["void"] = Const(0)
        fields["data"] = Const(0, words.width)
        if words.operations.sent:
            name = Cat(self.node[: words.number_bits], operation[: words.operations.bits])
            name = Cat(name, named[: words.number_bits]) if words.addressed else name
            fields["data"] = Cat(name, words.body(number, self.seed, name))
        if joined:
            sends, (counted, result) = among(operation, words.operations.sent), joined
            fields["last"] = Mux(sends, fields["last"], counted[0])
            fields["data"] = Mux(sends, fields["data"], result)
        return Cat((fields[n] | Const(0, b))[:b] for n, b in words.inject.items())

    def _joined(
        self, m: Module, operation: Signal, ends: Signal, number: Signal, node: Value
    ) -> Value:
        """The data of a word that is joined with others."""
        words, word = self._words, Signal(self._words.width, name="joined_data")
        key = Cat(operation[: words.operations.bits], node[: words.number_bits])
        a, b = words.patterns.pair(number, self.seed, key)
        choice = words.patterns.choice(number, self.seed, key)
        for rank, group in zip(self.ranks, words.operations.joined_groups, strict=True):
            place, second = self._places(m, group, rank, ends)
            for each in words.operations.joined_in(group):
                first = place == 0
                first = first | (place == second) if words.paired(each) else first
                turned = ~place[0] if words.listed[each].operator in ALTERNATING else Const(0)
                data = Mux(first, a, b ^ turned.replicate(words.width))
                with m.If(operation == each):
                    own = words.tabled(each)
                    m.d.comb += word.eq(words.patterns.chosen(choice, rank) if own else data)
        return word

    def _places(
        self, m: Module, group: int, rank: Value, ends: Signal
    ) -> tuple[Signal, Signal | Value]:
        """Which turn the node has in a group, and whose is a second *a*; 0 while there is none."""
        words = self._words
        members = len(words.operations.members(group))
        place = Signal(range(max(2, members)), name=f"place_{group}")
        with m.If(ends):
            m.d.sync += place.eq(Mux(place == members - 1, 0, place + 1))
        with m.If(self.clear):
            m.d.sync += place.eq(rank)
        if not any(words.paired(number) for number in words.operations.joined_in(group)):
            return place, Const(0)
        turns = Signal(range(members), name=f"turns_{group}")
        odd, second = Signal(name=f"odd_{group}"), Signal.like(turns, name=f"second_{group}")
        runs_out = ends & (turns == members - 1)
        with m.If(ends):
            m.d.sync += turns.eq(Mux(runs_out, 0, turns + 1))
        with m.If(runs_out):
            m.d.sync += odd.eq(~odd)
            with m.If(odd):
                m.d.sync += second.eq(Mux(second == members - 1, 0, second + 1))
        with m.If(self.clear):
            m.d.sync += [turns.eq(0), odd.eq(0), second.eq(0)]
        return place, Mux(odd, second, 0)
