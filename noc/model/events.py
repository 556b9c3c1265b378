"""The list of transfers that the hardware must equal, one by one."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from noc.networks import IntArray
from noc.programs.classes import Classes
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
    classes : Classes
        The classes of its words.
    table : array (events, 5)
        Cycle, node, port, row of the program, and word of the traffic.
    """

    COLUMNS: ClassVar[int] = 5

    program: Program = field(repr=False)
    classes: Classes = field(repr=False)
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
        """The row of the program by which the word arrived, in all rows of the program."""
        return self.table[:, 3]

    @property
    def word(self) -> IntArray:
        """The word, by its place in the traffic."""
        return self.table[:, 4]

    @property
    def state(self) -> IntArray:
        """The state in which the word arrived; for a node's own word the number of its tree."""
        begin = self.program.first_row.reshape(-1)
        # Rows are sorted by site and in-port; of ports without rows the last one begins there.
        return self.row - begin[np.searchsorted(begin, self.row, side="right") - 1]

    @property
    def class_(self) -> IntArray:
        """The class of the word at the node."""
        return self.classes.of_row[self.classes.colour[self.node], self.row]

    def tuples(self) -> list[tuple[int, int, int, int, int, int]]:
        """(cycle, node, port, class, state, word) of every event."""
        columns = (self.cycle, self.node, self.port, self.class_, self.state, self.word)
        return list(zip(*(column.tolist() for column in columns), strict=True))
