"""What lies in the words of the ordered fabric, field by field from the lowest bit up."""

from dataclasses import dataclass

from noc.programs.operations import BROADCAST, KINDS, Operations

__all__ = ["Fields", "WordFormat"]

#: Names of fields and their bits; those of no bits are left out.
Fields = dict[str, int]


#: Words of these name no group, so that it need not be known.
_BROADCASTS = Operations((BROADCAST,), ())


@dataclass(frozen=True)
class WordFormat:
    """The fields of all words of a network.

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
    """

    width: int
    nodes: int
    source_numbers: bool
    operations: Operations = _BROADCASTS

    @property
    def number_bits(self) -> int:
        """Bits of the number of a node."""
        return (self.nodes - 1).bit_length()

    @property
    def inside(self) -> Fields:
        """Of a word on a link, and on its way down."""
        return self._fields(self.number_bits if self.source_numbers else 0)

    @property
    def inject(self) -> Fields:
        """Of a word that a node gives."""
        return self._fields(0)

    @property
    def eject(self) -> Fields:
        """Of a word that a node gets."""
        return {name: bits for name, bits in self.inside.items() if name != "node"}

    def join(self, group: int) -> Fields:
        """Of a word that is joined with others of its group.

        ``choice`` is the place of its operation among those that join the words of the group.
        """
        numbers = self.operations.joined_in(group)
        here = [self.operations.listed[number] for number in numbers]
        named = any(operation.to_node for operation in here)
        return _without_empty(
            data=self.width if any(KINDS[o.kind].operator for o in here) else 0,
            choice=(len(here) - 1).bit_length(),
            last=int(self.operations.marks_last),
            node=self.number_bits if named else 0,
        )

    def _fields(self, source: int) -> Fields:
        wanted = self.operations
        return _without_empty(
            data=self.width,
            source=source,
            operation=wanted.bits,
            last=int(wanted.marks_last),
            node=self.number_bits if wanted.names_nodes else 0,
        )


def _without_empty(**fields: int) -> Fields:
    return {name: bits for name, bits in fields.items() if bits}
