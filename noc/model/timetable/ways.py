"""By which ways words come, link by link, so that it is known what is lost where links die.

What comes by a link in a phase is made of what came to its sender before, and of own words of that;
what is ejected came by a link in the cycle before.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from noc.model.faults import Faults
from noc.networks import IntArray
from noc.programs.round_table import NONE, OWN, Choice, loop_of, terms
from noc.programs.rounds import RoundProgram

#: Later than any cycle.
_NEVER = 1 << 62

_EMPTY = np.zeros(0, dtype=np.int64)

#: What the kernel has where nothing dies.
NO_WAYS = dict.fromkeys(("dies", "first_part", "part", "part_age", "sink_dies"), _EMPTY)


def find_ways(
    program: RoundProgram, faults: Faults, flow: IntArray, came: IntArray, transfers: int
) -> dict[str, Any]:
    """What each row of the kernel is made of, and when its link and the sinks die.

    Rows are those of their flows, first so many transfers, then ejects. ``came`` has the place in
    :attr:`RoundProgram.carried` of what comes, or is ejected, in each; ``NONE`` of injects.
    """
    shape, length = program.carried.shape, program.round
    row_of = np.full(shape, NONE, dtype=np.int64)
    links = np.flatnonzero(came[:transfers] != NONE)
    row_of.ravel()[came[links]] = links
    made_of = [[(~each, 0)] for each in flow.tolist()]
    dies = np.full(flow.size, _NEVER, dtype=np.int64)
    for where, (phase, node, port), choice in _sends(program):
        row = int(row_of[where])
        dies[row], made_of[row] = faults.links.get((node, where[1]), _NEVER), []
        for in_port, age in terms(choice):
            rounds, before = divmod(phase - age, length)
            if in_port == OWN:
                made_of[row].append((~int(program.flows.number[phase, node, port]), 0))
            else:
                made_of[row].append((int(row_of[before, node, in_port]), -rounds))
    for row in range(transfers, flow.size):
        phase = int(came[row]) // (shape[1] * shape[2])
        made_of[row] = [(int(row_of.ravel()[came[row]]), (phase + 1) // length)]
    parts = np.array([part for each in made_of for part in each], dtype=np.int64).reshape(-1, 2)
    sinks = np.full(program.network.nodes, _NEVER, dtype=np.int64)
    sinks[[*faults.sinks]] = [*faults.sinks.values()]
    return {
        "dies": dies,
        "first_part": np.cumsum([0, *map(len, made_of)]),
        "part": parts[:, 0].copy(),
        "part_age": parts[:, 1].copy(),
        "sink_dies": sinks,
    }


#: A phase, a node, and a port of that.
_End = tuple[int, int, int]


def _sends(program: RoundProgram) -> Iterator[tuple[_End, _End, Choice]]:
    """What is sent: where it comes, where it leaves, and of what it is made."""
    network, loop = program.network, loop_of(program.network)
    for node in range(network.nodes):
        for port, choices in program.table_of(node).sends:
            ends = network.neighbour[node], network.arrival[node]
            far, entry = (node, loop) if port == loop else (int(each[port]) for each in ends)
            for phase, choice in enumerate(choices):
                if choice is not None:
                    yield (phase, far, entry), (phase, node, port), choice
