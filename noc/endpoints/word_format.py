"""What a word of the network holds when it is a beat of an AXI-Stream packet."""

from dataclasses import dataclass

from amaranth.lib import data

__all__ = ["WordFormat"]


@dataclass(frozen=True)
class WordFormat:
    """The fields of a word: the node that sent it, whether it ends a packet, and the data.

    Parameters
    ----------
    sources : int
        How many nodes there are; a node's number is its ``tid``.
    width : int
        Bits of the data.
    last : bool
        Whether packets have an end.
    numbered : bool
        Whether the network itself says which node sent a word, as the ordered fabric does, so that
        the payload that a node injects need not.
    """

    sources: int
    width: int
    last: bool = True
    numbered: bool = False

    def __post_init__(self) -> None:
        for name in ("sources", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)!r}")

    @property
    def source_bits(self) -> int:
        """Bits of the number of a node."""
        return max(1, (self.sources - 1).bit_length())

    @property
    def fields(self) -> list[tuple[str, int]]:
        """The fields of a payload that is injected and their bits, the lowest first."""
        source = [] if self.numbered else [("source", self.source_bits)]
        last = [("last", 1)] if self.last else []
        return [*source, *last, ("data", self.width)]

    @property
    def bits(self) -> int:
        """Bits of a payload that is injected: the width of the network."""
        return sum(bits for _, bits in self.fields)

    @property
    def injected(self) -> data.StructLayout:
        """The fields of a payload that is injected."""
        return data.StructLayout(dict(self.fields))

    @property
    def layout(self) -> data.StructLayout:
        """The fields of a payload that is ejected: the same, with the source in any case."""
        above = [("source", self.source_bits)] if self.numbered else []
        return data.StructLayout(dict([*self.fields, *above]))
