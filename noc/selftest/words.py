"""Which words the nodes of the self-test give.

The lowest bits of a word that is sent are its name: its source, its operation and, where some such
words are for one node, that node. The bits above, its body, repeat the word's number, each bit
XORed with a bit of the round's seed and of the name. So neighbouring wires carry different words,
every wire both values, and a word with a wrong bit contradicts itself.

Words that are joined have the data of :mod:`noc.selftest.patterns`.
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from amaranth.hdl import Array, Cat, Const, Signal, Value

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.programs.joins import GroupJoins
from noc.programs.operators import OPERATORS
from noc.programs.word_format import WordFormat
from noc.selftest.patterns import (
    PAIRED,
    SEED_BITS,
    TABLE_BITS,
    Patterns,
    result,
    spread,
)

#: Bits of the number of a word that is sent, where the width allows them. Order is checked modulo
#: this, and each node stores as many bits for each source and operation.
_NUMBER_BITS = 4

#: A sink rests on in three of four cycles: for so many hardly ever.
_LEAST_TIMEOUT = 256

#: The most operations that a report has room for.
_MOST_OPERATIONS = 50


class Words(WordFormat):
    """The words of a network in its self-test.

    Nodes have the numbers that words have for them.
    """

    #: Whether all nodes give words at the same times.
    together = False
    #: Whether judges look for what is missing themselves, since nobody counts the words of all.
    apart = False
    #: Bits of the number of a word among those that a node sends for the same ones, at most.
    most_count_bits = _NUMBER_BITS

    def __init__(self, design: AnyDesign) -> None:
        nodes, numbered = design.network.nodes, "source" in design.words.eject
        super().__init__(design.width, nodes, numbered, design.operations)
        asked, self._spec = self.operations, design.network.spec
        self._sink_timeout = design.sink_timeout
        #: The number in words of each node, the nodes that may send, and whether a node gets its
        #: own words too.
        self.numbers, self.sources = design.numbers, design.program.sources
        self.returned: bool = design.own_words
        #: How the words of each group are joined, and the node in which a result is complete.
        self.joins: Sequence[GroupJoins] = design.joins
        self.root: int = design.root
        #: Each operation, in the order of their numbers, and those that the report has lines for:
        #: none where all is broadcast.
        self.listed = asked.listed
        self.reported = () if asked.only_broadcast else asked.listed
        #: Whether all nodes give equally many words, since some are joined.
        self.laps = bool(asked.joined_groups)
        #: The numbers of the operations whose words name the node that they are for, and whether
        #: some of these are sent.
        self.to_node = tuple(n for n, operation in enumerate(self.listed) if operation.to_node)
        self.addressed = any(self.listed[number].to_node for number in asked.sent)
        #: Bits of the name of a word that is sent, its lowest, and of the body above it.
        self.name_bits = self.number_bits * (1 + self.addressed) + asked.bits
        self.body_bits = self.width - self.name_bits
        #: Bits of the number of a word among those that a node sends for the same ones.
        self.count_bits = max(1, min(self.most_count_bits, self.body_bits))
        #: Bits of the operation, and of the node that a result is for.
        self.key_bits = asked.bits + self.number_bits
        #: The data of words that are joined.
        self.patterns = Patterns(self.width, self.key_bits, self.number_bits)
        #: Bits of an operation and, of words that are sent, their source; at least one.
        self.stream_bits = max(1, asked.bits + self.number_bits * bool(asked.sent))

    def check(self) -> "Words":
        """Refuse a width that cannot tell sources apart, and what the report has no room for."""
        if 0 < self._sink_timeout < _LEAST_TIMEOUT:
            raise InputError(
                f"{option('sink_timeout', self._sink_timeout)}: sinks of the self-test rest at "
                f"random; at least {_LEAST_TIMEOUT} cycles are needed"
            )
        count = len(self.listed)
        if count > _MOST_OPERATIONS:
            raise InputError(
                f"{option('operations')}: the self-test reports on {_MOST_OPERATIONS} at most, not "
                f"on {count}"
            )
        what = f"{self.nodes} nodes" + (f" and {count} operations" if count > 1 else "")
        least = self.name_bits + 1 if self.operations.sent else 1
        _check_width(self._spec, self.width, least, what)
        return self

    def of_kind(self, *kinds: str) -> tuple[int, ...]:
        """The numbers of the operations of some kinds."""
        return tuple(n for n, operation in enumerate(self.listed) if operation.kind in kinds)

    def members(self, operation: int) -> tuple[int, ...]:
        """The nodes that an operation concerns."""
        return self.operations.members(self.operations.group_of(operation))

    def counted(self, operation: int) -> tuple[int, ...]:
        """Those of them that are among the nodes whose words are added up."""
        return self.members(operation)

    def givers(self, operation: int) -> tuple[int, ...]:
        """The nodes that give words of an operation."""
        return self.members(operation) if self.listed[operation].joined else self.sources

    def takers(self, operation: int) -> tuple[int, ...]:
        """The nodes that may get words of an operation."""
        to_node = self.listed[operation].to_node
        return tuple(range(self.nodes)) if to_node else self.members(operation)

    def giver_constants(self, node: int) -> list[dict[str, int]]:
        """What the giver of a node knows, by the names of its ports."""
        return [self._constants(node)]

    def judge_constants(self, node: int) -> list[dict[str, int]]:
        """What the judge of a node knows."""
        return [self._constants(node)]

    def _constants(self, node: int) -> dict[str, int]:
        result = {"node": self.numbers[node]}
        for name, nodes in (("gives", self.givers), ("gets", self.takers)):
            result[name] = sum(1 << n for n in range(len(self.listed)) if node in nodes(n))
        for place, group in enumerate(self.operations.joined_groups):
            members = self.operations.members(group)
            result[f"ranks__{place}"] = members.index(node) if node in members else 0
        return result

    def copies(self, operation: int) -> dict[int, int]:
        """For each giver how many words come down for one that it gives.

        Of the words that are joined into one for a node, that of the first member stands for all.
        """
        what, members = self.listed[operation], self.members(operation)
        givers = self.givers(operation)
        if what.joined:
            return {node: int(not what.to_node or node == givers[0]) for node in givers}
        if what.to_node:
            return dict.fromkeys(givers, 1)
        return {node: len(members) - (node in members and not self.returned) for node in givers}

    @property
    def injects(self) -> int:
        """The inject streams of all nodes: one of each."""
        return self.nodes

    @property
    def ejects(self) -> int:
        """The eject streams of all nodes."""
        return self.nodes

    @property
    def most_owed(self) -> int:
        """Words that may come for those which are given in one cycle."""
        most = (max(self.copies(number).values()) for number in range(len(self.listed)))
        return self.nodes * sum(most)

    def owed(self, givers: Sequence[Mapping[str, Any]]) -> dict[int, list[Value]]:
        """The words that were given, by how many come for one."""
        copies = [self.copies(number) for number in range(len(self.listed))]
        result = {}
        for some in sorted({number for each in copies for number in each.values()} - {0}):
            sent = (
                Cat(
                    bit
                    for bit, each in zip(giver["sent"], copies, strict=True)
                    if each.get(node) == some
                )
                for node, giver in enumerate(givers)
            )
            result[some] = [bits.any() for bits in sent]
        return result

    @property
    def words_of_lap(self) -> int:
        """Words that all nodes together give in a lap."""
        return sum(len(self.givers(number)) for number in range(len(self.listed)))

    def body(self, number: Any, seed: Any, name: Any) -> Any:
        """The bits above the name of a word that is sent."""
        count = self.body_bits
        mask = spread(seed, SEED_BITS, count) ^ spread(name, self.name_bits, count)
        return spread(number, self.count_bits, count) ^ mask

    def paired(self, operation: int) -> bool:
        """Whether a second member gives *a* at times."""
        return self.listed[operation].operator == PAIRED and len(self.members(operation)) > 2

    def tabled(self, operation: int) -> bool:
        """Whether a table has the results, since the operator is a user's."""
        name = self.listed[operation].operator
        return bool(name) and OPERATORS[name].model is not None

    def table(self, operation: int) -> list[int]:
        """The result of each choice, by the model of a user's operator."""
        group = self.operations.group_of(operation)
        joins = next(joins for joins in self.joins if joins.group == group)
        model, members = OPERATORS[self.listed[operation].operator].model, self.members(operation)
        assert model is not None

        def result(node: int, choice: int) -> int:
            plan = joins.plans[node]
            assert plan is not None
            data: list[int] = []
            if plan.own:
                data.append(self.patterns.chosen(choice, members.index(node)))
            data += (result(child, choice) for child in joins.children[node])
            for join in plan.joins:
                data.append(model(data[join.first], data[join.second], self.width))
            return data[-1]

        return [result(self.root, choice) for choice in range(1 << TABLE_BITS)]


def check_bits(spec: str, nodes: int, width: int) -> None:
    """Refuse at once a width that cannot distinguish the nodes."""
    _check_width(spec, width, (nodes - 1).bit_length() + 1, f"{nodes} nodes")


def _check_width(spec: str, width: int, least: int, what: str) -> None:
    if width < least:
        raise InputError(
            f"{option('width', width)}: the self-test of {spec} needs at least {least} bits, to "
            f"tell its {what} apart"
        )


def among(value: Any, numbers: tuple[int, ...]) -> Value:
    """Whether a value is one of some numbers."""
    return Cat(value == number for number in numbers).any() if numbers else Const(0)


def held(domain: Any, prefix: str, **values: Value) -> SimpleNamespace:
    """Registers of a domain for some values, or other names for them where it is ``comb``."""
    result = {name: Signal(len(each), name=f"{prefix}_{name}") for name, each in values.items()}
    domain += [result[name].eq(each) for name, each in values.items()]
    return SimpleNamespace(**result)


def expected(words: Words, operation: int, number: Value, seed: Value, key: Value) -> Value:
    """The result of an operation that has this number; its key holds the node that it is for."""
    if words.tabled(operation):
        table = [Const(word, words.width) for word in words.table(operation)]
        row: Value = Array(table)[words.patterns.choice(number, seed, key)]
        return row
    a, b = words.patterns.pair(number, seed, key)
    return result(words.listed[operation].operator, len(words.members(operation)), a, b)
