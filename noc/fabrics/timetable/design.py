"""A design of the timetable fabric."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from noc.design import TableDesign
from noc.networks import IntArray
from noc.node_lists import Sources
from noc.programs.round_config import RoundConfig
from noc.programs.round_words import Told
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram
from noc.programs.word_format import WordFormat


@dataclass(frozen=True, eq=False)
class TimetableDesign(TableDesign):
    """A design of the timetable fabric: each node may give a word in each round."""

    program: RoundProgram
    fabric = "timetable"

    @property
    def sources(self) -> Sources:
        """All nodes may send at the same time."""
        return "all"

    @property
    def in_rounds(self) -> bool:
        """They do."""
        return True

    @property
    def kind(self) -> str:
        """Who has words for whom."""
        return str(self.program.exchange)

    @property
    def root(self) -> int:
        """The first node."""
        return 0

    @property
    def digest(self) -> str:
        """Of tables and links."""
        tables, exchange = self.program.tables, self.program.exchange
        more = [] if self.program.gathers else [exchange, [table.takes for table in tables]]
        more += [exchange.operator, [table.waits for table in tables]] * exchange.adds
        more += [self.config] * (self.config != RoundConfig())
        more += [self.config.ejects] * self.config.merged
        more += ["choices", self.config.choices] * self.config.shared
        return self._digest(self.width, self.network.out_ports, *more)

    @cached_property
    def words(self) -> WordFormat:
        """What lies in its words: data, and in queues the phase in which they came.

        Where a node has one eject stream, the source, or the sum, and whether it ends its round.
        """
        words, config = super().words, self.config
        if not config.merged:
            bits = self.program.tables[0].phase_bits if config.queued else 0
            return replace(words, phase_bits=bits)
        if not isinstance(self.program, SumProgram):
            return replace(words, source_numbers=True, ends=True)
        return replace(words, sum_bits=(self.told[1] - 1).bit_length(), ends=True)

    @property
    def operators(self) -> set[str]:
        """What adds words up."""
        return {self.program.exchange.operator} - {""}

    @property
    def round(self) -> int:
        """As the tables have it."""
        return self.program.round

    @property
    def complete(self) -> bool:
        """As configured."""
        return self.program.config.complete

    @property
    def senders(self) -> list[int]:
        """The nodes that have an inject stream."""
        return sorted({*self.inject_nodes.tolist()})

    @cached_property
    def inject_nodes(self) -> IntArray:
        """The node of each inject stream."""
        return np.array([inject.node for inject in self.program.injects])

    @property
    def receivers(self) -> list[int]:
        """The nodes that have an eject stream."""
        return [*dict.fromkeys(self.program.ejects[:, 0].tolist())]

    def lanes(self, node: int) -> tuple[int, ...]:
        """The in-ports by which words for the node come, where each has a stream for them."""
        return () if self.config.merged else self.program.table_of(node).lanes

    def inject_lanes(self, node: int) -> tuple[int, ...]:
        """The out-ports by which words of the node leave, where each has a stream for them."""
        return self.program.table_of(node).inject_lanes

    @property
    def told(self) -> tuple[str, int]:
        """The source of a word that comes, or the number of a sum."""
        program = self.program
        return ("sum", len(program.totals)) if isinstance(program, SumProgram) else super().told

    def arrivals(self, node: int) -> list[Told]:
        """For each eject stream of a node whose word comes in a phase, or which sum.

        Of one that has the words of all it is told with each.
        """
        return [] if self.config.merged else self.program.arrivals(node)

    @property
    def most_lanes(self) -> int:
        """The eject streams of the node that has most."""
        most = max(len(table.lanes) for table in self.program.tables)
        return min(1, most) if self.config.merged else most
