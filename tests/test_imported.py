"""A user's own graph, from files, lists of links and networkx: ports, refusals and export."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import networkx
import numpy as np
import pytest
from helpers import Arc, arcs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noc.cli import main
from noc.errors import CheckError, InputError
from noc.networks import (
    FAMILIES,
    Network,
    build_network,
    from_edges,
    from_networkx,
    memory,
    to_networkx,
)
from noc.networks.exchange import export, network_text, write_graph
from noc.trees import build_tree

DATA = Path(__file__).parent / "data"
PLUGINS_PAGE = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
MEMBERS = [
    "star:4", "incomplete-star:4,3", "nk-star:4,2", "arrangement:5,2", "scc:3", "scc:4", "ccc:2",
    "ccc:3", "uhc:2", "uhc:4", "uhc:5", "uhc:5,negative", "hypercube:1", "hypercube:4",
    "mesh:2", "mesh:3,4", "torus:2,3", "torus:3,4", "ring:2", "ring:5", "tree:3,2", "complete:5",
    "best:9", "pancake:4", "bubble-sort:4", "without:0.0/0.1,1.1@mesh:3,3",
]  # fmt: skip

AB = ["a", "b"]
ABC = ["a", "b", "c"]


def from_json(folder: Path, graph: object) -> Network:
    path = folder / "graph.json"
    path.write_text(graph if isinstance(graph, str) else json.dumps(graph), encoding="utf-8")
    return build_network(f"file:{path}")


def links(*pairs: str, **more: object) -> list[dict[str, object]]:
    return [{"from": pair[0], "to": pair[1], **more} for pair in pairs]


def one_way(*pairs: str, **more: object) -> list[dict[str, object]]:
    return links(*pairs, **more, **{"two-way": False})


def both_ways(*result: Arc) -> set[Arc]:
    return set(result) | {(head, into, tail, out) for tail, out, head, into in result}


MIXED = both_ways(("a", "0", "b", "0"), ("a", "p10", "b", "p2")) | {
    ("b", "1", "c", "0"),
    ("c", "1", "a", "p9"),
}

#: Graphs in files or as they are written, and their links.
WIRED = [
    (
        "path.json",
        both_ways(
            *(("north", "0", "east", "0"), ("east", "1", "south", "0")),
            ("south", "1", "west", "0"),
        ),
    ),
    (
        "square.json",
        both_ways(
            *(("north", "0", "east", "0"), ("east", "1", "south", "1")),
            *(("south", "0", "west", "0"), ("west", "1", "north", "1")),
        ),
    ),
    *((f"mixed.{ending}", MIXED) for ending in ("json", "graphml")),
    ("one-way-ring.graphml", {(f"n{n}", "out 0", f"n{(n + 1) % 3}", "in 0") for n in range(3)}),
    # Given ports are taken before numbers.
    (
        {"nodes": AB, "links": [*links("ab"), *links("ab", out=0, **{"in": "1"})]},
        both_ways(("a", "1", "b", "0"), ("a", "0", "b", "1")),
    ),
    # A number is free if its port neither sends nor receives.
    (
        {"nodes": AB, "links": [*links("ab"), *one_way("ba", **{"in": 1}), *one_way("ab")]},
        both_ways(("a", "0", "b", "0")) | {("b", "1", "a", "1"), ("a", "2", "b", "2")},
    ),
]


@pytest.mark.parametrize(("graph", "expected"), WIRED)
def test_each_link_has_its_ports(tmp_path, graph, expected: set[Arc]) -> None:
    file = isinstance(graph, str)
    net = build_network(f"file:{DATA / graph}") if file else from_json(tmp_path, graph)
    assert arcs(net) == expected


def test_facts_of_graphs() -> None:
    specs = [f"file:{DATA / name}" for name in ("path.json", "mixed.json", "one-way-ring.graphml")]
    path, mixed, ring = map(build_network, specs)
    assert (path.two_way, path.links, path.family, path.spec) == (True, 3, "file", specs[0])
    assert mixed.out_ports == mixed.in_ports == ("0", "1", "p2", "p9", "p10")
    assert (mixed.links, mixed.two_way) == (4, False)
    assert (ring.out_ports, ring.in_ports, ring.diameter()) == (("out 0",), ("in 0",), 2)
    # Ports are found where none is given; those in their order stay if they make it symmetric.
    square = build_network(f"file:{DATA / 'square.json'}")
    assert (square.symmetric, square.ports_found) == (True, True)
    assert (ring.symmetric, ring.ports_found) == (True, False)


def test_given_ports_stay_though_others_would_make_it_symmetric(tmp_path) -> None:
    ring = {"nodes": 4, "links": [*links("01", out="p"), *links("12", "23", "30")]}
    net = from_json(tmp_path, ring)
    assert ("0", "p", "1", "0") in arcs(net)
    assert (net.symmetric, net.ports_found) == (False, False)


def test_nodes_may_be_a_number(tmp_path) -> None:
    graph = {"nodes": 3, "links": [{"from": 0, "to": 1}, {"from": 1, "to": "2"}]}
    assert [from_json(tmp_path, graph).label(node) for node in range(3)] == ["0", "1", "2"]


def test_two_one_way_links_between_the_same_ports_are_a_two_way_link(tmp_path) -> None:
    there = {"from": "a", "to": "b", "out": "x", "in": "y"}
    back = {"from": "b", "to": "a", "out": "y", "in": "x"}
    more = {"from": "a", "to": "b", "out": "z", "in": "z2"}
    net = from_json(tmp_path, {"nodes": AB, "links": [there, back, more], "two-way": False})
    assert (net.links, net.arcs, net.out_ports) == (2, 3, net.in_ports)


def test_numbered_one_way_links_never_become_two_way_by_chance(tmp_path) -> None:
    graph = {"nodes": AB, "links": links("ab", "ba"), "two-way": False}
    assert (from_json(tmp_path, graph).links, from_json(tmp_path, graph).two_way) == (2, False)


def test_one_port_may_send_on_one_link_and_receive_on_another(tmp_path) -> None:
    ring = one_way("ab", "bc", "ca", **{"out": "p", "in": "p"})
    assert from_json(tmp_path, {"nodes": ABC, "links": ring}).links == 3


def test_a_byte_order_mark_is_no_fault(tmp_path) -> None:
    assert from_json(tmp_path, '\ufeff{"nodes": 2, "links": [{"from": 0, "to": 1}]}').nodes == 2


def test_a_changed_file_is_read_again(tmp_path) -> None:
    assert from_json(tmp_path, {"nodes": 2, "links": links("01")}).nodes == 2
    assert from_json(tmp_path, {"nodes": 3, "links": links("01", "12")}).nodes == 3


def test_labels() -> None:
    net = build_network(f"file:{DATA / 'square.json'}")
    assert [net.node(net.label(node)) for node in range(4)] == [0, 1, 2, 3]
    with pytest.raises(InputError, match=r"^label 'up' is no node: the names of the graph"):
        net.node("up")


P_TWICE = "^network 'file:.*graph.json': port 'p' of node 'a' "
REFUSED = [
    ({"nodes": ABC, "links": links("ab")}, "not strongly connected: no path leads from 'a' to 'c'"),
    ({"nodes": ABC, "links": one_way("ab", "bc", "ba")},
     "not strongly connected: no path leads from 'c' to 'a'"),
    ({"nodes": AB, "links": []}, "not strongly connected: no path leads from 'a' to 'b'"),
    ({"nodes": AB, "links": links("ab", "ab", out="p")},
     P_TWICE + r"sends on both link 1 \(a – b\) and link 2 \(a – b\)$"),
    ({"nodes": AB, "links": one_way("ab", "ab", out="p")},
     P_TWICE + r"sends on both link 1 \(a → b\) and link 2 \(a → b\)$"),
    ({"nodes": ABC, "links": one_way("ba", "ca", **{"in": "p"})},
     P_TWICE + r"receives on both link 1 \(b → a\) and link 2 \(c → a\)$"),
    ({"nodes": AB, "links": links("ab", out="p") + one_way("ba", **{"in": "p"})},
     P_TWICE + r"receives on both link 1 \(a – b\) and link 2 \(b → a\)$"),
    ({"nodes": AB, "links": links("ba", **{"in": "p"}) + one_way("ab", out="p")},
     P_TWICE + r"sends on both link 1 \(b – a\) and link 2 \(a → b\)$"),
    ({"nodes": AB, "links": links("ab", "bb")}, r"link 2 \(b – b\) leads from a node to itself"),
    ({"nodes": ["a"], "links": []}, "has 1 nodes; at least 2 are needed"),
    ({"nodes": [], "links": []}, "has 0 nodes"),
    ({"nodes": -1, "links": []}, "'nodes' is -1, and a graph"),
    ({"nodes": 10**6, "links": []}, "leave nodes without any link"),
    ({"nodes": AB, "links": links("az")}, "link 1: 'z' is no node of 'nodes'"),
    ({"nodes": ["a", "a"], "links": []}, "two nodes have the name 'a'"),
    ({"nodes": [7, "7"], "links": []}, "two nodes have the name '7'"),
    ({"nodes": [True, "b"], "links": []}, "the name of node 1 must be text or a whole number"),
    ({"nodes": ["a", " b"], "links": []}, "the name of node 2 must be printable"),
    ({"nodes": ["a", "b\nc"], "links": []}, r"not 'b\\nc'"),
    ({"nodes": ["a", "b" * 5000], "links": []}, "the name of node 2 has 5000 characters; at most"),
    ({"nodes": ["a", ["b"]], "links": []}, "the name of node 2 must be .* number, not a list"),
    ({"nodes": {"a": 1}, "links": []}, "'nodes' must be a list of names or a whole number, not an"),
    ({"nodes": AB, "links": "ab"}, "'links' must be a list, not text"),
    ({"nodes": AB, "links": [["a", "b"]]}, "link 1 must be an object, not a list"),
    ({"nodes": AB, "links": [{"from": "a"}]}, "link 1: 'to' is missing"),
    ({"nodes": AB, "links": links("ab", out=1.5)}, "link 1: 'out' must be text or a whole number"),
    ({"nodes": AB, "links": links("ab", out="")}, "link 1: 'out' must be printable text"),
    ({"nodes": AB, "links": links("ab", two_way=True)}, "link 1: unknown key 'two_way'; allowed"),
    ({"nodes": AB, "links": links("ab"), "two-way": 1}, "'two-way' must be true or false, not a n"),
    ({"nodes": AB, "links": links("ab", **{"two-way": None})}, "link 1: 'two-way' must be .* null"),
    ({"nodes": AB}, "the file: 'links' is missing"),
    ({"links": []}, "the file: 'nodes' is missing"),
    ([], "the file must hold an object, not a list"),
    ("3", "the file must hold an object, not a number"),
    ('{"nodes": 2,\n "links": [}', "line 2, column 12 is no JSON: Expecting value"),
    ('{"nodes": 2, "nodes": 3}', "key 'nodes' occurs twice in one object"),
    ("[" * 100_000, "nested too deeply"),
    ('{"nodes": ' + "1" * 5000 + "}", "a number in it has too many digits"),
    ("", "the file is empty"),
]  # fmt: skip


@pytest.mark.parametrize(("graph", "reason"), REFUSED)
def test_refused_json(tmp_path, graph, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as refusal:
        from_json(tmp_path, graph)
    assert str(refusal.value).startswith(f"network 'file:{tmp_path / 'graph.json'}': ")
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


XML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'
NODES = '<node id="a"/><node id="b"/>'
AB_EDGE = '<edge source="a" target="b"/>'


def from_graphml(
    folder: Path, inside: str, default: str = "undirected", frame: str = XML
) -> Network:
    path = folder / "graph.graphml"
    graph = f'<graph edgedefault="{default}">{inside}</graph>'
    path.write_text(frame.format(graph), encoding="utf-8")
    return build_network(f"file:{path}")


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        (NODES, "not strongly connected: no path leads from 'a' to 'b'"),
        (NODES + '<edge source="a" target="a"/>', r"link 1 \(a – a\) leads from a node to itself"),
        (NODES + '<edge source="a" target="z"/>', "link 1: 'z' is no node of the graph"),
        (NODES + '<edge source="a"/>', "link 1: '' is no node of the graph"),
        (NODES + '<node id="a"/>', "two nodes have the name 'a'"),
        (NODES + "<node/>", "the 'id' of node 3 must be printable text"),
        (NODES + '<edge source="a" target="b" directed="no"/>', "'directed' must be true or false"),
        (NODES + '<edge source="a" target="b"><data key="q">1</data></edge>', "networkx cannot re"),
        (NODES + '<hyperedge><endpoint node="a"/></hyperedge>', "networkx cannot read it"),
        (NODES + "<data>" + 9999 * "<a>" + 9999 * "</a>" + "</data>", "nested too deeply"),
        (NODES + '<graph edgedefault="directed"/>', "one graph is allowed, and none inside"),
        ('<node id="a"><graph edgedefault="directed"/></node>', "one graph is allowed"),
        (NODES + 2 * '<edge source="a" target="b" sourceport="p"/>', "port 'p' of node 'a' sends"),
    ],
)
def test_refused_graphml(tmp_path, inside: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as refusal:
        from_graphml(tmp_path, inside)
    assert str(refusal.value).startswith(f"network 'file:{tmp_path / 'graph.graphml'}': ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("frame", "default", "reason"),
    [
        ("<graphml>\n{}", "directed", r"line 2, column \d+ is no XML: no element found"),
        ("<graphml><data>{}</data></graphml>", "directed", "one graph is allowed"),
        ("<svg>{}</svg>", "directed", "it is no GraphML: its root element is 'svg'"),
        ("<graphml/><!--{}-->", "directed", "one graph is allowed, and none inside.*; it has 0"),
        ('<?xml version="1.0" encoding="no-such"?>{}', "directed", "it is no GraphML|encoding"),
        ("junk {}", "directed", "line 1, column 1 is no XML"),
        (XML, "x", "'edgedefault' must be directed or undirected, not 'x'"),
    ],
)
def test_refused_xml(tmp_path, frame: str, default: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        from_graphml(tmp_path, NODES + AB_EDGE, default, frame)


def test_graphml_without_a_namespace(tmp_path) -> None:
    assert from_graphml(tmp_path, NODES + AB_EDGE, frame="<graphml>{}</graphml>").links == 1


def test_an_undirected_edge_keeps_the_end_at_which_it_was_written(tmp_path) -> None:
    edge = '<edge source="b" target="a" sourceport="x" targetport="y"/>'
    assert arcs(from_graphml(tmp_path, NODES + edge)) == both_ways(("b", "x", "a", "y"))


def test_a_file_that_networkx_wrote(tmp_path) -> None:
    graph = networkx.MultiDiGraph()
    graph.add_edge("a", "b", **{"out": 3, "two-way": True})
    graph.add_edge("a", "b")
    graph.add_edge("b", "c", **{"two-way": True})
    networkx.write_graphml(graph, tmp_path / "graph.graphml")
    assert arcs(build_network(f"file:{tmp_path / 'graph.graphml'}")) == {
        ("a", "0", "b", "1")
    } | both_ways(("a", "3", "b", "0"), ("b", "2", "c", "0"))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("none.json", None, "it cannot be read: No such file or directory"),
        ("net.txt", b"{}", "the file must end in .json or .graphml"),
        ("net", b"{}", "the file must end in .json or .graphml"),
        ("junk.json", b'{"nodes": \xff\xfe', "byte 11 is no UTF-8 text"),
        ("junk.json", bytes(range(32)), "line 1, column 1 is no JSON"),
        ("junk.graphml", bytes(range(256)), "line 1, column 1 is no XML"),
        ("empty.graphml", b"", "the file is empty"),
    ],
)
def test_refused_files(tmp_path, name: str, content: bytes | None, reason: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"^network 'file:{tmp_path}/{name}': {reason}"):
        build_network(f"file:{tmp_path}/{name}")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.mkdir(), "it is a directory"),
        (lambda path: path.symlink_to("/dev/zero"), "it is no regular file"),
    ],
)
def test_what_is_no_file_is_refused_unread(tmp_path, make: Callable, reason: str) -> None:
    make(tmp_path / "net.json")
    with pytest.raises(InputError, match=f"{reason}$"):
        build_network(f"file:{tmp_path / 'net.json'}")


def test_a_file_beyond_memory_is_refused_unread(monkeypatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 4000)
    with pytest.raises(InputError, match=r"square.json': reading its 215 bytes needs about 9 kB"):
        build_network(f"file:{DATA / 'square.json'}")


def test_a_network_beyond_memory_is_refused(tmp_path, monkeypatch) -> None:
    """Every link has its own port labels: the arrays are far larger than the file."""
    hub = [
        {"from": 0, "to": node, "out": f"out{node}", "in": f"in{node}"} for node in range(1, 900)
    ]
    monkeypatch.setattr(memory, "available_bytes", lambda: 5_000_000)
    with pytest.raises(InputError, match=r"\(900 nodes\) needs about 7 MB of memory"):
        from_json(tmp_path, {"nodes": 900, "links": hub})


def in_all_forms(tmp_path: Path, net: Network) -> list[Network]:
    """What its files read as, and its graph of networkx."""
    result = [from_json(tmp_path, export(net)), from_networkx(to_networkx(net))]
    for name in ("again.json", "again.graphml"):
        write_graph(tmp_path / name, partial(network_text, net))
        result.append(build_network(f"file:{tmp_path / name}"))
    return result


@pytest.mark.parametrize("spec", MEMBERS)
def test_every_family_comes_back_from_files_and_networkx(tmp_path, spec: str) -> None:
    net = build_network(spec)
    for again in in_all_forms(tmp_path, net):
        assert [*map(again.label, range(net.nodes))] == [*map(net.label, range(net.nodes))]
        assert arcs(again) == arcs(net)
        facts = (again.links, again.two_way, again.symmetric)
        assert facts == (net.links, net.two_way, net.symmetric)


@pytest.mark.parametrize("spec", MEMBERS)
def test_the_order_of_ports_comes_back_from_networkx(spec: str) -> None:
    """But for ports that no node has; and from its own files."""
    net, graph = build_network(spec), to_networkx(build_network(spec))
    again = from_networkx(networkx.parse_graphml("\n".join(networkx.generate_graphml(graph))))
    assert again.out_ports == tuple(port for port in net.out_ports if port in again.out_ports)
    assert again.in_ports == tuple(port for port in net.in_ports if port in again.in_ports)


def test_a_network_without_a_link_is_a_file_with_a_line_less(tmp_path, cli) -> None:
    """As docs/networks.md tells, in each form."""
    listed = {"mesh.json": '"from": "1.1", "to": "2.1"', "mesh.dot": '"1.1" -> "2.1"'}
    for name, removed in listed.items():
        assert main(["info", "mesh:3,3", "-o", str(tmp_path / name)]) == 0
        lines = (tmp_path / name).read_text().splitlines(keepends=True)
        assert sum(removed in line for line in lines) == 1
    lines = (tmp_path / "mesh.json").read_text().splitlines(keepends=True)
    kept = "".join(line for line in lines if listed["mesh.json"] not in line)
    (tmp_path / "less.json").write_text(kept)
    less = build_network(f"file:{tmp_path / 'less.json'}")
    pairs = {("1.1", "2.1"), ("2.1", "1.1")}
    whole = arcs(build_network("mesh:3,3"))
    assert arcs(less) == {arc for arc in whole if (arc[0], arc[2]) not in pairs}
    assert "the file must end in .json, .graphml, .dot" in cli.refusal(
        "info", "mesh:3,3", "-o", str(tmp_path / "mesh.txt")
    )


def test_links_that_return_to_another_port_are_exported_one_way(tmp_path) -> None:
    ports = [("ab", "p", "q"), ("ba", "q", "r"), ("ab", "r", "p")]
    listed = [one_way(pair, **{"out": out, "in": into})[0] for pair, out, into in ports]
    net = from_json(tmp_path, {"nodes": AB, "links": listed})
    assert (net.in_ports == net.out_ports, net.links) == (True, 3)
    assert arcs(from_json(tmp_path, export(net))) == arcs(net)


def test_every_family_is_exported() -> None:
    assert {spec.partition(":")[0] for spec in MEMBERS} == set(FAMILIES) - {"file"}


# Every example writes the same file anew.
ON_FILES = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

names = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=3)


@st.composite
def graphs(draw) -> dict[str, object]:
    """Strongly connected: a ring of links in one direction, and any others on top."""
    nodes = draw(st.lists(names, min_size=2, max_size=7, unique=True))
    ring = list(zip(nodes, nodes[1:] + nodes[:1], strict=True))
    others = st.permutations(nodes).map(lambda order: tuple(order[:2]))
    pairs = draw(st.permutations(ring + draw(st.lists(others, max_size=8))))
    kinds = st.fixed_dictionaries({}, optional={"two-way": st.booleans()})
    listed = [
        {"from": tail, "to": head, **draw(ports_of(place)), **draw(kinds)}
        for place, (tail, head) in enumerate(pairs)
    ]
    return {"nodes": nodes, "links": listed, "two-way": draw(st.booleans())}


def ports_of(place: int):
    """Ports that no other link has, one that a free number has too, or none."""
    own = st.sampled_from([f"p{place}", f"{place}q", f"out {90 + place}", f"{place + 50}"])
    return st.fixed_dictionaries({}, optional={"out": own, "in": own})


@ON_FILES
@given(graph=graphs())
def test_random_graphs(tmp_path, graph) -> None:
    net = from_json(tmp_path, graph)
    written = [
        (entry["from"], entry["to"], entry.get("two-way", graph["two-way"]))
        for entry in graph["links"]
    ]
    expected = [pair for a, b, both in written for pair in [(a, b), (b, a)][: 1 + both]]
    assert sorted((tail, head) for tail, _, head, _ in arcs(net)) == sorted(expected)
    assert net.out_ports == net.in_ports or not any(both for _, _, both in written)
    again, *others = in_all_forms(tmp_path, net)
    assert all(arcs(other) == arcs(net) for other in (again, *others))
    for array in ("neighbour", "arrival"):
        np.testing.assert_array_equal(getattr(again, array), getattr(net, array))
    assert (again.out_ports, again.in_ports) == (net.out_ports, net.in_ports)


@pytest.mark.ci
@settings(parent=ON_FILES, max_examples=10)
@given(graph=graphs(), data=st.data())
def test_trees_on_random_graphs(tmp_path, graph, data) -> None:
    net = from_json(tmp_path, graph)
    root = data.draw(st.integers(0, net.nodes - 1))
    assert build_tree(net, "shortest", root=root).height == net.eccentricity(root)


def test_the_example_of_the_page(capsys) -> None:
    example = re.search(r"(?ms)<!-- example: edges -->\n```python\n(.*?)^```$", PLUGINS_PAGE)
    assert example is not None
    exec(compile(example.group(1), "plugins.md", "exec"), {})
    printed = ["graph:square 4 True even", "('out 0',) ('in 0',) True", "10 2"]
    assert capsys.readouterr().out.splitlines() == printed


def test_two_way_links_have_one_port_at_each_end() -> None:
    net = from_edges([("a", "b", "east", "west"), ("b", "c")], name="path")
    assert (net.spec, net.family, net.parameters) == ("graph:path", "graph", ("path",))
    assert arcs(net) == both_ways(("a", "east", "b", "west"), ("b", "0", "c", "0"))
    assert net.check() is net


def test_a_list_of_one_way_links() -> None:
    net = from_edges([("a", "b", "x", None), ("b", "a", None, "y")], two_way=False)
    assert arcs(net) == {("a", "x", "b", "in 0"), ("b", "out 0", "a", "y")}


def test_nodes_are_any_objects_in_a_given_order() -> None:
    points = [(0, 0), (0, 1), (1, 1)]
    net = from_edges([(points[2], points[0]), (points[0], points[1])], nodes=points)
    assert [net.label(node) for node in range(3)] == ["(0, 0)", "(0, 1)", "(1, 1)"]
    assert build_tree(net, root="(1, 1)").height == 2


def test_ports_are_found_for_a_graph_of_networkx() -> None:
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
    assert {("0", "x", "1"), ("1", "2", "y")} <= {(a, out, b) for a, out, b, _ in arcs(net)} | {
        (a, b, into) for a, _, b, into in arcs(net)
    }
    named = from_networkx(graph, name="mine")
    assert (named.spec, arcs(named)) == ("graph:mine", arcs(net))


def test_parallel_links() -> None:
    graph = networkx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert from_networkx(graph).links == 3


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
