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
    """

    sources: int
    width: int
    last: bool = True

    def __post_init__(self) -> None:
        for name in ("sources", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)!r}")

    @property
    def source_bits(self) -> int:
        """Bits of the number of a node."""
        return max(1, (self.sources - 1).bit_length())

    @property
    def bits(self) -> int:
        """Bits of the whole word: the width of the network's payload."""
        return self.source_bits + int(self.last) + self.width

    @property
    def layout(self) -> data.StructLayout:
        """The fields, the source lowest."""
        last = {"last": 1} if self.last else {}
        return data.StructLayout({"source": self.source_bits, **last, "data": self.width})
