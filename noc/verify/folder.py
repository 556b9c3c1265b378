"""Verilog that lies in a folder: its manifest, its files, and the design that it should be."""

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from noc.design import AnyDesign, Sources, build_ordered, check_width, design
from noc.emit.folder import GRAPH
from noc.errors import InputError
from noc.networks import FAMILIES, Network, network
from noc.programs.classes import FEWEST
from noc.programs.form import Form
from noc.programs.ordered_form import OrderedForm
from noc.trees import ALGORITHMS

__all__ = ["VerilogFolder", "network_of", "read_folder"]

_DEFAULTS = {
    "algorithm": "shortest",
    "ports": "all",
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
    design: AnyDesign


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
    check_width(manifest["width"])
    _require_plugins(folder, manifest)
    net = network_of(folder, str(manifest["network"]))
    build = _ordered if manifest.get("fabric") == "ordered" else _direct
    return VerilogFolder(
        manifest, tuple(source.resolve() for source in sources), build(manifest, net)
    )


def _require_plugins(folder: Path, manifest: dict[str, Any]) -> None:
    """Say which plug-in a name in the manifest comes from, if it is not loaded."""
    family = str(manifest["network"]).partition(":")[0]
    algorithm = str(manifest.get("algorithm", _DEFAULTS["algorithm"]))
    names = manifest.get("plugins")
    for what, name, known in (
        ("network family", family, FAMILIES),
        ("algorithm", algorithm, ALGORITHMS),
    ):
        if names and name not in known:
            raise InputError(
                f"{folder}: {what} {name!r} comes from a plug-in, {', '.join(map(str, names))}; "
                "plugin=FILE is needed",
                "plugin",
            )


def _direct(manifest: dict[str, Any], net: Network) -> AnyDesign:
    options = {key: str(manifest.get(key, value)) for key, value in _DEFAULTS.items()}
    if options["ports"] not in ("all", "one"):
        raise InputError(f"manifest.json: ports must be all or one, not {options['ports']}")
    return design(
        net,
        options["algorithm"],
        ports="one" if options["ports"] == "one" else "all",
        sources=_sources(manifest, net),
        classes=options["class_method"],
        width=manifest["width"],
        form=_form(manifest),
    )


def _form(manifest: dict[str, Any]) -> Form:
    """How routers are built; older folders tell the cycles of a hop instead of its registers."""
    told = {key: manifest[key] for key in _FORM if key in manifest}
    if "link_registers" not in told and "hop_cycles" in manifest:
        cycles = manifest["hop_cycles"]
        if type(cycles) is not int or cycles not in (1, 2):
            raise InputError(f"manifest.json: hop_cycles must be 1 or 2, not {cycles!r}")
        told["link_registers"] = cycles - 1
    return Form(**told)


def _ordered(manifest: dict[str, Any], net: Network) -> AnyDesign:
    sources = _sources(manifest, net)
    if sources == "one":
        raise InputError("manifest.json: the ordered fabric is not for one source at a time")
    try:
        registers = {
            (net.node(entry["from"]), net.node(entry["to"])): entry["registers"]
            for entry in manifest.get("registers_of_links", [])
        }
        form = OrderedForm(
            link_registers=manifest["link_registers"],
            registers_of=registers,
            queue=manifest["queue"],
            source_numbers=manifest["source_numbers"],
            own_words=manifest["own_words"] == "returned",
        )
        root = net.node(manifest["root"])
    except (KeyError, TypeError) as error:
        raise InputError(f"manifest.json: {error!r} where the ordered fabric is told of") from None
    return build_ordered(
        net,
        str(manifest["algorithm"]),
        sources=None if sources == "all" else sources,
        root=root,
        width=manifest["width"],
        form=form,
    )


def _sources(manifest: dict[str, Any], net: Network) -> "Sources | list[int]":
    """All, one at a time, or some nodes by their labels."""
    sources = manifest.get("sources", "all")
    if isinstance(sources, list):
        return [net.node(str(label)) for label in sources]
    if sources == "all":
        return "all"
    if sources == "one":
        return "one"
    raise InputError(f"manifest.json: sources must be all, one or labels, not {sources}")


def network_of(folder: Path, spec: str) -> Network:
    """The network of a name; of a user's own graph as it was when the folder was written."""
    graph = folder / GRAPH
    family, _, told = spec.partition(":")
    if family not in ("file", "graph") or not graph.is_file():
        return network(spec)
    return replace(network(f"file:{graph}"), spec=spec, family=family, parameters=(told,))


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
