"""Exchanges by timetable: routes, tables, model and Verilog, each against what it was made from."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import networkx
import numpy as np
import pytest
from folders import change, copied, generated, manifest_of, stress
from helpers import edit, strong_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from round_designs import SPECS, check_benches, exchange_of, programmed

from noc.design import build_design
from noc.emit.manifest import build_manifest
from noc.errors import CheckError, InputError
from noc.fabrics.timetable import measure
from noc.networks import ABSENT, Network, build_network
from noc.programs.compile_rounds import compile_routes
from noc.programs.round_table import NONE, OWN, Register
from noc.trees.bounds import _hops_by, _port_sets, _weighted
from noc.trees.timetables import Exchange, Routes, bound_of, find_routes

KINDS = ("all_to_all", "scatter", "gather")


def routed(network: Network | str, name: str, **more: int) -> Routes:
    return find_routes(network, exchange_of(name), tries=20, **more)


# Routes.


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("spec", [*SPECS, "star:4", "nk-star:4,2"])
def test_every_word_comes_and_no_link_carries_two(spec: str, name: str) -> None:
    """Played on the whole network, translates and all, by nothing but links and steps."""
    routes = routed(spec, name)
    network, taken, ends = routes.network, set(), Counter[tuple[int, int]]()
    for source in range(network.nodes) if routes.translated else [0]:
        image = network.translation(source) if routes.translated else np.arange(network.nodes)
        for route in range(routes.source.size):
            at, since = int(image[routes.source[route]]), 0
            begin = at
            for hop in range(int(routes.first[route]), int(routes.first[route + 1])):
                assert image[routes.node[hop]] == at
                assert routes.step[hop] > since
                since, port = int(routes.step[hop]), int(routes.port[hop])
                assert (at, port, since) not in taken
                taken.add((at, port, since))
                at = int(network.neighbour[at, port])
            ends[begin, at] += 1
    wanted = zip(*(each.tolist() for each in exchange_of(name).pairs(network)), strict=True)
    assert ends == Counter(wanted)


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize(
    ("spec", "steps"),
    [("star:4", 21), ("uhc:4", 22), ("hypercube:4", 8), ("torus:4,4", 8), ("mesh:4,4", 16)],
)
def test_all_to_all_takes_the_fewest_steps(spec: str, steps: int) -> None:
    network = build_network(spec)
    assert bound_of(network, exchange_of("all_to_all")) == steps
    assert find_routes(network, exchange_of("all_to_all")).steps == steps


def fewest_steps(network: Network, root: int) -> int:
    """Of a scatter: the least time in which a flow through the steps reaches every node."""
    steps = 0
    while True:
        steps += 1
        graph = networkx.DiGraph()
        for step in range(1, steps + 1):
            for node, port in np.argwhere(network.neighbour != ABSENT).tolist():
                there = int(network.neighbour[node, port])
                edge = (node, step - 1), (there, step)
                capacity = graph.get_edge_data(*edge, {"capacity": 0})["capacity"] + 1
                graph.add_edge(*edge, capacity=capacity)
            for node in range(network.nodes):
                graph.add_edge((node, step - 1), (node, step), capacity=network.nodes)
        for node in range(network.nodes):
            if node != root:
                graph.add_edge((node, steps), "end", capacity=1)
        flow = networkx.maximum_flow_value(graph, (root, 0), "end")
        if flow == network.nodes - 1:
            return steps


@pytest.mark.cases(8)
@pytest.mark.parametrize("spec", [*SPECS, "star:4", "uhc:4", "mesh:4,4", "ccc:3"])
def test_scatter_and_gather_take_the_fewest_steps(spec: str) -> None:
    network = build_network(spec)
    for name, walked in (("scatter", network), ("gather", network.reversed())):
        fewest = fewest_steps(walked, 0)
        assert bound_of(network, exchange_of(name)) <= fewest
        assert find_routes(network, exchange_of(name)).steps == fewest


def check_lengths(network: Network, weight: np.ndarray, length: np.ndarray) -> None:
    """That all lengths are those of the lightest ways, where each link has a weight."""
    graph = networkx.DiGraph()
    for node, port in np.argwhere(network.neighbour != ABSENT).tolist():
        edge = node, int(network.neighbour[node, port])
        least = graph.get_edge_data(*edge, {"weight": 99})["weight"]
        graph.add_edge(*edge, weight=min(least, int(weight[node, port])))
    for node in range(network.nodes):
        right = networkx.single_source_dijkstra_path_length(graph, node)
        assert dict(enumerate(length[node].tolist())) == right


@given(network=strong_graphs())
@settings(max_examples=25)
def test_hops_by_some_ports_are_the_fewest(network: Network) -> None:
    nodes, sets = network.nodes, [*_port_sets(network)]
    assert len(sets) == len({tuple(each.tolist()) for each in sets})
    for ports in sets[:: 1 + len(sets) // 4]:
        hops = _hops_by(network.neighbour.astype(np.int64), np.arange(nodes), ports)
        check_lengths(network, np.broadcast_to(ports, network.neighbour.shape), hops)


@given(network=strong_graphs(), name=st.sampled_from(KINDS), root=st.integers(0, 3))
@settings(max_examples=40)
def test_any_graph_has_a_program(network: Network, name: str, root: int) -> None:
    exchange = exchange_of(name, root % network.nodes)
    routes = find_routes(network, exchange, tries=5)
    program = compile_routes(routes)
    assert program.round == routes.steps
    assert program.round >= bound_of(network, exchange)
    flows = program.flows
    ends = zip(flows.source.tolist(), program.target.tolist(), strict=True)
    assert Counter(ends) == Counter(
        zip(*(each.tolist() for each in exchange.pairs(network)), strict=True)
    )


@pytest.mark.ci
def test_words_are_kept_no_longer_than_asked() -> None:
    assert routed("star:5", "all_to_all").kept > 0
    assert routed("star:5", "all_to_all", kept=0).kept == 0


def spoilt_routes(routes: Routes, **columns: np.ndarray) -> Routes:
    return replace(routes, **columns)


def test_spoilt_routes_are_refused() -> None:
    """Each hop in another step, by another port, or from elsewhere."""
    routes = routed("star:3", "all_to_all")
    for hop in range(routes.step.size):
        for name, by in (("step", -1), ("step", 1), ("port", 1), ("node", 1)):
            column = getattr(routes, name).copy()
            column[hop] += by
            if name != "step":
                column[hop] %= routes.network.neighbour.shape[name == "port"]
            ends = zip(routes.first[:-1], routes.first[1:], strict=True)
            if name == "step" and all((np.diff(column[a:b], prepend=0) > 0).all() for a, b in ends):
                # A word may use a step in which its link is idle.
                links = Counter(zip(routes.port.tolist(), column.tolist(), strict=True))
                if max(links.values()) == 1:
                    continue
            with pytest.raises(CheckError, match=r"^star:3: (in step|the word of .* get there)"):
                spoilt_routes(routes, **{name: column}).check()
    with pytest.raises(CheckError, match="not every word of the all_to_all has a route"):
        spoilt_routes(routes, target=routes.target[::-1].copy() * 0 + 1).check()


# Tables.


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("spec", [*SPECS, "star:4"])
def test_tables_carry_each_word_along_its_route(spec: str, name: str) -> None:
    routes = routed(spec, name)
    program = compile_routes(routes)
    assert len(program.tables) == 1 or not routes.translated
    network, flows = program.network, program.flows
    for route in range(routes.source.size):
        hops = slice(int(routes.first[route]), int(routes.first[route + 1]))
        node, port, step = (each[hops].tolist() for each in (routes.node, routes.port, routes.step))
        flow = int(flows.number[step[0] - 1, node[0], port[0]])
        assert flows.source[flow] == routes.source[route]
        assert program.target[flow] == routes.target[route]
        came = [
            (at - 1, int(network.neighbour[one, out]), int(network.arrival[one, out]))
            for one, out, at in zip(node, port, step, strict=True)
        ]
        assert sorted(map(tuple, np.argwhere(program.carried == flow).tolist())) == sorted(came)
        assert program.latency[flow] == step[-1] - step[0] + 1


@pytest.mark.ci
def test_spoilt_tables_are_refused() -> None:
    """Every other choice of a port in a phase, and every other word that is taken."""
    program = programmed("star:4", "all_to_all")
    (table,), tried = program.tables, 0
    for place, (port, choices) in enumerate(table.sends):
        for phase, right in enumerate(choices):
            others = {Register(number, 1) for number in table.in_ports}
            # In a step in which a link is idle it may carry a word that nobody takes from it.
            others = {None, *others} if right is not None else set()
            for wrong in (others | {Register(OWN, 0)}) - {right}:
                sends = list(table.sends)
                sends[place] = (port, (*choices[:phase], wrong, *choices[phase + 1 :]))
                with pytest.raises(CheckError):
                    replace(program, tables=(replace(table, sends=tuple(sends)),)).check()
                tried += 1
    for place, phases in enumerate(table.takes or ()):
        for phase, right in enumerate(phases):
            if program.carried[phase, 0, table.in_ports[place]] == NONE:
                continue
            takes = list(table.takes or ())
            takes[place] = (*phases[:phase], not right, *phases[phase + 1 :])
            with pytest.raises(CheckError):
                replace(program, tables=(replace(table, takes=tuple(takes)),)).check()
            tried += 1
    assert tried > 200


# The model.


@pytest.mark.parametrize(("name", "words"), [("all_to_all", 23), ("scatter", 23), ("gather", 1)])
def test_at_full_load_all_words_of_every_round_are_given(name: str, words: int) -> None:
    design = build_design("star:4", fabric="timetable", exchange=name)
    load = measure.full(design, 0)
    rounds = load.cycles / design.round
    assert load.words == pytest.approx([words * rounds] * len(design.senders), abs=words)
    assert load.carried == pytest.approx(words * rounds * len(design.senders), rel=0.01)


# Folders.


@pytest.mark.parametrize("name", KINDS)
def test_the_manifest_says_for_whom_each_word_is_and_when_it_comes(name: str) -> None:
    """Enough to follow each word from its stream and phase to where and when it comes out."""
    manifest = build_manifest(build_design("mesh:2,3", fabric="timetable", exchange=name), [])
    given, came = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for node in manifest["nodes"]:
        assert len(node["inject_lanes"]) == len(node.get("inject", []))
        assert len(node["lanes"]) == len(node.get("eject", []))
        for lane in node["inject_lanes"]:
            given.update((node["label"], label) for label in lane["targets"] if label)
        for lane in node["lanes"]:
            came.update((label, node["label"]) for label in lane["sources"] if label)
    network = build_network("mesh:2,3")
    pairs = exchange_of(name).pairs(network)
    wanted = zip(*(map(network.label, each.tolist()) for each in pairs), strict=True)
    assert given == came == Counter(wanted)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = ("--fabric", "timetable", "--exchange", "all_to_all", "--vector-ports")
    return generated(tmp_path_factory.mktemp("exchange") / "out", "star:3", *options)


def exchange_targets(manifest: dict) -> None:
    targets = manifest["nodes"][0]["inject_lanes"][0]["targets"]
    one, other, *_ = (place for place, label in enumerate(targets) if label is not None)
    targets[one], targets[other] = targets[other], targets[one]


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("manifest", "is not for it|does not get|gives a word|in another cycle"),
        ("top", "which is not for it"),
    ],
)
def test_the_benches_catch_what_is_exchanged(
    whole: Path, file: str, message: str, tmp_path: Path
) -> None:
    """Two targets of a stream are exchanged, or another link's words come to a node."""
    copied(whole, tmp_path)
    if file == "manifest":
        change(tmp_path, "manifest", exchange_targets)
    else:
        wrong = ".in_0__payload(link_312_1__"
        edit(tmp_path / "noc_star_3.v", ".in_0__payload(link_213_0__", wrong)
    told = stress(tmp_path, status=1).stderr
    assert any(each in told for each in message.split("|"))


# Refusals.


def test_an_exchange_has_a_name_that_is_known() -> None:
    with pytest.raises(InputError, match="exchange 'all': all_gather, all_to_all, scatter"):
        Exchange("all")  # type: ignore[arg-type]


# Words that a user lists.


def halo(network: Network) -> list[tuple[int, int]]:
    """A word of each node for each neighbour."""
    arcs = np.argwhere(network.neighbour != ABSENT).tolist()
    return [(node, int(network.neighbour[node, port])) for node, port in arcs]


@pytest.mark.ci
def test_listed_words_that_are_alike_have_one_table() -> None:
    network = build_network("torus:4,4")
    design = build_design(network, fabric="timetable", exchange=halo(network))
    assert (design.round, len(design.program.tables)) == (1, 1)
    fewer = build_design(network, fabric="timetable", exchange=halo(network)[1:])
    assert (fewer.round, len(fewer.program.tables) > 1) == (1, True)


@pytest.mark.ci
def test_nodes_do_otherwise_where_that_takes_fewer_steps() -> None:
    """On a ring of an even number the opposite node is as near one way as the other."""
    network = build_network("ring:8")
    routes = find_routes(network, exchange_of("all_to_all"))
    assert (routes.steps, routes.translated) == (8, False)
    assert not find_routes("ring:8", exchange_of("scatter")).translated
    assert find_routes("ring:7", exchange_of("all_to_all")).translated
    with pytest.raises(CheckError, match="the nodes do not all do the same"):
        replace(find_routes("ring:8", exchange_of("scatter")), translated=True).check()


@pytest.mark.ci
@given(network=strong_graphs(), data=st.data())
@settings(max_examples=25)
def test_any_words_have_a_program(network: Network, data: st.DataObject) -> None:
    pairs = [(a, b) for a in range(network.nodes) for b in range(network.nodes) if a != b]
    words = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    exchange = Exchange("listed", words=tuple(words)).check(network)
    program = compile_routes(find_routes(network, exchange, tries=5))
    flows = program.flows
    assert sorted(zip(flows.source.tolist(), program.target.tolist(), strict=True)) == sorted(words)
    assert program.round >= bound_of(network, exchange)


def listed(tmp_path: Path, entries: object) -> Path:
    path = tmp_path / "words.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


@pytest.mark.ci
@pytest.mark.cocotb
def test_a_folder_of_listed_words_verifies_and_its_benches_pass(cli, tmp_path: Path) -> None:
    """Some nodes have none, and do nothing."""
    words = [("1234", "4321"), ("1234", "2134"), ("3214", "1234"), ("4321", "1234")]
    path = listed(tmp_path, [{"from": a, "to": b} for a, b in words])
    out = generated(tmp_path / "out", "star:4", "--fabric", "timetable", "--exchange", path)
    manifest = manifest_of(out)
    assert manifest["exchange"] == "listed"
    assert [tuple(each.values()) for each in manifest["words"]] == words
    assert sum("inject" in node for node in manifest["nodes"]) == 3
    assert cli.facts("verify", "--verilog", out)["mismatches"] == 0
    check_benches(out)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([], "at least one word is needed"),
        ([{"from": "123", "to": "123"}], "the word from 123 to 123 has no way to go"),
        ([{"from": "123", "to": "321"}] * 2, "the word from 123 to 321 is listed twice"),
        ([{"from": "123"}], "[0]: to is missing"),
        ([{"from": "123", "to": "9"}], "label '9' is no node"),
        (7, "must be a list, not 7"),
    ],
)
def test_words_that_cannot_be_are_refused(entries, message: str, cli, tmp_path: Path) -> None:
    path = listed(tmp_path, entries)
    told = cli.refusal("program", "star:3", "--fabric", "timetable", "--exchange", path)
    assert f"--exchange {path}: " in told
    assert message in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "is no JSON"),
        ("\xff", "is no JSON"),
        (None, "all_gather, all_to_all, scatter, gather, reduce_scatter, all_reduce, or a file"),
    ],
)
def test_files_without_words_are_refused(text: str | None, message: str, cli, tmp_path) -> None:
    path = tmp_path / "words.json"
    if text is not None:
        path.write_text(text, encoding="latin-1")
    told = cli.refusal("steps", "exchange", "star:3", "--exchange", path)
    assert f"--exchange {path}: {message}" in told


@pytest.mark.parametrize(
    "words", [5, [5], [(0, 1, 2)], {0: 1}, [(0, 0.5)], "listed", b"ab"], ids=repr
)
def test_what_is_no_exchange_is_refused(words) -> None:
    with pytest.raises(InputError, match="exchange"):
        build_design("star:3", fabric="timetable", exchange=words)


@pytest.mark.ci
def test_words_may_be_an_array_or_a_path(tmp_path: Path) -> None:
    path = listed(tmp_path, [{"from": "123", "to": "321"}])
    pairs = np.array([[0, build_network("star:3").node("321")]])
    digests = {
        build_design("star:3", fabric="timetable", exchange=each).digest
        for each in (path, str(path), pairs, [("123", "321")])
    }
    assert len(digests) == 1


def test_the_bound_of_unlike_words_looks_at_every_node() -> None:
    words = ((0, 1), *((5, node) for node in range(24) if node != 5))
    assert bound_of(build_network("star:4"), Exchange("listed", words=words)) == 8


@pytest.mark.ci
@pytest.mark.parametrize(("spec", "steps"), [("uhc:3", 18), ("mesh:3,3", 6)])
def test_weights_of_links_show_that_no_fewer_steps_will_do(spec: str, steps: int) -> None:
    network, exchange = build_network(spec), exchange_of("all_to_all")
    assert bound_of(network, exchange) == find_routes(network, exchange).steps == steps
    assert bound_of(network, exchange, 1000) <= 1000 * steps


@given(network=strong_graphs(), seed=st.integers(0, 9))
@settings(max_examples=20)
def test_the_lightest_ways_are_networkx_ones(network: Network, seed: int) -> None:
    weight = np.random.default_rng(seed).integers(1, 9, network.neighbour.shape)
    length = _weighted(network.neighbour.astype(np.int64), weight)[0]
    check_lengths(network, weight, length)


def test_latency_is_that_of_rounds(cli) -> None:
    told = cli.facts(
        "latency", "star:4", "--fabric", "timetable", "--exchange", "all_to_all", "--words", "1,3"
    )
    rows = [(each["cycles"], each["bound"]) for each in told["latencies"]]
    assert rows == [(21, 21), (63, 62)]
