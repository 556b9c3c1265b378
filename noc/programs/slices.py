"""Words cut into slices, which move along trees without a common link: how long slices wait."""

import numpy as np

from noc.programs.execute import execute
from noc.programs.program import Program


def slice_bits(slices: int, width: int) -> int:
    """Bits of a slice of words of some bits; above those of the word the last ones are zeros."""
    return -(-width // slices)


def longest_waits(program: Program) -> tuple[tuple[int, ...], ...]:
    """For each module and slice the most hops by which any other comes later to a node.

    Where all nodes look alike, what holds for the words of one holds for all.
    """
    alike = program.network.symmetric and len(program.tables) == 1
    sources = program.sources[:1] if alike else program.sources
    most = np.zeros((len(program.tables), program.slices), dtype=np.int64)
    for source in sources:
        hops = np.stack([execute(program, source, each).step for each in range(program.slices)])
        np.maximum.at(most, program.table, (hops.max(axis=0) - hops).T)
    return tuple(map(tuple, most.tolist()))
