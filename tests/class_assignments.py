"""Classes made up for tests: by height, which cannot lock up, and at random, which may."""

import numpy as np

from noc.programs import Program
from noc.programs.classes import Classes


def row_heights(program: Program) -> np.ndarray:
    """How many hops are still before a word that arrives by each row."""
    network = program.network
    node_of_site = {int(site): node for node, site in enumerate(program.site)}
    height = np.zeros(program.total_rows, dtype=np.int64)
    row_site = np.repeat(np.arange(program.first_row.shape[0]), program.alphabet.sum(axis=1))
    row, slot = np.nonzero(program.send_port >= 0)
    node = np.array([node_of_site[site] for site in row_site[row].tolist()], dtype=np.int64)
    port, state = program.send_port[row, slot], program.send_state[row, slot]
    there, arrival = network.neighbour[node, port], network.arrival[node, port]
    far_row = program.first_row[program.site[there], arrival] + state
    while True:
        before = height.copy()
        np.maximum.at(height, row, 1 + height[far_row])
        if np.array_equal(height, before):
            return height


def by_height(program: Program) -> Classes:
    """A word only ever waits for places of words with less to do: no circle."""
    height = row_heights(program)
    colour = np.zeros(program.network.nodes, dtype=np.int32)
    return Classes(int(height.max()) + 1, colour, height[None, :].astype(np.int32))


def at_random(program: Program, count: int, colours: int, seed: int) -> Classes:
    """Any class for any row, and any colour for any node."""
    draw = np.random.default_rng(seed)
    colour = draw.integers(colours, size=program.network.nodes, dtype=np.int32)
    of_row = draw.integers(count, size=(colours, program.total_rows), dtype=np.int32)
    return Classes(count, colour, of_row)
