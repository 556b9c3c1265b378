"""Message-driven growth: every node decides from the message it received and its own label."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.trees.tree import NO_PARENT

__all__ = ["Growth", "Receipts", "Rule", "Sends", "grow", "lowest_bit"]


class Receipts(NamedTuple):
    """What the nodes that receive in one round know: themselves, the in-port and the tag."""

    node: IntArray
    in_port: IntArray
    tag: IntArray


class Sends(NamedTuple):
    """What each of them does: the out-ports it sends by, bit ``p`` for port ``p``, and the tag."""

    ports: IntArray
    tag: IntArray


#: A distributed algorithm: each entry of the result may depend on its own receipt only.
Rule = Callable[[Receipts], Sends]


class Growth(NamedTuple):
    """The parents and their out-ports so far; ``NO_PARENT`` at nodes that received nothing."""

    parent: IntArray
    port: IntArray

    @classmethod
    def empty(cls, nodes: int) -> "Growth":
        """Nobody has received yet."""
        return cls(
            np.full(nodes, NO_PARENT, dtype=np.int32), np.full(nodes, NO_PARENT, dtype=np.int16)
        )


def lowest_bit(value: IntArray) -> IntArray:
    """The position of the lowest one of each value, which must not be 0."""
    position: IntArray = np.bitwise_count((value & -value) - 1).astype(np.int32)
    return position


def grow(network: Network, source: int, ports: int, tag: int, rule: Rule, growth: Growth) -> None:
    """Let a message spread from a node, round by round, until nobody sends any more.

    Parameters
    ----------
    network : Network
        The network. A send by a port that a node lacks is an error.
    source : int
        The node that begins.
    ports, tag : int
        The out-ports by which it sends, as bits, and the tag that goes along.
    rule : callable
        What every other node does with what it receives.
    growth : Growth
        Where the receipts are written. A node that receives twice is an error.
    """
    node = np.array([source], dtype=np.int32)
    sends = Sends(np.array([ports], dtype=np.int32), np.array([tag], dtype=np.int32))
    while node.size:
        place, port = _expanded(sends.ports)
        sender = node[place]
        receiver = network.neighbour[sender, port]
        _record(network, source, growth, sender, port, receiver)
        in_port = network.arrival[sender, port].astype(np.int32)
        node = receiver
        sends = rule(Receipts(receiver, in_port, sends.tag[place]))


def _expanded(ports: IntArray) -> tuple[IntArray, IntArray]:
    """Every send as (place of the sender, out-port), from one set of ports for each sender."""
    place = np.flatnonzero(ports)
    left = ports[place]
    places, bits = [place[:0]], [left[:0]]
    while place.size:
        places.append(place)
        bits.append(lowest_bit(left))
        left = left & (left - 1)
        more = left != 0
        place, left = place[more], left[more]
    return np.concatenate(places), np.concatenate(bits)


def _record(
    network: Network, source: int, growth: Growth, sender: IntArray, port: IntArray, to: IntArray
) -> None:
    if (to < 0).any():
        raise CheckError(f"{network.spec}: a node sends by a port that it lacks")
    again = (growth.parent[to] != NO_PARENT) | (to == source)
    growth.parent[to], growth.port[to] = sender, port
    again |= growth.parent[to] != sender
    if again.any():
        node = network.label(int(to[again][0]))
        raise CheckError(f"{network.spec}: {node} receives twice from {network.label(source)}")
