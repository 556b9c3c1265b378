"""What lies in the words of the ordered fabric, field by field from the lowest bit up."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from noc.programs.operations import BROADCAST, KINDS, Operations

__all__ = ["Fields", "WordFormat"]

#: The most bits of a word.
MOST_WIDTH = 512

#: Names of fields and their bits; those of no bits are left out.
Fields = dict[str, int]


#: Words of these name no group, so that it need not be known.
_BROADCASTS = Operations((BROADCAST,), ())


@dataclass(frozen=True)
class WordFormat:
    """The fields of all words of a network.

    A further one is a line of ``inside``: nodes, manifest and verification carry it, as 0 until the
    model's ``HEADER`` (``noc.model.ordered.events``) and words give it a value.

    Parameters
    ----------
    width : int
        Bits of a word's data.
    nodes : int
        How many nodes there are.
    source_numbers : bool
        Whether a word carries the number of the node that sent it.
    operations : Operations
        What words can ask for.
    phase_bits : int
        Bits of the phase of a round in which a word came, which an ejected one carries; 0 where
        none does.
    parity : bool
        Whether a word inside of the network carries the parity of its other bits.
    parity_part : int
        The most bits that have one parity; 0 where all have one together.
    voids : bool
        Whether a word that is joined says if it is void.
    sum_bits : int
        Bits of the number of a sum of a round, which an ejected word is; 0 where none is.
    ends : bool
        Whether an ejected word says if it is the last one of its round.
    """

    width: int
    nodes: int
    source_numbers: bool
    operations: Operations = _BROADCASTS
    phase_bits: int = 0
    parity: bool = False
    parity_part: int = 0
    voids: bool = False
    sum_bits: int = 0
    ends: bool = False

    @property
    def number_bits(self) -> int:
        """Bits of the number of a node."""
        return (self.nodes - 1).bit_length()

    @property
    def inside(self) -> Fields:
        """Of a word on a link."""
        asked = self.operations
        return _without_empty(
            data=self.width,
            source=self.number_bits if self.source_numbers else 0,
            operation=asked.bits,
            last=int(asked.marks_last),
            node=self.number_bits if asked.names_nodes else 0,
            parity=len(self.parity_parts) if self.parity else 0,
        )

    @cached_property
    def parity_parts(self) -> list[dict[str, range]]:
        """For each bit of the parity the bits of each field that it is of."""
        fields = replace(self, parity=False).inside
        firsts, total = accumulate(fields.values(), initial=0), sum(fields.values())
        part = self.parity_part or total
        placed = list(zip(fields.items(), firsts, strict=False))
        return [
            {
                name: range(max(low - first, 0), min(low + part - first, bits))
                for (name, bits), first in placed
                if first < low + part and low < first + bits
            }
            for low in range(0, total, part)
        ]

    def parity_of(self, name: str, value: int) -> int:
        """The parity of a word that has nothing but this field."""
        result = 0
        for number, part in enumerate(self.parity_parts):
            bits = part.get(name, range(0))
            of_part = value >> bits.start & (1 << len(bits)) - 1
            result |= (of_part.bit_count() & 1) << number
        return result

    @property
    def inject(self) -> Fields:
        """Of a word that a node gives: all but its own number, and the parity, which it adds."""
        others = {"source": 0, "parity": 0, "void": int(self.voids)}
        return _without_empty(**self.inside | others)

    @property
    def eject(self) -> Fields:
        """Of a word that a node gets: not for which node it is, but the phase in which it came."""
        none = {"node": 0, "parity": 0}
        in_rounds = {
            "phase": self.phase_bits,
            "sum": self.sum_bits,
            "end_of_round": int(self.ends),
        }
        return _without_empty(**self.inside | none | in_rounds)

    @property
    def told_bits(self) -> int:
        """Bits of what an ejected word is known by: its source, or the number of a sum."""
        return self.sum_bits or (self.number_bits if self.source_numbers else 0)

    def header(self, group: int) -> set[str]:
        """The fields in which words of a group that meet must be the same."""
        return self.join(group).keys() - {"data", "void"}

    def join(self, group: int) -> Fields:
        """Of a word that is joined with others of its group.

        Instead of an operation it has ``choice``: which of those that join words of the group.
        """
        joined = [self.operations.listed[n] for n in self.operations.joined_in(group)]
        fields = {"choice" if f == "operation" else f: bits for f, bits in self.inject.items()}
        absent = {
            "data": not any(KINDS[each.kind].operator for each in joined),
            "node": not any(each.to_node for each in joined),
        }
        choice = {"choice": (len(joined) - 1).bit_length()} if "choice" in fields else {}
        return _without_empty(
            **fields | choice | {f: 0 for f, left_out in absent.items() if left_out}
        )


def _without_empty(**fields: int) -> Fields:
    return {name: bits for name, bits in fields.items() if bits}
