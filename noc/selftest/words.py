"""Which words the self-test sends: a word tells who sent it and which of his words it is.

The lowest bits of a word name its stream, that is, its source and tree. The bits above, its body,
repeat the word's number within the stream, each bit turned over by a bit of the round's seed and
of the stream's name. So neighbouring wires carry different words, every wire both values, and a
word with a wrong bit contradicts itself; and so does one of which the ordered fabric says that
another node sent it.
"""

from dataclasses import dataclass, replace

from noc.design import AnyDesign, OrderedDesign
from noc.errors import InputError, option

__all__ = ["MOST_NUMBER_BITS", "SEED_BITS", "Words", "check_bits", "too_narrow", "words_of"]

#: Bits of the seed, which the body repeats.
SEED_BITS = 16

#: Bits of a word's number, where the width allows so many. Order within a stream is checked
#: modulo this, and so is the room that each checker keeps for each stream.
MOST_NUMBER_BITS = 4


@dataclass(frozen=True)
class Words:
    """How a word of the self-test is laid out.

    Parameters
    ----------
    width : int
        Bits of a word.
    nodes, trees : int
        How many nodes there are, and how many trees each source has.
    numbered : bool
        Whether the network adds the number of the source, above the word.
    returned : bool
        Whether a node gets its own words too.
    """

    width: int
    nodes: int
    trees: int
    numbered: bool = False
    returned: bool = False

    @property
    def source_bits(self) -> int:
        """Bits of the number that the network adds."""
        return self.node_bits if self.numbered else 0

    @property
    def arriving_bits(self) -> int:
        """Bits of what arrives: the word, and what the network adds."""
        return self.width + self.source_bits

    @property
    def receivers(self) -> int:
        """How many nodes get each word."""
        return self.nodes - (not self.returned)

    @property
    def node_bits(self) -> int:
        """Bits of the source in the stream's name, above the tree."""
        return (self.nodes - 1).bit_length()

    @property
    def tree_bits(self) -> int:
        """Bits of the tree in the stream's name, the lowest."""
        return (self.trees - 1).bit_length()

    @property
    def stream_bits(self) -> int:
        """Bits of the stream's name, the lowest of the word."""
        return self.node_bits + self.tree_bits

    @property
    def body_bits(self) -> int:
        """Bits above the stream's name."""
        return self.width - self.stream_bits

    @property
    def number_bits(self) -> int:
        """Bits of a word's number in its stream."""
        return min(MOST_NUMBER_BITS, self.body_bits)

    def word(self, stream: int, number: int, seed: int) -> int:
        """The word itself, as the hardware sends it."""
        body = 0
        for bit in range(self.body_bits):
            said = number >> bit % self.number_bits
            mask = seed >> bit % SEED_BITS ^ stream >> bit % self.stream_bits
            body |= ((said ^ mask) & 1) << bit
        return body << self.stream_bits | stream


def check_bits(spec: str, nodes: int, width: int) -> None:
    """Refuse at once a width that cannot tell the nodes apart, whatever trees they have."""
    least = (nodes - 1).bit_length() + 1
    if width < least:
        raise too_narrow(spec, width, least, f"{nodes} nodes")


def too_narrow(spec: str, width: int, least: int, what: str) -> InputError:
    """What to say of a width that cannot tell some things apart."""
    return InputError(
        f"{option('width', width)}: the self-test of {spec} needs at least {least} bits, to tell "
        f"its {what} apart"
    )


def words_of(design: AnyDesign) -> Words:
    """The words for a design; refuses a width that cannot tell sources apart."""
    words = Words(design.width, design.network.nodes, design.program.trees)
    if isinstance(design, OrderedDesign):
        config = design.config
        words = replace(words, numbered=config.source_numbers, returned=config.own_words)
    least = words.stream_bits + 1
    if design.width < least:
        streams = f"{words.nodes * words.trees} streams"
        raise too_narrow(design.network.spec, design.width, least, streams)
    return words
