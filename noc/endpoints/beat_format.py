"""What a word of the network holds when it is a beat of an AXI-Stream packet."""

from dataclasses import dataclass

from amaranth.lib import data

from noc.programs.word_format import WordFormat

__all__ = ["BeatFormat"]


@dataclass(frozen=True)
class BeatFormat:
    """The fields of a word: data, whether it ends a packet, the node that sent it, and operations.

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
    words : WordFormat or None
        The fields of the words of a network with operations, which are those of a beat.
    """

    sources: int
    width: int
    last: bool = True
    numbered: bool = False
    words: WordFormat | None = None

    def __post_init__(self) -> None:
        for name in ("sources", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)!r}")

    @property
    def source_bits(self) -> int:
        """Bits of the number of a node; 0 where words do not tell it."""
        if self.words is not None:
            return self.words.eject.get("source", 0)
        return max(1, (self.sources - 1).bit_length())

    @property
    def dest_bits(self) -> int:
        """Bits of the number of the node that a word is for; 0 where words name none."""
        return 0 if self.words is None else self.words.inject.get("node", 0)

    @property
    def user_bits(self) -> int:
        """Bits of the number of an operation; 0 where words have none."""
        return 0 if self.words is None else self.words.inject.get("operation", 0)

    @property
    def fields(self) -> list[tuple[str, int]]:
        """The fields of a payload that is injected and their bits, the lowest first."""
        if self.words is not None:
            return list(self.words.inject.items())
        source = [] if self.numbered else [("source", self.source_bits)]
        last = [("last", 1)] if self.last else []
        return [*source, *last, ("data", self.width)]

    @property
    def bits(self) -> int:
        """Bits of a payload that is injected, which are the width of the network."""
        return sum(bits for _, bits in self.fields)

    @property
    def injected(self) -> data.StructLayout:
        """The fields of a payload that is injected."""
        return data.StructLayout(dict(self.fields))

    @property
    def layout(self) -> data.StructLayout:
        """The fields of a payload that is ejected, the same, with the source in any case.

        With operations those of the network, which tell the source if it has numbers.
        """
        if self.words is not None:
            return data.StructLayout(self.words.eject)
        above = [("source", self.source_bits)] if self.numbered else []
        return data.StructLayout(dict([*self.fields, *above]))
