"""The JSON files of a folder, as this version names their keys, and the contract they keep."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from noc.emit.manifest import CONTRACTS
from noc.errors import InputError, option

__all__ = ["Document", "read_json", "read_manifest", "read_program", "told_in"]

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
    if fabric not in CONTRACTS:
        raise InputError(f"{path}: fabric must be {' or '.join(CONTRACTS)}, not {fabric!r}")
    contract = manifest.get("contract")
    if contract != CONTRACTS[fabric]:
        raise InputError(
            f"{path}: the {fabric} fabric is of contract {contract!r}, where this version of "
            f"arbornoc models contract {CONTRACTS[fabric]}; verify it with the version that wrote "
            f"it, {manifest.get('generator', 'which is not text')}"
        )
    return manifest


def read_program(folder: Path, manifest: Document) -> Document:
    """The tables that lie in a folder with a manifest."""
    path = folder / str(manifest.get("program", "program.json"))
    if not path.is_file():
        raise InputError(f"{path}: there is no such file, and without tables nothing to verify")
    return read_json(path)


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
