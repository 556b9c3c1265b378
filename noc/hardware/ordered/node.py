"""A node of the ordered fabric: merges and joins on the way up, a fork on the way down."""

from typing import Any

from amaranth.hdl import Cat, Const, Instance, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.ordered.dispatch import Dispatch, may_be_wrong
from noc.hardware.ordered.operators import Combiner, headers_differ
from noc.hardware.ordered.words import (
    ALARM,
    WithParity,
    fields_of,
    forward,
    is_one_of,
    word_shape,
)
from noc.programs.config import Sinks
from noc.programs.joins import JoinPlan
from noc.programs.ordered import NodePlan
from noc.programs.word_format import WordFormat
from noc.streams import (
    BUFFERS,
    Announce,
    Arrive,
    Fork,
    Guard,
    Join,
    Merge,
    OneSlot,
    Postpone,
    Queue,
    Register,
    StandIn,
    TwoSlots,
    Valve,
    stream_of,
)

#: A wire: while it has a word, which has no fields, the root is to stop.
STOP = stream.Signature(data.StructLayout({}), always_ready=True)

#: What says that copies of a register differ: it is put in where they are made (``noc.emit``).
DIFFER = "noc_differ"

#: What finds the parity of some bits, put in likewise.
PARITY = "noc_parity"

#: So many bits have a parity after two tables of four inputs; of more it is put together.
_PART = 16


def compared_groups(plan: NodePlan, words: WordFormat) -> list[int]:
    """The groups for which headers are compared at a node."""
    return [p.group for p in plan.joins if p.joins and words.header(p.group)]


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
        Words that can wait for the node's sink; 0 for none. One that stops the root does so while
        it holds so many, and has room for those that still come.
    stand_ins : bool
        Whether an input says for which of its groups void words are given in place of its own.
    watchdog : int
        Cycles after which a word that still waits at a join raises ``late``; 0 for no watchdog.
    sinks : "stalling", "always-ready" or "queued"
        Whether sinks may stall. If all take every word at once, or their queues stop the root, no
        word waits on its way down, and its streams have no ``ready``.
    sink_timeout : int
        Cycles after which a sink that takes no word is given none any more; 0 for never.
    lookahead : bool
        Whether streams on the way up announce their words, where none waits on its way down.
    detects : bool
        Whether it tells of registers that flip: words have a parity then, and other registers get
        their second copies where the Verilog is made.

    Members
    -------
    inject : In(stream.Signature(word_shape(words.inject)))
        Words of the node itself, if it may send.
    away : In(groups)
        With stand-ins, a bit for each group that the node is in and whose words are joined: while
        it is 1, void words are given there for it.
    number : In(words.number_bits)
        Its own number, a constant, if it may send and words carry numbers.
    number_parity : In(words.inside["parity"])
        Beside it, if it detects, a constant: the parity of a word that is 0 but for that number.
    up_in : In(stream.Signature(word_shape(words.inside))).array(plan.up)
        Words that come up from each child; with look-ahead ``Announced``.
    up_out : Out(stream.Signature(word_shape(words.inside)))
        Words that go up to the parent; likewise.
    join_G_in, join_G_out : In(…).array, Out(stream.Signature(data.StructLayout(words.join(G))))
        Likewise words of group G that are joined.
    down_in : In(stream.Signature(word_shape(words.inside)))
        Words that come down from the parent.
    down_out : Out(stream.Signature(word_shape(words.inside))).array(plan.down)
        Words that go down to each child.
    eject : Out(stream.Signature(word_shape(words.eject)))
        Words for the node.
    stop_in, stop_out : In(STOP).array(plan.stop_inputs), Out(STOP)
        With queued sinks: while ``valid``, the root is to take no word.
    groups : In(groups).array(plan.down + 1)
        Constants: for each group to which words come down whether an output of the fork leads to
        any of its nodes; the last output leads to the node itself.
    first : In(words.number_bits).array(plan.down)
        Constants: the number of each child, the lowest to which that output leads.
    dropped : Out(1)
        In the cycle in which a word of the node is dropped, because no operation takes it.
    mismatch : Out(groups)
        For each group while words with different headers are to be joined.
    late : Out(2 * joins)
        For both streams of each join, by group, whether its word is still missing.
    absent : Out(2)
        With a time-out, whether the sink is given no words, and whether one is lost.
    corrupt : Out(2)
        If it detects, whether a bit of a word was wrong, and whether copies of a register differed.
    """

    def __init__(
        self,
        plan: NodePlan,
        words: WordFormat,
        *,
        queue: int = 0,
        stand_ins: bool = False,
        watchdog: int = 0,
        sinks: Sinks = "stalling",
        sink_timeout: int = 0,
        lookahead: bool = False,
        detects: bool = False,
    ) -> None:
        if plan.drops and not words.source_numbers:
            raise ValueError("words must have source numbers where a node drops its own words")
        if (plan.depth > queue > 0) != (sinks == "queued") or (plan.depth and sinks != "queued"):
            raise ValueError("a plan has a depth, above its queue, if and only if sinks are queued")
        if queue and sinks == "always-ready":
            raise ValueError("a sink that is always ready needs no queue")
        if sink_timeout and sinks == "always-ready":
            raise ValueError("a sink that is always ready needs no time-out")
        if lookahead and sinks == "stalling":
            raise ValueError("look-ahead is for sinks for which no word waits on its way down")
        if detects != words.parity:
            raise ValueError("words have a parity where nodes detect, and only there")
        self._plan, self._words, self._queue, self._watchdog = plan, words, queue, watchdog
        self._sinks, self._falls_freely = sinks, sinks != "stalling"
        self._sink_timeout, self._detects = sink_timeout, detects
        self._stands_in = [p.group for p in plan.joins if p.own and stand_ins]
        self._lookahead = lookahead
        # Within a node, a word also says whether the node sent it and does not want it back.
        marked = {**words.inside, "own": 1}
        self._layout = self._rising = data.StructLayout(marked)
        if detects:
            self._layout = WithParity(marked if plan.drops else words.inside)
            # Each bit must be looked at: on the way up nobody asks for that one.
            self._rising = self._layout if plan.root else WithParity(words.inside)
        super().__init__(self._streams() | self._constants() | self._alarms())

    def _streams(self) -> dict[str, Any]:
        plan, words = self._plan, self._words
        shape = word_shape(words.inside)
        falling = stream.Signature(shape, always_ready=self._falls_freely)
        ejected = stream.Signature(
            word_shape(words.eject), always_ready=self._sinks == "always-ready"
        )
        members: dict[str, Any] = {}
        if plan.injects:
            members["inject"] = In(stream.Signature(word_shape(words.inject)))
        if self._stands_in:
            members["away"] = In(len(self._stands_in))
        rising = stream_of(shape, announced=self._lookahead)
        members["up_in"] = In(rising).array(plan.up)
        if plan.climbs:
            members["up_out"] = Out(rising)
        for joins in plan.joins:
            operand = stream.Signature(data.StructLayout(words.join(joins.group)))
            members[f"join_{joins.group}_in"] = In(operand).array(joins.up)
            if not plan.root:
                members[f"join_{joins.group}_out"] = Out(operand)
        if self._sinks == "queued":
            members["stop_in"] = In(STOP).array(plan.stop_inputs)
            members |= {} if plan.root else {"stop_out": Out(STOP)}
        if not plan.root:
            members["down_in"] = In(falling)
        return members | {"down_out": Out(falling).array(plan.down), "eject": Out(ejected)}

    def _constants(self) -> dict[str, Any]:
        plan, words = self._plan, self._words
        members: dict[str, Any] = {}
        if plan.sends and words.source_numbers:
            members["number"] = In(words.number_bits)
            if self._detects:
                members["number_parity"] = In(words.inside["parity"])
        if groups := len(words.operations.routed_groups):
            members["groups"] = In(groups).array(plan.down + 1)
        if words.operations.names_nodes:
            members["first"] = In(words.number_bits).array(plan.down)
        return members

    def _alarms(self) -> dict[str, Any]:
        plan, words = self._plan, self._words
        members: dict[str, Any] = {}
        if plan.injects and may_be_wrong(plan, words):
            members["dropped"] = Out(1)
        if compared := compared_groups(plan, words):
            members["mismatch"] = Out(len(compared))
        joins = sum(len(joins.joins) for joins in plan.joins)
        if self._watchdog and joins:
            members["late"] = Out(2 * joins)
        if self._sink_timeout:
            members["absent"] = Out(2)
        if self._detects:
            members["corrupt"] = Out(2)
        return members

    def elaborate(self, platform: object) -> Module:
        """Wire merges, joins, fork and queue together."""
        m = Module()
        own = self._own(m)
        word = self._merged(m, own, self._joined(m, own))
        if self._plan.climbs:
            forward(m, word, self.up_out)
        if not self._plan.root:
            slots = BUFFERS[self._plan.down_slots]
            buffer = (Register if self._falls_freely else slots)(self._layout)
            m.submodules.down = buffer
            mark = self._is_own(self.down_in.payload)
            marked = {"own": mark} | self._marked(self.down_in.payload, mark)
            forward(m, self.down_in, buffer.i, **marked)
            word = buffer.o
        self._forked(m, word)
        return m

    def _own(self, m: Module) -> dict[str, Any]:
        """The streams of the node's own words: ``sent``, and ``join_G`` of each of its groups."""
        plan = self._plan
        if not plan.injects:
            return {}
        if "dropped" not in self.signature.members and not any(p.own for p in plan.joins):
            return {"sent": self.inject}
        m.submodules.dispatch = dispatch = Dispatch(plan, self._words)
        wiring.connect(m, wiring.flipped(self.inject), dispatch.i)
        if "dropped" in self.signature.members:
            m.d.comb += self.dropped.eq(dispatch.dropped)
        return dispatch.outputs

    def _joined(self, m: Module, own: dict[str, Any]) -> list[tuple[int, Any]]:
        """Join the words of each group; at the root the results, with their groups."""
        results, alarms, late = [], [], []
        for plan in self._plan.joins:
            last, parts = self._join_group(m, plan, own.get(f"join_{plan.group}"))
            late += [part.late for part in parts if self._watchdog]
            if plan.group in compared_groups(self._plan, self._words):
                alarms.append(Cat(part.mismatch for part in parts).any())
            if self._plan.root:
                results.append((plan.group, self._without_void(m, last)))
            else:
                forward(m, last, getattr(self, f"join_{plan.group}_out"))
        if alarms:
            m.d.comb += self.mismatch.eq(Cat(*alarms))
        if late:
            m.d.comb += self.late.eq(Cat(*late))
        return results

    def _join_group(self, m: Module, plan: JoinPlan, own: Any) -> tuple[Any, list[Join]]:
        """What comes out of the joins of a group, and the joins."""
        group, operations = plan.group, self._words.operations
        layout = data.StructLayout(self._words.join(group))
        operators = operations.operators_in(group)
        to_node = [operations.listed[number].to_node for number in operations.joined_in(group)]
        if group in self._stands_in:
            own = self._stood_in(m, group, layout, own)
        streams = [self._waiting(m, plan, layout, own)] if plan.own else []
        for number, operand in enumerate(getattr(self, f"join_{group}_in")):
            m.submodules[f"arriving_{group}_{number}"] = buffer = TwoSlots(layout)
            wiring.connect(m, wiring.flipped(operand), buffer.i)
            streams.append(buffer.o)
        parts = []
        for number, planned in enumerate(plan.joins):
            m.submodules[f"join_{group}_{number}"] = join = Join(
                layout,
                combine=Combiner(layout, operators, latency=planned.latency),
                differ=(lambda one, other: headers_differ(one, other, to_node))
                if group in compared_groups(self._plan, self._words)
                else None,
                slots=planned.slots,
                latency=planned.latency,
                watchdog=self._watchdog,
            )
            wiring.connect(m, streams[planned.first], join.first)
            wiring.connect(m, streams[planned.second], join.second)
            parts.append(join)
            streams.append(join.o)
        return streams[-1], parts

    def _without_void(self, m: Module, results: Any) -> Any:
        """The results of a group; those of void words alone are lost."""
        if not self._words.voids:
            return results
        void = results.payload.void
        kept = stream.Signature(results.payload.shape()).create()
        m.d.comb += [
            kept.valid.eq(results.valid & ~void),
            kept.payload.eq(results.payload),
            results.ready.eq(kept.ready | void),
        ]
        return kept

    def _stood_in(self, m: Module, group: int, layout: data.StructLayout, own: Any) -> Any:
        """The node's own words for a group, or void words while it is away."""
        stand_in = StandIn(layout, word=layout.const({"void": 1}))
        m.submodules[f"stand_in_{group}"] = stand_in
        wiring.connect(m, own, stand_in.i)
        m.d.comb += stand_in.away.eq(self.away[self._stands_in.index(group)])
        return stand_in.o

    def _waiting(self, m: Module, plan: JoinPlan, layout: data.StructLayout, own: Any) -> Any:
        """The node's own words for a group, after they have waited here for others."""
        if not plan.waiting:
            return own
        many = plan.waiting > 1
        buffer: Any = Queue(layout, depth=plan.waiting) if many else OneSlot(layout)
        m.submodules[f"waiting_{plan.group}"] = buffer
        wiring.connect(m, own, buffer.i)
        return buffer.o

    def _merged(self, m: Module, own: dict[str, Any], results: list[tuple[int, Any]]) -> Any:
        """What goes on from the inputs, if there are any."""
        streams = self._inputs(m, own, results)
        if not streams:
            return None
        # Where words turn round, and never wait from there on, the last merge has no buffer.
        turns_round = self._falls_freely and self._plan.root
        last = len(self._plan.merges) - 1 if turns_round else None
        late = self._plan.last_merges if self._plan.turn_slots else ()
        for number, plan in enumerate(self._plan.merges):
            slots = 0 if number == last else plan.slots
            cycles = self._lookahead + (number in late)
            merge = Merge(self._rising, weights=plan.weights, slots=slots, announced=cycles)
            m.submodules[f"merge_{number}"] = merge
            for place, end in ((plan.first, merge.first), (plan.second, merge.second)):
                self._connect(m, streams[place], end, f"postpone_{place}")
            streams.append(merge.o)
        if turns_round or self._plan.stored:
            m.submodules.up = buffer = self._last_buffer(turns_round=turns_round)
            self._connect(m, streams[-1], buffer.i, "postpone")
            return buffer.o
        return streams[-1]

    def _connect(self, m: Module, source: Any, target: Any, name: str) -> None:
        """Connect streams on the way up, with a register of this name if payloads come late."""
        if self._plan.turn_slots and target.signature.flip() != source.signature:
            m.submodules[name] = postpone = Postpone(self._rising)
            wiring.connect(m, source, postpone.i)
            source = postpone.o
        wiring.connect(m, source, target)

    def _last_buffer(self, *, turns_round: bool) -> Any:
        """What words from below pass last: on their way up, or before they come down."""
        if not turns_round:
            return TwoSlots(self._rising, announced=self._lookahead)
        stops = self._plan.depth > 0
        if self._lookahead:
            return Arrive(self._rising, cycles=1 + self._plan.turn_slots, stops=stops)
        return (Valve if stops else Register)(self._rising)

    def _inputs(self, m: Module, own: dict[str, Any], results: list[tuple[int, Any]]) -> list[Any]:
        """The streams that are merged; at the root, the node's own words are marked."""
        sources: list[tuple[Any, dict[str, Any]]] = []
        if self._plan.sends:
            word = own["sent"].payload
            # Beyond the root no node compares numbers.
            fields: dict[str, Any] = {"own": self._is_for_others(word) if self._plan.root else 0}
            numbered = {"source": self.number} if self._words.source_numbers else {}
            sources.append((own["sent"], self._with_parity(m, word, fields | numbered)))
        sources += [(child, {"own": 0}) for child in self.up_in]
        for group, source in results:
            made = self._result(group, source.payload)
            sources.append((source, self._with_parity(m, source.payload, made)))
        # Of children words come announced already.
        children = range(self._plan.sends, self._plan.sends + self._plan.up)
        inputs: list[Any] = []
        for number, (source, fields) in enumerate(sources):
            announced = self._lookahead and number in children
            signature: Any = stream_of(self._rising, announced=announced)
            entering = signature.create(path=(f"input_{number}",))
            forward(m, source, entering, **fields)
            if self._lookahead and not announced:
                m.submodules[f"announce_{number}"] = announce = Announce(self._rising)
                wiring.connect(m, entering, announce.i)
                entering = announce.o
            inputs.append(entering)
        return inputs

    def _with_parity(self, m: Module, word: Any, others: dict[str, Any]) -> dict[str, Any]:
        """The fields that a word gets here, with the parity that all of its fields have then."""
        if not self._detects:
            return others
        # Fields that are no signals are 0, and change no parity.
        known = {n: f for n, f in (fields_of(word) | others).items() if isinstance(f, Value)}
        numbered = known.pop("source", None) is not None
        parts = self._parts({n: f for n, f in known.items() if n in self._rising.members})
        for place, part in enumerate(self._words.parity_parts):
            if numbered and "source" in part:
                parts[place] = Cat(parts[place], self.number_parity[place])
        return others | {"parity": Cat(self._odd(m, part).xor() for part in parts)}

    def _parts(self, fields: dict[str, Any]) -> list[Value]:
        """Bits of some fields that have a parity each; the mark of own words is in the last."""
        parts = [
            [fields[name][bits.start : bits.stop] for name, bits in part.items() if name in fields]
            for part in self._words.parity_parts
        ]
        if "own" in fields:
            parts[-1].append(fields["own"])
        return [Cat(part) for part in parts]

    def _odd(self, m: Module, bits: Value) -> Signal:
        """For parts of some bits whether they are odd, found in gates mapped apart from others."""
        parts = [bits[first : first + _PART] for first in range(0, len(bits), _PART)]
        odd = Signal(len(parts))
        for number, part in enumerate(parts):
            m.submodules += Instance(PARITY, p_WIDTH=len(part), i_d=part, o_odd=odd[number])
        return odd

    def _marked(self, word: Any, own: Value) -> dict[str, Any]:
        """The parity of a word with the mark that it is the node's own, or from there without."""
        if not self._detects:
            return {}
        return {"parity": word.parity ^ Cat(Const(0, len(word.parity) - 1), own)}

    def _result(self, group: int, word: Any) -> dict[str, Any]:
        """What comes down of the joined words of a group has beside their own fields."""
        numbers = self._words.operations.joined_in(group)
        operation: Value = Const(numbers[0], self._words.operations.bits)
        for choice, number in enumerate(numbers[1:], 1):
            operation = Mux(word.choice == choice, number, operation)
        absent = self._layout.members.keys() - fields_of(word).keys()
        return dict.fromkeys(absent, 0) | {"operation": operation}

    def _is_own(self, word: Any) -> Value:
        """Whether the node sent a word itself, which is for others."""
        if not self._plan.drops:
            return Const(0)
        own: Value = word.source == self.number
        return own & self._is_for_others(word)

    def _is_for_others(self, word: Any) -> Value:
        """Whether a word's operation keeps it from its sender."""
        operations = self._words.operations
        numbers = tuple(n for n in operations.sent if not operations.listed[n].to_node)
        return is_one_of(fields_of(word).get("operation"), numbers, len(operations.listed))

    def _forked(self, m: Module, source: Any) -> None:
        """Give a word to the children and to the node's sink, if it is not its own."""
        m.submodules.fork = fork = Fork(
            self._layout, outputs=self._plan.down + 1, always_ready=self._falls_freely
        )
        wiring.connect(m, source, fork.i)
        outputs: Any = fork.o
        own = source.payload.own if self._plan.drops else Const(0)
        if self._detects:
            self._tell(m, source)
        m.d.comb += fork.skip.eq(
            Cat(self._skipped(output, source.payload) for output in range(len(outputs)))
        )
        for inner, outer in zip(outputs, self.down_out, strict=False):
            forward(m, inner, outer, **self._marked(inner.payload, own))
        last = outputs[-1]
        if self._queue:
            shape = word_shape(self._words.eject)
            stops = self._plan.depth > 0
            depth = self._plan.depth if stops else self._queue
            m.submodules.queue = queue = Queue(shape, depth=depth, always_ready=stops)
            forward(m, last, queue.i)
            last = queue.o
        if self._sink_timeout:
            m.submodules.guard = guard = Guard(
                word_shape(self._words.eject), cycles=self._sink_timeout
            )
            forward(m, last, guard.i)
            m.d.comb += self.absent.eq(guard.absent)
            last = guard.o
        forward(m, last, self.eject)
        if self._plan.depth:
            self._stop(m, queue.level >= self._queue)

    def _tell(self, m: Module, source: Any) -> None:
        """Raise the alarm two cycles after a wrong word waits here, and one after copies differ.

        All words that the node passes on or gets come by there, in every cycle in which they could
        leave. Registers of the alarm itself have no copies: it rises if they flip.
        """
        alarm = {ALARM: 1}
        differ, told = Signal(), Signal(2, attrs=alarm)
        m.submodules.differ = Instance(DIFFER, o_differ=differ)
        wrong: Value = Const(0)
        if self._looks:
            word = fields_of(source.payload)
            bits = [Cat(*both) for both in zip(self._parts(word), word["parity"], strict=True)]
            parts = [self._odd(m, part) for part in bits]
            odd = [Signal(len(part), name=f"odd_{n}", attrs=alarm) for n, part in enumerate(parts)]
            there = Signal(attrs=alarm)
            m.d.sync += [Cat(odd).eq(Cat(parts)), there.eq(source.valid)]
            wrong = there & Cat(part.xor() for part in odd).any()
        m.d.comb += self.corrupt.eq(told)
        m.d.sync += told.eq(Cat(wrong, differ))

    @property
    def _looks(self) -> bool:
        """Whether it looks at the parity of words; where none waits, those they all go on to do."""
        return not self._falls_freely or not self._plan.down or self._words.operations.routed

    def _stop(self, m: Module, full: Value) -> None:
        """Stop the root a cycle later, or tell the parent, while any queue from here on is full."""
        stop = Signal()
        m.d.sync += stop.eq(full | Cat(child.valid for child in self.stop_in).any())
        if self._plan.root:
            m.d.comb += m.submodules.up.stop.eq(stop)
        else:
            m.d.comb += self.stop_out.valid.eq(stop)

    def _skipped(self, output: int, word: Any) -> Value:
        """Whether an output of the fork leads to no node that a word is for."""
        operations = self._words.operations
        operation, count = fields_of(word).get("operation"), len(operations.listed)
        reasons = []
        if operations.names_nodes:
            to_node = tuple(n for n in range(count) if operations.listed[n].to_node)
            reasons.append(is_one_of(operation, to_node, count) & ~self._leads_to(output, word))
        for index, group in enumerate(operations.routed_groups):
            numbers = tuple(
                n
                for n in range(count)
                if not operations.listed[n].to_node and operations.group_of(n) == group
            )
            reached = self.groups[output][index]
            reasons.append(is_one_of(operation, numbers, count) & ~reached)
        if self._plan.drops and output == self._plan.down:
            reasons.append(word.own)
        return Cat(*reasons).any() if reasons else Const(0, 1)

    def _leads_to(self, output: int, word: Any) -> Value:
        """Whether an output of the fork leads to the node that a word names."""
        # The node itself has the lowest number of all that it leads to.
        place = 0 if output == self._plan.down else output + 1
        at_least = [Const(1), *(word.node >= number for number in self.first)]
        behind = at_least[place + 1 : place + 2]
        leads: Value = at_least[place]
        return leads & ~behind[0] if behind else leads
