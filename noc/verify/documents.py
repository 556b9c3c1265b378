"""The JSON files of a folder, as this version names their keys, and the contract they keep."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from noc import fabric as fabrics
from noc.design import Sources
from noc.errors import InputError, option
from noc.fabric import FABRICS
from noc.networks import Network
from noc.programs.codec import TEXT, Form, Key, Keys, at, listed, record
from noc.programs.forms import node_form

Document = dict[str, Any]


def read_manifest(folder: Path) -> Document:
    """The manifest of a folder; refused where it is of another contract than the models'."""
    path = folder / "manifest.json"
    if not path.is_file():
        raise InputError(
            f"{option('folder', folder, flag='verilog')}: there is no readable manifest.json"
        )
    manifest = read_json(path)
    for key in ("network", "width", "nodes"):
        if key not in manifest:
            raise InputError(f"{path}: {key} is missing")
    if type(manifest["width"]) is not int:
        raise InputError(f"{path}: width must be a whole number")
    fabric = manifest.setdefault("fabric", "direct")
    if fabric not in FABRICS:
        raise InputError(f"{path}: fabric must be {' or '.join(FABRICS)}, not {fabric!r}")
    contract, known = manifest.get("contract"), fabrics.module(fabric, "describe").CONTRACT
    if contract != known:
        raise InputError(
            f"{path}: the {fabric} fabric is of contract {contract!r}, where this version of "
            f"arbornoc models contract {known}; verify it with the version that wrote "
            f"it, {manifest.get('generator', 'which is not text')}"
        )
    return manifest


def read_program(folder: Path, manifest: Document) -> Document:
    """The tables that lie in a folder with a manifest."""
    path = folder / str(manifest.get("program", "program.json"))
    if not path.is_file():
        raise InputError(f"{path}: there is no such file, and without tables nothing to verify")
    return read_json(path)


def read_sources(manifest: Document, network: Network) -> Sources | list[int]:
    """All, one at a time, or some nodes by their labels."""
    sources = manifest.get("sources", "all")
    if isinstance(sources, list) and sources:
        with at(".sources"):
            return [*listed(node_form(network)).read(sources)]
    if sources not in ("all", "one"):
        raise InputError(f"sources must be all, one or labels, not {sources}")
    return "all" if sources == "all" else "one"


def read_nodes(manifest: Document, network: Network) -> list[Document]:
    """The label and module of each node, in the order of the numbers that words have for them."""
    node: Keys = {"label": node_form(network), "router": Key(TEXT, usual="")}
    manifests: Form[Document] = record(dict, {"nodes": listed(record(dict, node))})
    nodes: list[Document] = [*manifests.read(manifest)["nodes"]]
    check_nodes([node["label"] for node in nodes], network)
    return nodes


def check_nodes(labels: Iterable[int], network: Network) -> None:
    """Refuse a list that does not have each node once."""
    if sorted(labels) != list(range(network.nodes)):
        raise InputError(f"nodes are not those of {network.spec}")


def read_json(path: Path) -> Document:
    """A JSON file that holds an object."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path}: is no JSON: {error}") from None
    if not isinstance(document, dict):
        raise InputError(f"{path}: must be an object")
    return document


@contextmanager
def told_in(name: str) -> Iterator[None]:
    """Turn what goes wrong while a document is read into one line that names its file."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}: {error.message}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(f"{name}: cannot be read: {error!r}") from None
