"""Networks of lists of links and of graphs of networkx."""

import re
from collections.abc import Callable
from pathlib import Path

import networkx
import numpy as np
import pytest

from noc.design import build_design
from noc.emit.folder import write
from noc.errors import CheckError, InputError
from noc.networks import ABSENT, FAMILIES, Network, build_network, from_edges, from_networkx
from noc.trees import build_tree
from noc.verify.folder import read_folder

PAGE = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")


def arcs(net: Network) -> set[tuple[str, str, str, str]]:
    """Every link one way, all by their labels."""
    sender, port = np.nonzero(net.neighbour != ABSENT)
    return {
        (
            *(net.label(v), net.label(net.neighbour[v, p])),
            *(net.out_ports[p], net.in_ports[net.arrival[v, p]]),
        )
        for v, p in zip(sender.tolist(), port.tolist(), strict=True)
    }


def test_the_example_of_the_page(capsys) -> None:
    example = re.search(r"(?ms)<!-- example: edges -->\n```python\n(.*?)^```$", PAGE)
    assert example is not None
    exec(compile(example.group(1), "plugins.md", "exec"), {})
    printed = ["graph:square 4 True even", "('out 0',) ('in 0',) True", "10 2"]
    assert capsys.readouterr().out.splitlines() == printed


def test_two_way_links_have_one_port_at_each_end() -> None:
    net = from_edges([("a", "b", "east", "west"), ("b", "c")], name="path")
    assert (net.spec, net.family, net.parameters) == ("graph:path", "graph", ("path",))
    there = {("a", "b", "east", "west"), ("b", "c", "0", "0")}
    assert arcs(net) == there | {(b, a, into, out) for a, b, out, into in there}
    assert net.check() is net


def test_one_way_links() -> None:
    net = from_edges([("a", "b", "x", None), ("b", "a", None, "y")], two_way=False)
    assert arcs(net) == {("a", "b", "x", "in 0"), ("b", "a", "out 0", "y")}


def test_nodes_are_any_objects_in_a_given_order() -> None:
    points = [(0, 0), (0, 1), (1, 1)]
    net = from_edges([(points[2], points[0]), (points[0], points[1])], nodes=points)
    assert [net.label(node) for node in range(3)] == ["(0, 0)", "(0, 1)", "(1, 1)"]
    assert build_tree(net, root="(1, 1)").height == 2


def test_ports_are_found_where_none_is_given() -> None:
    cube = networkx.hypercube_graph(3)
    assert from_networkx(cube).symmetric
    assert from_networkx(cube).ports_found


@pytest.mark.parametrize(
    "kind", [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph]
)
def test_graphs_of_networkx(kind: Callable) -> None:
    graph = kind(name="loop")
    graph.add_edge(0, 1, out="x")
    graph.add_edge(1, 2, **{"in": "y"})
    graph.add_edge(2, 0)
    net = from_networkx(graph)
    assert net.spec == "graph:loop"
    assert net.two_way is not graph.is_directed()
    assert {("0", "1", "x"), ("1", "2", "y")} <= {(a, b, out) for a, b, out, _ in arcs(net)} | {
        (a, b, into) for a, b, _, into in arcs(net)
    }
    named = from_networkx(graph, name="mine")
    assert (named.spec, arcs(named)) == ("graph:mine", arcs(net))


def test_parallel_links() -> None:
    graph = networkx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert from_networkx(graph).links == 3


def test_a_folder_keeps_the_graph(tmp_path: Path) -> None:
    net = from_edges([(0, 1), (1, 2), (2, 0)], name="mine", two_way=False)
    design = build_design(net, width=4)
    write(design, tmp_path / "out")
    again = read_folder(tmp_path / "out").design
    assert again.network.spec == "graph:mine"
    assert again.digest == design.digest


WRONG: list[tuple[Callable, str]] = [
    (lambda: from_edges([("a", "b"), ("b", "c", "x")]), r"^edges: link 2 is \('b', 'c', 'x'\);"),
    (lambda: from_edges(["ab"]), "^edges: link 1 is 'ab'; "),
    (lambda: from_edges([(0, 1)], nodes=[0]), "^edges: link 1: 1 is none of nodes$"),
    (lambda: from_edges([(0, 1), (1, "1")]), "^two nodes have the name '1'$"),
    (lambda: from_edges([(0, 1), (2, 3)]), "^the graph is not strongly connected"),
    (lambda: from_edges([(0, 1)], two_way=False), "no path leads from '1' to '0'$"),
    (lambda: from_edges([(0, 0), (0, 1)]), r"^link 1 \(0 – 0\) leads from a node to itself$"),
    (lambda: from_edges([(0, 1, "x", "y"), (0, 2, "x", "y")]), "sends on both link 1"),
    (lambda: from_edges([(0, 1, 1.5, "y")]), "^link 1: 'out' must be text or a whole number"),
    (lambda: from_edges([]), "^the graph has 0 nodes; at least 2 are needed$"),
    (lambda: from_edges([(0, 1)], name=""), "^name must be printable text"),
    (lambda: from_networkx([(0, 1)]), "^graph: type list is no graph of networkx$"),
    (lambda: build_network("graph:mine"), "no family 'graph'"),
]


@pytest.mark.parametrize(("ask", "message"), WRONG)
def test_bad_input(ask: Callable, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()


def test_every_family_passes_the_check_of_plugins() -> None:
    for family in FAMILIES.values():
        if family.name != "file":
            build_network(family.example).check()


def test_a_network_that_is_none_is_noticed() -> None:
    square = build_network("ring:4")
    neighbour = square.neighbour.copy()
    neighbour[0, 0] = 2
    wrong = Network(
        *("ring:4", "ring", (4,), neighbour, square.arrival),
        *(square.out_ports, square.in_ports, square.labels),
    )
    with pytest.raises(CheckError, match=r"^ring:4: 2 links arrive at node 2 by in-port 1$"):
        wrong.check()
