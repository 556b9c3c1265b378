"""Pictures: nothing is told by colour alone, no line runs through a name, steps are the tree's."""

import io
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from noc.cli import main
from noc.draw import canvas as canvas_module
from noc.draw import draw, draw_network, load_ipython_extension, save
from noc.draw.canvas import port_style
from noc.draw.labels import crosses, place_labels
from noc.draw.levels import positions
from noc.errors import InputError
from noc.networks import build_network
from noc.trees import Ports, Tree, TreeFamily, build_tree, build_trees

TREES = [
    ("star:4", "balanced", "all"),
    ("scc:3", "cyclic", "all"),
    ("uhc:4", "bt2", "all"),
    ("mesh:4,4", "fewest-steps", "one"),
    ("tree:2,4", "shortest", "all"),
    ("ring:8", "shortest", "one"),
]


@pytest.fixture(params=TREES, ids=lambda each: each[0])
def tree(request: pytest.FixtureRequest) -> Tree:
    spec, algorithm, ports = request.param
    return build_tree(build_network(spec), algorithm, ports=ports)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """What is put on sheets."""
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
    for name in ("line", "disc", "text", "arrow_head"):
        whole = getattr(canvas_module.Canvas, name)

        def noted(self, *arguments, _name=name, _whole=whole, **named):
            calls.append((_name, arguments, named))
            return _whole(self, *arguments, **named)

        monkeypatch.setattr(canvas_module.Canvas, name, noted)
    return calls


def links(drawn: list[Any]) -> list[tuple[np.ndarray, dict[str, Any]]]:
    """Lines but those of the legend, which are level and 24 long."""
    lines = [(arguments[0], named) for name, arguments, named in drawn if name == "line"]
    return [line for line in lines if np.ptp(line[0][:, 1]) or np.ptp(line[0][:, 0]) != 24]


def test_ports_differ_by_dashes_and_by_colours() -> None:
    styles = [port_style(port) for port in range(7)]
    assert len({style.dashes for style in styles}) == 7
    assert len({style.colour for style in styles}) == 7
    many = {(style.dashes, style.colour) for style in map(port_style, range(56))}
    assert len(many) == 56


def test_a_tree_by_levels_has_each_link_in_the_look_of_its_port(tree: Tree, drawn) -> None:
    draw(tree)
    seen = sorted((named["colour"], tuple(named["dashes"])) for _, named in links(drawn))
    ports = [port_style(int(port)) for port in tree.port[tree.port >= 0]]
    assert seen == sorted((style.colour, style.dashes) for style in ports)
    labels = {tree.network.label(node) for node in range(tree.network.nodes)}
    assert labels <= {arguments[1] for name, arguments, _ in drawn if name == "text"}


def test_levels_are_steps_where_the_papers_number_them(tree: Tree, drawn) -> None:
    draw(tree)
    texts = {arguments[1] for name, arguments, _ in drawn if name == "text"}
    last = tree.steps if tree.ports == "one" else tree.height
    assert {"step" if tree.ports == "one" else "depth", *map(str, range(last + 1))} <= texts
    rows = sorted({round(float(a[0][1]), 3) for name, a, _ in drawn if name == "disc"})
    level = tree.step if tree.ports == "one" else tree.depth
    assert len(rows) == len(set(level.tolist()))


@pytest.mark.parametrize("ports", ["all", "one"])
@pytest.mark.parametrize("spec", ["star:4", "star:5", "scc:4", "mesh:4,4", "hypercube:5", "ring:8"])
def test_no_line_runs_over_a_node(spec: str, ports: Ports) -> None:
    tree = build_tree(spec, "fewest-steps" if ports == "one" else "shortest", ports=ports)
    assert list_covered(tree, positions(tree)) == []


def test_a_line_over_a_node_is_seen() -> None:
    tree = build_tree("star:5", "fewest-steps", ports="one")
    place = positions(tree)
    served = np.flatnonzero(tree.parent == tree.root)
    first, last = served[np.argsort(tree.step[served])][[0, -1]].tolist()
    place[last] = place[tree.root] + 4 * (place[first] - place[tree.root])
    assert (last, first) in list_covered(tree, place)


def list_covered(tree: Tree, place: np.ndarray) -> list[tuple[int, int]]:
    """Ends of lines with the nodes that lie on them or nearly."""
    covered = []
    for end in range(tree.network.nodes):
        parent = int(tree.parent[end])
        if end == tree.root:
            continue
        way = place[end] - place[parent]
        for node in set(range(tree.network.nodes)) - {end, parent}:
            share = (place[node, 1] - place[parent, 1]) / way[1]
            beside = place[parent, 0] + share * way[0] - place[node, 0]
            if 0 < share < 1 and abs(beside) < 0.2:
                covered.append((end, node))
    return covered


def test_a_title_can_be_left_out(tmp_path: Path, drawn) -> None:
    for words in (["--no-tree"], [], ["--view", "network"]):
        sizes = []
        for option in ([], ["--no-title"]):
            drawn.clear()
            path = tmp_path / "star.svg"
            assert main(["draw", "star:4", "-o", str(path), *words, *option]) == 0
            texts = [arguments[1] for name, arguments, _ in drawn if name == "text"]
            assert any("star:4" in text for text in texts) is not bool(option)
            sizes.append(float(re.findall(r'height="([0-9.]+)pt"', path.read_text())[0]))
        assert sizes[1] < sizes[0]


@pytest.mark.parametrize("spec", ["star:4", "uhc:4", "tree:2,4", "mesh:4,4", "hypercube:4"])
def test_no_line_runs_through_a_name(spec: str, monkeypatch) -> None:
    placed = []

    def noted(places, sizes, lines):
        boxes = place_labels(places, sizes, lines)
        placed.append((boxes, lines))
        return boxes

    monkeypatch.setattr("noc.draw.pictures.place_labels", noted)
    draw(build_tree(build_network(spec), "shortest"))
    ((boxes, lines),) = placed
    wrong = [(box, line) for box in boxes for line in lines if crosses(box, *line)]
    assert len(boxes) == build_network(spec).nodes
    assert wrong == []


def test_a_line_through_a_box_is_seen() -> None:
    box = (0.0, 0.0, 10.0, 4.0)
    assert crosses(box, np.array([-5.0, 2.0]), np.array([15.0, 2.0]))
    assert crosses(box, np.array([5.0, -5.0]), np.array([5.0, 9.0]))
    assert crosses(box, np.array([-1.0, -1.0]), np.array([11.0, 5.0]))
    assert not crosses(box, np.array([-5.0, 5.0]), np.array([15.0, 5.0]))
    assert not crosses(box, np.array([-5.0, 2.0]), np.array([-1.0, 2.0]))
    assert not crosses(box, np.array([8.0, -4.0]), np.array([16.0, 4.0]))


def test_a_network_is_drawn_with_each_link_once(drawn) -> None:
    for spec in ("star:4", "uhc:3", "torus:3,3", "tree:2,3"):
        drawn.clear()
        net = build_network(spec)
        draw_network(net)
        pairs = {
            frozenset((node, other))
            for node in range(net.nodes)
            for other in net.neighbour[node].tolist()
            if other >= 0
        }
        assert len(links(drawn)) == len(pairs), spec
        assert sum(name == "disc" for name, *_ in drawn) == net.nodes


def test_each_step_shows_how_far_the_word_has_come(tree: Tree, drawn) -> None:
    for step in range(tree.steps + 1):
        drawn.clear()
        draw(tree, view="network", step=step)
        heads = sum(name == "arrow_head" for name, *_ in drawn)
        assert heads == np.count_nonzero((tree.step > 0) & (tree.step <= step))
        fills = [named["fill"] for name, _, named in drawn if name == "disc"]
        assert fills.count("white") == np.count_nonzero(tree.step > step)
        broad = [named for _, named in links(drawn) if named.get("width") == 2.6]
        assert len(broad) == (np.count_nonzero(tree.step == step) if step else 0)


def test_arrows_end_at_the_edge_of_their_node(tree: Tree, drawn) -> None:
    draw(tree, view="network")
    discs = [(np.array(a[0]), a[1]) for name, a, _ in drawn if name == "disc"]
    for name, arguments, _ in drawn:
        if name == "arrow_head":
            far = [abs(float(np.hypot(*(arguments[0] - place))) - r) for place, r in discs]
            assert min(far) < 1.5


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png", "gif"])
@pytest.mark.parametrize("view", ["levels", "network"])
def test_the_same_picture_each_time(tmp_path: Path, suffix: str, view: str) -> None:
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        assert main(["draw", "star:3", "--view", view, "-o", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in files}


def test_a_gif_has_a_frame_for_each_step(tmp_path: Path) -> None:
    path = tmp_path / "steps.gif"
    assert main(["draw", "scc:3", "--algorithm", "cyclic", "-o", str(path)]) == 0
    tree = build_tree(build_network("scc:3"), "cyclic")
    with Image.open(path) as image:
        assert image.n_frames == tree.steps + 1
        shown = []
        for frame in range(image.n_frames):
            image.seek(frame)
            shown.append(image.convert("RGB").tobytes())
    assert len(set(shown)) == len(shown)


def test_a_file_for_each_step(tmp_path: Path, capsys) -> None:
    name = tmp_path / "star-{step}.svg"
    assert main(["draw", "star:4", "--view", "network", "-o", str(name)]) == 0
    steps = build_tree(build_network("star:4"), "shortest").steps
    files = [tmp_path / f"star-{step}.svg" for step in range(steps + 1)]
    assert sorted(tmp_path.iterdir()) == files
    assert capsys.readouterr().out == "".join(f"wrote {file}\n" for file in files)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["star:3", "-o", "x.jpg"], "-o x.jpg: the file must end in .svg, .pdf, .png or .gif"),
        (["star:3", "-o", "x-{step}.gif"], "a .gif holds all steps; {step} is for other files"),
        (["star:3", "--no-tree", "-o", "x.gif"], "-o: steps are those of a tree"),
        (["star:3", "--no-tree", "--root", "123", "-o", "x.svg"], "--root: is for a tree"),
        (["star:3", "--no-tree", "--view", "levels", "-o", "x.svg"], "--view: is for a tree"),
        (["star:7", "--no-tree", "-o", "x.svg"], "5040 nodes are too many to draw"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["draw", *arguments]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert message in told
    assert not list(tmp_path.iterdir())


def test_an_unknown_view_is_refused() -> None:
    tree = build_tree(build_network("star:3"), "shortest")
    with pytest.raises(InputError, match=r"^view='round': not one of levels, network$"):
        draw(tree, view="round")


@pytest.mark.parametrize("step", [-1, 4])
def test_a_step_that_the_tree_does_not_have_is_refused(step: int) -> None:
    tree = build_tree(build_network("star:3"), "shortest")
    with pytest.raises(InputError, match=f"^step={step}: "):
        draw(tree, step=step)


def test_nothing_is_left_of_a_picture_that_cannot_be_written(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match=r"cannot be written: No space left on device$"):
        save(draw_network(build_network("ring:3")), tmp_path / "x.svg")
    assert not list(tmp_path.iterdir())


def test_notebooks_show_networks_and_trees() -> None:
    shown: dict[type, Any] = {}
    formatter = SimpleNamespace(for_type=shown.__setitem__, for_type_by_name=lambda *_: None)
    display = SimpleNamespace(formatters={"image/svg+xml": formatter})
    load_ipython_extension(SimpleNamespace(display_formatter=display))
    net = build_network("uhc:4")
    for each in (net, build_tree(net, "bt1"), build_trees(net, "adst")):
        assert "<svg" in shown[type(each)](each)
    assert {Tree, TreeFamily, type(net)} == set(shown)
    text = io.StringIO()
    draw_network(net).savefig(text, format="svg")
    assert "<svg" in text.getvalue()
