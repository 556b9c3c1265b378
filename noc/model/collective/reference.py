"""Networks with operations as ``docs/collectives.md`` describes them: slow, and plain to read."""

from dataclasses import replace

from noc.model.collective.operators import combine
from noc.model.collective.parts import DROPPED, SENT, Dispatch, Join, Rewrite, Stages
from noc.model.collective.streams import (
    collective_streams,
    fields_of,
    operations_of,
    word_format,
)
from noc.model.collective.traffic import CollectiveTraffic
from noc.model.collective.words import Word, cut, pack
from noc.model.ordered.parts import Buffer, Part, Source, Stream
from noc.model.ordered.reference import OrderedParts
from noc.model.ordered.streams import OrderedStream
from noc.programs.joins import JoinPlan
from noc.programs.ordered import OrderedProgram

__all__ = ["CollectiveFabric"]


class CollectiveFabric(OrderedParts):
    """All nodes and links of a program with operations, with sources and sinks.

    Parameters
    ----------
    program : OrderedProgram
        What is built.
    width : int
        Bits of a word's data.
    traffic : CollectiveTraffic
        Words and sinks.
    """

    def __init__(self, program: OrderedProgram, width: int, traffic: CollectiveTraffic) -> None:
        self.program, self.width, self.traffic = program, width, traffic
        self.operations, self.format = operations_of(program), word_format(program, width)
        self._streams = collective_streams(program)
        self._fields = {stream: fields_of(stream, self.format) for stream in self._streams}
        self._dispatch: dict[int, Dispatch] = {}
        #: Where each join tells of a mismatch, its place there, and the join.
        self._joins: list[tuple[OrderedStream, int, Join]] = []
        self._words: dict[int, list[tuple[int, Word]]] = {}
        for word, source in enumerate(traffic.source.tolist()):
            given = (int(traffic.release[word]), traffic.word(word))
            self._words.setdefault(source, []).append(given)
        #: For each node those of its subtree of the out-tree, and for each group, by numbers.
        number = program.numbers
        self._below = [{number[node] for node in nodes} for nodes in program.below]
        self._members = [{number[node] for node in nodes} for _, nodes in self.operations.groups]
        super().__init__(program, self._streams, traffic.ready)
        # On their way through an operator words move unseen.
        self.patience += max((p.slots for p in self.parts if isinstance(p, Stages)), default=0)

    def words(self, node: int) -> list[tuple[int, Word]]:
        """The release of each word that a node gives, and the word."""
        return self._words.get(node, [])

    def name(self, stream: OrderedStream, word: Word) -> int:
        """The bits of a word, which stand for it in the list of events."""
        return pack(word, self._fields[stream])

    def bits(self, word: Word) -> int:
        """The bits of a word on its way down."""
        return pack(word, self.format.inside)

    def alarms(self) -> list[tuple[int, int]]:
        """The alarms of this cycle."""
        dropped = {
            OrderedStream("dropped", node)
            for node, dispatch in self._dispatch.items()
            if dispatch.dropped
        }
        # A node tells once of several of its joins.
        mismatch = {named for named, _, join in self._joins if join.mismatch}
        late: dict[OrderedStream, int] = {}
        for named, place, join in self._joins:
            if bits := join.late:
                told = replace(named, kind="late")
                late[told] = late.get(told, 0) | bits << 2 * place
        alarms = dict.fromkeys(dropped | mismatch, 0) | late
        return [(self.number[named], bits) for named, bits in alarms.items()]

    def shown_by(self, stream: Stream) -> tuple[bool, bool]:
        """What one stream shows.

        It depends on the operation whether a node's own stream is ready, so without a word it shows
        nothing; nor with one that is dropped, which never waits.
        """
        word, target = stream.offered(), stream.target
        if isinstance(target, Dispatch) and (word is None or target.way(word) == DROPPED):
            return False, False
        return super().shown_by(stream)

    def keeps(self, node: int, output: int, word: Word) -> bool:
        """Whether a word is kept from an output of a node's fork."""
        children, plan = self.program.down_children[node], self.program.plan_of(node)
        operation, number = self.operations.listed[word.operation], self.program.numbers[node]
        wanted = {word.node}
        if not operation.to_node:
            wanted = self._members[self.operations.group_of(word.operation)]
        if output < len(children):
            return wanted.isdisjoint(self._below[children[output]])
        sent_to_group = not operation.joined and not operation.to_node
        own = plan.drops and sent_to_group and word.source == number
        return own or number not in wanted

    def give(self, node: int) -> Part:
        """The part that offers a node's own words to its merges."""
        number = self.program.numbers[node] if self.program.config.source_numbers else 0
        inside = self.format.inside

        def sign(word: Word) -> Word:
            return cut(replace(word, source=number), inside)

        return self._dispatched(node, SENT, Rewrite(sign))

    def inputs(self, node: int) -> list[Part]:
        """The parts that offer words to a node's merges."""
        results = super().inputs(node)
        if node == self.program.root:
            results += [self._result(group) for group in self.operations.joined_groups]
        return results

    def _dispatched(self, node: int, way: str | int, target: Part) -> Part:
        """A target for the words of a node that go one way."""
        if node not in self._dispatch:
            dispatch = self._dispatch[node] = Dispatch(lambda word: self._way(node, word))
            source = self.add(Source(self.words(node)))
            self.connect(source, self.add(dispatch), OrderedStream("inject", node))
        self._dispatch[node].ways.append(way)
        return self.connect(self._dispatch[node], self.add(target))

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

    def _join(self, group: int, node: int) -> Part:
        """Everything from which a group's words come to the top of a node."""
        place = self.operations.joined_groups.index(group)
        joins = self.program.joins[place]
        plan = joins.plans[node]
        assert plan is not None
        results = [self._give_to_join(node, group)] if plan.own else []
        if plan.waiting:
            results = [self.connect(results[0], self.add(Buffer(plan.waiting)))]
        for child in joins.children[node]:
            named = OrderedStream("join", child, group)
            top = self._join(group, child)
            end = self.link(top, self.program.up_registers[child], named)
            results.append(self.connect(end, self.add(Buffer(2))))
        return self._join_all(node, plan, results)

    def _join_all(self, node: int, plan: JoinPlan, results: list[Part]) -> Part:
        """The joins of a node for a group; the part that offers the result."""
        for place, planned in enumerate(plan.joins):
            join = Join(
                lambda first, second: self._joined(plan.group, first, second),
                lambda first, second: self._match(plan.group, first, second),
                self.program.config.watchdog,
            )
            self._joins.append((OrderedStream("mismatch", node, plan.group), place, join))
            self.add(join)
            self.connect(results[planned.first], join)
            self.connect(results[planned.second], join)
            result: Part = join
            if planned.latency:
                result = self.connect(join, self.add(Stages(planned.latency)))
            if planned.slots:
                result = self.connect(result, self.add(Buffer(planned.slots)))
            results.append(result)
        return results[-1]

    def _joined(self, group: int, first: Word, second: Word) -> Word:
        """The word that a join gives."""
        operators = self.operations.operators_in(group)
        if not operators:
            return first
        data = combine(operators[first.choice], first.data, second.data, self.width)
        return replace(first, data=data)

    def _match(self, group: int, first: Word, second: Word) -> bool:
        """Whether the headers of two words match."""
        operation = self.operations.listed[self.operations.joined_in(group)[first.choice]]
        return (
            first.choice == second.choice
            and first.last == second.last
            and (first.node == second.node or operation.kind != "reduce")
        )

    def _result(self, group: int) -> Part:
        """The part that offers a group's results to the merges of the root."""
        numbers = self.operations.joined_in(group)

        def restore(word: Word) -> Word:
            return replace(word, operation=numbers[word.choice], choice=0)

        return self.connect(self._join(group, self.program.root), self.add(Rewrite(restore)))
