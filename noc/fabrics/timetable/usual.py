"""What out-ports send where they choose nothing, so that own words need no input of their own."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from noc.programs.round_table import Register, RoundTable
from noc.programs.rounds import RoundProgram
from noc.trees.timetables import SPARED

#: By out-port what it sends where it chooses nothing, beside an own word.
Usual = dict[int, Register]


def find_usual(program: RoundProgram) -> dict[RoundTable, Usual]:
    """For each table of an all-gather what its out-ports usually send.

    It came by an in-port that is idle in the last phase. In the first one, in which own words
    leave, it is zero, as out-ports without such a word send zeros then. There are none where
    routers would not be smaller.
    """
    none: dict[RoundTable, Usual] = {table: {} for table in program.tables}
    if not program.gathers:
        return none
    busy = _busy_last(program)
    found = {
        table: _usual_of(table, {*np.flatnonzero(busy[program.table == number].any(axis=0))})
        for number, table in enumerate(program.tables)
    }
    spared = sum(len(found[program.table_of(node)]) for node in range(program.network.nodes))
    # Own words are zeros where they are not sent: in a register by themselves.
    mask = 0 if program.own_register else program.network.nodes
    return found if spared > mask else none


def _usual_of(table: RoundTable, busy: Collection[int]) -> Usual:
    """That of one table: of ports that choose from so many words, and send one in the last phase.

    One of the words must have come a cycle before, by an in-port that is not busy in the last
    phase.
    """
    usual = Usual()
    for port, choices in table.sends:
        registers = table.added(port)
        idle = (each for each in registers if each.age == 1 and each.in_port not in busy)
        register = next(idle, None)
        if register and choices[-1] is not None and len(registers) == SPARED:
            usual[port] = register
    return usual


def _busy_last(program: RoundProgram) -> npt.NDArray[np.bool_]:
    """Whether something may come in the last phase; an array (nodes, in-ports)."""
    net = program.network
    result = np.zeros((net.nodes, len(net.in_ports)), dtype=np.bool_)
    for number, table in enumerate(program.tables):
        nodes = np.flatnonzero(program.table == number)
        for port, choices in table.sends:
            if choices[-1] is not None:
                result[net.neighbour[nodes, port], net.arrival[nodes, port]] = True
    return result
