"""The file: the page's own scripts and styles, and the document, all in one.

The file asks for nothing from anywhere, and its policy forbids it to. The scripts that run are the
ones whose digests the policy names. The document is text in base64, so that nothing in the names
of a user's graph can be taken for anything else.
"""

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from noc.errors import InputError, option

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
    if not path.parent.is_dir():
        raise InputError(f"{asked}: there is no directory {path.parent}")
    if path.is_dir():
        raise InputError(f"{asked}: is a directory; a file is needed")


def write_page(document: Mapping[str, Any], path: Path) -> int:
    """Write the page, and return its size in bytes."""
    return write_text(build_page(document), path)


def write_text(text: str, path: Path) -> int:
    """Write a file, whole or not at all, and return its size in bytes."""
    check_target(path)
    page = text.encode()
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            temporary.write_bytes(page)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{option('path', path, flag='o')}: cannot be written: {reason}") from None
    return len(page)


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
