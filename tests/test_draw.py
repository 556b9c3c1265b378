"""Pictures: nothing is told by colour alone, no line runs through a name, steps are the tree's."""

import io
import re
import sys
import tomllib
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers import started
from PIL import Image

from noc.cli import main
from noc.draw import canvas as canvas_module
from noc.draw import draw, draw_network, load_ipython_extension, save
from noc.draw.canvas import port_style
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
    for name in ("line", "disc", "box", "text", "arrow_head"):
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


@pytest.mark.cases(4)
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
    rows = sorted({round(float(a[0][1]), 3) for name, a, _ in drawn if name == "box"})
    level = tree.step if tree.ports == "one" else tree.depth
    assert len(rows) == len(set(level.tolist()))


def boxes(drawn: list[Any]) -> list[np.ndarray]:
    """Of each node by levels the corners of its box: least and most x and y."""
    named = [arguments for name, arguments, _ in drawn if name == "box"]
    return [np.stack([place - size / 2, place + size / 2]) for place, size in named]


@pytest.mark.cases(2)
@pytest.mark.parametrize("ports", ["all", "one"])
@pytest.mark.parametrize("spec", ["star:4", "star:5", "scc:4", "mesh:4,4", "uhc:5", "ring:8"])
def test_no_line_runs_over_a_node(spec: str, ports: Ports, drawn) -> None:
    tree = build_tree(spec, "fewest-steps" if ports == "one" else "shortest", ports=ports)
    draw(tree)
    nodes = boxes(drawn)
    assert len(nodes) == tree.network.nodes
    lines = [(begin, end) for line, _ in links(drawn) for begin, end in pairwise(line)]
    assert not [1 for box in nodes for line in lines if crosses(box, *line)]
    # Nor do two nodes meet.
    for one, other in combinations(nodes, 2):
        assert (one[1] <= other[0]).any() or (other[1] <= one[0]).any()


def test_names_stand_in_their_nodes(tree: Tree, drawn) -> None:
    draw(tree)
    texts = [(arguments[1], arguments[0]) for name, arguments, _ in drawn if name == "text"]
    for node, box in enumerate(boxes(drawn)):
        inside = [
            text for text, place in texts if (box[0] < place).all() and (place < box[1]).all()
        ]
        assert inside == [tree.network.label(node)]


def crosses(box: np.ndarray, begin: np.ndarray, end: np.ndarray) -> bool:
    """Whether a line runs through a box, and not only along its edge."""
    shares = np.linspace(0, 1, 400)[:, None]
    points = begin + shares * (end - begin)
    return bool(((box[0] + 1e-6 < points) & (points < box[1] - 1e-6)).all(axis=1).any())


def test_a_line_through_a_box_is_seen() -> None:
    box = np.array([[0.0, 0.0], [10.0, 4.0]])
    for begin, end, seen in (
        *(([-5, 2], [15, 2], True), ([5, -5], [5, 9], True), ([-1, -1], [11, 5], True)),
        *(([-5, 4], [15, 4], False), ([-5, 2], [-1, 2], False), ([8, -4], [16, 4], False)),
    ):
        assert crosses(box, np.array(begin), np.array(end)) is seen


@pytest.mark.ci
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
        heads = sum(name == "arrow_head" for name, *_ in drawn)
        assert heads == (0 if net.two_way else net.links)


@pytest.mark.cases(2)
def test_each_step_shows_how_far_the_word_has_come(tree: Tree, drawn) -> None:
    for step in range(tree.steps + 1):
        drawn.clear()
        draw(tree, view="network", step=step)
        heads = [named["colour"] for name, _, named in drawn if name == "arrow_head"]
        of_tree = len(heads) - heads.count(canvas_module.FAINT)
        assert of_tree == np.count_nonzero((tree.step > 0) & (tree.step <= step))
        fills = [named["fill"] for name, _, named in drawn if name == "disc"]
        assert fills.count("white") == np.count_nonzero(tree.step > step)
        broad = [named for _, named in links(drawn) if named.get("width") == 2.6]
        assert len(broad) == (np.count_nonzero(tree.step == step) if step else 0)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("spec", "algorithm"),
    [("scc:4", "cyclic"), ("scc:4", "fewest-steps"), ("star:5", "shortest"), ("torus:4,4", "even")],
)
def test_arrows_lead_from_rim_to_rim_and_over_no_node(spec: str, algorithm: str, drawn) -> None:
    tree = build_tree(spec, algorithm, ports="one" if algorithm == "fewest-steps" else "all")
    draw(tree, view="network")
    discs = [(arguments[0], arguments[1]) for name, arguments, _ in drawn if name == "disc"]
    place, radius = np.stack([disc for disc, _ in discs]), discs[0][1]
    lines = [line for line, named in links(drawn) if named.get("above") == 3]
    assert len(lines) == tree.network.nodes - 1
    heads = {tuple(arguments[0]) for name, arguments, _ in drawn if name == "arrow_head"}
    seen = set()
    for line in lines:
        ends = [int(np.hypot(*(place - end).T).argmin()) for end in line[[0, -1]]]
        for node, end in zip(ends, line[[0, -1]], strict=True):
            assert np.hypot(*(end - place[node])) == pytest.approx(radius, abs=0.1)
        shares = np.linspace(0, 1, 200)[:, None]
        way = np.concatenate([one + shares * (two - one) for one, two in pairwise(line)])
        far = np.hypot(*(way[:, None] - np.delete(place, ends, axis=0)).transpose(2, 0, 1))
        assert far.min() > radius
        assert tuple(line[-1]) in heads
        seen.add(tuple(ends))
    assert seen == {(int(tree.parent[n]), n) for n in range(len(place)) if n != tree.root}


@pytest.mark.cases(1)
@pytest.mark.parametrize("suffix", ["svg", "pdf", "png", "gif"])
@pytest.mark.parametrize("view", ["levels", "network"])
def test_the_same_picture_each_time(tmp_path: Path, suffix: str, view: str) -> None:
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        assert main(["draw", "star:3", "--view", view, "-o", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in files}


@pytest.mark.ci
def test_a_gif_has_a_frame_for_each_step_and_keeps_its_colours(tmp_path: Path, drawn) -> None:
    path = tmp_path / "steps.gif"
    command = ["draw", "scc:3", "--algorithm", "cyclic", "--view", "network", "-o", str(path)]
    assert main(command) == 0
    tree = build_tree(build_network("scc:3"), "cyclic")
    told = [arguments[1] for name, arguments, _ in drawn if name == "text"]
    for step in range(tree.steps + 1):
        assert any(text.endswith(f": after {step} of {tree.steps} steps") for text in told)
    ports = {port_style(int(port)).colour for port in tree.port[tree.port >= 0]}
    across = 2 * next(arguments[0][0] for name, arguments, _ in drawn if name == "text")
    left = min(a[0][0] for name, a, _ in drawn if name == "text" and a[1].startswith("port")) - 29
    legends, frames = [], set()
    with Image.open(path) as image:
        assert image.n_frames == tree.steps + 1
        for frame in range(image.n_frames):
            image.seek(frame)
            width, height = image.size
            legend = int(left / across * width), height // 10, width, height
            legends.append(image.convert("RGB").crop(legend))
            frames.add(image.convert("RGB").tobytes())
    shown = {f"#{red:02x}{green:02x}{blue:02x}" for _, (red, green, blue) in legends[0].getcolors()}
    assert ports <= shown
    assert len(frames) == tree.steps + 1
    assert len({legend.tobytes() for legend in legends}) == 1


@pytest.mark.ci
@pytest.mark.parametrize("suffix", ["png", "gif"])
@pytest.mark.parametrize(
    ("options", "width", "height"),
    [([], 1920, 1080), (["--size", "400x900"], 400, 900), (["--size", "900x200"], 900, 200)],
)
def test_a_picture_is_as_large_as_fits(suffix, options, width, height, tmp_path: Path) -> None:
    path = tmp_path / f"mesh.{suffix}"
    command = ["draw", "mesh:3,4", "--view", "network", "-o", str(path), *options]
    assert main(command) == 0
    with Image.open(path) as image:
        size = image.size
    assert size[0] in (width, width - 1) or size[1] in (height, height - 1)
    assert size[0] <= width
    assert size[1] <= height


def test_inches_and_letters_decide_the_size(tmp_path: Path) -> None:
    sizes = {}
    for options in ("--dpi 72", "--dpi 144", "--dpi 72 --font-size 21"):
        path = tmp_path / "star.png"
        assert main(["draw", "star:3", "-o", str(path), *options.split()]) == 0
        with Image.open(path) as image:
            sizes[options] = np.array(image.size)
    first, second, third = sizes.values()
    assert np.abs(second - 2 * first).max() <= 2
    assert np.abs(third - 3 * first).max() <= 3
    path = tmp_path / "star.svg"
    texts = []
    for options in ("--font-size 14", "--font-size 14 --font=serif"):
        assert main(["draw", "star:3", "-o", str(path), *options.split()]) == 0
        texts.append(re.findall(r"font-size: 14px; font-family: ([^;]*)", path.read_text())[0])
    assert texts[0] != texts[1]
    assert "serif" in texts[1].lower()


@pytest.mark.ci
def test_names_that_find_no_room_are_told(drawn) -> None:
    network = build_network("hypercube:8")
    for figure in (lambda: draw(build_tree(network, "shortest")), lambda: draw_network(network)):
        drawn.clear()
        figure()
        texts = [arguments[1] for name, arguments, _ in drawn if name == "text"]
        assert not {network.label(node) for node in range(network.nodes)} & set(texts)
        assert any("no room for the names" in text for text in texts)


@pytest.mark.ci
def test_a_file_for_each_step(tmp_path: Path, capsys) -> None:
    name = tmp_path / "star-{step}.svg"
    assert main(["draw", "star:4", "--view", "network", "-o", str(name)]) == 0
    steps = build_tree(build_network("star:4"), "shortest").steps
    files = [tmp_path / f"star-{step}.svg" for step in range(steps + 1)]
    assert sorted(tmp_path.iterdir()) == files
    assert capsys.readouterr().out == "".join(f"wrote {file}\n" for file in files)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": "round"}, "^view='round': not one of levels, network$"),
        ({"step": -1}, "^step=-1: the tree has steps 0 to 3$"),
        ({"step": 4}, "^step=4: "),
    ],
)
def test_what_a_tree_does_not_have_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw(build_tree("star:3"), **options)


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
        picture = shown[type(each)](each)
        assert picture.startswith("<svg ")
        # Viewers of notebooks take style away; only attributes are left.
        assert "<style" not in picture
        assert set(re.findall(' style="(.*?)[ :]', picture)) <= {"font"}
    assert {Tree, TreeFamily, type(net)} == set(shown)
    text = io.StringIO()
    draw_network(net).savefig(text, format="svg")
    assert "<svg" in text.getvalue()


# Without matplotlib.


PROJECT = Path(__file__).parent.parent / "pyproject.toml"
REMEDY = "matplotlib is missing: pip install 'matplotlib>=3.9,<4'"

PLAN = 'steps = ["tree"]\n[[design]]\nnetwork = ["ring:3"]\n'

PLUGIN = """
from dataclasses import replace
from noc.networks import FAMILIES as KNOWN
FAMILIES = (replace(KNOWN["ring"], name="own-ring"),)
"""

#: All modules but those that run elsewhere, and what a user does; matplotlib is never asked for.
EVERYTHING_ELSE = """
import pkgutil, sys
from importlib import import_module
sys.modules["matplotlib"] = None
import noc, noc.cli
apart = ("noc.emit.bench.", "noc.project.template.", "noc.verify.cocotb_driver", "noc.__main__")
for module in pkgutil.walk_packages(noc.__path__, "noc."):
    if not module.name.startswith(apart):
        import_module(module.name)
for command in (
    "tree own-ring:3 --plugin own.py",
    "generate ring:3 -o out",
    "explore ring:3 -o page.html",
    "explore ring:3 -o moving.svg",
    "sweep plan.toml --part 1/1",
):
    assert noc.cli.main(command.split()) == 0, command
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "own.py").write_text(PLUGIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def _without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("_without")
@pytest.mark.parametrize(
    "command",
    [
        "draw ring:3 -o ring.svg",
        "draw ring:3 -o ring.gif",
        "draw ring:3 --no-tree -o ring.pdf",
        "draw ring:3 -o ring-{step}.png",
        "sweep plan.toml --plot nodes down_height ring.svg",
    ],
)
def test_commands_refuse_before_they_begin(folder: Path, cli, command: str) -> None:
    before = sorted(folder.iterdir())
    assert cli(command) == (2, "", f"noc {command.split()[0]}: error: {REMEDY}\n")
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("_without")
def test_functions_refuse() -> None:
    network = build_network("ring:3")
    for function, drawn in ((draw, build_tree(network, "shortest")), (draw_network, network)):
        with pytest.raises(InputError, match=f"^{re.escape(REMEDY)}$"):
            function(drawn)


@pytest.mark.usefixtures("_without")
def test_notebooks_refuse_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    ipython = pytest.importorskip("IPython", reason="needs IPython, from PyPI")
    shell = ipython.core.interactiveshell.InteractiveShell()
    capsys.readouterr()
    assert not shell.run_cell("%load_ext noc.draw").success
    assert "".join(capsys.readouterr()) == f"UsageError: {REMEDY}\n"


@pytest.mark.ci
def test_everything_else_works_without_it(folder: Path) -> None:
    done = started(sys.executable, "-c", EVERYTHING_ELSE, cwd=folder, status=0)
    assert done.stderr == ""


def test_the_remedy_is_what_the_extra_installs() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    (requirement,) = project["optional-dependencies"]["pictures"]
    assert f"pip install '{requirement}'" in REMEDY
    assert requirement in project["optional-dependencies"]["dev"]
    assert not any("matplotlib" in each for each in project["dependencies"])
