"""Which words the self-test sends in a network with operations, and what becomes of them.

A word that moves by itself is laid out like those of :mod:`noc.selftest.words`. Its name says who
sent it, of which operation it is and, where operations are for one node, for which; if it is for a
group, the source stands there again.

A word that is joined with others has no room for names. The members of its group have places, which
they change in every lap. The one at place 0 gives a word *a*, the others *b* or its complement. The
result follows from these two words, and is another one if the word of a member is not in it.

With ``bor`` a bit that others give as well hides what a join does with it. In every second run of
places, one more member gives *a*: what *a* has alone is then in two words, which meet in one join.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from noc.design import OrderedDesign
from noc.errors import InputError, option
from noc.programs.operations import Operation, Operations
from noc.programs.word_format import WordFormat
from noc.selftest.words import MOST_NUMBER_BITS, SEED_BITS, too_narrow

__all__ = ["ALTERNATING", "LAP_BITS", "OperationWords", "following", "operation_words"]

#: Operators that see each *b* even beside others; with them every second is a complement, so that
#: the result needs no multiplication.
ALTERNATING = ("sum", "bxor")

#: The operator with which a second member gives *a* at times, if there are others beside.
_PAIRED = "bor"

#: Bits of the number of a result among those for its node, and those of which the next is made. The
#: numbers follow each other as in a feedback shift register, with a period of 255: if they counted,
#: a member of a group of 16 would always have the same lowest bits when it gives *a*.
LAP_BITS, _TAPS = 8, (7, 5, 4, 3)

#: A report has room for so many operations.
_MOST_OPERATIONS = 50


def following(number: Any) -> Any:
    """The number of the result after one, which may be a signal; the first is 0."""
    fed: Any = 1
    for tap in _TAPS:
        fed = fed ^ number >> tap
    return (number << 1 | fed & 1) & (1 << LAP_BITS) - 1


@dataclass(frozen=True)
class OperationWords:
    """How the words of a network with operations are laid out in its self-test.

    Nodes are meant by the numbers that words have for them.

    Parameters
    ----------
    format : WordFormat
        The fields of the words.
    numbers : tuple of int
        The number in words of each node.
    sources : tuple of int
        The nodes that may send.
    returned : bool
        Whether a node gets its own words too.
    """

    format: WordFormat
    numbers: tuple[int, ...]
    sources: tuple[int, ...]
    returned: bool

    @property
    def operations(self) -> Operations:
        """The operations."""
        return self.format.operations

    @property
    def listed(self) -> tuple[Operation, ...]:
        """Each operation, in the order of their numbers."""
        return self.operations.listed

    @property
    def width(self) -> int:
        """Bits of a word's data."""
        return self.format.width

    @property
    def node_bits(self) -> int:
        """Bits of the number of a node."""
        return self.format.number_bits

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.format.nodes

    @cached_property
    def addressed(self) -> bool:
        """Whether some words that move by themselves are for one node."""
        return any(self.listed[number].to_node for number in self.operations.sent)

    @property
    def name_bits(self) -> int:
        """Bits of the name of a word that moves by itself, its lowest."""
        return self.node_bits * (1 + self.addressed) + self.operations.bits

    @property
    def key_bits(self) -> int:
        """Bits of the operation, and of the node that a result is for."""
        return self.operations.bits + self.node_bits

    @property
    def least_width(self) -> int:
        """The least width that the words need."""
        return self.name_bits + 1 if self.operations.sent else 1

    @property
    def body_bits(self) -> int:
        """Bits above the name."""
        return self.width - self.name_bits

    @property
    def number_bits(self) -> int:
        """Bits of the number of a word among those that the same node gives for the same ones."""
        return max(1, min(MOST_NUMBER_BITS, self.body_bits))

    def members(self, operation: int) -> tuple[int, ...]:
        """The nodes that an operation concerns."""
        return self.operations.members(self.operations.group_of(operation))

    def givers(self, operation: int) -> tuple[int, ...]:
        """The nodes that give words of an operation."""
        return self.members(operation) if self.listed[operation].joined else self.sources

    def takers(self, operation: int) -> tuple[int, ...]:
        """The nodes that may get words of an operation."""
        if self.listed[operation].to_node:
            return tuple(range(self.nodes))
        return self.members(operation)

    def copies(self, operation: int) -> dict[int, int]:
        """For each giver how many words come down for one that it gives.

        Of the words that are joined into one for a node, that of the first member stands for all.
        """
        what, givers, members = (
            self.listed[operation],
            self.givers(operation),
            self.members(operation),
        )
        if what.joined:
            return {node: int(not what.to_node or node == givers[0]) for node in givers}
        if what.to_node:
            return dict.fromkeys(givers, 1)
        return {node: len(members) - (node in members and not self.returned) for node in givers}

    @property
    def words_of_lap(self) -> int:
        """Words that all nodes together give in a lap."""
        return sum(len(self.givers(number)) for number in range(len(self.listed)))

    def name(self, source: int, operation: int, node: int) -> int:
        """The name of a word that moves by itself; all nodes by the numbers in words."""
        name = source | operation << self.node_bits
        meant = node if self.listed[operation].to_node else source
        return name | meant << self.node_bits + self.operations.bits if self.addressed else name

    def word(self, name: int, number: int, seed: int) -> int:
        """A word that moves by itself."""
        body = 0
        for bit in range(self.body_bits):
            said = number >> bit % self.number_bits
            mask = seed >> bit % SEED_BITS ^ name >> bit % self.name_bits
            body |= ((said ^ mask) & 1) << bit
        return body << self.name_bits | name

    def pair(self, operation: int, number: int, node: int, seed: int) -> tuple[int, int]:
        """The words *a* and *b*; the node is 0 where the result is for a group."""
        key, bits = operation | node << self.operations.bits, self.key_bits
        a = b = 0
        for bit in range(self.width):
            place = bit % LAP_BITS
            one = number >> place ^ seed >> bit % SEED_BITS ^ key >> bit % bits
            # Places of the seed in an order of which no part is one of the other.
            other = number >> LAP_BITS - 1 - place ^ seed >> (5 * bit + 3) % SEED_BITS
            other ^= key >> (bit + 1) % bits
            a, b = a | (one & 1) << bit, b | (other & 1) << bit
        return a, b

    def paired(self, operation: int) -> bool:
        """Whether a second member gives *a* at times."""
        members = len(self.members(operation))
        return self.listed[operation].operator == _PAIRED and members > 2

    def contribution(self, operation: int, lap: int, rank: int, pair: tuple[int, int]) -> int:
        """What a member gives; its rank is its place in the first lap, 0."""
        (a, b), members = pair, len(self.members(operation))
        place, run = (rank + lap) % members, lap // members
        second = run // 2 % members if run % 2 and self.paired(operation) else 0
        if place in (0, second):
            return a
        turned = self.listed[operation].operator in ALTERNATING and place % 2 == 0
        return b ^ (1 << self.width) - 1 if turned else b


def operation_words(design: OrderedDesign) -> OperationWords:
    """The words for a design with operations; refuses a width that cannot tell sources apart."""
    program = design.program
    words = OperationWords(
        design.words, tuple(program.numbers), program.sources, program.config.own_words
    )
    if len(words.listed) > _MOST_OPERATIONS:
        raise InputError(
            f"{option('operations')}: the self-test reports on {_MOST_OPERATIONS} at most, not on "
            f"{len(words.listed)}"
        )
    if design.width < words.least_width:
        what = f"{words.nodes} nodes and {len(words.listed)} operations"
        raise too_narrow(design.network.spec, design.width, words.least_width, what)
    return words
