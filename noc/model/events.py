"""The list of transfers that the hardware must equal, one by one."""

from dataclasses import dataclass, field
from typing import ClassVar

from noc.networks import IntArray
from noc.programs.program import Program

__all__ = ["Events"]


@dataclass(frozen=True, eq=False)
class Events:
    """Every transfer of a run, sorted by cycle, then node, then port.

    The port of an eject is -1; the in-port after the last is the node's own inject stream.

    Parameters
    ----------
    program : Program
        What the routers ran.
    table : array (events, 5)
        Cycle, node, port, row of the program, and word of the traffic.
    """

    COLUMNS: ClassVar[int] = 5

    program: Program = field(repr=False)
    table: IntArray = field(repr=False)

    def __len__(self) -> int:
        return int(self.table.shape[0])

    @property
    def cycle(self) -> IntArray:
        """The cycle of each event; cycle 0 is the first after reset."""
        return self.table[:, 0]

    @property
    def node(self) -> IntArray:
        """The node that receives, or whose sink takes."""
        return self.table[:, 1]

    @property
    def port(self) -> IntArray:
        """The in-port; -1 for the eject stream."""
        return self.table[:, 2]

    @property
    def row(self) -> IntArray:
        """The row of the program by which the word was looked up, in all rows of the program."""
        return self.table[:, 3]

    @property
    def word(self) -> IntArray:
        """The word, by its place in the traffic."""
        return self.table[:, 4]

    @property
    def code(self) -> IntArray:
        """The code by which the word was looked up; of a node's own word that of its tree."""
        return self.program.row_code[self.row]

    @property
    def tree(self) -> IntArray:
        """The tree that a node's own word names; of use at inject streams only."""
        table = self.program.table[self.node]
        return self.row - self.program.first_own_row[table]

    def tuples(self) -> list[tuple[int, int, int, int, int]]:
        """(cycle, node, port, code, word) of every event."""
        columns = (self.cycle, self.node, self.port, self.code, self.word)
        return list(zip(*(column.tolist() for column in columns), strict=True))
