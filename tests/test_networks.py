"""Sizes, diameters, labels and symmetry of every family."""

import pytest

from noc.networks import FAMILIES, network

SIZES = [
    ("star:4", 24, 36, 4, True),
    ("star:5", 120, 240, 6, True),
    ("incomplete-star:5,3", 72, 126, 6, False),
    ("nk-star:5,2", 20, 40, 3, False),
    ("nk-star:4,3", 24, 36, 4, True),
    ("arrangement:5,2", 20, 60, 3, False),
    ("scc:3", 12, 12, 6, True),
    ("scc:4", 72, 108, 8, True),
    ("scc:5", 480, 720, 16, True),
    ("uhc:5", 32, 80, 7, False),
    ("uhc:6", 64, 192, 7, True),
    ("uhc:6,negative", 64, 192, 7, True),
    ("hypercube:6", 64, 192, 6, True),
    ("ccc:4", 64, 96, 8, True),
]


@pytest.mark.parametrize(("spec", "nodes", "links", "diameter", "symmetric"), SIZES)
def test_facts(spec: str, nodes: int, links: int, diameter: int, symmetric: bool) -> None:
    net = network(spec)
    facts = (net.spec, net.nodes, net.links, net.diameter(), net.symmetric)
    assert facts == (spec, nodes, links, diameter, symmetric)


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"file"}))
def test_labels_name_every_node_once(family: str) -> None:
    net = network(FAMILIES[family].example)
    labels = [net.label(node) for node in range(net.nodes)]
    assert [net.node(label) for label in labels] == list(range(net.nodes))
