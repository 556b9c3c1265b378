"""The ordered fabric as its documents describe it, part by part: slow, and plain to read."""

from dataclasses import replace
from functools import partial

from readable_parts import (
    DROPPED,
    STOPPED,
    Buffer,
    Dispatch,
    Drain,
    Fork,
    Guard,
    Join,
    Merge,
    Part,
    Queue,
    Rewrite,
    Sink,
    Source,
    Stages,
    StandIn,
    Stop,
    Stream,
    Valve,
    Wire,
)

from noc.model.operators import combine
from noc.model.ordered.state import SENT
from noc.model.ordered.streams import (
    OrderedStream,
    Word,
    cut,
    fields_of,
    ordered_streams,
    pack,
)
from noc.model.ordered.traffic import CollectiveTraffic
from noc.programs.joins import JoinPlan
from noc.programs.ordered import OrderedProgram


class Fabric:
    """All nodes and links of a program, with sources and sinks."""

    def __init__(self, program: OrderedProgram, width: int, traffic: CollectiveTraffic) -> None:
        self.program, self.width, self.traffic = program, width, traffic
        self.operations, self.format = program.operations, program.words(width)
        streams = ordered_streams(program)
        #: The number of each stream at which transfers are events.
        self.number = {stream: number for number, stream in enumerate(streams)}
        self._fields = {stream: fields_of(stream, self.format) for stream in streams}
        self._dispatch: dict[int, Dispatch] = {}
        #: Of each join the stream of its mismatch, its number there, and the join.
        self._joins: list[tuple[OrderedStream, int, Join]] = []
        #: By node the release of each word that it gives, and the word.
        self._words: dict[int, list[tuple[int, Word]]] = {}
        for word, source in enumerate(traffic.source.tolist()):
            given = (int(traffic.release[word]), traffic.word(word))
            self._words.setdefault(source, []).append(given)
        #: For each node those of its subtree of the out-tree, and for each group, by numbers.
        number = program.numbers
        self._below = [{number[node] for node in nodes} for nodes in program.below]
        self._members = [{number[node] for node in nodes} for _, nodes in self.operations.groups]
        self.parts: list[Part] = []
        self.streams: list[Stream] = []
        #: By node the queue of its sink, if it has one.
        self.queues: dict[int, Queue] = {}
        #: By node the guard before its sink, if it has one.
        self.guards: dict[int, Guard] = {}
        top = root = self._up(program.root)
        if program.config.stops:
            top = root = self._connect(root, self._add(Valve()))
        for _ in range(program.plan_of(program.root).turn_slots):
            root = self._connect(root, self._add(Buffer(1)))
        self._down(program.root, root)
        if program.config.stops:
            self._connect(self._stop(program.root), top)
        #: Words pass the root where they enter its fork.
        self.root = root.outputs[0]
        self.cycle = self.quiet = 0
        #: The quiet cycles after which nothing will ever move. On their way through an
        #: operator words move unseen, and so does what stops the root.
        self.patience = max(len(traffic.ready), program.config.watchdog + 1)
        self.patience += program.config.sink_timeout
        self.patience += max((p.slots for p in self.parts if isinstance(p, Stages)), default=0)
        self.patience += sum(isinstance(part, Stop) for part in self.parts)
        #: (cycle, stream, bits of the word), sorted.
        self.events: list[tuple[int, int, int]] = []
        #: (cycle, word) of all that passed the root.
        self.order: list[tuple[int, Word]] = []

    def run(self, cycles: int) -> str:
        """Go on until no part holds a word, or none can move, or to a cycle; which of these."""
        while not self._empty():
            if self.cycle >= cycles:
                return "limit"
            if self.quiet >= self.patience and not self._expects():
                return "starved"
            self.step()
        return "drained"

    def step(self) -> None:
        """One cycle: first every stream finds out what moves, then every part changes."""
        for stream in self.streams:
            stream.forget()
        for stream in self.streams:
            stream.moved = stream.transfer()
        moving = [s for s in self.streams if s.moved is not None and s.moved != STOPPED]
        moves = [
            (self.number[named], pack(stream.moved, self._fields[named]))
            for stream in moving
            for named in stream.named
        ]
        self.events += sorted((self.cycle, *move) for move in [*moves, *self._alarms()])
        if self.root.moved is not None:
            self.order.append((self.cycle, self.root.moved))
        for part in self.parts:
            part.step()
        self.quiet = 0 if moving else self.quiet + 1
        self.cycle += 1

    def shown(self) -> dict[int, tuple[bool, bool]]:
        """By number what each stream shows in this cycle: ``valid``, and whether it is ready."""
        for stream in self.streams:
            stream.forget()
        return {
            self.number[named]: self.shown_by(stream)
            for stream in self.streams
            for named in stream.named
        }

    def shown_by(self, stream: Stream) -> tuple[bool, bool]:
        """What one stream shows.

        Where it depends on the word whether a node's own stream is ready, it shows nothing without
        one; nor with one that is dropped, which never waits.
        """
        word, target = stream.offered(), stream.target
        if isinstance(target, Dispatch) and word is None:
            return False, target.certain and target.outputs[0].ready()
        if isinstance(target, Dispatch) and target.way(word) == DROPPED:
            return False, False
        return word is not None, stream.ready()

    def _empty(self) -> bool:
        """Whether no part holds a word, nor will get one."""
        return not any(
            part.left if isinstance(part, Source) else part.words
            for part in self.parts
            if isinstance(part, Source | Buffer | Guard | StandIn)
        )

    def _expects(self) -> bool:
        """Whether a source will offer a word in this cycle, or later, that it did not before."""
        sources = (part for part in self.parts if isinstance(part, Source))
        return any(source.left and source.left[0][0] >= self.cycle for source in sources)

    def _add(self, part: Part) -> Part:
        """A new part."""
        self.parts.append(part)
        return part

    def _connect(self, source: Part, target: Part, *named: OrderedStream) -> Part:
        """A stream, whose transfers are events if it is named; gives the target."""
        self.streams.append(Stream(source, target, named))
        return target

    def _link(self, source: Part, registers: int, named: OrderedStream) -> Part:
        """The far end of a link."""
        end = self._connect(source, self._add(Wire()), named)
        for _ in range(registers):
            end = self._connect(end, self._add(Buffer(2)))
        return end

    def _inputs(self, node: int) -> list[Part]:
        """The parts that offer words to a node's merges."""
        results = [self._give(node)] if self.program.plan_of(node).sends else []
        for child in self.program.up_children[node]:
            named = OrderedStream("up", child)
            results.append(self._link(self._up(child), self.program.up_registers[child], named))
        if node == self.program.root:
            results += [self._result(group) for group in self.operations.joined_groups]
        return results

    def _up(self, node: int) -> Part:
        """Everything from which words come to the top of a node; the part that offers them."""
        plan, results = self.program.plan_of(node), self._inputs(node)
        for planned in plan.merges:
            merge = self._add(Merge(planned.weights))
            self._connect(results[planned.first], merge)
            self._connect(results[planned.second], merge)
            # Where the root may be stopped, its last merge leads to the valve instead.
            valve = plan.root and plan.depth and planned is plan.merges[-1]
            behind = [Buffer(planned.slots)] if planned.slots and not valve else []
            results.append(self._connect(merge, self._add(behind[0])) if behind else merge)
        if plan.stored and not (plan.root and plan.depth):
            results.append(self._connect(results[-1], self._add(Buffer(2))))
        return results[-1]

    def _down(self, node: int, source: Part) -> None:
        """A node's fork, and everything to which it sends words."""
        children = self.program.down_children[node]
        fork = self._add(Fork(len(children) + 1, partial(self._keeps, node)))
        fork = self._connect(source, fork)
        for child in children:
            named = OrderedStream("down", child)
            end = self._link(fork, self.program.down_registers[child], named)
            slots = self.program.plan_of(child).down_slots
            self._down(child, self._connect(end, self._add(Buffer(slots))))
        if allowed := self.program.config.queue:
            queue = Queue(self.program.plan_of(node).depth or allowed, allowed)
            self.queues[node] = queue
            fork = self._connect(fork, self._add(queue))
        ready = self.traffic.ready[:, node].tolist()
        if timeout := self.program.config.sink_timeout:
            self.guards[node] = guard = Guard(timeout, comes_back=any(ready))
            fork = self._connect(fork, self._add(guard))
        self._connect(fork, self._add(Sink(ready)), OrderedStream("eject", node))

    def _stop(self, node: int) -> Part:
        """What says at a node that the root is to stop, for all queues from there on."""
        stop = self._connect(self.queues[node], self._add(Stop()))
        for child in self.program.stop_children[node]:
            end = self._stop(child)
            for _ in range(self.program.up_registers[child]):
                end = self._connect(end, self._add(Stop()))
            self._connect(end, stop)
        return stop

    def _alarms(self) -> list[tuple[int, int]]:
        """The alarms of this cycle."""
        alarms = {
            OrderedStream("dropped", node): 0
            for node, dispatch in self._dispatch.items()
            if dispatch.dropped
        }
        # Those of several joins of a node and group are one.
        for named, index, join in self._joins:
            if join.mismatch:
                alarms[named] = 0
            if bits := join.late:
                late = replace(named, kind="late")
                alarms[late] = alarms.get(late, 0) | bits << 2 * index
        for node, guard in self.guards.items():
            if bits := guard.absent:
                alarms[OrderedStream("absent", node)] = bits
        return [(self.number[named], bits) for named, bits in alarms.items()]

    def _keeps(self, node: int, output: int, word: Word) -> bool:
        """Whether a word is kept from an output of a node's fork."""
        children, plan = self.program.down_children[node], self.program.plan_of(node)
        operation, number = self.operations.listed[word.operation], self.program.numbers[node]
        receivers = {word.node}
        if not operation.to_node:
            receivers = self._members[self.operations.group_of(word.operation)]
        if output < len(children):
            return receivers.isdisjoint(self._below[children[output]])
        sent_to_group = not operation.joined and not operation.to_node
        own = plan.drops and sent_to_group and word.source == number
        return own or number not in receivers

    def _give(self, node: int) -> Part:
        """The part that offers a node's own words to its merges."""
        number = self.program.numbers[node] if self.program.config.source_numbers else 0
        inside = self.format.inside

        def sign(word: Word) -> Word:
            return cut(replace(word, source=number), inside)

        return self._dispatched(node, SENT, Rewrite(sign))

    def _dispatched(self, node: int, way: str | int, target: Part) -> Part:
        """A target for the words of a node that go one way."""
        if node not in self._dispatch:
            may_drop = OrderedStream("dropped", node) in self.number
            dispatch = self._dispatch[node] = Dispatch(partial(self._way, node), may_drop=may_drop)
            source = self._add(Source(self._words.get(node, [])))
            self._connect(source, self._add(dispatch), OrderedStream("inject", node))
        self._dispatch[node].ways.append(way)
        return self._connect(self._dispatch[node], self._add(target))

    def _way(self, node: int, word: Word) -> str | int:
        """Where a node's own word goes."""
        if word.operation >= len(self.operations.listed):
            return DROPPED
        operation, plan = self.operations.listed[word.operation], self.program.plan_of(node)
        if operation.to_node and word.node >= self.program.network.nodes:
            return DROPPED
        if not operation.joined:
            return SENT if plan.sends else DROPPED
        group = self.operations.group_of(word.operation)
        return group if node in self.operations.members(group) else DROPPED

    def _give_to_join(self, node: int, group: int) -> Part:
        """The part that offers a node's own words to its joins for a group."""
        numbers, fields = self.operations.joined_in(group), self.format.join(group)

        def choose(word: Word) -> Word:
            return cut(replace(word, choice=numbers.index(word.operation)), fields)

        return self._dispatched(node, group, Rewrite(choose))

    def _stand_in(self, node: int, group: int) -> Part:
        """What gives void words in place of a node's own."""
        away = self.traffic.away
        place = self.program.stand_ins.index((node, group))
        return StandIn(Word(void=1), [False] if away is None else away[:, place].tolist())

    def _join(self, group: int, node: int) -> Part:
        """Everything from which a group's words come to the top of a node."""
        joins = self.program.joins[self.operations.joined_groups.index(group)]
        plan = joins.plans[node]
        assert plan is not None
        results = [self._give_to_join(node, group)] if plan.own else []
        if (node, group) in self.program.stand_ins:
            results = [self._connect(results[0], self._add(self._stand_in(node, group)))]
        if plan.waiting:
            results = [self._connect(results[0], self._add(Buffer(plan.waiting)))]
        for child in joins.children[node]:
            named = OrderedStream("join", child, group)
            top = self._join(group, child)
            end = self._link(top, self.program.up_registers[child], named)
            results.append(self._connect(end, self._add(Buffer(2))))
        return self._join_all(node, plan, results)

    def _join_all(self, node: int, plan: JoinPlan, results: list[Part]) -> Part:
        """The joins of a node for a group; the part that offers the result."""
        joined, match = partial(self._joined, plan.group), partial(self._match, plan.group)
        for index, planned in enumerate(plan.joins):
            join = Join(joined, match, self.program.config.watchdog)
            self._joins.append((OrderedStream("mismatch", node, plan.group), index, join))
            self._add(join)
            self._connect(results[planned.first], join)
            self._connect(results[planned.second], join)
            result: Part = join
            if planned.latency:
                result = self._connect(join, self._add(Stages(planned.latency)))
            if planned.slots:
                result = self._connect(result, self._add(Buffer(planned.slots)))
            results.append(result)
        return results[-1]

    def _joined(self, group: int, first: Word, second: Word) -> Word:
        """The word that a join gives."""
        operators = self.operations.operators_in(group)
        if first.void or second.void:
            return second if first.void else first
        if not operators:
            return first
        data = combine(operators[first.choice], first.data, second.data, self.width)
        return replace(first, data=data)

    def _match(self, group: int, first: Word, second: Word) -> bool:
        """Whether the headers of two words match."""
        operation = self.operations.listed[self.operations.joined_in(group)[first.choice]]
        return bool(first.void or second.void) or (
            first.choice == second.choice
            and first.last == second.last
            and (first.node == second.node or operation.kind != "reduce")
        )

    def _result(self, group: int) -> Part:
        """The part that offers a group's results to the merges of the root."""
        numbers = self.operations.joined_in(group)

        def restore(word: Word) -> Word:
            return replace(word, operation=numbers[word.choice], choice=0)

        return self._connect(self._join(group, self.program.root), self._add(Drain(restore)))
