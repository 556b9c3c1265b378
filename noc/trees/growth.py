"""Message-driven growth: every node decides from the message it received and its own label."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.trees.tree import NO_PARENT


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

    def record(
        self, network: Network, source: int, sender: IntArray, port: IntArray, receiver: IntArray
    ) -> None:
        """Write receipts of one round; a node that receives twice is an error."""
        again = (self.parent[receiver] != NO_PARENT) | (receiver == source)
        self.parent[receiver], self.port[receiver] = sender, port
        # Of two that reach a node in the same round only one is still written there.
        again |= self.parent[receiver] != sender
        if again.any():
            node = network.label(int(receiver[again][0]))
            raise CheckError(f"{network.spec}: {node} receives twice from {network.label(source)}")


def lowest_bit(value: IntArray) -> IntArray:
    """The position of the lowest one of each value, which must not be 0."""
    position: IntArray = np.bitwise_count((value & -value) - 1).astype(np.int32)
    return position


def grow(network: Network, source: int, ports: int, tag: int, rule: Rule, growth: Growth) -> None:
    """Let a message spread from a node, round by round, until nobody sends any more.

    The source sends by the out-ports in ``ports``, a bit each, and ``tag`` goes along; all other
    nodes do with what they receive what the rule says. A node that sends by a port that it lacks,
    or that receives twice, is an error.
    """
    node = np.array([source], dtype=np.int32)
    sends = Sends(np.array([ports], dtype=np.int32), np.array([tag], dtype=np.int32))
    while node.size:
        bits = np.arange(int(sends.ports.max()).bit_length())
        index, port = np.nonzero(sends.ports[:, None] >> bits & 1)
        sender = node[index]
        receiver = network.neighbour[sender, port]
        if (receiver < 0).any():
            raise CheckError(f"{network.spec}: a node sends by a port that it lacks")
        growth.record(network, source, sender, port, receiver)
        in_port = network.arrival[sender, port].astype(np.int32)
        node, sends = receiver, rule(Receipts(receiver, in_port, sends.tag[index]))
