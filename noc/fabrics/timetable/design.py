"""A design of the timetable fabric."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from noc.design import AnyDesign
from noc.node_lists import Sources
from noc.programs.operations import Operations, read_operations
from noc.programs.rounds import RoundProgram
from noc.programs.word_format import WordFormat


@dataclass(frozen=True, eq=False)
class TimetableDesign(AnyDesign):
    """A design of the timetable fabric: each node may give a word in each round."""

    program: RoundProgram
    fabric = "timetable"

    @property
    def sources(self) -> Sources:
        """All nodes may send at the same time."""
        return "all"

    @property
    def operations(self) -> Operations:
        """What words can ask for: to be broadcast, and nothing else."""
        return read_operations(self.network)

    @cached_property
    def words(self) -> WordFormat:
        """What lies in its words: data, and no number of their source."""
        return WordFormat(self.width, self.network.nodes, source_numbers=False)

    @property
    def numbers(self) -> Sequence[int]:
        """Those of the network."""
        return range(self.network.nodes)

    @property
    def root(self) -> int:
        """The first node."""
        return 0

    @property
    def senders(self) -> list[int]:
        """All nodes."""
        return list(self.program.sources)

    @property
    def digest(self) -> str:
        """Of tables and links."""
        content = (self.program.tables, self.width, self.network.out_ports)
        digest = hashlib.sha256(repr(content).encode())
        for array in (self.network.neighbour, self.network.arrival, self.program.table):
            digest.update(array.astype("<i8").tobytes())
        return digest.hexdigest()[:8]

    def lanes(self, node: int) -> tuple[int, ...]:
        """All in-ports of the node."""
        return self.program.table_of(node).in_ports
