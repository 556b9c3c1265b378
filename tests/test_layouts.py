"""Places of nodes: no two alike, as symmetric as the network, and links clear of other nodes."""

from itertools import combinations

import numpy as np
import pytest

from noc.layouts import lay_out
from noc.layouts.bends import arc
from noc.layouts.force import _spread
from noc.layouts.points import nearest
from noc.networks import FAMILIES, Network, build_network, from_edges

EXAMPLES = [family.example for family in FAMILIES.values() if family.name != "file"]
MORE = [
    *("star:2", "star:3", "star:5", "hypercube:1", "hypercube:6", "mesh:5", "mesh:3,3,3"),
    *("mesh:2,3,4,2", "torus:5,5", "torus:2,2", "tree:3,4", "tree:1,4", "scc:3", "ccc:2"),
    *("nk-star:5,3", "nk-star:5,1", "complete:2", "ring:2", "incomplete-star:5,2"),
]


def points(network: Network) -> np.ndarray:
    place = lay_out(network).place
    return place[:, 0] + 1j * place[:, 1]


@pytest.mark.parametrize("spec", [*EXAMPLES, *MORE])
def test_the_two_nearest_nodes_are_one_apart(spec: str) -> None:
    place = points(build_network(spec))
    assert np.isfinite(place).all()
    # Every two, one by one: nothing that is sorted or left out.
    least = min(abs(one - other) for one, other in combinations(place.tolist(), 2))
    assert least == pytest.approx(1)


def test_nearest_looks_at_every_two() -> None:
    place = np.random.default_rng(3).normal(size=200) + 1j * np.random.default_rng(4).normal(
        size=200
    )
    assert nearest(place) == min(abs(one - other) for one, other in combinations(place.tolist(), 2))


@pytest.mark.parametrize(
    "spec", ["star:3", "star:4", "star:5", "pancake:4", "bubble-sort:4", "nk-star:4,2", "scc:4"]
)
def test_renaming_the_symbols_turns_the_picture(spec: str) -> None:
    network = build_network(spec)
    n = int(network.parameters[0])

    def renamed(label: str) -> str:
        ring, colon, symbols = label.rpartition(":")
        return ring + colon + "".join(str(int(symbol) % n + 1) for symbol in symbols)

    image = np.array([network.node(renamed(network.label(node))) for node in range(network.nodes)])
    # It is the same network: links go where they went.
    there = np.where(network.neighbour >= 0, image[network.neighbour], -1)
    ends = [sorted(row) for row in network.neighbour[image].tolist()]
    assert [sorted(row) for row in there.tolist()] == ends
    place = points(network)
    # About the middle of the turn, which is the mean, not that of the frame.
    place = place - place.mean()
    turn = np.exp(2j * np.pi / n)
    assert min(np.abs(place[image] - place * each).max() for each in (turn, 1 / turn)) < 1e-9


@pytest.mark.parametrize("spec", ["hypercube:3", "hypercube:5", "uhc:4", "mesh:4,5", "mesh:2,3,3"])
def test_opposite_nodes_are_opposite(spec: str) -> None:
    # The last node is opposite the first, and so on: all bits, or all coordinates, turned round.
    place = points(build_network(spec))
    assert np.abs(place + place[::-1]).max() < 1e-9


def test_rings_are_circles_and_trees_are_trees() -> None:
    place = points(build_network("ring:9"))
    steps = np.diff(np.angle(place - place.mean()), append=np.angle(place[0] - place.mean()))
    assert np.allclose(np.mod(steps, 2 * np.pi), 2 * np.pi * 8 / 9)
    tree = build_network("tree:2,3")
    height = points(tree).imag
    depth = tree.distances(0)
    assert all(len(set(height[depth == level].round(9))) == 1 for level in range(4))
    assert (height[tree.neighbour[1:, 0]] > height[1:]).all()


def clearance(network: Network) -> float:
    """How near any link comes to a node that is not its own, as it is drawn."""
    place, bend = points(network), lay_out(network).bend
    least = np.inf
    for node, port in np.argwhere(network.neighbour >= 0).tolist():
        there = int(network.neighbour[node, port])
        curve = arc(place[node], place[there], bend[node, port], np.linspace(0, 1, 41))
        others = np.delete(place, [node, there])
        least = min(least, float(np.abs(curve[:, None] - others).min()))
    return least


CLEAR = dict.fromkeys(
    ("star:4", "scc:4", "torus:4,4", "torus:5", "hypercube:4", "mesh:3,3,3"),
    # Discs of the page have a radius of 0.3.
    0.33,
)


@pytest.mark.parametrize(
    ("spec", "least"),
    # Ten of 240 links of star:5 find no free arc, and touch nodes only at their edges.
    [*CLEAR.items(), ("star:5", 0.26)],
)
def test_links_keep_clear_of_nodes(spec: str, least: float) -> None:
    assert clearance(build_network(spec)) > least


@pytest.mark.parametrize("spec", ["star:4", "uhc:4", "torus:4,4", "tree:2,3"])
def test_lines_are_all_links_once_and_curves_are_their_arcs(spec: str) -> None:
    network = build_network(spec)
    layout, place = lay_out(network), points(network)
    ends = []
    for node, port, back in layout.lines():
        there, arrival = int(network.neighbour[node, port]), int(network.arrival[node, port])
        ends += [(node, port), *([(there, arrival)] if back else [])]
        begin, middle, end = layout.curve(node, port) @ [1, 1j]
        assert (begin + 2 * middle + end) / 4 == pytest.approx(
            arc(place[node], place[there], layout.bend[node, port], 0.5)
        )
    assert sorted(ends) == sorted(zip(*np.nonzero(network.neighbour >= 0), strict=True))


@pytest.mark.parametrize("spec", ["hypercube:3", "hypercube:4", "hypercube:5", "mesh:3,3,3"])
def test_grids_need_no_arcs(spec: str) -> None:
    assert not lay_out(build_network(spec)).bend.any()


@pytest.mark.parametrize("spec", ["star:5", "torus:4,4", "uhc:4", "ccc:3"])
def test_both_ways_of_a_link_are_one_line(spec: str) -> None:
    network = build_network(spec)
    bend = lay_out(network).bend
    assert (bend[network.neighbour < 0] == 0).all()
    node, port = np.nonzero(network.neighbour >= 0)
    both = network.paired(node, port)
    far = network.neighbour[node, port], network.arrival[node, port]
    assert np.array_equal(bend[node, port][both], -bend[far][both])


def test_several_links_of_two_nodes_are_several_lines() -> None:
    network = from_edges([("a", "b"), ("a", "b"), ("b", "a"), ("b", "c")])
    bend = lay_out(network).bend
    between = bend[0][network.neighbour[0] == 1]
    assert len(set(between.round(6))) == len(between) == 3


def test_forces_find_the_shape_of_a_graph() -> None:
    square = from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    place = points(square)
    sides = np.abs(place - np.roll(place, 1))
    assert sides.max() / sides.min() < 1.05
    path = from_edges([(n, n + 1) for n in range(6)])
    line = points(path)
    along = (line - line[0]) / (line[-1] - line[0])
    assert np.abs(along - np.arange(7) / 6).max() < 0.1


@pytest.mark.cases(1, ci=0)
@pytest.mark.parametrize(
    "edges",
    [
        [("hub", f"n{n}") for n in range(120)],
        # Labels at the ends, so that none are searched for.
        [(one, other, f"to {other}", f"to {one}") for one, other in combinations(range(90), 2)],
        [(f"a{one}", f"b{other}") for one in range(20) for other in range(20)],
    ],
    ids=["hub", "complete", "two parts"],
)
def test_neighbourhoods_are_no_heaps(edges: list) -> None:
    """The picture is at most half as wide again as a disc filled with so many smaller ones."""
    network = from_edges(edges)
    place = points(network)
    assert np.abs(place - place.mean()).max() < 1.5 * (network.nodes / np.pi) ** 0.5


def test_a_graph_has_one_picture() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")]
    assert np.array_equal(points(from_edges(edges)), points(from_edges(edges)))


def test_two_nodes_at_one_place_part() -> None:
    assert nearest(_spread(np.array([0, 0, 0.1, 3], dtype=np.complex128))) > 0.2
