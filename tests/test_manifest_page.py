"""The page on the manifest names the keys that manifests have, and no others."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from noc import plugins
from noc.design import build_design
from noc.emit.folder import PLAIN, build_files
from noc.endpoints import AxiStream, Endpoints

PAGE = (Path(__file__).parent.parent / "docs" / "manifest.md").read_text(encoding="utf-8")


def keys(heading: str) -> set[str]:
    """The keys in the first columns of the tables below a heading."""
    section = PAGE[PAGE.index(f"\n## {heading}\n") + 1 :].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)}


def manifest(
    spec: str, endpoints: Endpoints = PLAIN, *, vector_ports: bool = False, **options: Any
) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(
        build_files(build_design(spec, **options), endpoints, vector_ports=vector_ports)[
            "manifest.json"
        ]
    )
    return result


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    page = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    ((name, text), *_) = re.findall(r"(?ms)^<!-- file: (\w+.py) -->\n```python\n(.*?)^```$", page)
    own = tmp_path_factory.mktemp("plugin") / name
    own.write_text(text, encoding="utf-8")
    operations = ["broadcast", "send", "gather", "all_reduce:sum", "all_reduce:max"]
    with plugins.loaded([str(own)]):
        of_plugin = manifest("folded-cube:3")
    return [
        of_plugin,
        manifest("ring:3"),
        manifest("ring:3", link_registers={(0, 1): 1}, sinks="always-ready"),
        manifest("ring:3", operations=operations, watchdog=9, width=8),
        manifest("ring:3", sources="one"),
        manifest("ring:3", Endpoints(AxiStream())),
        manifest("ring:3", Endpoints(AxiStream()), sources="one"),
        manifest("ring:3", Endpoints(clocks="each")),
        manifest("ring:3", sources="one", vector_ports=True),
        manifest("ring:3", Endpoints(AxiStream(), "shared"), vector_ports=True),
    ]


def merged(entries: list[dict[str, Any]]) -> set[str]:
    return {key for entry in entries for key in entry}


def test_keys_are_those_of_manifests(manifests) -> None:
    assert merged(manifests) == keys("The network")
    for part in ("nodes", "links"):
        entries = [entry for document in manifests for entry in document[part]]
        assert merged(entries) == keys(part.capitalize())
    arcs = merged([arc for document in manifests for arc in document["arcs"]])
    assert arcs == {"from", "to", "out_port", "in_port", "streams"}


def test_keys_of_vectors_are_those_of_manifests(manifests) -> None:
    sections = [document["vectors"] for document in manifests if "vectors" in document]
    assert merged(sections) == keys("Vectors")
    vectors = [vector for section in sections for vector in section["vectors"]]
    assert merged(vectors) == {"name", "direction", "slice"}


def test_keys_of_endpoints_are_those_of_manifests(manifests) -> None:
    axes = [document["axis"] for document in manifests if "axis" in document]
    (clocks,) = (each["node_clocks"] for each in manifests if "node_clocks" in each)
    assert merged(axes) == keys("AXI-Stream and clocks") | set(clocks)
    assert set(clocks) == {"top", "clock", "reset", "nodes"}
    assert merged(clocks["nodes"]) == {"label", "clock", "reset", "inject", "eject"}
    for axis in axes:
        assert merged(axis["nodes"]) == {"tid", "label", "clock", "reset", "s_axis", "m_axis"}
