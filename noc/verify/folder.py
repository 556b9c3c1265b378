"""Verilog that lies in a folder: its manifest, its files, and the design that its tables are."""

from dataclasses import dataclass, replace
from pathlib import Path

from noc import fabric as fabrics
from noc.design import AnyDesign, check_width
from noc.emit.folder import GRAPH
from noc.errors import InputError, option
from noc.networks import FAMILIES, Network, build_network, is_own_graph
from noc.programs.operators import OPERATORS
from noc.verify.documents import Document, read_manifest, read_program, told_in


@dataclass(frozen=True)
class VerilogFolder:
    """A folder: its manifest, its Verilog files, and the design by the tables that lie there."""

    manifest: Document
    sources: tuple[Path, ...]
    design: AnyDesign


def read_folder(folder: Path) -> VerilogFolder:
    """Read a folder that ``noc generate`` wrote, or that is like one.

    Nothing is searched for again: trees and codes are those that lie there.
    """
    manifest = read_manifest(folder)
    sources = _sources(folder, manifest)
    check_width(manifest["width"])
    _require_plugins(folder, manifest)
    net = network_of(folder, str(manifest["network"]))
    document = read_program(folder, manifest)
    design = fabrics.module(manifest["fabric"], "read").read(manifest, document, net)
    with told_in("manifest.json"):
        design = replace(design, protect=manifest.get("protect", "none"))
    return VerilogFolder(manifest, sources, design)


def _sources(folder: Path, manifest: Document) -> tuple[Path, ...]:
    """The Verilog files that the manifest lists."""
    names = manifest.get("files", [])
    if not isinstance(names, list):
        raise InputError(f"{folder}: manifest.json: files must be a list")
    sources = [folder / str(name) for name in names if str(name).endswith((".v", ".sv"))]
    if not sources:
        raise InputError(f"{folder}: manifest.json lists no Verilog files")
    for source in sources:
        if not source.is_file():
            raise InputError(f"{source}: is listed in manifest.json, but there is no such file")
    return tuple(source.resolve() for source in sources)


def _require_plugins(folder: Path, manifest: Document) -> None:
    """Say which plug-in a name in the manifest comes from, if it is not loaded."""
    family = str(manifest["network"]).partition(":")[0]
    used = [("network family", family in FAMILIES, family)]
    names = [name.partition("@")[0].partition(":")[2] for name in manifest.get("operations", {})]
    names += [str(manifest.get("operator", ""))]
    used += [("operator", not name or name in OPERATORS, name) for name in names]
    files = ", ".join(map(str, manifest.get("plugins", [])))
    for kind, known, name in used:
        if files and not known:
            raise InputError(
                f"{folder}: {kind} {name!r} comes from a plug-in, {files}; "
                f"{option('plugin', 'FILE')} is needed"
            )


def network_of(folder: Path, spec: str) -> Network:
    """The network of a name; of a user's own graph as it was when the folder was written."""
    graph = folder / GRAPH
    family, _, parameters = spec.partition(":")
    if not is_own_graph(spec) or not graph.is_file():
        return build_network(spec)
    return replace(
        build_network(f"file:{graph}"), spec=spec, family=family, parameters=(parameters,)
    )
