"""Broadcast in spite of faults: blocks of a message, each on several arc-disjoint trees.

The message is cut into as many blocks as there are trees, and tree ``j`` carries blocks ``j`` to
``j + f``, counted round. So every block comes to a node on ``f + 1`` paths that share no link, and
``f`` faulty links cannot cut them all; nor can ``f`` faulty nodes where the paths share no inner
node either. Nobody needs to know what is faulty.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from noc.errors import InputError, option
from noc.model.steps import LOST, Word, run
from noc.networks import ABSENT, IntArray
from noc.trees import TreeFamily


@dataclass(frozen=True)
class Delivery:
    """What arrived by the trees of a family.

    ``copies`` has how many of each block each node received; at the root, how many it sent out.
    ``steps`` is the step of the last receipt, where all blocks that take a link go as one packet.
    """

    family: TreeFamily
    copies: IntArray = field(repr=False)
    steps: int
    healthy: npt.NDArray[np.bool_] = field(repr=False)

    @property
    def missing(self) -> list[tuple[int, int]]:
        """Every (block, node) such that a healthy node got no copy of the block."""
        blocks, nodes = np.nonzero((self.copies == 0) & self.healthy)
        return list(zip(blocks.tolist(), nodes.tolist(), strict=True))

    @property
    def complete(self) -> bool:
        """Whether every healthy node got every block."""
        return not self.missing


def blocks_on(tree: int, trees: int, faults: int) -> list[int]:
    """The blocks that a member of a family of ``trees`` trees carries to survive ``faults``."""
    return [(tree + offset) % trees for offset in range(faults + 1)]


def broadcast_blocks(
    family: TreeFamily,
    faults: int,
    *,
    faulty_nodes: Collection[int] = (),
    faulty_links: Collection[tuple[int, int]] = (),
) -> Delivery:
    """Send a message down arc-disjoint trees of one root, past faulty links and nodes.

    It is ready for ``faults`` faults, from 0 to one less than there are trees. Faulty nodes, and
    links as (node, out-port), transmit nothing. The root must be healthy.
    """
    _check(family, faults, faulty_nodes, faulty_links)
    network, trees = family.network, len(family.trees)
    block = np.array([blocks_on(j, trees, faults) for j in range(trees)]).ravel()
    words = [Word(tree) for tree in family.trees for _ in range(faults + 1)]
    outcome = run(
        network,
        words,
        family.ports,
        combine=True,
        faulty_nodes=faulty_nodes,
        faulty_links=faulty_links,
    )
    copies = np.zeros((trees, network.nodes), dtype=np.int32)
    np.add.at(copies, block, outcome.received != LOST)
    healthy = np.ones(network.nodes, dtype=bool)
    healthy[list(faulty_nodes)] = False
    return Delivery(family, copies, outcome.steps, healthy)


def _check(
    family: TreeFamily, faults: int, nodes: Collection[int], links: Collection[tuple[int, int]]
) -> None:
    network, trees = family.network, len(family.trees)
    if not 0 <= faults < trees:
        several = f"{trees} trees of {family.algorithm} survive at most {trees - 1} faults"
        one = f"the only tree of {family.algorithm} survives no fault"
        asked = option("faults", faults, flag="ready")
        raise InputError(f"{asked}: {several if trees > 1 else one}")
    if family.congestion > 1 or any(tree.root != family.root for tree in family.trees):
        raise InputError(
            f"{family.algorithm} trees of {network.spec}: only trees that share their root "
            "and no link survive faults"
        )
    for node in nodes:
        if not 0 <= node < network.nodes:
            raise InputError(f"faulty node {node}: allowed are 0 to {network.nodes - 1}")
        if node == family.root:
            asked = option("faulty_nodes", network.label(node), flag="faulty-node")
            raise InputError(
                f"{asked}: the root must be healthy; choose another node, or another "
                f"{option('root')}"
            )
    for node, port in links:
        exists = 0 <= node < network.nodes and 0 <= port < network.ports
        if not exists or network.neighbour[node, port] == ABSENT:
            raise InputError(
                f"faulty link {node}, {port}: {network.spec} has no such node and port"
            )
