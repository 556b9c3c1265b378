"""Classes of words, so that broadcasts of many sources cannot wait for each other in a circle."""

from dataclasses import dataclass, field

import numpy as np

from noc.networks import IntArray
from noc.programs.program import Program

__all__ = ["Classes", "one_class"]


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of every word at every router: in which home it waits there.

    Parameters
    ----------
    count : int
        Number of classes.
    colour : array (nodes)
        The colour of each node: nodes of one colour and one module have the same classes.
    of_row : array (colours, rows)
        For each colour the class of a word that arrives by a row of the program.
    """

    count: int
    colour: IntArray = field(repr=False)
    of_row: IntArray = field(repr=False)


def one_class(program: Program) -> Classes:
    """Every word in one class: enough while one source sends at a time."""
    colour = np.zeros(program.network.nodes, dtype=np.int32)
    return Classes(1, colour, np.zeros((1, program.total_rows), dtype=np.int32))
