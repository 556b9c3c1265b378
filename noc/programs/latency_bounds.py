"""How long an operation takes at least, from the distances in its network alone.

A hop takes a cycle, and one for each register of the link. A node gives one word a cycle, and gets
one word a cycle. Nothing else is assumed: trees, merges and joins do not count.
"""

import heapq
from collections.abc import Iterable, Sequence

import numpy as np

from noc.networks import ABSENT, IntArray, Network
from noc.programs.latency import Parties
from noc.programs.operations import Operation
from noc.programs.ordered import OrderedProgram

__all__ = ["bound_cycles", "bound_with_root"]


def bound_cycles(
    program: OrderedProgram, operation: Operation, parties: Parties, words: int
) -> int:
    """The least number of cycles, in any network with these links.

    Parameters
    ----------
    program, operation, parties, words
        As :func:`noc.programs.latency.count_cycles` takes them.
    """
    ways = _Ways(program)
    if parties.source is not None:
        there = ways.there(parties.source)
        if operation.kind == "scatter":
            return _in_turn(there, parties.receivers, words)
        return _farthest(there, parties.receivers) + words - 1
    serial = not operation.joined
    return max(
        (
            _in_turn(back, [node for node in parties.givers if node != to], words)
            if serial
            else _farthest(back, parties.givers) + words - 1
            for to in ways.different(parties, parties.receivers)
            for back in [ways.back(to)]
        ),
        default=0,
    )


def bound_with_root(program: OrderedProgram, parties: Parties, words: int) -> int:
    """Likewise where all words meet at one node before any comes down: at the best one."""
    ways = _Ways(program)
    return (
        words
        - 1
        + min(
            _farthest(ways.back(root), parties.givers)
            + _farthest(ways.there(root), parties.receivers)
            for root in ways.different(parties, range(program.network.nodes))
        )
    )


class _Ways:
    """Cycles of the shortest ways in a network."""

    def __init__(self, program: OrderedProgram) -> None:
        self._network, self._config = program.network, program.config
        self._reversed = program.network.reversed()

    def there(self, node: int) -> IntArray:
        """From a node to each other one."""
        return self._cycles(self._network, node, back=False)

    def back(self, node: int) -> IntArray:
        """To a node from each other one."""
        return self._cycles(self._reversed, node, back=True)

    def different(self, parties: Parties, nodes: Iterable[int]) -> list[int]:
        """Those of some nodes that may see other distances: one, where all see the same."""
        listed, all_nodes = list(nodes), range(self._network.nodes)
        everybody = len(parties.givers) == len(parties.receivers) == len(all_nodes)
        alike = everybody and self._network.symmetric and not self._config.registers_of
        return listed[:1] if alike else listed

    def _cycles(self, network: Network, node: int, *, back: bool) -> IntArray:
        if not self._config.registers_of:
            return network.distances(node) * (1 + self._config.link_registers)
        cycles = np.full(network.nodes, np.iinfo(np.int64).max)
        left = [(0, node)]
        while left:
            far, here = heapq.heappop(left)
            if far < cycles[here]:
                cycles[here] = far
                for there in network.neighbour[here].tolist():
                    if there != ABSENT:
                        link = (there, here) if back else (here, there)
                        registers = self._config.registers_of
                        hop = 1 + registers.get(link, self._config.link_registers)
                        heapq.heappush(left, (far + hop, there))
        return cycles


def _farthest(cycles: IntArray, nodes: Sequence[int]) -> int:
    return int(cycles[list(nodes)].max(initial=0))


def _in_turn(cycles: IntArray, nodes: Sequence[int], words: int) -> int:
    """Words of each node that go, or come, one a cycle: those of far nodes first, or last."""
    far = -np.sort(-cycles[list(nodes)])
    ends = words * np.arange(1, far.size + 1) - 1
    return int((far + ends).max(initial=0))
