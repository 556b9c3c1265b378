"""Classes and the graph of waits: no circle with the classes found, one with a single class."""

import networkx as nx
import numpy as np
import pytest
from helpers import printed
from hypothesis import given
from hypothesis import strategies as st

from noc.design import design, with_classes
from noc.errors import InputError
from noc.networks import network
from noc.programs import program
from noc.programs.choices import compare_choices
from noc.programs.classes import candidates, fewest_classes, one_class, two_colours
from noc.programs.folds import foldings
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

# Network, then classes by method; those that are left out do not apply.
COUNTS = [
    ("star:4", {"height": 5, "colour": 3, "fold": 3}),
    ("scc:3", {"height": 7, "colour": 4, "fold": 3}),
    ("scc:4", {"height": 9, "fold": 6}),
    ("ccc:3", {"height": 7, "fold": 4}),
    ("uhc:4", {"height": 6, "colour": 4, "fold": 3}),
    ("uhc:5", {"height": 8, "colour": 5, "greedy": 4}),
    ("hypercube:4", {"height": 5, "colour": 3, "fold": 3}),
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


@pytest.mark.parametrize(("spec", "counts"), COUNTS)
def test_how_many_classes(spec: str, counts: dict[str, int]) -> None:
    compiled = program(network(spec))
    made = candidates(compiled)
    assert {classes.method: classes.count for classes in made} == counts
    assert fewest_classes(compiled).count == min(counts.values())


@pytest.mark.parametrize("spec", ["star:4", "scc:4", "uhc:4", "hypercube:3"])
def test_a_port_of_a_folding_leads_from_one_colour_to_one(spec: str) -> None:
    net = network(spec)
    found = foldings(net)
    assert found
    for colour in found:
        colours = int(colour.max()) + 1
        assert sorted(set(colour.tolist())) == list(range(colours))
        for port in range(net.ports):
            pairs = set(zip(colour.tolist(), colour[net.neighbour[:, port]].tolist(), strict=True))
            assert len(pairs) == colours


def test_classes_of_a_folding_are_the_same_in_every_process() -> None:
    code = (
        "from noc.networks import network; from noc.programs import program; "
        "from noc.programs.classes import by_fold; made = by_fold(program(network('uhc:6'))); "
        "print(made.colour.tolist(), made.of_row.tolist())"
    )
    assert len(printed(code, hash_seeds="07")) == 1


def test_choices_cover_every_algorithm_and_method() -> None:
    found = compare_choices(network("uhc:5"))
    got = {(choice.algorithm, choice.method) for choice in found.choices}
    methods = ("one", "height", "colour", "greedy")
    assert got == {(a, m) for a in ("shortest", "even", "bt1", "bt2", "bt3") for m in methods}
    assert [name for name, _ in found.refused] == ["adst"]
    assert found.cheapest.classes == 4
    assert all(choice.certified == (choice.method != "one") for choice in found.choices)


def test_a_choice_is_what_the_design_has() -> None:
    net = network("scc:4")
    for choice in compare_choices(net, ports="one").choices:
        if choice.certified:
            made = design(net, choice.algorithm, ports="one", classes=choice.method)
            tables = made.fabric.tables
            assert (choice.classes, choice.modules) == (made.classes.count, len(tables))
            assert choice.header_bits == max(table.header_bits for table in tables)
            continue
        compiled = program(net, choice.algorithm, ports="one")
        known = naive_waits(compiled, one_class(compiled))
        circle = [(net.node(label), class_) for label, class_ in choice.circle]
        assert all(pair in known for pair in zip(circle, [*circle[1:], circle[0]], strict=True))


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("star:3", {"classes": "one"}, r"^star:3 with 1 classes can lock up: \d+ class 0 waits"),
        ("star:3", {"classes": "greedy"}, r"^--classes greedy: star:3 is symmetric"),
        ("scc:4", {"classes": "colour"}, r"^--classes colour: scc:4 has no two colours"),
        ("uhc:3", {"classes": "fold"}, r"^--classes fold: uhc:3 is not symmetric"),
        ("star:3", {"classes": "none"}, r"^--classes none: fewest, one, height"),
        ("star:3", {"classes": "height", "sources": "one"}, r"^--classes height: one source at"),
    ],
)
def test_classes_that_cannot_be_had_are_refused(spec: str, options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        design(network(spec), **options)


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


def test_sources_that_are_neither_are_refused() -> None:
    with pytest.raises(InputError, match=r"^sources two: all or one are allowed, or some nodes$"):
        design(network("star:3"), sources="two")


def test_two_colours() -> None:
    colour = two_colours(network("hypercube:3"))
    assert colour is not None
    assert colour.tolist() == [bin(node).count("1") % 2 for node in range(8)]
    assert two_colours(network("scc:4")) is None
