"""Which endpoints a user wants, and whether a design can have them."""

from dataclasses import dataclass
from typing import Literal

from noc.design import MOST_WIDTH, Design
from noc.endpoints.words import WordFormat
from noc.errors import InputError

__all__ = ["AxiStream", "Clocks", "Endpoints", "Packets"]

#: Whether packets of different sources may take turns word by word, or arrive one after the other.
Packets = Literal["interleaved", "whole"]

#: Whose clock the nodes' streams have: the network's, one for all nodes, or one for each.
Clocks = Literal["network", "shared", "each"]

#: Bits of reassembly memory of all nodes together: what large FPGAs have as block RAM.
MOST_MEMORY = 2**26

MOST_PACKET_WORDS = 2**16


@dataclass(frozen=True)
class AxiStream:
    """AXI-Stream at every node.

    Parameters
    ----------
    last : bool
        Whether there is a ``tlast``.
    packets : "interleaved" or "whole"
        Whether a node gets the packets of different sources mixed word by word, to be told apart
        by ``tid``, or each without a word of another in between.
    packet_words : int
        With whole packets, the words of the longest packet; a longer one is cut.
    """

    last: bool = True
    packets: Packets = "interleaved"
    packet_words: int = 16

    def __post_init__(self) -> None:
        if self.packets == "whole" and not self.last:
            raise InputError("--packets whole needs tlast, which --no-tlast leaves out")
        if not 1 <= self.packet_words <= MOST_PACKET_WORDS:
            raise InputError(
                f"--packet-words {self.packet_words}: from 1 to {MOST_PACKET_WORDS} are allowed"
            )


@dataclass(frozen=True)
class Endpoints:
    """What stands between the nodes and their routers.

    Parameters
    ----------
    axi : AxiStream or None
        AXI-Stream, or the network's own streams.
    clocks : "network", "shared" or "each"
        Whether the nodes' streams have the network's clock, one clock of their own, or one each.
    """

    axi: AxiStream | None = None
    clocks: Clocks = "network"

    @property
    def any(self) -> bool:
        """Whether there are endpoints at all."""
        return self.axi is not None or self.clocks != "network"

    @property
    def crossing(self) -> bool:
        """Whether words cross between two clocks."""
        return self.clocks != "network"

    def payload_bits(self, nodes: int, width: int) -> int:
        """Bits of the network's payload, for so many bits of data at the nodes."""
        if self.axi is None:
            return width
        if width % 8:
            raise InputError(f"--width {width}: AXI-Stream needs whole bytes, a multiple of 8 bits")
        bits = WordFormat(nodes, max(1, width), self.axi.last).bits
        if bits > MOST_WIDTH:
            raise InputError(
                f"--width {width}: with the source and the end of a packet a word has {bits} bits; "
                f"at most {MOST_WIDTH} are allowed"
            )
        return bits

    def format(self, design: Design) -> WordFormat:
        """The fields of a design's words, with AXI-Stream."""
        last = self.axi is not None and self.axi.last
        overhead = WordFormat(design.network.nodes, 1, last).bits - 1
        return WordFormat(design.network.nodes, design.width - overhead, last)

    def longest(self, design: Design) -> int | None:
        """Words of the longest packet that a node puts together, or None where none need be.

        With one source at a time the nodes take turns, and packets are whole without any memory.
        """
        if self.axi is None or self.axi.packets != "whole" or design.sources == "one":
            return None
        return self.axi.packet_words

    def turns(self, design: Design) -> bool:
        """Whether the nodes take turns to send a packet."""
        return self.axi is not None and self.axi.packets == "whole" and design.sources == "one"

    def memory_bits(self, design: Design) -> int:
        """Bits of the memories in which a node puts packets together."""
        longest = self.longest(design)
        if longest is None:
            return 0
        places = 1 << (longest - 1).bit_length()
        return design.network.nodes * places * self.format(design).width

    def check(self, design: Design) -> None:
        """Refuse what cannot be had with a design."""
        if self.axi is None:
            return
        if design.program.trees > 1:
            raise InputError(
                f"--axi-stream: {design.program.algorithm} sends the words of a source along "
                f"{design.program.trees} trees, on which they overtake each other; choose an "
                "algorithm with one tree"
            )
        each, nodes = self.memory_bits(design), design.network.nodes
        if each * nodes > MOST_MEMORY:
            fits = MOST_MEMORY // (nodes * nodes * self.format(design).width)
            remedy = f"--packet-words {1 << (fits.bit_length() - 1)} at most, or " if fits else ""
            raise InputError(
                f"--packets whole: to put packets of {self.axi.packet_words} words together takes "
                f"{each} bits of memory at each of {nodes} nodes; {MOST_MEMORY} in all are "
                f"allowed: {remedy}--sources one or --packets interleaved"
            )
