"""One tree for all roots: the same links from each, one row for each link, two classes."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.design import design
from noc.errors import InputError
from noc.model import all_sources, simulate
from noc.networks import Network, network
from noc.programs import Program, program
from noc.programs.classes import by_height, fewest_classes
from noc.trees import Tree, tree
from noc.trees.shared import middle
from noc.trees.tree import NO_PARENT

EXAMPLES = [
    *("star:4", "incomplete-star:4,3", "nk-star:5,3", "arrangement:4,2", "scc:4", "ccc:3"),
    "hypercube:4",
]


def pairs(made: Tree) -> set[frozenset[tuple[int, int]]]:
    """The links of a tree, without direction: (node, port) at both ends."""
    child = np.flatnonzero(made.parent != NO_PARENT)
    parent, port = made.parent[child], made.port[child]
    arrival = made.network.arrival[parent, port]
    ends = zip(parent.tolist(), port.tolist(), child.tolist(), arrival.tolist(), strict=True)
    return {frozenset(((a, p), (b, q))) for a, p, b, q in ends}


@given(st.sampled_from(EXAMPLES), st.sampled_from(["all", "one"]), st.data())
def test_every_root_uses_the_same_links(spec: str, ports, data) -> None:
    net = network(spec)
    root = data.draw(st.integers(0, net.nodes - 1))
    made = tree(net, "shared", root=root, ports=ports)
    assert (made.root, made.ports) == (root, ports)
    assert pairs(made) == pairs(tree(net, "shared"))


@given(st.sampled_from(EXAMPLES), st.data())
def test_no_root_is_far_from_anything(spec: str, data) -> None:
    """The way goes up towards the middle and down again."""
    net = network(spec)
    root = data.draw(st.integers(0, net.nodes - 1))
    hops = net.distances(middle(net))
    made = tree(net, "shared", root=root)
    assert (made.depth <= hops[root] + hops).all()
    assert tree(net, "shared", root=middle(net)).depth.tolist() == hops.tolist()


def test_the_middle_of_a_path_is_its_middle(tmp_path) -> None:
    for nodes, expected in ((2, {0, 1}), (5, {2}), (8, {3, 4})):
        path = tmp_path / f"{nodes}.json"
        # Numbered so that no end is node 0.
        order = [(3 * place + 1) % nodes if nodes != 2 else place for place in range(nodes)]
        links = [{"from": a, "to": b} for a, b in pairwise(order)]
        path.write_text(json.dumps({"nodes": nodes, "links": links}))
        assert middle(network(f"file:{path}")) in {order[place] for place in expected}


@st.composite
def two_way_graphs(draw) -> dict[str, object]:
    """A tree of links and a few more, between any two nodes, some of them twice."""
    nodes = draw(st.integers(2, 14))
    ends = [(draw(st.integers(0, node - 1)), node) for node in range(1, nodes)]
    any_two = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    ends += draw(st.lists(any_two.filter(lambda both: both[0] != both[1]), max_size=10))
    return {"nodes": nodes, "links": [{"from": a, "to": b} for a, b in ends]}


def check(made: Program) -> None:
    """One row a link, two classes at most, and every word arrives when all nodes send."""
    net = made.network
    assert int(made.alphabet.max()) == 1
    assert int(made.alphabet[:, : made.inject].sum()) == 2 * (net.nodes - 1)
    classes = fewest_classes(made)
    assert classes.count <= 2
    run = simulate(made, classes, all_sources(made, 3))
    assert run.drained
    assert run.delivered == 3 * net.nodes * (net.nodes - 1)


@given(two_way_graphs(), st.sampled_from(["all", "one"]))
def test_two_classes_are_enough_on_any_graph(tmp_path_factory, graph, ports) -> None:
    path = tmp_path_factory.mktemp("graphs") / "g.json"
    path.write_text(json.dumps(graph))
    check(program(network(f"file:{path}"), "shared", ports=ports))


@pytest.mark.parametrize("spec", EXAMPLES)
@pytest.mark.parametrize("ports", ["all", "one"])
def test_two_classes_are_enough_on_every_family(spec: str, ports) -> None:
    check(program(network(spec), "shared", ports=ports))


def test_the_header_holds_the_in_port_alone() -> None:
    """So that routers with the same links of the tree are one module, wherever they are."""
    for spec, bits in (("star:5", 3), ("scc:4", 2)):
        made = design(network(spec), "shared")
        assert {table.header_bits for table in made.fabric.tables} == {bits}
        kinds = set()
        for node in range(made.network.nodes):
            table = made.fabric.table_of(node)
            assert all(port.codes == (port.number,) for port in table.in_ports)
            classes = tuple(entry.class_ for entry in table.entries)
            kinds.add((tuple(port.number for port in table.in_ports), classes))
        assert len(kinds) == len(made.fabric.tables)


def test_in_ports_of_one_class_each_ask_only_if_they_have_room() -> None:
    by_port = [table.class_by_port for table in design(network("star:4"), "shared").fabric.tables]
    assert all(by_port)
    by_code = [table.class_by_port for table in design(network("star:4")).fabric.tables]
    assert not any(by_code)


def test_it_carries_as_much_as_trees_of_each_root() -> None:
    """With fewer classes; measured for more networks in docs/throughput.md."""
    cycles = {}
    for algorithm in ("shared", "shortest"):
        made = program(network("ccc:3"), algorithm)
        run = simulate(made, fewest_classes(made), all_sources(made, 20), events=False)
        cycles[algorithm] = run.cycles
    assert cycles["shared"] < 1.5 * cycles["shortest"]


def test_other_ways_to_give_classes_work_too() -> None:
    made = program(network("star:4"), "shared")
    run = simulate(made, by_height(made), all_sources(made, 2))
    assert run.drained


def one_way(tmp_path) -> Network:
    path = tmp_path / "g.json"
    links = [{"from": 0, "to": 1}, {"from": 1, "to": 2}, {"from": 2, "to": 0, "two-way": False}]
    path.write_text(json.dumps({"nodes": 3, "links": links}))
    return network(f"file:{path}")


def test_links_that_carry_words_one_way_are_refused(tmp_path) -> None:
    for net in (network("uhc:4"), one_way(tmp_path)):
        with pytest.raises(InputError, match=r"it works on any with two-way links$"):
            tree(net, "shared")
