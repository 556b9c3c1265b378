"""A network as cables between FPGA cards, in the words of the optical switch of Noctua 2.

``--fpgalink=n00:acl0:ch0-n01:acl1:ch2`` joins channel 0 of card 0 of host 0 with channel 2 of card
1 of host 1; each channel may have one cable. PC²'s page on FPGA-to-FPGA networking has the rest.
"""

import numpy as np

from noc.errors import InputError, option
from noc.networks.arrays import ABSENT
from noc.networks.network import Network

#: By its name how many of a card are in a host, and how many channels each has.
CARDS = {"520n": (2, 4), "u280": (3, 2)}


def fpgalink(network: Network, card: str) -> list[str]:
    """The cables that make a network, one node on a card.

    Nodes are on the cards of the hosts in their order, and the ports of a node that have a link on
    the channels of its card.

    >>> from noc.networks import build_network
    >>> fpgalink(build_network("ring:3"), "u280")[0]
    '--fpgalink=n00:acl0:ch0-n00:acl1:ch1'
    """
    in_host = _check(network, card)
    channel = np.cumsum(network.neighbour != ABSENT, axis=1) - 1

    def end(node: int, port: int) -> str:
        host, place = divmod(node, in_host)
        return f"n{host:02}:acl{place}:ch{channel[node, port]}"

    ends = np.argwhere(network.neighbour != ABSENT).tolist()
    far = [(network.neighbour[node, port], network.arrival[node, port]) for node, port in ends]
    return [
        f"--fpgalink={end(*near)}-{end(*other)}"
        for near, other in zip(ends, far, strict=True)
        if tuple(near) < other
    ]


def hosts(network: Network, card: str) -> int:
    """How many hosts have the cards of a network, each one all of its own."""
    return -(-network.nodes // _check(network, card))


def _check(network: Network, card: str) -> int:
    """Refuse what such cards cannot be joined to; how many are in a host."""
    asked = option("fpgalink", card)
    if card not in CARDS:
        raise InputError(f"{asked}: is unknown; allowed: {', '.join(CARDS)}")
    in_host, channels = CARDS[card]
    if not network.two_way:
        raise InputError(f"{asked}: {network.spec} has one-way links, and cables go both ways")
    if network.degree > channels:
        raise InputError(
            f"{asked}: has {channels} channels, and a node of {network.spec} {network.degree} links"
        )
    return in_host
