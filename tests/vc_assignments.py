"""VCs made up for tests: by height, which cannot deadlock, and at random, which may."""

from collections.abc import Iterator

import numpy as np

from noc.programs import Automaton, Program, build_program
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.vcs import VcAssignment, assign_one


def row_heights(automaton: Automaton) -> np.ndarray:
    """How many hops are still before a word that arrives by each row."""
    height = np.zeros(automaton.total_rows, dtype=np.int64)
    row, slot = np.nonzero(automaton.send_port >= 0)
    while True:
        before = height.copy()
        np.maximum.at(height, row, 1 + height[automaton.send_row[row, slot]])
        if np.array_equal(height, before):
            return height


def sends_of(automaton: Automaton, node: int, row: int) -> Iterator[tuple[int, int, int]]:
    """The sends of a row at a node: out-port, receiver, and the row there."""
    for port, there in zip(automaton.send_port[row], automaton.send_row[row], strict=True):
        if port >= 0:
            yield int(port), int(automaton.network.neighbour[node, port]), int(there)


def by_height(automaton: Automaton) -> VcAssignment:
    """A word only ever waits for slots of words with less to do: no cycle."""
    height = row_heights(automaton)
    part = np.zeros(automaton.network.nodes, dtype=np.int32)
    return VcAssignment(int(height.max()) + 1, part, height[None, :].astype(np.int32))


def at_random(automaton: Automaton, count: int, parts: int, seed: int) -> VcAssignment:
    """Any VC for any row, and any part for any node."""
    draw = np.random.default_rng(seed)
    part = draw.integers(parts, size=automaton.network.nodes, dtype=np.int32)
    of_row = draw.integers(count, size=(parts, automaton.total_rows), dtype=np.int32)
    return VcAssignment(count, part, of_row)


def quickly_built(
    automaton: Automaton, vcs: VcAssignment | None = None, config: RouterConfig = STANDARD
) -> Program:
    """A program whose codes are not searched; of one source at a time where no VCs are given."""
    given = vcs or assign_one(automaton)
    return build_program(automaton, given, config, one_source=vcs is None, search=False)
