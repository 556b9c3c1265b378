"""The page: networks, programs and what the model recorded, as JSON, in one file with scripts.

The file asks for nothing from anywhere, and its policy forbids it to. The scripts that run are the
ones whose digests the policy names. The document is text in base64, so that nothing in the names
of a user's graph can be taken for anything else.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import noc
from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.explore.recording import Recording
from noc.explore.runs import Play, describe_play, list_schedules, record
from noc.files import check_file, replaced
from noc.layouts import lay_out
from noc.networks import Network
from noc.verify.runs import Run

#: Grows when a page of today could not read the document.
FORMAT = 1

#: Of more nodes nobody sees anything on a screen.
MOST_NODES = 2000

#: The transfers of a run that a browser can hold; this many cycles of nodes count as one.
MOST_TRANSFERS, _NODE_CYCLES = 4_000_000, 10

# Positions are written with this number of digits after the point.
_DIGITS = 3


def describe(scenes: Sequence[dict[str, Any]], *, opens: str | None = None) -> dict[str, Any]:
    """The whole document, of one scene as :func:`describe_scene` returns it, or two side by side.

    The page first shows one broadcast, in steps, by the algorithm ``opens``, or else the first run.
    """
    version = noc.__version__
    return {"format": FORMAT, "version": version, "opens": opens, "scenes": list(scenes)}


def describe_scene(
    design: AnyDesign, runs: Sequence[Run], plays: Iterable[Play] = ()
) -> dict[str, Any]:
    """One design: its network, what it is built to do, its trees, its runs, and plays in steps."""
    network = design.network
    check_size(network)
    page = fabrics.module(design.fabric, "page")
    return {
        "name": f"{network.spec}, {design.fabric} fabric, {design.program.algorithm}",
        "network": _network(network),
        "design": {
            "algorithm": design.program.algorithm,
            "sources": design.named_sources,
            "width": design.width,
            **page.facts(design),
        },
        "program": page.describe_program(design),
        "schedules": list_schedules(network, design.root),
        "runs": [
            {"name": run.name, "what": run.what, **_recorded(design, run).document()}
            for run in runs
        ],
        "plays": [describe_play(play) for play in plays],
    }


def check_size(network: Network) -> None:
    """Refuse a network of which nobody would see anything."""
    if network.nodes > MOST_NODES:
        raise InputError(
            f"SPEC {network.spec}: {network.nodes} nodes are too many to look at; at most "
            f"{MOST_NODES}"
        )


def _recorded(design: AnyDesign, run: Run) -> Recording:
    recording = record(design, run.traffic, run.cycles)
    size = max(recording.cycle.size, recording.cycles * design.network.nodes // _NODE_CYCLES)
    if size > MOST_TRANSFERS:
        raise InputError(
            f"{option('name', run.name, flag='traffic')}: {recording.cycle.size} transfers in "
            f"{recording.cycles} cycles are too many for a page; use fewer {option('words')} or "
            f"{option('cycles')}"
        )
    return recording


def _network(network: Network) -> dict[str, Any]:
    layout = lay_out(network)
    return {
        "spec": network.spec,
        "nodes": network.nodes,
        "links": network.links,
        "diameter": network.diameter(),
        "symmetric": network.symmetric,
        "labels": [network.label(node) for node in range(network.nodes)],
        "outPorts": list(network.out_ports),
        "inPorts": list(network.in_ports),
        "neighbour": network.neighbour.tolist(),
        "arrival": network.arrival.tolist(),
        "layout": layout.kind,
        "x": np.round(layout.place[:, 0], _DIGITS).tolist(),
        "y": np.round(layout.place[:, 1], _DIGITS).tolist(),
        "bend": np.round(layout.bend, _DIGITS).tolist(),
    }


#: How the file of a moving picture ends.
MOVING = ".svg"

#: The scripts, each after those that it uses.
SCRIPTS = (
    *("decode.js", "transfers.js", "trees.js", "state.js", "words.js", "geometry.js"),
    *("theme.js", "draw.js", "elements.js", "wave.js", "legend.js", "inspect.js", "panes.js"),
    *("controls.js", "main.js"),
)

_STYLES = ("page.css",)
_TEMPLATE = "page.html"

_IMPORT = re.compile(r'^import (?P<names>\{[^}]*\}) from "\./(?P<file>[a-z]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async )?(function|const|class) (?P<name>\w+))", re.MULTILINE)


def check_target(path: Path) -> None:
    """Refuse a file that cannot be written."""
    asked = option("path", path, flag="o")
    if path.suffix.lower() not in (".html", ".htm", MOVING):
        raise InputError(f"{asked}: the file must end in .html, or in {MOVING} for a picture")
    check_file(path, asked)


def write_page(document: Mapping[str, Any], path: Path) -> int:
    """Write the page, and return its size in bytes."""
    return write_text(build_page(document), path)


def write_text(text: str, path: Path) -> int:
    """Write a file, whole or not at all, and return its size in bytes."""
    check_target(path)
    with replaced(path, option("path", path, flag="o")) as temporary:
        return temporary.write_bytes(text.encode())


def build_page(document: Mapping[str, Any]) -> str:
    """The text of the file."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    script, style = _script(), "".join(_read(name) for name in _STYLES)
    title = " and ".join(scene["name"] for scene in document["scenes"])
    parts = {
        "POLICY": _policy(script, style),
        "TITLE": escape(title),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": base64.b64encode(zlib.compress(text.encode(), 9)).decode(),
    }
    return re.sub(r"@([A-Z]+)@", lambda name: parts[name[1]], _read(_TEMPLATE))


def _read(name: str) -> str:
    return (files("noc.explore") / "page" / name).read_text(encoding="utf-8")


def _script() -> str:
    """All scripts as one: each in a scope of its own, which returns what the module exports."""
    parts = ["const modules = {};\n"]
    for index, name in enumerate(SCRIPTS):
        text = _read(name)
        before = SCRIPTS[:index]
        assert all(each["file"] in before for each in _IMPORT.finditer(text)), name
        exported = ", ".join(each["name"] for each in _EXPORT.finditer(text))
        text = _IMPORT.sub(r'const \g<names> = modules["\g<file>"];', text)
        text = _EXPORT.sub("", text)
        parts.append(f'modules["{name}"] = (() => {{\n{text}return {{ {exported} }};\n}})();\n')
    return "".join(parts)


def _policy(script: str, style: str) -> str:
    """Nothing is loaded, and only these two run."""

    def digest(text: str) -> str:
        return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
