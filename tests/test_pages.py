"""Pages and notebooks show what there is today: keys of manifests, names, cycles beside steps."""

import importlib
import json
import re
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from test_pictures import drawn

from noc import plugins
from noc.chips import Cut, cut, divide
from noc.design import build_design
from noc.emit.bus import BusEnds
from noc.emit.folder import PLAIN, build_files
from noc.endpoints import AxiStream, Endpoints
from noc.model import broadcast, simulate
from noc.networks import build_network
from noc.programs import build_automaton, build_program
from noc.research.papers.printed import REFERENCES
from noc.trees import build_tree

MANIFEST = (Path(__file__).parent.parent / "docs" / "manifest.md").read_text(encoding="utf-8")


def keys(heading: str) -> set[str]:
    """The keys in the first columns of the tables below a heading."""
    section = MANIFEST[MANIFEST.index(f"\n## {heading}\n") + 1 :].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)}


def manifest(
    spec: str,
    endpoints: Endpoints = PLAIN,
    *,
    algorithm: str | None = None,
    **options: Any,
) -> dict[str, Any]:
    of_files = {"vector_ports", "systemverilog", "bus", "held_alarms", "chips"} & options.keys()
    files = {name: options.pop(name) for name in of_files}
    design = build_design(spec, algorithm, **options)
    result: dict[str, Any] = json.loads(build_files(design, endpoints, **files)["manifest.json"])
    return result


def divided(spec: str) -> Cut:
    """On two chips."""
    division, ways = divide(build_network(spec), 2)
    return cut(build_design(spec, ways), division, 4)


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    page = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    ((name, text), *_) = re.findall(r"(?ms)^<!-- file: (\w+.py) -->\n```python\n(.*?)^```$", page)
    own = tmp_path_factory.mktemp("plugin") / name
    own.write_text(text, encoding="utf-8")
    operations = ["broadcast", "send", "gather", "all_reduce:sum", "all_reduce:max"]
    paced = {"sinks": "queued", "queue": 2, "start": "pulse"}
    ready = {**paced, "start": "ready"}
    with plugins.loaded([str(own)]):
        of_plugin = manifest("folded-cube:3")
    return [
        of_plugin,
        manifest("ring:3"),
        manifest("ring:3", link_registers={(0, 1): 1}, sinks="always-ready", lookahead=True),
        manifest(
            "ring:3",
            operations=operations,
            watchdog=9,
            width=8,
            sink_timeout=9,
            held_alarms=True,
        ),
        manifest("ring:3", operations=operations, void_words=True, stand_ins=True),
        manifest("ring:3", sources="one"),
        manifest(
            "ring:3",
            algorithm="disjoint",
            sources="one",
            sinks="always-ready",
            survive=1,
            dead="0/1",
        ),
        manifest(
            "ring:3", Endpoints(AxiStream()), fabric="direct", rom="writable", vector_ports=True
        ),
        manifest("ring:3", fabric="timetable", protect="tmr"),
        manifest("ring:3", protect="detect"),
        manifest("ring:3", chips=divided("ring:3"), held_alarms=True),
        manifest("ring:3", fabric="timetable", exchange="gather"),
        manifest("ring:3", fabric="timetable", exchange="all_reduce:sum"),
        manifest("ring:3", fabric="timetable", exchange=[(0, 1)]),
        manifest("ring:3", fabric="timetable", start="ready"),
        manifest("star:3", fabric="timetable", choices="one"),
        manifest("ring:3", Endpoints(AxiStream()), fabric="timetable", start="ready", ejects="one"),
        manifest("ring:3", fabric="timetable", vector_ports=True, **paced),
        manifest("ring:3", Endpoints(AxiStream())),
        manifest("ring:3", Endpoints(AxiStream()), sources="one"),
        manifest("ring:3", Endpoints(clocks="each")),
        manifest("ring:3", Endpoints(AxiStream()), fabric="timetable", start="pulse"),
        manifest("ring:3", Endpoints(clocks="each"), fabric="timetable", **ready),
        manifest("ring:3", sources="one", systemverilog=True),
        manifest("ring:3", Endpoints(AxiStream(), "shared"), vector_ports=True),
        manifest("ring:3", bus=BusEnds(("wishbone", "axi4-lite"))),
    ]


def merged(entries: list[dict[str, Any]]) -> set[str]:
    return {key for entry in entries for key in entry}


@pytest.mark.ci
def test_keys_are_those_of_manifests(manifests) -> None:
    assert merged(manifests) == keys("The network")
    for part in ("nodes", "links"):
        entries = [entry for document in manifests for entry in document[part]]
        assert merged(entries) == keys(part.capitalize())
    arcs = merged([arc for document in manifests for arc in document["arcs"]])
    assert arcs == {"from", "to", "out_port", "in_port", "streams"}


@pytest.mark.ci
def test_keys_of_vectors_are_those_of_manifests(manifests) -> None:
    sections = [document["vectors"] for document in manifests if "vectors" in document]
    assert merged(sections) == keys("Vectors")
    vectors = [vector for section in sections for vector in section["vectors"]]
    assert merged(vectors) == {"name", "direction", "slice"}


@pytest.mark.ci
def test_keys_of_interfaces_are_those_of_manifests(manifests) -> None:
    (section,) = (document["interfaces"] for document in manifests if "interfaces" in document)
    assert set(section) == keys("Interfaces")
    assert set(section["streams"]) == {"inject", "eject"}


@pytest.mark.ci
def test_keys_of_chips_are_those_of_manifests(manifests) -> None:
    (chips,) = (document["chips"] for document in manifests if "chips" in document)
    assert set(chips) == keys("Chips")
    text = MANIFEST[MANIFEST.index("\n## Chips\n") :].partition("\n## AXI")[0]
    named = merged(chips["chips"]) | merged([each for c in chips["chips"] for each in c["links"]])
    assert {key for key in named if f"`{key}`" not in text} == set()


@pytest.mark.ci
def test_keys_of_buses_are_those_of_manifests(manifests) -> None:
    (bus,) = (document["bus"] for document in manifests if "bus" in document)
    assert set(bus) == keys("Buses")
    assert merged(bus["ends"]) == {"bus", "top", "file"}


@pytest.mark.ci
def test_keys_of_alarms_are_those_of_manifests(manifests) -> None:
    (alarms,) = (document["alarms"] for document in manifests if "alarms" in document)
    assert set(alarms) == keys("Alarms")
    assert merged(alarms["held"]) == {"node", "alarm", "first", "bits"}


@pytest.mark.ci
def test_keys_of_endpoints_are_those_of_manifests(manifests) -> None:
    axes = [document["axis"] for document in manifests if "axis" in document]
    clocks = [each["node_clocks"] for each in manifests if "node_clocks" in each]
    common = {"top", "clock", "reset", "nodes"}
    assert merged(axes) == keys("AXI-Stream and clocks") | common
    assert merged(clocks) == common | {"moves"}
    of_node, lanes = {"label", "clock", "reset"}, {"lanes"}
    for section in clocks:
        known = merged(section["nodes"]) - (lanes if "moves" in section else set())
        assert known == of_node | {"inject", "eject"}
    # In rounds nodes have a phase, and with one eject stream an order.
    for axis in axes:
        known = merged(axis["nodes"])
        timed = {"phase", "order"} if "phase" in known else set()
        assert known - timed == of_node | {"tid", "s_axis", "m_axis"}


# The pages on the Python interface, where no site is built.


@pytest.fixture
def interface(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> ModuleType:
    monkeypatch.syspath_prepend(str(pytestconfig.rootpath / "bench"))
    return importlib.import_module("interface")


def test_pages_list_the_names_of_today(interface: ModuleType) -> None:
    assert len(interface.pages()) == 5
    for page in interface.pages():
        text = page.read_text(encoding="utf-8")
        assert text == interface.fill(text), "run bench/interface.py"
        documented = re.findall(r"^\.\. automodule:: (\S+)$", text, re.MULTILINE)
        listed = re.findall(r"^## `([\w.]+)`\n\n<!-- names -->$", text, re.MULTILINE)
        assert documented == listed


def test_lists_hold_every_name_with_its_first_sentence(interface: ModuleType) -> None:
    text = interface.fill("## `noc.errors`\n\n```{eval-rst}\n")
    names = importlib.import_module("noc.errors").__all__
    assert re.findall(r"^- `(\w+)`: .+\.$", text, re.MULTILINE) == names
    networks = importlib.import_module("noc.networks")
    told = interface.first_sentence(networks, "FAMILIES")
    assert told == "Every family, in the order in which `noc list` prints them."
    assert interface.fill(text) == text


def test_a_name_that_nothing_describes_is_refused(interface: ModuleType) -> None:
    with pytest.raises(LookupError, match=r"^noc\.errors\.__all__ has no docstring"):
        interface.first_sentence(importlib.import_module("noc.errors"), "__all__")


# docs/papers.md: cycles beside steps, by the model that the Verilog is compared with.


PAPERS = (Path(__file__).parent.parent / "docs" / "papers.md").read_text(encoding="utf-8")
PAPER_ROWS = re.findall(
    r"^\| `(\S+)`, `(\S+)` \| (\w+) \| (\d+) \| (\d+) \| (\w+) \|$", PAPERS, re.M
)


def test_the_table_is_read() -> None:
    assert len(PAPER_ROWS) == 8


@pytest.mark.parametrize(("spec", "algorithm", "ports", "steps", "cycles", "exact"), PAPER_ROWS)
def test_cycles_and_steps(spec, algorithm, ports, steps, cycles, exact) -> None:
    tree = build_tree(build_network(spec), algorithm, ports=ports)
    rows = build_automaton(tree.network, algorithm, ports=ports, sources=[0])
    program = build_program(rows, search=False)
    arrival = simulate(program, broadcast(program, 0), arrival=True).arrival[0] - 1
    arrival[0] = 0
    assert (arrival <= tree.step).all()
    same = "yes" if np.array_equal(arrival, tree.step) else "no"
    assert (tree.steps, int(arrival.max()), same) == (int(steps), int(cycles), exact)


# Notebooks run from their first cell to their last, and are kept with what they show today.


NOTEBOOKS = sorted((Path(__file__).parent.parent / "docs" / "notebooks").glob("*.ipynb"))

PICTURE = "image/svg+xml"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What runs a notebook."""
    pytest.importorskip("IPython", reason="needs IPython, from PyPI")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "bench"))
    return importlib.import_module("notebooks").run


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def shown(notebook: dict[str, Any]) -> list[Any]:
    """What stands in the cells and below them."""
    parts: list[Any] = []
    for cell in notebook["cells"]:
        parts.append("".join(cell["source"]))
        for output in cell.get("outputs", ()):
            picture = output.get("data", {}).get(PICTURE)
            # Versions of the library place its parts apart.
            parts.append(drawn(StringIO(picture)) if picture else output)
    return parts


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_what_it_shows(path: Path, run: Any) -> None:
    assert shown(run(path)) == shown(read(path)), "run bench/notebooks.py"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_is_small_and_plain(path: Path) -> None:
    cells = read(path)["cells"]
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    pictures = [data[PICTURE] for data in outputs if data]
    assert sum(map(len, pictures)) < 250_000
    assert len(pictures) >= 2
    # Viewers take style away, which only what moves cannot do without: shapes would be black.
    assert not [text for text in pictures if " style=" in text and "@keyframes" not in text]
    if path.stem == "lecture":
        titles = [cell for cell in cells if "".join(cell["source"]).startswith("## ")]
        # All but the table are pictures; the exercises come last.
        assert (len(titles), len(pictures)) == (9, 7)


def test_each_paper_has_a_notebook() -> None:
    assert {path.stem.replace("_", "-") for path in NOTEBOOKS} == {*REFERENCES, "lecture"}


@pytest.mark.parametrize(("kept", "wrong"), [(">0100<", ">0101<"), ("all-port 9", "all-port 8")])
def test_another_output_is_seen(kept: str, wrong: str) -> None:
    text = NOTEBOOKS[-1].read_text(encoding="utf-8")
    assert kept in text
    assert shown(json.loads(text.replace(kept, wrong, 1))) != shown(json.loads(text))


def test_a_cell_that_fails_is_seen(tmp_path: Path, run: Any) -> None:
    notebook = read(NOTEBOOKS[0])
    notebook["cells"][-1]["source"] = ["assert 1 == 2"]
    path = tmp_path / "wrong.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(AssertionError):
        run(path)
