"""A network on several chips: which nodes lie where, which trees it has, and what each chip is."""

import json
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
from helpers import strong_graphs
from hypothesis import given
from hypothesis import strategies as st

from noc.chips import build_ways, cut, divide, read_division
from noc.design import build_design
from noc.emit.chips import ChipFiles
from noc.emit.manifest import build_manifest
from noc.emit.verilog import all_ports
from noc.errors import InputError
from noc.hardware import assemble
from noc.networks import Network, build_network


def graph_of(net: Network) -> nx.DiGraph:
    return nx.DiGraph(
        (node, other)
        for node, row in enumerate(net.neighbour.tolist())
        for other in row
        if other >= 0
    )


def crossings(ways, chip) -> tuple[int, int]:
    """How many links of the tree down, and of that up, lead from one chip to another."""
    up_parent, _ = ways.climbing
    return tuple(
        sum(chip[node] != chip[above] for node, above in enumerate(parent.tolist()) if above >= 0)
        for parent in (ways.down.parent, up_parent)
    )


@pytest.mark.parametrize(
    ("spec", "chips", "alike"),
    [
        ("star:4", 4, lambda label: label[-1]),
        ("star:4", 12, lambda label: label[-2:]),
        ("hypercube:5", 4, lambda label: label[:2]),
        ("scc:4", 4, lambda label: label[-1]),
        ("nk-star:5,2", 5, lambda label: label[-1]),
        ("uhc:4", 4, lambda label: label[:2]),
    ],
)
def test_substars_and_subcubes_are_chips(spec: str, chips: int, alike) -> None:
    net = build_network(spec)
    division, ways = divide(net, chips)
    kinds = {tuple(sorted({alike(net.label(n)) for n in nodes})) for nodes in division.members}
    assert len(kinds) == chips
    assert all(len(kind) == 1 for kind in kinds)
    # Words enter each chip by one link, each way.
    assert crossings(ways, division.chip) == (chips - 1, chips - 1)


@pytest.mark.parametrize(
    ("spec", "chips"),
    [("mesh:8,8", 4), ("mesh:5,5", 6), ("ring:16", 5), ("torus:4,5", 3), ("star:4", 5)],
)
def test_other_chips_are_connected_and_nearly_equal(spec: str, chips: int) -> None:
    net = build_network(spec)
    division, ways = divide(net, chips)
    graph, sizes = graph_of(net).to_undirected(), [*map(len, division.members)]
    assert all(nx.is_connected(graph.subgraph(nodes)) for nodes in division.members)
    assert max(sizes) - min(sizes) <= 2
    assert crossings(ways, division.chip) == (chips - 1, chips - 1)


@given(strong_graphs(), st.data())
def test_trees_of_any_division_span(net: Network, data) -> None:
    chips = data.draw(st.integers(1, net.nodes))
    chip = data.draw(st.lists(st.integers(0, chips - 1), min_size=net.nodes, max_size=net.nodes))
    names = sorted(set(chip))
    chip = [names.index(each) for each in chip]
    ways, graph = build_ways(net, chip), graph_of(net)
    up_parent, up_port = ways.climbing
    down = [(above, node) for node, above in enumerate(ways.down.parent.tolist()) if above >= 0]
    up = [(node, above) for node, above in enumerate(up_parent.tolist()) if above >= 0]
    for edges in (down, up):
        assert graph.has_edge(*edges[0])
        assert all(graph.has_edge(*edge) for edge in edges)
        tree = nx.DiGraph(edges if edges is down else [edge[::-1] for edge in edges])
        assert nx.is_arborescence(tree)
        assert len(tree) == net.nodes
    for node, above in enumerate(up_parent.tolist()):
        if above >= 0:
            assert net.neighbour[node, up_port[node]] == above
    # Where each chip is connected within itself, words enter it once.
    members = [[n for n, each in enumerate(chip) if each == number] for number in range(len(names))]
    if all(nx.is_strongly_connected(graph.subgraph(nodes)) for nodes in members):
        assert crossings(ways, chip)[0] == len(names) - 1


@given(strong_graphs(), st.data())
def test_any_graph_is_divided(net: Network, data) -> None:
    chips = data.draw(st.integers(1, net.nodes))
    division, _ = divide(net, chips)
    assert division.chips == chips
    assert sorted(node for nodes in division.members for node in nodes) == [*range(net.nodes)]
    graph = graph_of(net).to_undirected()
    assert all(nx.is_connected(graph.subgraph(nodes)) for nodes in division.members)


OPERATIONS = ("broadcast", "send", "all_reduce:sum", "all_reduce:max@half", "barrier")


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("spec", "chips", "options"),
    [
        ("star:3", 2, {}),
        ("star:4", 4, {"link_registers": 2, "queue": 8}),
        ("uhc:4", 4, {"operations": ["broadcast", "all_reduce:sum"]}),
        ("star:3", 3, {"operations": OPERATIONS, "groups": {"half": [0, 1, 2]}, "watchdog": 999}),
        (
            *("star:3", 2),
            {"operations": ["all_reduce:sum"], "void_words": True, "stand_ins": True},
        ),
    ],
)
def test_chips_have_all_of_the_network_once(spec: str, chips: int, options) -> None:
    net = build_network(spec)
    division, ways = divide(net, chips)
    whole = cut(build_design(net, ways, **options), division, 4)
    assembly, parts = assemble(whole.design), [whole.assembly(chip) for chip in range(chips)]
    names = Counter(each.name for part in parts for each in part.instances)
    ends = sum(len(whole.channels_of(chip)) for chip in range(chips))
    expected = Counter(each.name for each in assembly.instances)
    assert {name: n for name, n in names.items() if not name.startswith("link_to_")} == expected
    assert ends == sum(n for name, n in names.items() if name.startswith("link_to_"))
    # A stream between two chips is there at both, and each leads to an end of a link.
    streams = Counter(link.name for part in parts for link in part.links)
    between = {link.name for each in whole.channels for link in (*each.goes, *each.comes)}
    assert streams == Counter({each.name: 1 + (each.name in between) for each in assembly.links})
    for each in whole.channels:
        assert len(each.goes) + len(each.comes) == len(each.shapes[0]) + len(each.shapes[1])
    # All ports of the network are ports of one chip each.
    ports = Counter(
        line.strip(" ,").split()[-1]
        for name, text in ChipFiles(whole).files(build_manifest(whole.design, [])).items()
        if name.removesuffix(".v").rpartition("_chip_")[2].isdigit() and "link" not in name
        for line in text.partition(");")[0].splitlines()[1:]
    )
    assert {ports[port.name] for port in all_ports(assemble(whole.design))} - {chips} == {1}


def test_chips_that_words_enter_several_times_cannot_stop(tmp_path: Path) -> None:
    net, path = build_network("ring:4"), tmp_path / "turns.json"
    path.write_text('[["0", "2"], ["1", "3"]]')
    division = read_division(net, path)
    design = build_design(net, build_ways(net, division.chip, 0), sinks="queued", queue=2)
    with pytest.raises(InputError, match="down to chip_0, and up from it, 0 each can be stopped"):
        cut(design, division, 4)


def test_words_of_which_links_take_a_part_are_refused() -> None:
    division, ways = divide(build_network("star:3"), 2)
    design = build_design(division.network, ways, sinks="queued", queue=2, lookahead=True)
    with pytest.raises(InputError, match="links between chips take whole words"):
        cut(design, division, 4)


def test_a_division_of_ones_own(tmp_path: Path) -> None:
    net, path = build_network("mesh:2,2"), tmp_path / "halves.json"

    def refusal(content: object) -> str:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        with pytest.raises(InputError) as caught:
            read_division(net, path)
        assert str(path) in str(caught.value)
        return str(caught.value).rpartition(": ")[2]

    path.write_text('[["0.0", "1.1"], ["0.1"], ["1.0"]]')
    assert read_division(net, path).chip == (0, 1, 2, 0)
    assert refusal([["0.0", "1.1"], ["0.1"]]) == "1.0 is on no chip"
    assert refusal([["0.0", "1.1"], ["0.1", "1.0", "0.0"]]) == "0.0 is on chip 0 and on chip 1"
    assert refusal([["0.0", 3], ["0.1", "1.0"]]) == "3 is no label"
    needed = "a list with a list of labels for each chip is needed"
    assert refusal({"0.0": 1}) == refusal([["0.0"], []]) == refusal([]) == needed
    path.write_text("[")
    with pytest.raises(InputError, match="line 1, column 2 is no JSON"):
        read_division(net, path)
    with pytest.raises(InputError, match="No such file"):
        read_division(net, tmp_path / "none.json")


def test_what_is_printed(cli, tmp_path: Path) -> None:
    facts = cli.facts("cut star:4 --chips 4 --pins 8")
    assert facts["pins_of_a_link"] == 18
    assert [len(row["nodes"]) for row in facts["chips"]] == [6, 6, 6, 6]
    assert [(row["from"], row["to"]) for row in facts["links"]][:2] == [(0, 1), (1, 0)]
    # A beginning, 16 words of 3 beats of 16 bits, a trailer and a checksum of 2, a gap.
    assert facts["most_broadcasts_a_cycle"] == round(16 / (2 * (1 + 16 * 3 + 2 + 2 + 1)), 4)
    assert "down_4213" in cli.out("cut star:4 --chips 4")
    one = cli.facts(f"cut star:3 --chips 1 -o {tmp_path}/out")
    assert one["links"] == []
    assert one["folder"] == str(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["benches"]["chips"] == manifest["chips"]["top"] == "noc_star_3_chips"
