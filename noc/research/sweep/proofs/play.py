"""A one-port broadcast played step by step; it knows the network's links, and no search."""

from collections.abc import Iterable

from noc.errors import CheckError
from noc.networks import ABSENT, Network

__all__ = ["play"]


def play(network: Network, root: int, sends: Iterable[tuple[int, int, int]]) -> int:
    """The steps of a broadcast, by step, sender and receiver of each send.

    Refused is a send before the word is there, over no link, to a node that has the word, or as
    a node's second one in a step; and a broadcast that misses a node.
    """
    had_since, sent = {root: 0}, set()
    for step, sender, receiver in sorted(sends):
        if receiver == ABSENT or receiver not in network.neighbour[sender]:
            raise CheckError(f"{network.spec}: no link leads from node {sender} to {receiver}")
        if had_since.get(sender, step) >= step:
            raise CheckError(f"{network.spec}: node {sender} sends in step {step} what it lacks")
        if receiver in had_since:
            raise CheckError(f"{network.spec}: node {receiver} receives twice")
        if (sender, step) in sent:
            raise CheckError(f"{network.spec}: node {sender} sends twice in step {step}")
        had_since[receiver] = step
        sent.add((sender, step))
    if len(had_since) < network.nodes:
        raise CheckError(f"{network.spec}: {network.nodes - len(had_since)} nodes get no word")
    return max(had_since.values())
