"""What is left of a network whose links or nodes have failed, against networkx."""

import json
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from helpers import arcs
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.cli import main
from noc.errors import InputError
from noc.networks import FAMILIES, build_network, is_own_graph, measure_network
from noc.networks.named import read_lost
from noc.verify.folder import read_folder


@pytest.mark.parametrize("spec", ["star:3", "uhc:3", "mesh:2,3", "complete:4", "scc:3", "best:7"])
@given(data=st.data())
@settings(max_examples=25)
def test_what_is_left_is_what_networkx_leaves(spec: str, data: st.DataObject) -> None:
    whole = build_network(spec)
    labels = [whole.label(node) for node in range(whole.nodes)]
    nodes = data.draw(st.sets(st.sampled_from(labels), max_size=2))
    ends = sorted({(start, end) for start, _, end, _ in arcs(whole)})
    links = data.draw(st.sets(st.sampled_from(ends), min_size=not nodes, max_size=4))
    expected = {
        arc for arc in arcs(whole) if not {arc[0], arc[2]} & nodes and (arc[0], arc[2]) not in links
    }
    graph = nx.DiGraph((start, end) for start, _, end, _ in expected)
    graph.add_nodes_from(set(labels) - nodes)
    lost = [*sorted(nodes), *(f"{start}/{end}" for start, end in sorted(links))]
    name = f"without:{','.join(data.draw(st.permutations(lost)))}@{spec}"
    if len(graph) > 1 and nx.is_strongly_connected(graph):
        left = build_network(name).check()
        assert arcs(left) == expected
        assert {left.label(node) for node in range(left.nodes)} == set(graph)
        assert (left.spec, left.nodes) == (name, measure_network(name)[1])
        return
    with pytest.raises(InputError) as refused:
        build_network(name)
    if len(graph) > 1:
        *_, start, _, end = refused.value.message.split()
        assert not nx.has_path(graph, start, end)


NAMED: dict[str, Any] = {
    "nodes": ["a", "b", "a/b", "a,b", "b/a", "x@y"],
    "links": [
        *({"from": "x@y", "to": label} for label in ("a", "b", "a/b", "a,b", "b/a")),
        {"from": "a", "to": "b"},
        {"from": "a", "to": "b"},
        {"from": "a/b", "to": "a,b"},
    ],
}


@pytest.fixture
def graph(tmp_path: Path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("named.json").write_text(json.dumps(NAMED), encoding="utf-8")
    return "file:named.json"


@pytest.mark.parametrize(
    ("text", "nodes", "links"),
    [
        ("a,b", ["a,b"], []),
        ("b,a", ["b", "a"], []),
        ("a/b,a/x@y", ["a/b"], [("a", "x@y")]),
        ("a/a/b", [], None),
        # Both of two parallel links.
        ("b/a,a,b/x@y", ["b/a"], [("a,b", "x@y")]),
        ("a/b/a,b,x@y", ["x@y"], [("a/b", "a,b")]),
    ],
)
def test_labels_may_have_what_stands_between_them(
    graph: str, text: str, nodes: list[str], links: list[tuple[str, str]] | None
) -> None:
    network = build_network(graph)
    if links is None:
        with pytest.raises(InputError, match="has no link from a to that node"):
            read_lost(network, text)
        return
    lost, arcs_lost = read_lost(network, text)
    assert [network.label(node) for node in lost] == nodes
    ends = [(network.label(n), network.label(int(network.neighbour[n, p]))) for n, p in arcs_lost]
    assert ends == links


def test_a_graph_of_labels_loses_links_and_nodes(graph: str) -> None:
    whole, left = build_network(graph), build_network(f"without:a/b,b/a,a/x@y@{graph}")
    # The nodes a/b and b/a, and one link.
    assert whole.arcs - left.arcs == 2 * 3 + 1
    assert is_own_graph(left.spec)


@pytest.mark.ci
def test_a_folder_keeps_the_graph_of_a_user(graph: str, cli) -> None:
    spec = f"without:b@{graph}"
    assert main(["generate", spec, "-o", "out"]) == 0
    Path("named.json").unlink()
    assert read_folder(Path("out")).design.network.spec == spec
    assert "the Verilog equals the model" in cli.out("verify", "--verilog", "out", "--words", "3")


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(
    "options",
    [
        ("--operations", "broadcast,all_reduce:sum"),
        ("--fabric", "direct", "--algorithm", "disjoint", "--sinks", "always-ready"),
        pytest.param(("--fabric", "timetable"), marks=pytest.mark.slow),
    ],
)
def test_every_fabric_goes_round_what_is_lost(options: tuple[str, ...], cli) -> None:
    words = ("verify", "without:0.0/0.1,1.2@mesh:3,3", *options, "--words", "5")
    assert "the Verilog equals the model" in cli.out(*words)


def test_what_is_left_can_lose_more() -> None:
    twice = build_network("without:0/1@without:1/0@ring:5")
    assert is_own_graph("without:0/1@without:1/0@file:mine.json") > is_own_graph(twice.spec)
    assert (twice.nodes, twice.arcs) == (5, 8)
    assert "without" in FAMILIES
