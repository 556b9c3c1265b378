"""The cables of ``--fpgalink`` are the links of the network, with no channel in two of them."""

import re
from collections import Counter

import pytest

from noc.networks import ABSENT, build_network
from noc.networks.fpgalink import fpgalink, hosts

CABLE = re.compile(r"--fpgalink=n(\d\d):acl(\d):ch(\d)-n(\d\d):acl(\d):ch(\d)")


@pytest.mark.parametrize(
    ("spec", "card", "cards", "channels"),
    [("star:4", "520n", 2, 4), ("hypercube:4", "520n", 2, 4), ("ring:7", "u280", 3, 2)],
)
def test_cables_are_the_links(spec: str, card: str, cards: int, channels: int) -> None:
    net = build_network(spec)
    used: Counter[tuple[int, int]] = Counter()
    joined = []
    for cable in fpgalink(net, card):
        match = CABLE.fullmatch(cable)
        assert match, cable
        numbers = [*map(int, match.groups())]
        ends = []
        for host, place, channel in (numbers[:3], numbers[3:]):
            assert place < cards
            assert channel < channels
            ends.append(host * cards + place)
            used[ends[-1], channel] += 1
        joined.append(frozenset(ends))
    assert set(used.values()) == {1}
    assert hosts(net, card) == 1 + max(used)[0] // cards
    rows = enumerate(net.neighbour.tolist())
    links = {frozenset((node, other)) for node, row in rows for other in row if other != ABSENT}
    assert len(joined) == net.links
    assert set(joined) == links
