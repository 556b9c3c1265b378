"""Sizes, diameters, labels and symmetry of every family."""

import pytest

from noc.errors import InputError
from noc.networks import FAMILIES, build_network

#: Larger than those of the page and of the oracles, or of sizes that are a case of their own.
SIZES = [
    ("mesh:3,1,4", 12, 17, 5, False),
    ("torus:2,5", 10, 15, 3, True),
    ("torus:3,1", 3, 3, 1, True),
    ("torus:2,2,2,2", 16, 32, 4, True),
    ("ring:1000", 1000, 1000, 500, True),
    ("tree:300,1", 301, 300, 2, False),
    ("complete:300", 300, 44850, 1, True),
    ("pancake:6", 720, 1800, 7, True),
    ("bubble-sort:6", 720, 1800, 15, True),
]


@pytest.mark.parametrize(("spec", "nodes", "links", "diameter", "symmetric"), SIZES)
def test_facts(spec: str, nodes: int, links: int, diameter: int, symmetric: bool) -> None:
    net = build_network(spec)
    facts = (net.spec, net.nodes, net.links, net.diameter(), net.symmetric)
    assert facts == (spec, nodes, links, diameter, symmetric)


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"file"}))
def test_labels_name_every_node_once(family: str) -> None:
    net = build_network(FAMILIES[family].example)
    labels = [net.label(node) for node in range(net.nodes)]
    assert [net.node(label) for label in labels] == list(range(net.nodes))


PORTS = [
    ("mesh:2,1,3", ("x+", "x-", "z+", "z-")),
    ("torus:2,3", ("x+", "y+", "y-")),
    ("torus:2,3,3,2", ("d1+", "d2+", "d2-", "d3+", "d3-", "d4+")),
    ("ring:2", ("right",)),
    ("ring:3", ("right", "left")),
    ("tree:2,2", ("up", "down 1", "down 2")),
    ("complete:4", ("1", "2", "3")),
    ("pancake:4", ("2", "3", "4")),
    ("bubble-sort:4", ("1", "2", "3")),
]


@pytest.mark.parametrize(("spec", "ports"), PORTS)
def test_ports(spec: str, ports: tuple[str, ...]) -> None:
    assert build_network(spec).out_ports == build_network(spec).in_ports == ports


STEPS = [
    ("mesh:3,4", "1.2", {"x+": "2.2", "x-": "0.2", "y+": "1.3", "y-": "1.1"}),
    ("mesh:3,4", "2.0", {"x-": "1.0", "y+": "2.1"}),
    ("torus:3,4", "2.0", {"x+": "0.0", "x-": "1.0", "y+": "2.1", "y-": "2.3"}),
    ("torus:2,3", "1.0", {"x+": "0.0", "y+": "1.1", "y-": "1.2"}),
    ("ring:5", "4", {"right": "0", "left": "3"}),
    ("tree:3,2", "0", {"down 1": "1", "down 2": "2", "down 3": "3"}),
    ("tree:3,2", "2", {"up": "0", "down 1": "7", "down 2": "8", "down 3": "9"}),
    ("tree:3,2", "12", {"up": "3"}),
    ("complete:4", "3", {"1": "0", "2": "1", "3": "2"}),
    ("pancake:4", "3142", {"2": "1342", "3": "4132", "4": "2413"}),
    ("bubble-sort:4", "3142", {"1": "1342", "2": "3412", "3": "3124"}),
]


@pytest.mark.parametrize(("spec", "label", "expected"), STEPS)
def test_where_each_port_leads(spec: str, label: str, expected: dict[str, str]) -> None:
    net = build_network(spec)
    row = zip(net.out_ports, net.neighbour[net.node(label)].tolist(), strict=True)
    assert {port: net.label(there) for port, there in row if there >= 0} == expected


REFUSED = [
    ("mesh:1", "^network 'mesh:1': it has one node only: mesh:SIZE,… with"),
    ("torus:1,1", "it has one node only"),
    ("mesh:4,0", "0 is out of range: mesh:SIZE,… with one size from 1 up"),
    ("mesh:4,,4", "'' must be digits only"),
    ("mesh:4x4", "'4x4' must be digits only"),
    ("mesh:" + "1," * 31 + "2", "32 sizes given; at most 31 are allowed"),
    ("torus:65536,65536", "has 4294967296 nodes; at most 2147483647 are allowed"),
    ("ring:1", "1 is out of range: ring:n with n from 2 up"),
    ("ring:8,8", "2 parameters given, 1 needed"),
    ("tree:2", "1 parameters given, 2 needed"),
    ("tree:0,2", "0 is out of range"),
    ("tree:2,0", "0 is out of range"),
    ("tree:2,2147483647", r"more than 10\^15 nodes"),
    ("complete:32769", "32769 is out of range: complete:n with n from 2 up, and at most 32768"),
    ("pancake:1", "1 is out of range"),
    ("bubble-sort:13", "6227020800 nodes; at most"),
]


@pytest.mark.parametrize(
    ("spec", "meant"),
    [("Star:4", "star:4"), ("meshes:4,4", "mesh:4,4"), ("hypercub4", "hypercube:4"), ("q:4", "")],
)
def test_the_family_that_was_meant_is_named(spec: str, meant: str) -> None:
    with pytest.raises(InputError, match="no family") as refusal:
        build_network(spec)
    assert str(refusal.value).partition("; did you mean ")[2].rstrip("?") == meant


@pytest.mark.parametrize(("spec", "reason"), REFUSED)
def test_refused(spec: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as refusal:
        build_network(spec)
    assert "\n" not in str(refusal.value)


LABELS = [
    ("mesh:3,4", "3.0", "coordinates from 0.0 to 2.3 are allowed"),
    ("mesh:3,4", "1", "coordinates from 0.0 to 2.3 are allowed"),
    ("torus:3,4", "1.x", "coordinates from 0.0 to 2.3 are allowed"),
    ("ring:5", "5", "numbers from 0 to 4 are allowed"),
    ("tree:2,2", "-1", "numbers from 0 to 6 are allowed"),
]


@pytest.mark.parametrize(("spec", "label", "allowed"), LABELS)
def test_labels_of_no_node(spec: str, label: str, allowed: str) -> None:
    with pytest.raises(InputError, match=f"^label '{label}' is no node: {allowed}$"):
        build_network(spec).node(label)
