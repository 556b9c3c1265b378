"""What gives words of all operations at a node, lap after lap."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.operation_words import ALTERNATING, LAP_BITS, OperationWords, following
from noc.selftest.patterns import among, pair, repeated
from noc.selftest.words import SEED_BITS

__all__ = ["Giver"]


class Giver(wiring.Component):
    """Gives a word of each operation in a lap, in their order, where the node has a part in it.

    After the word of a barrier it waits until the barrier's word has come.

    Parameters
    ----------
    words : OperationWords
        How words are laid out.

    Members
    -------
    node : In(node_bits)
        The number of the node: a constant, as the next two are.
    gives : In(operations)
        Of which operations the node gives words.
    ranks : In(node_bits).array(groups)
        Its place in each group whose words are joined, in the first lap.
    seed : In(SEED_BITS)
        The round's seed, constant outside of ``clear``.
    clear : In(1)
        Forget everything.
    grant : In(1)
        One more lap may be run.
    send, joined : In(1)
        Whether a new word may be offered, and whether also one that is joined with others.
    released : In(1)
        The word of a barrier has come to the node.
    offered : Out(stream.Signature(bits))
        Words for the network.
    waiting : Out(1)
        The node has given the word of a barrier, and that has not come.
    sent : Out(operations)
        Of which operation a word is offered for the first cycle.
    """

    def __init__(self, words: OperationWords) -> None:
        self._words = words
        count = len(words.listed)
        node = max(1, words.node_bits)
        super().__init__(
            {
                "node": In(node),
                "gives": In(count),
                "ranks": In(node).array(max(1, len(words.operations.joined_groups))),
                "seed": In(SEED_BITS),
                "clear": In(1),
                "grant": In(1),
                "send": In(1),
                "joined": In(1),
                "released": In(1),
                "offered": Out(stream.Signature(sum(words.format.inject.values()))),
                "waiting": Out(1),
                "sent": Out(count),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """A word is made when there is room for it; an operation without one takes a cycle."""
        m = Module()
        words, offered = self._words, self.offered
        count = len(words.listed)
        operation, due = Signal(range(max(2, count))), Signal(range(3 * words.words_of_lap + 4))
        mine, new, step, ends = Signal(), Signal(), Signal(), Signal()
        sends = among(operation, words.operations.sent)
        m.d.comb += [
            mine.eq(self.gives.bit_select(operation, 1)),
            new.eq(
                ((due != 0) & mine & self.send & (self.joined | sends) & ~self.waiting)
                & (~offered.valid | offered.ready)
            ),
            step.eq(new | (due != 0) & ~mine),
            ends.eq(step & (operation == count - 1)),
        ]
        m.d.sync += [
            offered.valid.eq(new | offered.valid & ~offered.ready),
            self.sent.eq(Cat(new & (operation == number) for number in range(count))),
            due.eq(due + self.grant - ends),
        ]
        payload = self._payload(m, operation, ends)
        with m.If(step):
            m.d.sync += operation.eq(Mux(ends, 0, operation + 1))
        with m.If(new):
            m.d.sync += offered.payload.eq(payload)
        barriers = tuple(n for n, each in enumerate(words.listed) if each.kind == "barrier")
        m.d.sync += self.waiting.eq(
            new & among(operation, barriers) | self.waiting & ~self.released
        )
        with m.If(self.clear):
            m.d.sync += [operation.eq(0), due.eq(0), self.waiting.eq(0)]
            m.d.sync += [offered.valid.eq(0), self.sent.eq(0)]
        return m

    def _payload(self, m: Module, operation: Signal, ends: Signal) -> Value:
        """The word of an operation in this lap."""
        words = self._words
        node = Signal(range(max(2, words.nodes)))
        last = node == words.nodes - 1
        with m.If(ends):
            m.d.sync += node.eq(Mux(last, 0, node + 1))
        with m.If(self.clear):
            m.d.sync += node.eq(0)
        to_node = among(operation, tuple(n for n, o in enumerate(words.listed) if o.to_node))
        # A word for a node, and a result, is numbered among those for the same one.
        said, counted = Signal(words.number_bits), Signal(LAP_BITS)
        for ending, of_node in ((ends, 0), (ends & last, 1)):
            plain, joined = Signal.like(said), Signal.like(counted)
            with m.If(ending):
                m.d.sync += [plain.eq(plain + 1), joined.eq(following(joined))]
            with m.If(self.clear):
                m.d.sync += [plain.eq(0), joined.eq(0)]
            with m.If(to_node == of_node):
                m.d.comb += [said.eq(plain), counted.eq(joined)]
        sends = among(operation, words.operations.sent)
        sent = self._sent(operation, Mux(to_node, node, self.node), said)
        result = self._joined(m, operation, ends, counted, Mux(to_node, node, 0))
        fields: dict[str, Any] = {
            "data": Mux(sends, sent, result),
            "operation": operation,
            "last": Mux(sends, said[0], counted[0]),
            # Where none is named, members may say what they like.
            "node": Mux(to_node, node, self.node),
        }
        return Cat((fields[n] | Const(0, b))[:b] for n, b in words.format.inject.items())

    def _sent(self, operation: Signal, meant: Value, number: Signal) -> Value:
        """The data of a word that moves by itself."""
        words = self._words
        if not words.operations.sent:
            return Const(0, words.width)
        name = Cat(self.node[: words.node_bits], operation[: words.operations.bits])
        if words.addressed:
            name = Cat(name, meant[: words.node_bits])
        count = words.body_bits
        mask = repeated(self.seed, count) ^ repeated(name, count)
        return Cat(name, repeated(number, count) ^ mask)

    def _joined(
        self, m: Module, operation: Signal, ends: Signal, number: Signal, node: Value
    ) -> Value:
        """The data of a word that is joined with others."""
        words, first, turned = self._words, Signal(), Signal()
        if not words.operations.joined_groups:
            return Const(0, words.width)
        key = Cat(operation[: words.operations.bits], node[: words.node_bits])
        a, b = pair(words, number, self.seed, key)
        for rank, group in zip(self.ranks, words.operations.joined_groups, strict=False):
            place, second = self._places(m, group, rank, ends)
            for choice in words.operations.joined_in(group):
                operator = words.listed[choice].operator
                with m.If(operation == choice):
                    alone = place == 0
                    m.d.comb += first.eq(
                        alone | (place == second) if words.paired(choice) else alone
                    )
                    m.d.comb += turned.eq(~place[0] if operator in ALTERNATING else 0)
        return Mux(first, a, b ^ turned.replicate(words.width))

    def _places(
        self, m: Module, group: int, rank: Value, ends: Signal
    ) -> tuple[Signal, Signal | Value]:
        """The node's place in a group, and the place of a second *a*; 0 while there is none."""
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
