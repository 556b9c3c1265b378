"""The endpoints that a user asks for, whether a design can have them, and the words they take."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from amaranth.lib import data

from noc.design import MOST_WIDTH, AnyDesign
from noc.errors import InputError, option, switch
from noc.programs.rounds import comes_whole
from noc.programs.word_format import WordFormat

#: The shortest time-out of sinks with other clocks than the network's.
LEAST_CROSSED = 32

#: Whether packets of different sources may be interleaved, or arrive one after the other.
Packets = Literal["interleaved", "whole"]

#: Whose clock the nodes' streams have: the network's, one for all nodes, or one for each.
Clocks = Literal["network", "shared", "each"]

DesignT = TypeVar("DesignT", bound=AnyDesign)

#: What goes with the data of a word, by the name of its field.
BESIDE = {"source": "the source", "last": "the end of a packet"}

#: Bits of reassembly memory of all nodes together: what large FPGAs have as block RAM.
MOST_MEMORY = 2**26

MOST_PACKET_WORDS = 2**16


@dataclass(frozen=True)
class BeatFormat:
    """The fields of a word: data, whether it ends a packet, the node that sent it, and operations.

    Parameters
    ----------
    sources : int
        How many nodes there are; a node's number is its ``tid``. In rounds of sums, how many sums.
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
        """Bits of the number of a node; 0 where words do not have it."""
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

        With operations those of the network, which have the source if it has numbers.
        """
        if self.words is not None:
            return data.StructLayout(self.words.eject)
        above = [("source", self.source_bits)] if self.numbered else []
        return data.StructLayout(dict([*self.fields, *above]))


def _check_choice(
    name: str, value: str, allowed: Sequence[str], *, flag: str | None = None
) -> None:
    """Refuse what is none of these."""
    if value not in allowed:
        raise InputError(f"{option(name, value, flag=flag)}: {', '.join(allowed)} are allowed")


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
        _check_choice("packets", self.packets, get_args(Packets))
        if self.packets == "whole" and not self.last:
            raise InputError(
                f"{option('packets', 'whole')} needs tlast, which "
                f"{switch('last', False, flag='tlast')} leaves out"
            )
        words = self.packet_words
        if not (isinstance(words, int) and 1 <= words <= MOST_PACKET_WORDS):
            raise InputError(
                f"{option('packet_words', words)}: from 1 to {MOST_PACKET_WORDS} are allowed"
            )


@dataclass(frozen=True)
class Endpoints:
    """What is between the nodes and their routers.

    Parameters
    ----------
    axi : AxiStream or None
        AXI-Stream, or the network's own streams.
    clocks : "network", "shared" or "each"
        Whether the nodes' streams have the network's clock, one clock of their own, or one each.
    """

    axi: AxiStream | None = None
    clocks: Clocks = "network"

    def __post_init__(self) -> None:
        _check_choice("clocks", self.clocks, get_args(Clocks), flag="node-clocks")

    @property
    def any(self) -> bool:
        """Whether there are endpoints at all."""
        return self.axi is not None or self.clocks != "network"

    @property
    def crossing(self) -> bool:
        """Whether words cross between two clocks."""
        return self.clocks != "network"

    def widened(self, design: DesignT) -> DesignT:
        """The same design with room for what goes with the data, of which it has the width."""
        if self.axi is None:
            return design
        width = design.width
        if width % 8:
            raise InputError(
                f"{option('width', width)}: AXI-Stream needs whole bytes, a multiple of 8 bits"
            )
        if design.in_rounds or self._operations(design) is not None:
            # Whatever goes with the data has fields of its own, or is told by the phase.
            return design
        fields = self._fields(design, max(1, width))
        if fields.bits > MOST_WIDTH:
            beside = [BESIDE[name] for name, _ in fields.fields if name != "data"]
            raise InputError(
                f"{option('width', width)}: with {' and '.join(beside)} a word has {fields.bits} "
                f"bits; at most {MOST_WIDTH} are allowed"
            )
        return replace(design, width=fields.bits)

    def format(self, design: AnyDesign) -> BeatFormat:
        """The fields of a design's words, with AXI-Stream."""
        if design.in_rounds:
            told = WordFormat(design.width, design.told[1], source_numbers=True)
            return BeatFormat(told.nodes, told.width, self._ends(design), numbered=True, words=told)
        words = self._operations(design)
        if words is not None:
            nodes, last = design.network.nodes, "last" in words.inject
            return BeatFormat(nodes, design.width, last, numbered=True, words=words)
        return self._fields(design, design.width - (self._fields(design, 1).bits - 1))

    def _ends(self, design: AnyDesign) -> bool:
        """Whether ``tlast`` tells the last word of a round.

        Only where none can be left out, and each stream has all words of a round before the next.
        """
        told = (each for node in range(design.network.nodes) for each in design.arrivals(node))
        return bool(self.axi and self.axi.last and design.complete and all(map(comes_whole, told)))

    def _operations(self, design: AnyDesign) -> WordFormat | None:
        """The fields of the words of a design with operations."""
        return None if design.operations.only_broadcast else design.words

    def _fields(self, design: AnyDesign, width: int) -> BeatFormat:
        last = self.axi is not None and self.axi.last
        return BeatFormat(design.network.nodes, width, last, design.sources == "all")

    def longest(self, design: AnyDesign) -> int | None:
        """Words of the longest packet that a node puts together, or None where none need be.

        With one source at a time an arbiter grants packets, which are then whole without memory.
        """
        if self.axi is None or self.axi.packets != "whole" or design.sources == "one":
            return None
        return self.axi.packet_words

    def arbitrated(self, design: AnyDesign) -> bool:
        """Whether an arbiter lets one node send a packet at a time."""
        return self.axi is not None and self.axi.packets == "whole" and design.sources == "one"

    def memory_bits(self, design: AnyDesign) -> int:
        """Bits of the memories in which a node puts packets together."""
        longest = self.longest(design)
        if longest is None:
            return 0
        slots = 1 << (longest - 1).bit_length()
        return design.network.nodes * slots * self.format(design).width

    def check(self, design: AnyDesign) -> None:
        """Refuse what cannot be had with a design."""
        if design.in_rounds:
            self._check_rounds(design)
            return
        if design.always_ready:
            self._check_always_ready(design)
        if self.crossing and 0 < design.sink_timeout < LEAST_CROSSED:
            raise InputError(
                f"{option('sink_timeout', design.sink_timeout)}: with clocks of the nodes, which "
                f"may be slower, at least {LEAST_CROSSED} cycles are needed"
            )
        if self.axi is None:
            return
        self._check_timeout(design)
        if self._operations(design) is not None:
            self._check_operations(design)
            return
        if design.sources == "all" and "source" not in design.words.eject:
            raise InputError(
                f"{switch('source_numbers', False)}: AXI-Stream needs them, a word's source number "
                "is its tid"
            )
        each, nodes = self.memory_bits(design), design.network.nodes
        if each * nodes > MOST_MEMORY:
            fits = MOST_MEMORY // (nodes * nodes * self.format(design).width)
            most = 1 << (fits.bit_length() - 1) if fits else 0
            remedy = f"{option('packet_words', most)} at most, or " if fits else ""
            raise InputError(
                f"{option('packets', 'whole')}: to put packets of {self.axi.packet_words} words "
                f"together takes {each} bits of memory at each of {nodes} nodes; {MOST_MEMORY} "
                f"in all are allowed: {remedy}{option('sources', 'one')} or "
                f"{option('packets', 'interleaved')}"
            )

    def _check_rounds(self, design: AnyDesign) -> None:
        """Refuse what cannot be had where words come in rounds."""
        if self.crossing and (design.always_ready or not design.complete):
            raise InputError(
                f"{option('clocks', self.clocks, flag='node-clocks')}: words wait between two "
                f"clocks; the fabric {design.fabric} needs {option('start', 'ready')} and "
                f"{option('sinks', 'queued')} for that"
            )
        if self.axi is not None and self.axi.packets == "whole":
            raise InputError(
                f"{option('packets', 'whole')}: the packets of the fabric {design.fabric} are its "
                f"rounds, which are not put together; use {option('packets', 'interleaved')}"
            )

    def _check_timeout(self, design: AnyDesign) -> None:
        """Refuse packets of which a sink that comes back would get the end alone."""
        assert self.axi is not None
        if design.sink_timeout and self.axi.last:
            plain = switch("axi_stream", False)
            tlast = switch("last", False, flag="tlast")
            remedy = plain if self._operations(design) is not None else tlast
            raise InputError(
                f"{option('sink_timeout', design.sink_timeout)}: words are lost one by one, and "
                f"packets would lose their ends; use {remedy}"
            )

    def _check_always_ready(self, design: AnyDesign) -> None:
        """Refuse what may have to wait with the words for a node."""
        waiting = option("clocks", self.clocks, flag="node-clocks") if self.crossing else ""
        if self.longest(design) is not None:
            waiting = option("packets", "whole")
        if waiting:
            raise InputError(
                f"{waiting}: words may have to wait there; use {option('sinks', 'stalling')}"
            )

    def _check_operations(self, design: AnyDesign) -> None:
        """Refuse what cannot be had with operations."""
        assert self.axi is not None
        if design.words.voids:
            raise InputError(
                f"{switch('void_words', True)}: AXI-Stream has no signal that says so; use "
                f"{switch('axi_stream', False)}"
            )
        if self.axi.packets == "whole":
            raise InputError(
                f"{option('packets', 'whole')}: puts packets together by their sources, which "
                f"results of {option('operations')} do not have; use "
                f"{option('packets', 'interleaved')}"
            )
        if not self.axi.last:
            raise InputError(
                f"{switch('last', False, flag='tlast')}: with {option('operations')} words have a "
                "field last wherever an operation can have messages of several words"
            )
