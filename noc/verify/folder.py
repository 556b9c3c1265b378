"""Verilog that lies in a folder: its manifest, its files, and the design that it should be."""

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from noc.design import Design, check_width, design
from noc.emit.folder import GRAPH
from noc.errors import InputError
from noc.networks import Network, network
from noc.programs.classes import FEWEST
from noc.programs.form import Form

__all__ = ["VerilogFolder", "network_of", "read_folder"]

_DEFAULTS = {
    "algorithm": "shortest",
    "ports": "all",
    "sources": "all",
    "class_method": FEWEST,
}


_FORM = tuple(part.name for part in fields(Form))


@dataclass(frozen=True)
class VerilogFolder:
    """A folder with a manifest.

    Parameters
    ----------
    manifest : dict
        The manifest.
    sources : tuple of Path
        The Verilog files.
    design : Design
        What they should be, by the names in the manifest.
    """

    manifest: dict[str, Any]
    sources: tuple[Path, ...]
    design: Design


def read_folder(folder: Path) -> VerilogFolder:
    """Read a folder that ``noc generate`` wrote, or that is like one."""
    manifest = _manifest(folder / "manifest.json")
    names = manifest.get("files", [])
    if not isinstance(names, list):
        raise InputError(f"{folder}: manifest.json: files must be a list")
    sources = [folder / str(name) for name in names if str(name).endswith((".v", ".sv"))]
    if not sources:
        raise InputError(f"{folder}: manifest.json lists no Verilog files")
    for source in sources:
        if not source.is_file():
            raise InputError(f"{source}: is listed in manifest.json, but there is no such file")
    options = {key: str(manifest.get(key, value)) for key, value in _DEFAULTS.items()}
    for key in ("ports", "sources"):
        if options[key] not in ("all", "one"):
            raise InputError(f"manifest.json: {key} must be all or one, not {options[key]}")
    check_width(manifest["width"])
    form = Form(**{key: manifest[key] for key in _FORM if key in manifest})
    made = design(
        network_of(folder, str(manifest["network"])),
        options["algorithm"],
        ports="one" if options["ports"] == "one" else "all",
        sources="one" if options["sources"] == "one" else "all",
        classes=options["class_method"],
        width=manifest["width"],
        form=form,
    )
    return VerilogFolder(manifest, tuple(source.resolve() for source in sources), made)


def network_of(folder: Path, spec: str) -> Network:
    """The network of a name; of a user's own graph as it was when the folder was written."""
    graph = folder / GRAPH
    if not spec.startswith("file:") or not graph.is_file():
        return network(spec)
    path = spec.removeprefix("file:")
    return replace(network(f"file:{graph}"), spec=spec, parameters=(path,))


def _manifest(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise InputError(f"--verilog {path.parent}: there is no readable manifest.json") from None
    except ValueError as error:
        raise InputError(f"{path}: is no JSON: {error}") from None
    if not isinstance(document, dict):
        raise InputError(f"{path}: must be an object")
    for key in ("network", "width", "nodes"):
        if key not in document:
            raise InputError(f"{path}: {key} is missing")
    if type(document["width"]) is not int:
        raise InputError(f"{path}: width must be a whole number")
    return document
