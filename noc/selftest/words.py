"""Which words the nodes of the self-test give.

The lowest bits of a word that is sent are its name: its source, its operation and, where some such
words are for one node, that node. The bits above, its body, repeat the word's number, each bit
XORed with a bit of the round's seed and of the name. So neighbouring wires carry different words,
every wire both values, and a word with a wrong bit contradicts itself.

Of words that are joined one member of the group gives *a* and the others *b*: the result follows
from the two. To an operator of a user, of which nothing is known, each member gives a word of its
own, one of few, so that a table has the results.

What is computed from bits here takes numbers and signals alike.
"""

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.programs.joins import GroupJoins
from noc.programs.operators import OPERATORS
from noc.programs.word_format import WordFormat

#: Bits of the round's seed.
SEED_BITS = 16

#: Bits of the number of a word that is sent, where the width allows them. Order is checked modulo
#: this, and each node stores as many bits for each source and operation.
_NUMBER_BITS = 4

#: Operators that see each *b* even among others; with them every second is a complement, so that
#: the result needs no multiplication.
ALTERNATING = ("sum", "bxor")

#: The operator with which a second member gives *a* at times, if there are others.
_PAIRED = "bor"

#: Bits of the number of a result among those for its node, and those of which the next is made. The
#: numbers follow each other as in a feedback shift register, with a period of 255: if they counted,
#: a member of a group of 16 would always have the same lowest bits when it gives *a*.
LAP_BITS, _TAPS = 8, (7, 5, 4, 3)

#: Bits that select the words of an operator of a user, and their result in a table.
TABLE_BITS = 4

#: A sink rests on in three of four cycles: for so many hardly ever.
_LEAST_TIMEOUT = 256

#: The most operations that a report has room for.
_MOST_OPERATIONS = 50


def following(number: Any) -> Any:
    """The number of the result after one; the first is 0."""
    fed: Any = 1
    for tap in _TAPS:
        fed = fed ^ number >> tap
    return (number << 1 | fed & 1) & (1 << LAP_BITS) - 1


def spread(value: Any, bits: int, count: int, stride: int = 1, start: int = 0) -> Any:
    """``count`` bits out of the ``bits`` of a value, taken in turn.

    >>> bin(spread(0b011, 3, 8))
    '0b11011011'
    """
    chosen = [(stride * bit + start) % bits for bit in range(count)]
    if isinstance(value, int):
        return sum((value >> bit & 1) << place for place, bit in enumerate(chosen))
    return Cat(value[bit] for bit in chosen)


class Words(WordFormat):
    """The words of a network in its self-test.

    Nodes have the numbers that words have for them.
    """

    def __init__(self, design: AnyDesign) -> None:
        nodes, numbered = design.network.nodes, "source" in design.words.eject
        phase_bits = design.words.phase_bits
        super().__init__(design.width, nodes, numbered, design.operations, phase_bits)
        asked = self.operations
        #: How many eject streams each node has.
        self.lanes = [len(design.lanes(node)) or 1 for node in range(nodes)]
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
        self.count_bits = max(1, min(_NUMBER_BITS, self.body_bits))
        #: Bits of the operation, and of the node that a result is for.
        self.key_bits = asked.bits + self.number_bits
        #: Bits of an operation and, of words that are sent, their source; at least one.
        self.stream_bits = max(1, asked.bits + self.number_bits * bool(asked.sent))

    def of_kind(self, *kinds: str) -> tuple[int, ...]:
        """The numbers of the operations of some kinds."""
        return tuple(n for n, operation in enumerate(self.listed) if operation.kind in kinds)

    def members(self, operation: int) -> tuple[int, ...]:
        """The nodes that an operation concerns."""
        return self.operations.members(self.operations.group_of(operation))

    def givers(self, operation: int) -> tuple[int, ...]:
        """The nodes that give words of an operation."""
        return self.members(operation) if self.listed[operation].joined else self.sources

    def takers(self, operation: int) -> tuple[int, ...]:
        """The nodes that may get words of an operation."""
        to_node = self.listed[operation].to_node
        return tuple(range(self.nodes)) if to_node else self.members(operation)

    def constants(self, node: int) -> dict[str, int]:
        """What the giver and the judge of a node must know of it, by the names of their ports."""
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
    def words_of_lap(self) -> int:
        """Words that all nodes together give in a lap."""
        return sum(len(self.givers(number)) for number in range(len(self.listed)))

    def body(self, number: Any, seed: Any, name: Any) -> Any:
        """The bits above the name of a word that is sent."""
        count = self.body_bits
        mask = spread(seed, SEED_BITS, count) ^ spread(name, self.name_bits, count)
        return spread(number, self.count_bits, count) ^ mask

    def pair(self, number: Any, seed: Any, key: Any) -> tuple[Any, Any]:
        """The words *a* and *b*; the node in the key is 0 where the result is for a group."""
        width, bits = self.width, self.key_bits
        a = spread(number, LAP_BITS, width) ^ spread(seed, SEED_BITS, width)
        # Bits of the seed in an order of which no part is one of the other.
        b = spread(number, LAP_BITS, width, -1, -1) ^ spread(seed, SEED_BITS, width, 5, 3)
        return a ^ spread(key, bits, width), b ^ spread(key, bits, width, start=1)

    def paired(self, operation: int) -> bool:
        """Whether a second member gives *a* at times."""
        return self.listed[operation].operator == _PAIRED and len(self.members(operation)) > 2

    def tabled(self, operation: int) -> bool:
        """Whether a table has the results, since the operator is a user's."""
        name = self.listed[operation].operator
        return bool(name) and OPERATORS[name].model is not None

    def choice(self, number: Any, seed: Any, key: Any) -> Any:
        """What selects the words of an operator of a user, and their result."""
        chosen = spread(number, LAP_BITS, TABLE_BITS) ^ spread(seed, SEED_BITS, TABLE_BITS)
        return chosen ^ spread(key, self.key_bits, TABLE_BITS)

    def chosen(self, choice: Any, rank: Any) -> Any:
        """The word of a member for an operator of a user."""
        bits = max(1, self.number_bits)
        return spread(choice, TABLE_BITS, self.width) ^ spread(rank, bits, self.width)

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
                data.append(self.chosen(choice, members.index(node)))
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


def words_of(design: AnyDesign) -> Words:
    """The words for a design; refuses a width that cannot distinguish sources."""
    if any(design.inject_lanes(node) for node in design.senders):
        raise InputError(
            f"{option('exchange')}: the self-test gives words that are for all nodes; 'noc verify' "
            "looks at others, too"
        )
    if 0 < design.sink_timeout < _LEAST_TIMEOUT:
        asked = option("sink_timeout", design.sink_timeout)
        raise InputError(
            f"{asked}: sinks of the self-test rest at random; at least {_LEAST_TIMEOUT} cycles are "
            "needed"
        )
    words = Words(design)
    count = len(words.listed)
    if count > _MOST_OPERATIONS:
        raise InputError(
            f"{option('operations')}: the self-test reports on {_MOST_OPERATIONS} at most, not on "
            f"{count}"
        )
    what = f"{words.nodes} nodes" + (f" and {count} operations" if count > 1 else "")
    least = words.name_bits + 1 if words.operations.sent else 1
    _check_width(design.network.spec, design.width, least, what)
    return words


def among(value: Any, numbers: tuple[int, ...]) -> Value:
    """Whether a value is one of some numbers."""
    return Cat(value == number for number in numbers).any() if numbers else Const(0)


def held(domain: Any, prefix: str, **values: Value) -> SimpleNamespace:
    """Registers of a domain for some values, or other names for them where it is ``comb``."""
    result = {name: Signal(len(each), name=f"{prefix}_{name}") for name, each in values.items()}
    domain += [result[name].eq(each) for name, each in values.items()]
    return SimpleNamespace(**result)


def _chosen(a: Value, b: Value, *, least: bool, signed: bool = False) -> Value:
    """The least or the greatest of two words, by the borrow of their difference."""
    a_is_less = (a - b)[-1]
    if signed:
        # Of two words with unequal signs the greater number without a sign is the lesser.
        a_is_less = a_is_less ^ a[-1] ^ b[-1]
    return Mux(a_is_less, a, b) if least else Mux(a_is_less, b, a)


#: What becomes of two words. It shares nothing with the joins that are tested, not even the form:
#: what is wrong in one would otherwise be wrong in both, and agree.
_OF_TWO: dict[str, Callable[[Value, Value], Value]] = {
    "min": partial(_chosen, least=True),
    "max": partial(_chosen, least=False),
    "min_signed": partial(_chosen, least=True, signed=True),
    "max_signed": partial(_chosen, least=False, signed=True),
    "band": lambda a, b: ~(~a | ~b),
    "bor": lambda a, b: ~(~a & ~b),
}


def result(operator: str, members: int, a: Value, b: Value) -> Value:
    """What becomes of one *a* and as many *b* as there are other members."""
    width = len(a)
    if operator not in ALTERNATING:
        # However often b is taken, it is taken once.
        return _OF_TWO[operator](a, b) if members > 1 else a
    plain, turned = members // 2, (members - 1) // 2
    if operator == "bxor":
        return a ^ (b if plain % 2 else 0) ^ (~b if turned % 2 else 0)
    # A word and its complement are -1.
    return (a + (b if plain > turned else 0) + Const(-turned % (1 << width), width))[:width]


def expected(words: Words, operation: int, number: Value, seed: Value, key: Value) -> Value:
    """The result of an operation that has this number; its key holds the node that it is for."""
    if words.tabled(operation):
        table = [Const(word, words.width) for word in words.table(operation)]
        row: Value = Array(table)[words.choice(number, seed, key)]
        return row
    members = len(words.members(operation))
    return result(words.listed[operation].operator, members, *words.pair(number, seed, key))
