"""``adst``: n/2 arc-disjoint spanning trees of the uni-directional hypercube of even n.

Tree ``j`` begins at the root's out-port ``j``. Turned so that superdimension ``j`` is the highest,
all of them are one tree: the root's message passes through the other three values of the highest
pair, each of the three nodes broadcasts in its subcube by BT1, and at last the nodes that one more
hop by out-port ``j`` leads into the root's own subcube take that hop.

After Huang and Yang.

In the paper the message is sent along all of the trees, so that any n/2-1 faults leave every node
reached, as ``noc steps faults`` shows. Routers send each word along one of the trees,
which its source chooses; a dead link stops the words whose tree uses it, and those that wait behind
them.
"""

import numpy as np

from noc.errors import InputError
from noc.networks import IntArray, Network
from noc.trees.algorithms import Algorithm
from noc.trees.distributed_growth import Growth, Receipts, Rule, Sends, grow, lowest_bit
from noc.trees.schedule import scheduled
from noc.trees.tree import Ports, Tree, TreeFamily
from noc.trees.uhc import PAIR, out_mask, pairs_of, up_to

__all__ = ["ALGORITHMS", "adst_rule"]


def _turned(value: IntArray, by: int, width: int) -> IntArray:
    """The bits of each value moved ``by`` places to the right, those that fall out on top."""
    return value >> by | (value & ((1 << by) - 1)) << (width - by)


def adst_rule(network: Network, source: int, member: int) -> Rule:
    """What a node does with a message of tree ``member``, from its own label.

    The printed children function needs these corrections. ``l``, the first superdimension after
    ``member`` that is not the source's, counts as ``member`` itself, not as -1, where there is
    none [uhc-figure-6-none]. The last node of the path of three must then not send by out-port
    ``member``, back to the root [uhc-figure-6-back]. The range of ports is empty where
    ``l = j+1``, not ``j-1`` [uhc-figure-6-empty]. And the last case names a wrong state of pair
    ``j`` [uhc-figure-6-state].
    """
    pairs = pairs_of(network)
    top = pairs - 1

    def rule(received: Receipts) -> Sends:
        mask = out_mask(network, received.node)
        turned = _turned(received.node ^ source, 2 * (member + 1), 2 * pairs)
        highest, others = turned >> 2 * top, turned & ((1 << 2 * top) - 1)
        lowest = lowest_bit(others | 1 << 2 * top) // 2
        round_off = (others >> 2 * lowest) & PAIR == mask
        below = up_to(lowest - round_off) & ~(1 << top)
        by_top = (others == 0) != (highest == mask)
        ports = np.where(highest == 0, 0, below | by_top.astype(np.int32) << top)
        return Sends(_turned(ports, top - member, pairs), received.tag)

    return rule


def _member(network: Network, root: int, ports: Ports, member: int) -> Tree:
    growth = Growth.empty(network.nodes)
    grow(network, root, 1 << member, member, adst_rule(network, root, member), growth)
    return scheduled(network, "adst", ports, root, *growth)


def _build(network: Network, root: int, ports: Ports) -> TreeFamily:
    if int(network.parameters[0]) % 2:
        raise InputError(
            f"network {network.spec!r}: adst needs an even n, because its trees are turns of one "
            "another by pairs of bits, and with odd n the highest bit has no partner"
        )
    members = tuple(_member(network, root, ports, j) for j in range(pairs_of(network)))
    return TreeFamily(network, "adst", ports, root, members)


ALGORITHMS = (
    Algorithm(
        name="adst",
        summary="n/2 arc-disjoint trees (even n), for noc steps; hardware takes one tree",
        families=("uhc",),
        models=("all",),
        build=_build,
        paper="uhc",
        arc_disjoint=True,
    ),
)
