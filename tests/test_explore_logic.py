"""What the page's scripts make of the document, run by Node.js without a browser."""

import base64
import json
import shutil
import zlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import started

from noc.design import AnyDesign, Design, OrderedDesign, build_design
from noc.explore import describe, describe_scene, list_plays, usual_runs
from noc.explore.document import SCRIPTS
from noc.explore.recording import Recording, Stream
from noc.explore.runs import record
from noc.layouts.bends import arc
from noc.model.ordered import watch_ordered
from noc.networks import build_network
from noc.programs.execute import execute
from noc.trees import build_trees
from noc.trees.timetables import find_timetable
from noc.trees.tree import depths

PAGE = Path(__file__).parent.parent / "noc" / "explore" / "page"
DRIVER = Path(__file__).with_name("explore_logic.mjs")
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="needs Node.js: node on PATH"),
    pytest.mark.usefixtures("own_operators"),
]

DESIGNS: dict[str, Callable[[], AnyDesign]] = {
    "ordered": lambda: build_design("star:4"),
    "one-way": lambda: build_design("uhc:3", own_words="return", sources="000,011"),
    "registers": lambda: build_design("mesh:2,3", link_registers=1, queue=2),
    "direct": lambda: build_design("star:4", "balanced", sources="one"),
    "timetable": lambda: build_design("star:4", fabric="timetable"),
    "timetables": lambda: build_design("mesh:2,3", fabric="timetable"),
    "sums": lambda: build_design(
        "mesh:2,3", fabric="timetable", exchange="all_reduce:sum", width=8
    ),
    "scattered sums": lambda: build_design(
        "star:3", fabric="timetable", exchange="reduce_scatter:max", width=40
    ),
    "exchange": lambda: build_design("mesh:2,3", fabric="timetable", exchange="all_to_all"),
    "many routers": lambda: build_design("mesh:3,3", fabric="direct"),
    "collective": lambda: build_design(
        "ring:5", operations=["broadcast", "all_reduce:sum", "send"], width=8
    ),
    "joined": lambda: build_design(
        "tree:2,2", operations=["all_reduce:sum"], width=8, link_registers=1
    ),
    "own operator": lambda: build_design("tree:2,2", operations=["all_reduce:own-late"], width=8),
}


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    for name in SCRIPTS:
        shutil.copy(PAGE / name, folder)
    shutil.copy(DRIVER, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.fixture(scope="module")
def told(modules: Path) -> Callable[..., Any]:
    """Ask the scripts about a document."""

    def ask(document: dict[str, Any], *names: str, given: Any = None) -> Any:
        packed = base64.b64encode(zlib.compress(json.dumps(document).encode())).decode()
        job = json.dumps({"packed": packed, "ask": names, "given": given})
        done = started(str(NODE), DRIVER.name, input=job, cwd=modules, status=0)
        answers = json.loads(done.stdout)
        return answers[names[0]] if len(names) == 1 else [answers[name] for name in names]

    return ask


def document_of(name: str) -> tuple[AnyDesign, dict[str, Any]]:
    design = DESIGNS[name]()
    return design, describe([describe_scene(design, usual_runs(design, words=2))])


@pytest.mark.cases(2, ci=7)
@pytest.mark.parametrize("name", DESIGNS)
def test_each_cycle_shows_its_transfers(name: str, told) -> None:
    design, document = document_of(name)
    (chosen,) = usual_runs(design, words=2)
    recorded = record(design, chosen.traffic)
    shown, outside = told(document, "transfers", "outside")
    columns = (recorded.cycle, recorded.stream, recorded.word)
    expected = sorted(zip(*(column.tolist() for column in columns), strict=True))
    assert [tuple(each) for each in shown[0]] == expected
    assert outside == [[0, 0]]


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", ["registers", "one-way", "collective", "joined", "own operator"])
def test_each_cycle_shows_what_streams_show(name: str, told) -> None:
    design, document = document_of(name)
    chosen = usual_runs(design, words=2)[0]
    shown = told(document, "signals")[0]
    recorded = record(design, chosen.traffic)
    signals = watch_ordered(design.program, chosen.traffic, recorded.cycles)
    levels = np.zeros((len(recorded.streams), recorded.cycles + 1, 2), dtype=bool)
    for stream, cycle, *both in zip(
        signals.stream, signals.cycle, signals.word != -1, signals.ready, strict=True
    ):
        levels[stream, cycle : recorded.cycles] = both
    moves = sorted(zip(recorded.stream, recorded.cycle, recorded.word, strict=True), reverse=True)
    word = np.full(levels.shape[:2], -1)
    for stream, cycle, moved in moves:
        word[stream, : cycle + 1] = moved
    alarms = [place for place, s in enumerate(recorded.streams) if s.sender == s.receiver]
    levels[alarms] = False
    for stream, row in enumerate(shown):
        if stream not in alarms:
            assert [each[:2] for each in row] == levels[stream].tolist()
            assert [each[2] for each in row] == np.where(
                levels[stream, :, 0], word[stream], -1
            ).tolist()
    assert {tuple(each[:2]) for row in shown for each in row} >= {(True, False), (True, True)}


Slot = tuple[int, str]


def slots(design: AnyDesign, stream: Stream) -> tuple[Slot | None, Slot | None]:
    """Which buffers of a node words leave by a stream, and which they enter."""
    turned = isinstance(design, OrderedDesign) and stream.kind in ("down", "eject")

    def slot(node: int) -> Slot | None:
        root = design.program.root if isinstance(design, OrderedDesign) else None
        return None if node < 0 else (node, "down" if turned and node != root else "up")

    return slot(stream.sender), slot(stream.receiver)


def meetings(design: AnyDesign, recorded: Recording) -> tuple[dict, dict]:
    """For each buffer and word the cycles in which it came there, and in which it left."""
    came: dict[tuple[Slot, int], list[int]] = defaultdict(list)
    left: dict[tuple[Slot, int], list[int]] = defaultdict(list)
    for stream, cycle, word in transfers(recorded):
        begin, end = slots(design, recorded.streams[stream])
        if end and word >= 0:
            came[end, word].append(cycle)
        if begin and word >= 0:
            # Where a sum is whole, the words for it are gone.
            gone = word - (recorded.streams[stream].kind == "sum")
            left[begin, gone].append(cycle)
    return came, left


def transfers(recorded: Recording) -> list[tuple[int, int, int]]:
    columns = (recorded.stream, recorded.cycle, recorded.word)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def recorded_of(design: AnyDesign) -> Recording:
    (chosen,) = usual_runs(design, words=2)
    return record(design, chosen.traffic)


@pytest.mark.cases(2, ci=9)
@pytest.mark.parametrize("name", DESIGNS)
def test_nodes_hold_what_has_come_and_not_left(name: str, told) -> None:
    design, document = document_of(name)
    recorded = recorded_of(design)
    came, left = meetings(design, recorded)
    held: list[list[list[int]]] = [
        [[] for _ in range(design.network.nodes)] for _ in range(recorded.cycles + 1)
    ]
    for (slot, word), cycles in came.items():
        for since in cycles:
            # What comes back to its source and goes no further is dropped there at once.
            until = max(left[slot, word], default=since + 1)
            for cycle in range(since + 1, until + 1):
                held[cycle][slot[0]].append(word)
    (shown,) = told(document, "held")
    assert shown == [[sorted(words) for words in nodes] for nodes in held]
    # After the last cycle nothing is held.
    assert not any(shown[-1])


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", DESIGNS)
def test_heat_counts_words_and_waits(name: str, told) -> None:
    design, document = document_of(name)
    recorded = recorded_of(design)
    came, left = meetings(design, recorded)
    ((load, wait, wait_of_node),) = told(document, "heat")
    assert load == np.bincount(recorded.stream, minlength=len(recorded.streams)).tolist()
    # A word that goes on in the cycle after it came has not waited.
    waited = [0] * len(recorded.streams)
    for stream, cycle, word in transfers(recorded):
        begin, _ = slots(design, recorded.streams[stream])
        if begin and word >= 0:
            waited[stream] += max(0, cycle - min(came[begin, word]) - 1)
    assert wait == waited
    stayed = [0] * design.network.nodes
    for (slot, word), cycles in came.items():
        for since in cycles:
            stayed[slot[0]] += max(0, max(left[slot, word], default=since + 1) - since - 1)
    assert wait_of_node == stayed
    # One word at a time never waits, nor does one by the clock.
    assert (sum(wait) == 0) == (design.fabric != "ordered")


@pytest.mark.parametrize("name", ["ordered", "one-way", "registers"])
def test_trees_of_the_ordered_fabric(name: str, told) -> None:
    design, document = document_of(name)
    assert isinstance(design, OrderedDesign)
    program = design.program
    for source, tree in enumerate(told(document, "trees")):
        if source not in program.sources:
            assert tree is None
            continue
        hops = program.up_depth[source] + program.down.depth
        assert tree["depth"] == hops.tolist()
        assert tree["cycles"] == (program.up[source] + program.down_cycles).tolist()
        assert tree["parent"] == program.down.parent.tolist()
        assert len(tree["up"]) == program.up_depth[source]


@pytest.mark.parametrize("name", ["direct", "many routers"])
def test_trees_of_the_direct_fabric(name: str, told) -> None:
    design, document = document_of(name)
    assert isinstance(design, Design)
    for source, tree in enumerate(told(document, "trees")):
        done = execute(design.program, source)
        assert tree["parent"] == done.parent.tolist()
        assert tree["port"] == done.port.tolist()
        depth = depths(done.parent, source)
        assert depth is not None
        assert tree["depth"] == depth.tolist()


@pytest.mark.ci
@pytest.mark.parametrize("name", ["timetable", "timetables"])
def test_trees_of_the_timetable_fabric(name: str, told) -> None:
    design, document = document_of(name)
    timetable = find_timetable(design.network)
    for source, tree in enumerate(told(document, "trees")):
        searched = timetable.tree(source)
        assert tree["parent"] == searched.parent.tolist()
        assert tree["port"] == searched.port.tolist()
        assert tree["depth"] == searched.depth.tolist()
        # A step is a cycle, and the last one that to the sink.
        cycles = np.where(searched.step == 0, -1, searched.step)
        assert tree["cycles"] == cycles.tolist()


@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize("spec", ["mesh:2,3", "scc:3", "star:4"])
def test_steps_from_every_root(spec: str, told) -> None:
    design = build_design(spec, sources="one")
    document = describe([describe_scene(design, [])])
    listed = document["scenes"][0]["schedules"]
    shown, deep = told(document, "schedules", "depths")
    for schedule, roots, depth in zip(listed, shown, deep, strict=True):
        algorithm, ports = schedule["algorithm"], schedule["ports"]
        for root, told_tree in enumerate(roots):
            if not design.network.symmetric and str(root) not in schedule["from"]:
                # It says from where it is instead.
                assert str(told_tree["root"]) in schedule["from"]
                continue
            trees = build_trees(design.network, algorithm, root=root, ports=ports).trees
            tree = trees[schedule["tree"] or 0]
            assert told_tree["root"] == root
            assert told_tree["parent"] == tree.parent.tolist()
            assert told_tree["port"] == tree.port.tolist()
            assert told_tree["step"] == tree.step.tolist()
            if root == 0:
                assert depth == tree.depth.tolist()


def test_words_arrive_where_sinks_take_them(told) -> None:
    design, document = document_of("ordered")
    (chosen,) = usual_runs(design, words=2)
    recorded = recorded_of(design)
    (shown,), (rank,) = told(document, "arrivals", "rank")
    expected = np.full((48, 24), -1)
    for s, c, w in zip(
        recorded.stream.tolist(), recorded.cycle.tolist(), recorded.word.tolist(), strict=True
    ):
        stream = recorded.streams[s]
        if stream.kind in ("inject", "eject"):
            expected[w, max(stream.sender, stream.receiver)] = c
    assert shown == expected.tolist()
    assert sorted(rank) == list(range(48))
    # Everybody receives words in one order; whose own one is missing has the others in it.
    for node in range(24):
        others = np.flatnonzero(chosen.traffic.whole.source != node)
        by_rank = sorted(others.tolist(), key=lambda word: rank[word])
        assert by_rank == sorted(others.tolist(), key=lambda word: int(expected[word, node]))


@pytest.mark.parametrize("name", ["ordered", "one-way", "collective"])
def test_looks_tell_words_apart(name: str, told) -> None:
    _, document = document_of(name)
    (looks,) = told(document, "looks")
    words = document["scenes"][0]["runs"][0]["words"]
    assert looks["by"] == {"ordered": "order", "one-way": "source", "collective": "operation"}[name]
    if name == "one-way":
        assert looks["names"] == ["000", "011"]
        assert looks["look"] == [[0, 3].index(source) for source in words["source"]]
    elif name == "collective":
        assert looks["look"] == words["operation"]
    else:
        assert set(looks["look"]) == set(range(6))


def test_a_point_is_the_node_that_is_there(told) -> None:
    _, document = document_of("ordered")
    picked, inside = told(document, "picking", "inside")
    assert picked == [[node, -1] for node in range(24)]
    assert all(inside)


def test_curves_are_those_of_the_layout(told) -> None:
    design = build_design("torus:4,4")
    document = describe([describe_scene(design, [])])
    net = document["scenes"][0]["network"]
    curves = told(document, "curves")
    assert len(curves) == design.network.arcs
    place = np.array(net["x"]) + 1j * np.array(net["y"])
    for node, port, view, points, begin, end in curves:
        there = net["neighbour"][node][port]
        line = arc(place[node], place[there], net["bend"][node][port], [0, 0.25, 0.5, 1])
        shown = [complex(at["x"] - view["x"], view["y"] - at["y"]) for at in points]
        assert np.allclose(np.array(shown) / view["scale"], line)
        assert 0 < begin < end < 1
    assert any(np.array(net["bend"]).ravel())


def test_a_session(told) -> None:
    document = describe(
        [
            describe_scene(design, usual_runs(design, words=1))
            for design in (build_design("ring:4", sources="one"), build_design("ring:5"))
        ]
    )
    last = max(scene["runs"][0]["cycles"] for scene in document["scenes"])
    session = [
        ["step", 1],
        ["step", -5],
        ["goTo", 10_000],
        ["play"],  # From the end it begins again.
        ["advance", 1.25],  # Two cycles a second.
        ["advance", 0.3],
        ["pause"],
        ["faster", 1],
        ["faster", -99],
        ["faster", 99],
        ["key", "p"],
        ["key", "x"],
        ["goTo", 0],
        ["play"],
        ["advance", 0.5 / 32],
        ["advance", 1e6],
        ["beside", False],
        ["beside", True],
        ["view", 2],
    ]
    states = iter(told(document, "session", given=session))
    state = next(states)
    assert (len(state["panes"]), state["frame"], state["playing"]) == (2, 0, False)
    assert [state["views"][pane["view"]]["scene"] for pane in state["panes"]] == [0, 1]
    assert state["last"] == last
    assert [next(states)["frame"] for _ in range(3)] == [1, 0, last]
    state = next(states)
    assert (state["playing"], state["frame"], state["phase"]) == (True, 0, 0)
    state = next(states)
    assert (state["frame"], state["phase"]) == (2, 0.5)
    state = next(states)
    assert (state["frame"], state["phase"]) == (3, pytest.approx(0.1))
    state = next(states)
    assert (state["playing"], state["frame"], state["phase"]) == (False, 3, 0.6)
    assert [next(states)["speed"] for _ in range(3)] == [4, 0.5, 32]
    assert next(states)["panes"][0]["node"] == 3
    assert next(states) == "left alone"
    assert next(states)["frame"] == 0
    assert next(states)["playing"]
    # It goes on from where words rest on their links.
    state = next(states)
    assert (state["frame"], state["phase"]) == (1, pytest.approx(0.1))
    state = next(states)
    assert (state["frame"], state["playing"]) == (last, False)
    assert len(next(states)["panes"]) == 1
    state = next(states)
    assert len(state["panes"]) == 2
    shown = [state["views"][pane["view"]] for pane in state["panes"]]
    assert shown[0] != shown[1]
    state = next(states)
    assert state["panes"][0]["view"] == 2
    assert state["views"][2]["kind"] == "schedules"
    assert next(states, None) is None


def test_what_happens_is_told(told) -> None:
    _, document = document_of("direct")
    (cycles,), steps = told(document, "told", "steps", given=3)
    scene = document["scenes"][0]
    run, labels = scene["runs"][0], scene["network"]["labels"]
    first = labels[run["words"]["source"][0]]
    assert (
        cycles[0]
        == f"Cycle 0 of {run['cycles']}: 1 word enters at {first}. {labels[3]} holds no word."
    )
    assert any(f"{labels[3]} holds word 0." in text for text in cycles)
    assert cycles[-1] == f"After {run['cycles']} cycles: every word has arrived everywhere."
    for schedule, texts in zip(scene["schedules"], steps, strict=True):
        tree = schedule["from"]["0"]
        assert len(texts) == tree["steps"] + 1
        sends = sum(step == 1 for step in tree["step"])
        others = "1 other" if sends == 1 else f"{sends} others"
        start = (
            f"Step 1 of {tree['steps']}: 1 of 24 nodes have the word; 1 node sends it to {others}. "
        )
        assert texts[0].startswith(start)
        assert texts[0].endswith(
            f"{labels[3]} receives in step {tree['step'][3]}, from {labels[tree['parent'][3]]}."
        )
        assert texts[-1] == f"After {tree['steps']} steps: all 24 nodes have the word of 1234."


@pytest.mark.ci
def test_plays_are_watched_in_steps(told) -> None:
    network = build_network("ring:5")
    plays = list(list_plays(network, "even"))
    document = describe([describe_scene(build_design(network), [], plays)])
    scene = document["scenes"][0]
    # As the page does: a play is a run on nodes that only keep and send.
    for play, listed in zip(plays, scene["plays"], strict=True):
        alone = {
            **scene,
            "runs": [listed],
            "program": {"fabric": "steps", "sources": listed["words"]["source"]},
        }
        (held,), (arrived,), (texts,) = told(
            {"scenes": [alone]}, "held", "arrivals", "told", given=2
        )
        received = play.received
        for step, nodes in enumerate(held):
            for node, words in enumerate(nodes):
                roots = [tree.root == node for tree in play.trees]
                # A source has its word from the step after it begins with it.
                since = np.where(roots, received[:, node] + 1, received[:, node])
                assert words == np.flatnonzero(since <= step).tolist()
        steps = int(received.max())
        begun = [np.where(tree.root == np.arange(5), 0, 1) for tree in play.trees]
        assert arrived == (received - np.array(begun)).tolist()
        assert texts[0].startswith(f"Step 1 of {steps}: ")
        assert texts[-1] == f"After {steps} steps: every word has arrived everywhere."


def test_views_have_names(told) -> None:
    design = build_design("uhc:4", "bt1")
    document = describe([describe_scene(design, usual_runs(design))])
    names, frames = told(document, "names", "frames")
    assert names[0] == "clock cycles: a single broadcast (single:always)"
    assert "steps: bt3, one-port" in names
    assert "steps: adst, all-port, tree 2 of 2" in names
    assert len(set(names)) == len(names) == len(frames)
    assert frames[names.index("steps: bt1, all-port")] == 6


def test_pages_open_on_the_broadcast_that_is_asked_for(told) -> None:
    design = build_design("uhc:4", "bt1")
    document = describe([describe_scene(design, usual_runs(design))])
    schedules = document["scenes"][0]["schedules"]
    names = ["fewest-steps", "bt2", "no such", None]
    shown = told(document, "opens", given=names)
    for name, view in zip(names[:2], shown, strict=False):
        opened = schedules[view["place"]]
        assert (view["kind"], opened["algorithm"], opened["ports"]) == ("schedules", name, "one")
    assert [view["kind"] for view in shown[2:]] == ["schedules", "runs"]
