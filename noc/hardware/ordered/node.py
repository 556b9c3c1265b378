"""A node of the ordered fabric: merges and joins on the way up, a fork on the way down."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.ordered.buffers import BUFFERS, OneSlot, TwoSlots
from noc.hardware.ordered.dispatch import Dispatch, is_one_of, may_be_wrong
from noc.hardware.ordered.fork import Fork
from noc.hardware.ordered.join import Join
from noc.hardware.ordered.merge import Merge
from noc.hardware.queue import build_queue
from noc.programs.joins import JoinPlan
from noc.programs.ordered import NodePlan
from noc.programs.word_format import Fields, WordFormat

__all__ = ["Node", "compared_groups", "node_signature", "word_shape"]


def word_shape(fields: Fields) -> Any:
    """The shape of a word: a number if it has nothing but data."""
    return data.StructLayout(fields) if set(fields) != {"data"} else fields["data"]


def node_signature(plan: NodePlan, words: WordFormat, *, watchdog: int = 0) -> wiring.Signature:
    """The ports of a node, as its class lists them."""
    word = stream.Signature(word_shape(words.inside))
    members: dict[str, Any] = {}
    if plan.injects:
        members["inject"] = In(stream.Signature(word_shape(words.inject)))
    if plan.sends and words.source_numbers:
        members["number"] = In(words.number_bits)
    members |= {f"up_in_{number}": In(word) for number in range(plan.up)}
    if plan.climbs:
        members["up_out"] = Out(word)
    for joins in plan.joins:
        operand = stream.Signature(data.StructLayout(words.join(joins.group)))
        members |= {f"join_{joins.group}_in_{number}": In(operand) for number in range(joins.up)}
        if not plan.root:
            members[f"join_{joins.group}_out"] = Out(operand)
    if not plan.root:
        members["down_in"] = In(word)
    members |= {f"down_out_{number}": Out(word) for number in range(plan.down)}
    members["eject"] = Out(stream.Signature(word_shape(words.eject)))
    if not words.operations.only_broadcast:
        members |= _members_of_operations(plan, words, watchdog)
    return wiring.Signature(members)


def _members_of_operations(plan: NodePlan, words: WordFormat, watchdog: int) -> dict[str, Any]:
    """Constants by which words find their way, and alarms."""
    members: dict[str, Any] = {}
    groups = len(words.operations.routed_groups)
    if groups:
        members |= {f"groups_{number}": In(groups) for number in range(plan.down + 1)}
    if words.operations.names_nodes:
        members |= {f"first_{number}": In(words.number_bits) for number in range(plan.down)}
    if plan.injects and may_be_wrong(plan, words):
        members["dropped"] = Out(1)
    if compared_groups(plan, words):
        members["mismatch"] = Out(len(compared_groups(plan, words)))
    joins = sum(len(joins.joins) for joins in plan.joins)
    if watchdog and joins:
        members["late"] = Out(2 * joins)
    return members


def compared_groups(plan: NodePlan, words: WordFormat) -> list[int]:
    """The groups for which headers are compared here."""
    return [p.group for p in plan.joins if p.joins and set(words.join(p.group)) - {"data"}]


class Node(wiring.Component):
    """Merges the words of its children with its own, and forks the words from its parent.

    The exact behaviour is written in ``docs/ordered.md`` and ``docs/collectives.md``.

    Parameters
    ----------
    plan : NodePlan
        What it does.
    words : WordFormat
        The fields of the words.
    queue : int
        Words that can wait for the node's sink; 0 for none.
    watchdog : int
        After how many cycles a word that waits for others of its group tells; 0 for never.

    Members
    -------
    inject : In(stream.Signature(word_shape(words.inject)))
        Words of the node itself, if it may send.
    number : In(words.number_bits)
        Its own number, a constant, if it may send and words carry numbers.
    up_in_N : In(stream.Signature(word_shape(words.inside)))
        Words that come up from child N.
    up_out : Out(stream.Signature(word_shape(words.inside)))
        Words that go up to the parent.
    join_G_in_N, join_G_out : In, Out(stream.Signature(words.join(G)))
        Likewise words of group G that are joined.
    down_in : In(stream.Signature(word_shape(words.inside)))
        Words that come down from the parent.
    down_out_N : Out(stream.Signature(word_shape(words.inside)))
        Words that go down to child N.
    eject : Out(stream.Signature(word_shape(words.eject)))
        Words for the node.
    groups_N : In(groups)
        A constant: for each group to which words come down whether output N leads to any of its
        nodes; the last output leads to the node itself.
    first_N : In(words.number_bits)
        A constant: the number of child N, the lowest to which output N leads.
    dropped : Out(1)
        In the cycle in which a word of the node is dropped, because no operation takes it.
    mismatch : Out(groups)
        For each group while words with different headers are to be joined.
    late : Out(2 * joins)
        For both streams of each join, by group, whether its word has been missing so long.
    """

    def __init__(
        self, plan: NodePlan, words: WordFormat, *, queue: int = 0, watchdog: int = 0
    ) -> None:
        if plan.drops and not words.source_numbers:
            raise ValueError("words must have source numbers where a node drops its own words")
        self._plan, self._words, self._queue, self._watchdog = plan, words, queue, watchdog
        super().__init__(node_signature(plan, words, watchdog=watchdog))

    @property
    def _bits(self) -> int:
        """Of a word, with a bit that says whether it is the node's own."""
        return sum(self._words.inside.values()) + 1

    def elaborate(self, platform: object) -> Module:
        """Wire merges, joins, fork and queue together."""
        m = Module()
        result = self._merged(m)
        if self._plan.root:
            self._forked(m, result)
            return m
        if self._plan.climbs:
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
        """Whether the node sent a word itself, which is for others."""
        if not self._plan.drops:
            return Const(0)
        own = word.source == self.number
        return own if self._words.operations.only_broadcast else own & self._is_for_others(word)

    def _is_for_others(self, word: Any) -> Value:
        """Whether a word's operation keeps it from its sender."""
        wanted = self._words.operations
        numbers = tuple(n for n in wanted.sent if not wanted.listed[n].to_node)
        return is_one_of(getattr(word, "operation", None), numbers, len(wanted.listed))

    def _inputs(self, m: Module) -> list[stream.Interface]:
        """The streams that are merged; at the root, the node's own words are marked."""
        own, results = self._own(m), self._joined(m)
        sources = [getattr(self, f"up_in_{number}") for number in range(self._plan.up)]
        if self._plan.sends:
            sources.insert(0, own)
        result = []
        for place, source in enumerate(sources):
            payload: Value = source.payload
            mark: Value = Const(0)
            if place == 0 and self._plan.sends:
                payload = self._with_number(source.payload)
                # Beyond the root nobody asks.
                if self._plan.root:
                    mark = self._is_for_others(source.payload)
            result.append(self._entering(m, place, source, Cat(payload, mark)))
        for group, source in results:
            word = self._result(group, source.payload)
            result.append(self._entering(m, len(result), source, word))
        return result

    def _entering(self, m: Module, place: int, source: Any, word: Value) -> stream.Interface:
        entering = stream.Signature(self._bits).create(path=(f"input_{place}",))
        m.d.comb += [
            entering.valid.eq(source.valid),
            entering.payload.eq(word),
            source.ready.eq(entering.ready),
        ]
        return entering

    def _with_number(self, word: Any) -> Value:
        """A word of the node itself, with its number."""
        if not self._words.source_numbers:
            return Cat(word)
        if self._words.operations.only_broadcast:
            return Cat(word, self.number)
        fields = {name: getattr(word, name, None) for name in self._words.inject}
        if len(fields) == 1:
            return Cat(word, self.number)
        return Cat(self.number if name == "source" else fields[name] for name in self._words.inside)

    def _own(self, m: Module) -> Any:
        """The words of the node itself that move by themselves; others go to their joins."""
        if self._words.operations.only_broadcast or not self._plan.injects:
            return getattr(self, "inject", None)
        m.submodules.dispatch = dispatch = Dispatch(self._plan, self._words)
        m.d.comb += [
            dispatch.i.valid.eq(self.inject.valid),
            Cat(dispatch.i.payload).eq(Cat(self.inject.payload)),
            self.inject.ready.eq(dispatch.i.ready),
        ]
        if "dropped" in self.signature.members:
            m.d.comb += self.dropped.eq(dispatch.dropped)
        return getattr(dispatch, "sent", None)

    def _joined(self, m: Module) -> list[tuple[int, Any]]:
        """Join the words of each group; at the root the results, with their groups."""
        results, alarms, late = [], [], []
        for plan in self._plan.joins:
            last, parts = self._join_group(m, plan)
            late += [part.late for part in parts if self._watchdog]
            if plan.group in compared_groups(self._plan, self._words):
                alarms.append(Cat(part.mismatch for part in parts).any())
            if self._plan.root:
                results.append((plan.group, last))
            else:
                self._connect(m, last, wiring.flipped(getattr(self, f"join_{plan.group}_out")))
        if alarms:
            m.d.comb += self.mismatch.eq(Cat(*alarms))
        if late:
            m.d.comb += self.late.eq(Cat(*late))
        return results

    def _join_group(self, m: Module, plan: JoinPlan) -> tuple[Any, list[Join]]:
        """What comes out of the joins of a group, and the joins."""
        wanted = self._words.operations
        layout = data.StructLayout(self._words.join(plan.group))
        operators = wanted.operators_in(plan.group)
        to_node = [wanted.listed[number].to_node for number in wanted.joined_in(plan.group)]
        streams = [self._arriving(m, plan, number, layout) for number in range(plan.up)]
        if plan.own:
            streams.insert(0, self._waiting(m, plan, layout))
        parts = []
        for number, planned in enumerate(plan.joins):
            join = Join(
                layout,
                operators=operators,
                to_node=to_node,
                slots=planned.slots,
                latency=planned.latency,
                watchdog=self._watchdog,
            )
            parts.append(join)
            m.submodules[f"join_{plan.group}_{number}"] = join
            for side, source in ((join.first, planned.first), (join.second, planned.second)):
                self._connect(m, streams[source], side)
            streams.append(join.o)
        return streams[-1], parts

    def _arriving(self, m: Module, plan: JoinPlan, number: int, layout: data.StructLayout) -> Any:
        """The words of a child for a group, as they are stored when they come."""
        m.submodules[f"arriving_{plan.group}_{number}"] = buffer = TwoSlots(layout)
        self._connect(m, getattr(self, f"join_{plan.group}_in_{number}"), buffer.i)
        return buffer.o

    def _waiting(self, m: Module, plan: JoinPlan, layout: data.StructLayout) -> Any:
        """The node's own words for a group, after they have waited here for others."""
        given = getattr(m.submodules.dispatch, f"join_{plan.group}")
        if not plan.waiting:
            return given
        name = f"waiting_{plan.group}"
        if plan.waiting > 1:
            # Words of barriers can have no bits at all, which a memory must have.
            bits = max(1, layout.size)
            m.submodules[name], enter, leave = build_queue(bits, plan.waiting)
            self._connect_word(m, given, enter)
            return leave
        m.submodules[name] = register = OneSlot(layout)
        self._connect(m, given, register.i)
        return register.o

    def _result(self, group: int, word: Any) -> Value:
        """What comes down of the joined words of a group."""
        wanted = self._words.operations
        numbers = wanted.joined_in(group)
        operation: Value = Const(numbers[0], wanted.bits)
        for choice, number in enumerate(numbers[1:], 1):
            operation = Mux(word.choice == choice, number, operation)
        fields = {"operation": operation, "source": Const(0)}
        parts = []
        for name, bits in self._words.inside.items():
            value = fields[name] if name in fields else getattr(word, name, Const(0))
            parts.append((value | Const(0, bits))[:bits])
        return Cat(*parts, Const(0, 1))

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
        wanted = self._words.operations
        m.submodules.fork = fork = Fork(
            self._bits, outputs=self._plan.down + 1, routed=wanted.routed
        )
        self._connect(m, source, fork.i)
        own = source.payload[-1] if self._plan.drops else Const(0)
        m.d.comb += fork.skip.eq(self._skipped(source.payload, own) if wanted.routed else own)
        for number in range(self._plan.down):
            output = getattr(fork, f"o_{number}")
            self._connect_word(m, output, wiring.flipped(getattr(self, f"down_out_{number}")))
        last, eject = getattr(fork, f"o_{self._plan.down}"), wiring.flipped(self.eject)
        if not self._queue:
            self._connect_word(m, last, eject)
            return
        bits = sum(self._words.eject.values())
        m.submodules.queue, enter, leave = build_queue(bits, self._queue)
        self._connect_word(m, last, enter)
        self._connect_word(m, leave, eject)

    def _skipped(self, payload: Value, own: Value) -> Value:
        """For each output whether a word is not for it."""
        wanted = self._words.operations
        word = data.View(data.StructLayout(self._words.inside), payload[:-1])
        operation, count = getattr(word, "operation", None), len(wanted.listed)
        to_node = tuple(n for n in range(count) if wanted.listed[n].to_node)
        named = is_one_of(operation, to_node, count)
        # Whether it is for a node behind the outputs before this one.
        beyond = [Const(1)]
        if wanted.names_nodes:
            beyond += [word.node >= getattr(self, f"first_{n}") for n in range(self._plan.down)]
        skipped = []
        for output in range(self._plan.down + 1):
            skip: Value = Const(0)
            if wanted.names_nodes:
                # The node itself has the lowest number of all that it leads to.
                low = 0 if output == self._plan.down else output + 1
                ends = beyond[low + 1 : low + 2]
                mine = beyond[low] & ~ends[0] if ends else beyond[low]
                skip = skip | (named & ~mine)
            for place, group in enumerate(wanted.routed_groups):
                numbers = tuple(
                    n
                    for n in range(count)
                    if not wanted.listed[n].to_node and wanted.group_of(n) == group
                )
                reached = getattr(self, f"groups_{output}")[place]
                skip = skip | (is_one_of(operation, numbers, count) & ~reached)
            skipped.append(skip)
        skipped[-1] = skipped[-1] | own
        return Cat(*skipped)

    def _connect(self, m: Module, source: Any, target: Any) -> None:
        m.d.comb += [
            target.valid.eq(source.valid),
            target.payload.eq(source.payload),
            source.ready.eq(target.ready),
        ]

    def _connect_word(self, m: Module, source: Any, target: Any) -> None:
        """Without what the target has no bits for, such as whether it is the node's own."""
        bits = Shape.cast(target.payload.shape()).width
        m.d.comb += [
            target.valid.eq(source.valid),
            Cat(target.payload).eq(Cat(source.payload)[:bits]),
            source.ready.eq(target.ready),
        ]
