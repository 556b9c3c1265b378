"""A design of the timetable fabric."""

from dataclasses import dataclass

from noc.design import TableDesign
from noc.node_lists import Sources
from noc.programs.rounds import RoundProgram


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
    def root(self) -> int:
        """The first node."""
        return 0

    @property
    def digest(self) -> str:
        """Of tables and links."""
        return self._digest(self.width, self.network.out_ports)

    @property
    def round(self) -> int:
        """As the tables have it."""
        return self.program.round

    def lanes(self, node: int) -> tuple[int, ...]:
        """All in-ports of the node."""
        return self.program.table_of(node).in_ports

    @property
    def most_lanes(self) -> int:
        """The eject streams of the node that has most."""
        return max(len(table.in_ports) for table in self.program.tables)
