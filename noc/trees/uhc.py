"""``bt1``, ``bt2``, ``bt3`` and ``adst``: the broadcast trees of uni-directional hypercubes.

Superdimension ``j`` is the pair of bits ``2j`` and ``2j + 1``; each node sends by one of the two,
out-port ``j``, and receives by the other. Every hop turns all pairs round, so that out-port ``j``
used again and again walks round the four values of its pair.

``adst`` is n/2 arc-disjoint spanning trees, of even n. Tree ``j`` begins at the root's out-port
``j``. Turned so that superdimension ``j`` is the highest, all of them are one tree: the root's
message passes through the other three values of the highest pair, each of the three nodes
broadcasts in its subcube by BT1, and at last the nodes that one more hop by out-port ``j`` leads
into the root's own subcube take that hop. In the paper the message is sent along all of the trees,
so that any n/2-1 faults leave every node reached, as ``noc steps faults`` shows; with ``--survive``
in hardware, too, of faulty links.

After Huang and Yang.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from noc import networks
from noc.errors import InputError
from noc.networks import ABSENT, IntArray, Network
from noc.trees.algorithms import Algorithm
from noc.trees.growth import Growth, Receipts, Rule, Sends, grow, lowest_bit
from noc.trees.tree import NO_PARENT, Ports, Tree, TreeFamily, scheduled

#: How a rule is made for a network and the node that begins.
RuleMaker = Callable[[Network, int], Rule]

#: Superdimensions that one step of the recursion of BT3 covers, and the bits of a pair.
SECTION, PAIR = 3, 0b11


def pairs_of(network: Network) -> int:
    """The number of superdimensions; with odd n the highest bit belongs to none."""
    return int(network.parameters[0]) // 2


def out_mask(network: Network, node: IntArray) -> IntArray:
    """For each node the bit by which it sends, within every pair: 1 or 2."""
    return np.asarray(network.neighbour[node, 0] ^ node)


def up_to(port: Any) -> Any:
    """The set of the out-ports from 0 to ``port``, one bit each; empty for -1."""
    return (1 << (port + 1)) - 1


def bt1_rule(network: Network, source: int) -> Rule:
    """The children function of BT1, whatever its caption says [uhc-figure-4].

    A node sends by every out-port below the lowest superdimension ``l`` that is not the source's,
    and by ``l`` itself unless that hop would lead back to the source's own pair.
    """

    def rule(received: Receipts) -> Sends:
        difference = received.node ^ source
        lowest = lowest_bit(difference) // 2
        round_off = (difference >> 2 * lowest) & PAIR == out_mask(network, received.node)
        return Sends(up_to(lowest - round_off), received.tag)

    return rule


def bt2_rule(network: Network, source: int) -> Rule:  # noqa: ARG001
    """Algorithm 1: the tag is the in-port of the parent, and the source need not be known.

    Two corrections. A node that receives on in-port ``i`` with tag ``i - 1`` has no case in
    print; it sends as with tag ``i`` [uhc-algorithm-1-case]. And the source's child on the
    highest out-port is to send by one port more than there is [uhc-algorithm-1-port].
    """
    highest = pairs_of(network) - 1

    def rule(received: Receipts) -> Sends:
        i, tag = received.in_port, received.tag
        last = np.where(tag > i + 1, i + 1, np.where(tag == i + 1, i, i - 1))
        turn_at_zero = (tag == 0) & (i == 0)
        last[turn_at_zero] = 0
        return Sends(up_to(np.minimum(last, highest)), np.where(turn_at_zero, -1, i))

    return rule


def bt3_rule(network: Network, source: int) -> Rule:
    """Algorithm 2: sections of three superdimensions by the table, what is left by BT1.

    Two corrections. The out-port bounds are printed under the wrong condition:
    ``j + 3(k-1) + (n mod 6)/2`` is for n that 6 does not divide, ``j + 3k`` for the others,
    whatever the section ``k`` [uhc-algorithm-2-bound]. And in 6-BT3 one node, 111111, sends by
    out-ports 0 and 2 only, so that the table holds sets of out-ports rather than the highest
    one [uhc-algorithm-2-table].
    """
    rest = pairs_of(network) % SECTION
    in_the_rest = bt1_rule(network, source)
    table = six_bt3()

    def rule(received: Receipts) -> Sends:
        difference = received.node ^ source
        lowest = lowest_bit(difference) // 2
        base = np.maximum(lowest - (lowest - rest) % SECTION, rest)
        content = (difference >> 2 * base) & 0b111111
        ports = table[_as_from_zero(content, out_mask(network, received.node))] << base
        return Sends(
            np.where(lowest < rest, in_the_rest(received).ports, ports | up_to(base - 1)),
            received.tag,
        )

    return rule


def _as_from_zero(content: IntArray, mask: IntArray) -> IntArray:
    """A section's content as it would be had its sub-root sent by the low bits, as 000000 does.

    Every hop changes one bit, so the sub-root sent by the low bits if the number of ones and the
    mask of the node say so; otherwise the bits of each pair change places.
    """
    from_high = (np.bitwise_count(content) + (mask == 2)) % 2 == 1
    swapped = (content & 0b010101) << 1 | (content & 0b101010) >> 1
    return np.where(from_high, swapped, content)


@cache
def six_bt3() -> IntArray:
    """The table of 6-BT3: the set of out-ports by which each node of uhc:6 sends.

    It is 6-BT2 with 101111 taken from 101110 and hung under 111111.
    """
    six = networks.build_network("uhc:6")
    parent, port = _grown(six, 0, bt2_rule)
    parent[0b101111], port[0b101111] = 0b111111, 2
    child = np.flatnonzero(parent != NO_PARENT)
    ports = np.zeros(six.nodes, dtype=np.int32)
    np.bitwise_or.at(ports, parent[child], 1 << port[child].astype(np.int32))
    ports.setflags(write=False)
    return ports


def _grown(network: Network, root: int, rule_maker: RuleMaker) -> Growth:
    """Even n: from the root. Odd n: from the root and from one node of the other half.

    The two halves differ in the highest bit and are UHCs of n-1 dimensions and of opposite
    polarity. If the root cannot cross, its child on the highest pair can.
    """
    growth, crossing = Growth.empty(network.nodes), pairs_of(network)
    _grow_half(network, root, rule_maker, growth)
    if network.ports > crossing:
        crosses = network.neighbour[root, crossing] != ABSENT
        bridge = root if crosses else int(network.neighbour[root, crossing - 1])
        far = int(network.neighbour[bridge, crossing])
        growth.parent[far], growth.port[far] = bridge, crossing
        _grow_half(network, far, rule_maker, growth)
    return growth


def _grow_half(network: Network, source: int, rule_maker: RuleMaker, growth: Growth) -> None:
    pairs = pairs_of(network)
    # The source's tag is above every in-port.
    grow(network, source, up_to(pairs - 1), 2 * pairs, rule_maker(network, source), growth)


def _turned(value: IntArray, by: int, width: int) -> IntArray:
    """The bits of each value moved ``by`` positions to the right, those that fall out on top."""
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


def _arc_disjoint_trees(network: Network, root: int, ports: Ports) -> TreeFamily:
    if int(network.parameters[0]) % 2:
        raise InputError(
            f"network {network.spec!r}: adst needs an even n, because its trees are turns of one "
            "another by pairs of bits, and with odd n the highest bit has no partner"
        )
    members = []
    for member in range(pairs_of(network)):
        growth = Growth.empty(network.nodes)
        grow(network, root, 1 << member, member, adst_rule(network, root, member), growth)
        members.append(scheduled(network, "adst", ports, root, *growth))
    return TreeFamily(network, "adst", ports, root, tuple(members))


def _algorithm(name: str, summary: str, rule_maker: RuleMaker) -> Algorithm:
    def build(network: Network, root: int, ports: Ports) -> Tree:
        return scheduled(network, name, ports, root, *_grown(network, root, rule_maker))

    return Algorithm(name, summary, ("uhc",), ("all", "one"), build, paper="uhc")


ALGORITHMS = (
    _algorithm("bt1", "height 3n/2, one-port 3n/2 steps; up to 2 more for odd n", bt1_rule),
    _algorithm("bt2", "height n+1, the least there is; up to 2 more for odd n", bt2_rule),
    _algorithm("bt3", "one-port in 4n/3 steps where 6 divides n", bt3_rule),
    Algorithm(
        name="adst",
        summary="n/2 arc-disjoint trees (even n), each for a slice of words",
        families=("uhc",),
        models=("all",),
        build=_arc_disjoint_trees,
        paper="uhc",
        arc_disjoint=True,
    ),
)
