"""Classes and the graph of waits: no circle with the classes found, one with a single class."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.design import design, with_classes
from noc.errors import InputError
from noc.networks import network
from noc.programs import program
from noc.programs.classes import by_colour, by_height, candidates, greedy, one_class, two_colours
from noc.programs.waits import find_circle, levels, wait_graph

SMALL = [
    "star:4",
    "scc:4",
    "ccc:3",
    "uhc:4",
    "uhc:5",
    "hypercube:4",
    "nk-star:4,2",
    "arrangement:4,2",
]

# Network, classes by height, by colour, greedy; a dash where the method does not apply.
COUNTS = [
    ("star:4", 5, 3, None),
    ("scc:4", 9, None, None),
    ("uhc:5", 8, 5, 4),
    ("hypercube:4", 5, 3, None),
]


def naive_waits(compiled, classes) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Every wait, node by node and row by row."""
    net, found = compiled.network, set()
    for node in range(net.nodes):
        site = int(compiled.site[node])
        for row in np.flatnonzero(compiled.row_site == site).tolist():
            start = (node, int(classes.of_row[classes.colour[node], row]))
            for send in compiled.sends(row):
                there = int(net.neighbour[node, send.port])
                arrival = int(net.arrival[node, send.port])
                far = int(compiled.first_row[compiled.site[there], arrival]) + send.state
                found.add((start, (there, int(classes.of_row[classes.colour[there], far]))))
    return found


@pytest.mark.parametrize("spec", SMALL)
def test_the_wait_graph_holds_every_wait(spec: str) -> None:
    compiled = program(network(spec))
    for classes in (one_class(compiled), *candidates(compiled)):
        waits = wait_graph(compiled, classes)
        pairs = zip(waits.start.tolist(), waits.end.tolist(), strict=True)
        got = {(divmod(a, classes.count), divmod(b, classes.count)) for a, b in pairs}
        assert got == naive_waits(compiled, classes)


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("ports", ["all", "one"])
def test_the_classes_leave_no_circle(spec: str, ports) -> None:
    compiled = program(network(spec), ports=ports)
    for classes in candidates(compiled):
        waits = wait_graph(compiled, classes)
        level = levels(waits)
        assert level is not None
        assert (level[waits.start] > level[waits.end]).all()
        assert find_circle(waits) is None
        graph = nx.DiGraph(zip(waits.start.tolist(), waits.end.tolist(), strict=True))
        assert nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("spec", SMALL)
def test_one_class_leaves_a_circle_and_it_is_one(spec: str) -> None:
    compiled = program(network(spec))
    classes = one_class(compiled)
    waits = wait_graph(compiled, classes)
    assert levels(waits) is None
    circle = find_circle(waits)
    assert circle
    known = naive_waits(compiled, classes)
    assert all(pair in known for pair in zip(circle, [*circle[1:], circle[0]], strict=True))


@pytest.mark.parametrize(("spec", "height", "colour", "filled"), COUNTS)
def test_how_many_classes(spec: str, height: int, colour: int | None, filled: int | None) -> None:
    compiled = program(network(spec))
    made = (by_height(compiled), by_colour(compiled), greedy(compiled))
    assert [classes and classes.count for classes in made] == [height, colour, filled]


@given(st.integers(2, 9), st.data())
def test_levels_and_circles_agree_with_networkx(nodes: int, data) -> None:
    from noc.programs.waits import Waits

    pair = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    edges = sorted(data.draw(st.sets(pair.filter(lambda ends: ends[0] != ends[1]))))
    start = np.array([a for a, _ in edges], dtype=np.int64)
    end = np.array([b for _, b in edges], dtype=np.int64)
    waits = Waits(nodes, 1, start, end)
    acyclic = nx.is_directed_acyclic_graph(nx.DiGraph(edges))
    assert (levels(waits) is not None) == acyclic
    assert (find_circle(waits) is None) == acyclic


def test_too_few_classes_are_refused_with_the_circle() -> None:
    compiled = program(network("star:3"))
    with pytest.raises(InputError, match=r"^star:3 with 1 classes can lock up: \d+ class 0 waits"):
        with_classes(compiled, one_class(compiled), 8)


def test_one_source_at_a_time_needs_one_class_and_no_certificate() -> None:
    made = design(network("star:4"), sources="one")
    assert (made.classes.count, made.level) == (1, None)


@pytest.mark.parametrize("width", [0, 513, -1])
def test_width_out_of_range(width: int) -> None:
    with pytest.raises(InputError, match=rf"^--width {width}: from 1 to 512 bits"):
        design(network("star:4"), width=width)


def test_two_colours() -> None:
    colour = two_colours(network("hypercube:3"))
    assert colour is not None
    assert colour.tolist() == [bin(node).count("1") % 2 for node in range(8)]
    assert two_colours(network("scc:4")) is None
