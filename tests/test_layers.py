"""A stage of the package imports from its left only."""

import ast
import re
from importlib.metadata import entry_points
from pathlib import Path

import noc
from noc.cli import ENTRY_POINTS

# From left to right; what stands together on a line knows nothing of each other.
LAYERS = [
    {"errors", "caches", "options", "simulators", "harness", "streams", "fabric"},
    {"compiled", "files", "links"},
    {"registry"},
    {"networks", "processes"},
    {"trees", "layouts", "node_lists"},
    {"programs"},
    {"design", "model"},
    {"hardware", "endpoints", "draw", "plugins"},
    {"bus", "chips"},
    {"emit"},
    {"synth"},
    {"verify"},
    {"comm", "explore", "faults", "selftest"},
    {"boards", "litex"},
    {"project"},
    {"cli"},
    {"fabrics"},
    {"research"},
    {"__main__"},
]
PLACE = {stage: place for place, layer in enumerate(LAYERS) for stage in layer}
ROOT = Path(noc.__file__).parent

# They run in a folder of their own, without the package.
APART = ROOT / "emit" / "bench"
FILES = [path for path in sorted(ROOT.rglob("*.py")) if not path.is_relative_to(APART)]


def stage(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The stages that a file imports from, at its top or inside of functions."""
    result = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            result |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            result |= {f"{node.module}.{name.name}" for name in node.names}
    names = {name.split(".")[1] for name in result if name.startswith("noc.")}
    return {name for name in names if not name.startswith("__version")}


def test_every_stage_has_its_place() -> None:
    assert {stage(path) for path in FILES} - {"__init__"} == set(PLACE)


def test_a_stage_imports_from_its_left() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in FILES
        for name in sorted(imported(path) - {stage(path)})
        if PLACE[name] >= PLACE.get(stage(path), 0)
    ]
    assert wrong == []


def test_nothing_imports_the_research() -> None:
    """Its commands are reached by entry points, as another package's would be."""
    assert {stage(path) for path in FILES if "research" in imported(path)} <= {"research"}
    named = [
        path.relative_to(ROOT)
        for path in FILES
        if stage(path) != "research" and "noc.research" in path.read_text(encoding="utf-8")
    ]
    assert named == []


def test_research_reaches_the_command_line_by_entry_points() -> None:
    entries = entry_points(group=ENTRY_POINTS)
    assert {entry.name for entry in entries} >= {"paper", "route", "steps", "sweep"}
    assert entry_points(group="arbornoc.algorithms").names == {"fewest-steps"}


def test_the_map_for_contributors_is_the_one_here() -> None:
    """A row of the map is a line of stages, in the same order, and says what each may import."""
    page = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) +\|", page, re.MULTILINE)
    assert [set(re.findall(r"\w+", row)) for row in rows] == [
        layer - {"__main__"} for layer in LAYERS if layer != {"__main__"}
    ]
