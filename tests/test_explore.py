"""The page and the moving picture hold what the model recorded, and their files nothing else."""

import base64
import hashlib
import json
import re
import zlib
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from noc.cli import main
from noc.design import AnyDesign, Design, OrderedDesign, build_design
from noc.errors import InputError
from noc.explore import describe, describe_scene, list_plays, moving, usual_runs, write_page
from noc.explore.document import SCRIPTS, build_page
from noc.explore.runs import list_schedules, record
from noc.layouts import lay_out
from noc.model import simulate
from noc.model.ordered import simulate_ordered
from noc.model.steps import Word
from noc.model.steps import run as run_words
from noc.networks import build_network, from_edges
from noc.trees import build_trees
from noc.verify.runs import KINDS, Run, run

OPERATIONS = ["broadcast", "all_reduce:sum", "send", "barrier@few", "reduce:max@few"]
GROUPS = {"few": [1, 2, 5]}


def traffic_of(design: AnyDesign, name: str) -> Run:
    if isinstance(design, OrderedDesign) and not design.program.operations.only_broadcast:
        return run(design, f"{name}:half", words=6, cycles=None, seed=3)
    cycles = 60 if name == "endless" else None
    return run(design, f"{name}:half", words=None if cycles else 3, cycles=cycles, seed=3)


def columns(document: dict[str, Any]) -> dict[str, list[int]]:
    """The events of a run, stream by stream: each column added up again."""
    result: dict[str, list[int]] = defaultdict(list)
    result["stream"] = [n for n, count in enumerate(document["count"]) for _ in range(count)]
    for name, steps in document["events"].items():
        at = 0
        for count in document["count"]:
            result[name] += np.cumsum(steps[at : at + count], dtype=np.int64).tolist()
            if name == "cycle":
                # Time does not go back, and a stream carries a word a cycle at most; in a play
                # several begin at once.
                least = 0 if document.get("unit") == "step" else 1
                assert all(step >= least for step in steps[at + 1 : at + count])
            at += count
        assert at == len(steps)
    return result


def stream_names(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    streams = document["streams"]
    return list(
        zip(*(streams[n] for n in ("kind", "sender", "receiver", "port", "group")), strict=True)
    )


@pytest.mark.parametrize("name", ["full", "sparse", "endless"])
@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("star:4", {}),
        ("uhc:4", {"own_words": "return"}),
        ("mesh:3,3", {"link_registers": 2, "queue": 2, "sources": "0.0,2.1,1.1"}),
    ],
)
def test_every_transfer_of_the_ordered_fabric(spec: str, options: dict, name: str) -> None:
    design = build_design(spec, **options)
    assert isinstance(design, OrderedDesign)
    chosen = traffic_of(design, name)
    shown = describe_scene(design, [chosen])["runs"][0]
    model = simulate_ordered(design.program, chosen.traffic, cycles=chosen.cycles)
    events = columns(shown)
    assert Counter(zip(events["cycle"], events["stream"], events["word"], strict=True)) == Counter(
        model.events.tuples()
    )
    assert (shown["cycles"], shown["end"]) == (model.cycles, model.end)
    program, net = design.program, design.network
    for (kind, sender, receiver, port, _), stream in zip(
        stream_names(shown), model.events.streams, strict=True
    ):
        ends = {
            "inject": (-1, stream.node),
            "eject": (stream.node, -1),
            "up": (stream.node, program.up_parent[stream.node]),
            "down": (program.down.parent[stream.node], stream.node),
        }
        assert (kind, (sender, receiver)) == (stream.kind, ends[stream.kind])
        assert (port >= 0) == (kind in ("up", "down"))
        assert port < 0 or net.neighbour[sender, port] == receiver
    assert shown["words"]["source"] == chosen.traffic.whole.source.tolist()


@pytest.mark.parametrize(
    ("spec", "options", "name"),
    [
        ("star:4", {"fabric": "direct"}, "back-to-back"),
        ("star:4", {"sources": "one", "link_registers": 1}, "single"),
        ("uhc:4", {"sources": "one", "ports": "one", "queue": 2}, "back-to-back"),
        ("mesh:3,3", {"sources": "2.1"}, "back-to-back"),
    ],
)
def test_every_transfer_of_the_direct_fabric(spec: str, options: dict, name: str) -> None:
    design = build_design(spec, **options)
    assert isinstance(design, Design)
    chosen = traffic_of(design, name)
    scene = describe_scene(design, [chosen])
    shown = scene["runs"][0]
    model = simulate(design.program, chosen.traffic, cycles=chosen.cycles)
    assert model.events is not None
    events, names, net = columns(shown), stream_names(shown), design.network
    ports = {"inject": design.program.inject, "eject": -1}
    told = []
    for cycle, stream, word, row in zip(
        *(events[n] for n in ("cycle", "stream", "word", "row")), strict=True
    ):
        kind, sender, receiver, port, _ = names[stream]
        node = sender if kind == "eject" else receiver
        in_port = ports[kind] if kind in ports else int(net.arrival[sender, port])
        assert kind != "link" or net.neighbour[sender, port] == receiver
        told.append((cycle, node, in_port, row, word))
    transfers = (getattr(model.events, name) for name in ("cycle", "node", "port", "row", "word"))
    assert Counter(told) == Counter(zip(*(c.tolist() for c in transfers), strict=True))
    # Rows are those of all tables one after the other.
    rows = [row for table in scene["program"]["tables"] for row in table["rows"]]
    assert [row["code"] for row in rows] == design.program.row_code.tolist()


@pytest.fixture(scope="module")
def collective() -> OrderedDesign:
    design = build_design("mesh:3,3", operations=OPERATIONS, groups=GROUPS, width=12)
    assert isinstance(design, OrderedDesign)
    return design


# Members are away where nodes have stand-ins only.
@pytest.mark.parametrize("name", [*(kind for kind in KINDS if kind != "away"), "usual"])
def test_every_transfer_of_collectives_and_numbers_of_words(
    collective: OrderedDesign, name: str
) -> None:
    """Numbers by what a receiver sees: the fields of the words at the eject streams."""
    chosen = usual_runs(collective)[0] if name == "usual" else traffic_of(collective, name)
    shown = describe_scene(collective, [chosen])["runs"][0]
    model = simulate_ordered(collective.program, chosen.traffic, width=12)
    events, words = columns(shown), shown["words"]
    told = zip(events["cycle"], events["stream"], events["data"], strict=True)
    assert Counter(told) == Counter(
        (cycle, stream, event.fields.get("data", 0))
        for (cycle, stream, _), event in zip(model.bits, model.named(), strict=True)
    )
    assert [name[0] for name in stream_names(shown)] == [each.kind for each in model.events.streams]
    number = {
        (cycle, stream): word
        for cycle, stream, word in zip(
            events["cycle"], events["stream"], events["word"], strict=True
        )
    }
    ejected: dict[int, list[tuple[int, dict[str, int]]]] = defaultdict(list)
    for (cycle, stream, _), event in zip(model.bits, model.named(), strict=True):
        word = number[cycle, stream]
        kind = event.stream.kind
        assert (word < 0) == (kind in ("dropped", "mismatch"))
        if kind in ("up", "down", "eject"):
            assert words["operation"][word] == event.fields["operation"]
        if kind == "eject":
            ejected[word].append((event.stream.node, event.fields))
    operations = collective.program.operations
    for word, taken in ejected.items():
        nodes = [node for node, _ in taken]
        assert len(nodes) == len(set(nodes)), "a word comes to a node once"
        assert len({tuple(fields.items()) for _, fields in taken}) == 1, "and is one word"
        operation = operations.listed[words["operation"][word]]
        assert (words["source"][word] == -1) == operation.joined
        if not operation.joined:
            assert collective.program.numbers[words["source"][word]] == taken[0][1]["source"]
        wanted = (
            1
            if operation.to_node
            else len(operations.members(operations.group_of(words["operation"][word])))
        )
        own = not operation.joined and not operation.to_node
        assert len(nodes) == wanted - own


def test_each_operation_is_shown_by_itself(collective: OrderedDesign) -> None:
    shown = describe_scene(collective, usual_runs(collective))["runs"][0]
    events = columns(shown)
    spans: dict[int, list[int]] = defaultdict(list)
    for cycle, word in zip(events["cycle"], events["word"], strict=True):
        if word >= 0:
            spans[shown["words"]["operation"][word]].append(cycle)
    assert sorted(spans) == list(range(len(OPERATIONS)))
    ends = [(min(spans[each]), max(spans[each])) for each in sorted(spans)]
    assert all(one[1] < other[0] for one, other in pairwise(ends))
    assert shown["end"] == "drained"


SUMS = {
    "links both ways": ("mesh:2,3", {"exchange": "all_reduce:sum"}, 1),
    "shared links": ("star:3", {"exchange": "all_reduce:sum", "round": 5}, 6),
    "scattered": ("uhc:4", {"exchange": "reduce_scatter:sum"}, 16),
    "queued": ("star:3", {"exchange": "all_reduce:sum", "sinks": "queued", "queue": 2}, 1),
}


@pytest.mark.parametrize("name", SUMS)
def test_words_that_are_added_up_are_shown_as_their_sums(name: str) -> None:
    """What nodes give for a sum of a round adds up to what comes, after that is whole."""
    spec, options, sums = SUMS[name]
    design = build_design(spec, fabric="timetable", width=40, **options)
    traffic = usual_runs(design, words=3)[0].traffic
    if design.config.queued:
        # A sum is whole before it is sent on, however late its root takes it.
        lots = np.random.default_rng(1)
        traffic = traffic.taken_by(lots.random((97, design.network.nodes)) < 0.3)
    shown = record(design, traffic)
    given, came = defaultdict(list), defaultdict(set)
    whole, first = {}, dict[int, int]()
    for stream, cycle, word, data in zip(
        shown.stream.tolist(),
        shown.cycle.tolist(),
        shown.word.tolist(),
        shown.more["data"].tolist(),
        strict=True,
    ):
        kind = shown.streams[stream].kind
        if kind == "inject":
            given[word].append(data)
        elif kind == "eject":
            came[word].add(data)
            first[word] = min(cycle, first.get(word, cycle))
        elif kind == "link" and shown.words["whole"][word]:
            first[word] = min(cycle, first.get(word, cycle))
        elif kind == "sum":
            assert whole.setdefault(word, cycle) == cycle
    rounds = {shown.words["round"][word] for word in given}
    assert rounds == {0, 1, 2}
    assert len(given) == len(came) == len(whole) == 3 * sums
    for word, data in given.items():
        assert len(data) == design.network.nodes
        assert came[word + 1] == {sum(data) % 2**40}
        assert whole[word + 1] < first[word + 1]
        assert [shown.words["whole"][each] for each in (word, word + 1)] == [0, 1]
        assert shown.words["sum"][word] == shown.words["sum"][word + 1]


def test_the_network_is_the_network() -> None:
    design = build_design("torus:3,4")
    shown = describe_scene(design, [])["network"]
    net, layout = design.network, lay_out(design.network)
    assert shown["neighbour"] == net.neighbour.tolist()
    assert shown["arrival"] == net.arrival.tolist()
    assert [net.node(label) for label in shown["labels"]] == list(range(net.nodes))
    place = np.column_stack([shown["x"], shown["y"]])
    assert np.abs(place - layout.place).max() < 1e-3
    assert np.abs(np.array(shown["bend"]) - layout.bend).max() < 1e-3
    facts = (shown["nodes"], shown["links"], shown["diameter"], shown["symmetric"])
    assert facts == (12, 24, 3, True)


def test_steps_are_those_of_the_trees() -> None:
    shown = describe_scene(build_design("uhc:4", sources="one"), [])["schedules"]
    assert {(each["algorithm"], each["ports"]) for each in shown} >= {
        *(("shortest", "all"), ("shortest", "one"), ("fewest-steps", "one")),
        *(("bt1", "all"), ("bt2", "one"), ("bt3", "one"), ("adst", "all")),
    }
    for each in shown:
        trees = build_trees("uhc:4", each["algorithm"], ports=each["ports"]).trees
        tree = trees[each["tree"] or 0]
        assert len(trees) == each["trees"]
        assert each["from"].keys() == {"0"}
        told = each["from"]["0"]
        assert (told["steps"], told["height"]) == (tree.steps, tree.height)
        assert told["parent"] == tree.parent.tolist()
        assert told["port"] == tree.port.tolist()
        assert told["step"] == tree.step.tolist()


def test_trees_start_where_they_can() -> None:
    shown = describe_scene(build_design("mesh:2,3"), [])["schedules"]
    roots = {(each["algorithm"], each["ports"]): set(each["from"]) for each in shown}
    assert roots["shortest", "all"] == {"0", "1", "2", "3", "4", "5"}
    assert not any(each["anyRoot"] for each in shown)
    star = describe_scene(build_design("star:4"), [])["schedules"]
    assert all(each["anyRoot"] for each in star)


def test_plays_are_those_of_the_step_model() -> None:
    network = build_network("uhc:4")
    plays = list(list_plays(network, "bt1"))
    names = [play.name for play in plays]
    assert len(set(names)) == len(names)
    assert {"adst, all-port, a message in 2 slices", "bt1, all-port, all to all"} <= set(names)
    shown = describe_scene(build_design(network, sources="one"), [], plays)["plays"]
    for play, told in zip(plays, shown, strict=True):
        outcome = run_words(
            network,
            [Word(tree, int(play.received[n, tree.root])) for n, tree in enumerate(play.trees)],
            play.trees[0].ports,
        )
        assert told["cycles"] == outcome.steps
        events, names = columns(told), stream_names(told)
        received = np.full_like(outcome.received, -1)
        load = np.zeros_like(outcome.load)
        for cycle, stream, word in zip(
            events["cycle"], events["stream"], events["word"], strict=True
        ):
            kind, sender, receiver, port, _ = names[stream]
            received[word, receiver] = cycle + (kind == "link")
            if kind == "link":
                assert network.neighbour[sender, port] == receiver
                load[sender, port] += 1
        assert np.array_equal(received, outcome.received)
        assert np.array_equal(load, outcome.load)


def test_algorithms_that_refuse_a_network_are_left_out() -> None:
    network = build_network("uhc:5")
    assert "adst" not in {each["algorithm"] for each in list_schedules(network, 0)}
    assert all("adst" not in play.name for play in list_plays(network, "bt1"))


# The file.


@pytest.fixture(scope="module")
def page() -> str:
    design = build_design("star:3")
    return build_page(describe([describe_scene(design, usual_runs(design))]))


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>', page)
    assert found is not None
    document: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return document


def test_the_file_holds_the_document(page: str) -> None:
    design = build_design("star:3")
    whole = describe([describe_scene(design, usual_runs(design))])
    assert data_of(page) == json.loads(json.dumps(whole))
    # The same design gives the same file.
    assert build_page(whole) == page


def test_only_its_own_scripts_run(page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; ")
    for name, pattern in (
        ("script-src", r'<script type="module">(.*?)</script>'),
        ("style-src", r"<style>(.*?)</style>"),
    ):
        (text,) = re.findall(pattern, page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}';" in policy[1]
    assert "unsafe" not in policy[1]


def test_names_are_text_and_nothing_else() -> None:
    evil = '</script><img src=x onerror="alert(1)">'
    network = from_edges([(evil, "@DATA@"), ("@DATA@", "@SCRIPT@")], name="<b>@STYLE@</b>")
    design = build_design(network)
    page = build_page(describe([describe_scene(design, usual_runs(design))]))
    assert "onerror" not in page
    assert "<b>" not in page
    assert "<title>graph:&lt;b&gt;@STYLE@&lt;/b&gt;, ordered fabric, even" in page
    assert data_of(page)["scenes"][0]["network"]["labels"] == [evil, "@DATA@", "@SCRIPT@"]


def test_all_scripts_are_in_the_page(page: str) -> None:
    folder = Path(__file__).parent.parent / "noc" / "explore" / "page"
    assert {path.name for path in folder.glob("*.js")} == set(SCRIPTS)
    assert all(name in page for name in SCRIPTS)
    # No text of a module is set as markup.
    scripts = "".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", scripts)


SHOWN = ["star:4", "star:5", "star:6"]


@pytest.mark.slow
@pytest.mark.parametrize("spec", SHOWN)
def test_files_are_as_small_as_told(spec: str, tmp_path: Path, cli) -> None:
    text = (Path(__file__).parent.parent / "docs" / "explore.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| (\d+) \| (\d+) kB \|$", text, re.MULTILINE)
    assert [row[0] for row in rows] == SHOWN
    ((_, transfers, size),) = (row for row in rows if row[0] == spec)
    told = cli.facts("explore", spec, "-o", str(tmp_path / "x.html"))
    assert told["scenes"][0]["runs"][-1]["transfers"] == int(transfers)
    assert told["bytes"] == pytest.approx(1000 * int(size), rel=0.05)


# The command.


@pytest.mark.parametrize(
    ("options", "opens", "runs"),
    [
        ([], "fewest-steps", ["single:always", "full:always"]),
        (["--sources", "one", "--algorithm", "balanced"], "balanced", ["single:always"]),
        (["--words", "2"], None, ["full:always"]),
        (["--traffic", "full"], None, ["full:always"]),
        (["--beside", "ring:3"], None, ["single:always", "full:always"]),
    ],
)
def test_a_page_opens_on_one_broadcast_unless_asked(options, opens, runs, tmp_path: Path) -> None:
    file = tmp_path / "x.html"
    assert main(["explore", "star:3", *options, "-o", str(file)]) == 0
    document = data_of(file.read_text(encoding="utf-8"))
    assert document["opens"] == opens
    shown = document["scenes"][0]["runs"]
    assert [run["name"] for run in shown] == runs
    if runs[0] == "single:always" and "one" not in options:
        assert len(shown[0]["words"]["source"]) == 1


def test_the_command_writes_a_page(tmp_path: Path, cli) -> None:
    file = tmp_path / "x.html"
    beside = "ring:5 --sources one --traffic single,back-to-back --words 2"
    told = cli.facts("explore", "star:3", "--beside", beside, "-o", str(file))
    assert told["bytes"] == file.stat().st_size
    assert [scene["network"] for scene in told["scenes"]] == ["star:3", "ring:5"]
    assert [run["name"] for run in told["scenes"][1]["runs"]] == [
        *("single:always", "back-to-back:always")
    ]
    document = data_of(file.read_text(encoding="utf-8"))
    assert [scene["network"]["spec"] for scene in document["scenes"]] == ["star:3", "ring:5"]
    assert (
        sum(document["scenes"][0]["runs"][0]["count"]) == told["scenes"][0]["runs"][0]["transfers"]
    )
    assert list(tmp_path.iterdir()) == [file]


def test_a_design_beside_one_with_operations_is_said_to_have_none(tmp_path: Path, cli) -> None:
    some = ["explore", "star:3", "--operations", "barrier", "--words", "2"]
    for beside, hinted in (("ring:3", True), ("ring:3 --operations barrier", False)):
        status, _, told = cli(*some, "--beside", beside, "-o", tmp_path / "x.html")
        assert (status, "hint: the design of --beside" in told) == (0, hinted)


def test_runs_are_those_of_verify(tmp_path: Path) -> None:
    file = tmp_path / "x.html"
    given = ["--traffic", "dense:bursty", "--words", "4", "--seed", "9"]
    assert main(["explore", "star:3", *given, "-o", str(file)]) == 0
    shown = data_of(file.read_text(encoding="utf-8"))["scenes"][0]["runs"][0]
    compared = run(build_design("star:3"), "dense:bursty", words=4, cycles=None, seed=9)
    assert shown["words"]["source"] == compared.traffic.whole.source.tolist()
    assert shown["words"]["release"] == compared.traffic.whole.release.tolist()


def test_nothing_is_left_of_a_page_that_cannot_be_written(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match=r"^path=.*: cannot be written: No space left on device$"):
        write_page(describe([describe_scene(build_design("ring:3"), [])]), tmp_path / "x.html")
    assert not list(tmp_path.iterdir())


SVG = "{http://www.w3.org/2000/svg}"

DESIGNS = {
    "ordered": lambda: build_design("star:4"),
    "arcs": lambda: build_design("torus:4,4", sources=["0.0", "1.2"]),
    "direct": lambda: build_design("uhc:3", "bt1", sources="one"),
    "odd names": lambda: build_design(from_edges([("a<b", "b&c"), ("b&c", '"d"')])),
}


def drawn(design: AnyDesign) -> tuple[ElementTree.Element, object]:
    recording = record(design, moving.few_words(design))
    return ElementTree.fromstring(moving.build_picture(design, recording)), recording


def style(element: ElementTree.Element) -> dict[str, str]:
    return dict(part.split(": ", 1) for part in element.attrib["style"].split("; "))


@pytest.fixture(params=DESIGNS)
def design(request: pytest.FixtureRequest) -> AnyDesign:
    return DESIGNS[request.param]()


def nodes_at(picture: ElementTree.Element, design: AnyDesign) -> dict[tuple[str, str], int]:
    circles = picture.findall(f"{SVG}circle")
    assert len(circles) == design.network.nodes
    return {(c.attrib["cx"], c.attrib["cy"]): node for node, c in enumerate(circles)}


def colour_of(group: ElementTree.Element) -> str:
    return group[0].attrib["fill"]


def test_words_move_where_and_when_the_model_moves_them(design: AnyDesign) -> None:
    picture, recording = drawn(design)
    places = nodes_at(picture, design)
    seen: Counter[tuple[int, int, float, str]] = Counter()
    for group in picture.findall(f"{SVG}g[@class='word']"):
        about = style(group)
        numbers = re.findall(r"-?[\d.]+", about["offset-path"])
        ends = places[tuple(numbers[:2])], places[tuple(numbers[-2:])]
        seen[(*ends, float(about["animation-delay"].removesuffix("s")), colour_of(group))] += 1
    wanted: Counter[tuple[int, int, float, str]] = Counter()
    for number, cycle, word in zip(
        recording.stream.tolist(), recording.cycle.tolist(), recording.word.tolist(), strict=True
    ):
        stream = recording.streams[number]
        if stream.kind in ("up", "down", "link"):
            begin = round(cycle * 0.75, 2)
            wanted[stream.sender, stream.receiver, begin, moving._COLOURS[word]] += 1
    assert seen == wanted
    assert sum(wanted.values()) >= design.network.nodes - 1


def test_each_node_has_a_mark_for_each_word_from_when_it_has_it(design: AnyDesign) -> None:
    picture, recording = drawn(design)
    marks = Counter(
        (style(group)["animation-name"], colour_of(group))
        for group in picture.findall(f"{SVG}g[@class='mark']")
    )
    wanted = Counter()
    for number, cycle, word in zip(
        recording.stream.tolist(), recording.cycle.tolist(), recording.word.tolist(), strict=True
    ):
        kind = recording.streams[number].kind
        if kind in ("inject", "eject"):
            wanted[f"m{cycle + (kind == 'eject')}", moving._COLOURS[word]] += 1
    assert marks == wanted
    # A sender has its own word, and everybody else receives it.
    assert sum(marks.values()) == design.network.nodes * len(recording.words["source"])


def test_frames_are_there_for_all_that_names_them(design: AnyDesign) -> None:
    picture, recording = drawn(design)
    text = picture.find(f"{SVG}style").text
    named = {
        style(each)["animation-name"]
        for each in picture.iter()
        if "animation-name" in str(each.attrib)
    }
    assert named <= set(re.findall(r"@keyframes (\w+)", text))
    assert {f"c{cycle}" for cycle in range(recording.cycles + 1)} <= named
    # Whoever has asked for no motion sees how it ends.
    assert "prefers-reduced-motion" in text


def test_every_link_is_drawn_once_and_names_are_text(design: AnyDesign) -> None:
    picture, _ = drawn(design)
    net = design.network
    two_way = {(a, b) for a in range(net.nodes) for b in net.neighbour[a].tolist() if b >= 0}
    bent = lay_out(net).bend.any()
    links = len(picture.findall(f"{SVG}path[@class='link']"))
    assert len({frozenset(link) for link in two_way}) <= links <= len(two_way)
    assert bent or links == len({frozenset(link) for link in two_way})
    heads = picture.findall(f"{SVG}path[@class='head']")
    assert len(heads) == sum(not back for *_, back in lay_out(net).lines())
    assert bool(heads) is not net.two_way
    labels = [text.text for text in picture.findall(f"{SVG}text") if "class" not in text.attrib]
    assert labels == [net.label(node) for node in range(net.nodes)]
    inside = [*picture.attrib, *(name for each in picture.iter() for name in each.attrib)]
    assert not any("href" in name or name.startswith("on") for name in inside)


def test_the_picture_of_the_readme_is_what_the_command_makes(tmp_path: Path, capsys) -> None:
    made = tmp_path / "broadcast.svg"
    assert main(["explore", "star:4", "-o", str(made)]) == 0
    kept = Path(__file__).parent.parent / "docs" / "broadcast.svg"
    assert made.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8"), (
        "noc explore star:4 -o docs/broadcast.svg"
    )
    assert "words   3\ncycles  11\n" in capsys.readouterr().out
