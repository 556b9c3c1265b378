"""Write a project: the files of the template, and a network.toml that says which network."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import noc
from noc import __version__
from noc.design import AnyDesign, build_design, read_groups
from noc.errors import InputError, option
from noc.networks import build_network, is_own_graph
from noc.networks.exchange import export
from noc.plugins import VARIABLE

#: The file to fill in, by the language of the element, which has a folder of the template.
ELEMENTS = {"amaranth": "hardware/element.py", "verilog": "hardware/element.v"}

#: What the processing elements of the template do.
EXAMPLE = "Each element gives four numbers for each operation and adds up what it receives."

#: The user's own graph as it was, so that the project does not depend on a file elsewhere.
_GRAPH = "graph.json"

#: For FuseSoC; it lists all files, which the bench in Verilog needs.
_CORE = "system.core"

#: Names that the template has otherwise, where the file would mean something in the package.
_NAMES = {"gitignore": ".gitignore"}


@dataclass(frozen=True)
class Written:
    """A project: its design, the file of its processing element, and all of its files."""

    design: AnyDesign
    element: str
    files: tuple[str, ...]


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written, or is not empty."""
    problems = {
        f"there is no directory {folder.parent}": not folder.parent.is_dir(),
        "is a link that leads nowhere": folder.is_symlink() and not folder.exists(),
        "is a file; a new directory is needed": folder.exists() and not folder.is_dir(),
        "is not empty; choose a new directory": folder.is_dir() and any(folder.iterdir()),
    }
    for problem, present in problems.items():
        if present:
            raise InputError(f"DIR {folder}: {problem}")


def write_project(
    folder: Path,
    spec: str = "mesh:2,2",
    *,
    element: str = "amaranth",
    groups: Sequence[str] = (),
    settings: Mapping[str, Any],
) -> Written:
    """Write a project into a new or empty folder.

    The language of the ``element`` is one of :data:`ELEMENTS`; ``groups`` are those of operations,
    as :func:`noc.design.read_groups` takes them; and ``settings`` are arguments of
    :func:`noc.design.build_design`, for ``network.toml``.
    """
    check_folder(folder)
    if settings.get("start") == "pulse":
        raise InputError(
            f"{option('start', 'pulse')}: nothing in a project gives pulses; use "
            f"{option('start', 'ready')}"
        )
    network = build_network(spec)
    nodes = read_groups(network, groups)
    design = build_design(network, groups=nodes, **settings)
    template = files("noc.project") / "template"
    # Elements of nodes with several eject streams replace others.
    several = any(map(design.lanes, range(network.nodes)))
    parts = ["common", element, *[f"{design.fabric}/{element}"] * several]
    texts = {name: text for part in parts for name, text in _texts(template / part)}
    if nodes:
        named = {name: [*map(network.label, members)] for name, members in nodes.items()}
        settings = {**settings, "groups": named}
    if plugins := _plugins():
        settings = {**settings, "plugins": list(plugins)}
        texts |= plugins
    if is_own_graph(network.spec):
        spec = f"file:{_GRAPH}"
        texts[_GRAPH] = json.dumps(export(network), ensure_ascii=False, indent=1) + "\n"
    texts["network.toml"] = _toml(spec, settings)
    listed = (name for name in sorted(texts) if name not in (_CORE, ".gitignore"))
    words = {
        "NAME": folder.resolve().name,
        "SPEC": spec,
        "NODES": str(network.nodes),
        "EXAMPLE": EXAMPLE,
        "ELEMENT": ELEMENTS[element],
        "GENERATOR": f"arbornoc {__version__}",
        "REQUIREMENT": _requirement(),
        "FILES": "\n".join(f"      - {name}: {{file_type: user}}" for name in listed),
    }
    for name in ("README.md", "requirements.txt", _CORE):
        texts[name] = re.sub("@([A-Z]+)@", lambda match: words[match[1]], texts[name])
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return Written(design, ELEMENTS[element], tuple(sorted(texts)))


def _requirement() -> str:
    """How pip gets this package again: from its clone, or from where pip got it."""
    clone = Path(noc.__file__).parent.parent
    if (clone / "pyproject.toml").is_file():
        return f"arbornoc[boards] @ {clone.as_uri()}"
    text = metadata.distribution("arbornoc").read_text("direct_url.json")
    if text is None:
        return f"arbornoc[boards]=={__version__}"
    origin = json.loads(text)
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        return f"arbornoc[boards] @ {vcs['vcs']}+{origin['url']}@{vcs['commit_id']}"
    return f"arbornoc[boards] @ {origin['url']}"


def _texts(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The files of a part of the template, by their paths in the project."""
    for entry in folder.iterdir():
        if entry.is_file():
            name = _NAMES.get(entry.name, entry.name)
            yield f"{prefix}{name}", entry.read_text(encoding="utf-8")
        elif entry.name != "__pycache__":
            yield from _texts(entry, f"{prefix}{entry.name}/")


def _plugins() -> dict[str, str]:
    """The files of the plug-ins that are loaded, by their paths in the project."""
    paths = dict.fromkeys(filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))
    texts = {f"plugins/{Path(path).name}": Path(path).read_text("utf-8") for path in paths}
    if len(texts) < len(paths):
        raise InputError(f"{option('plugin')}: two files of one name cannot lie in one project")
    return texts


def _toml(spec: str, settings: Mapping[str, Any]) -> str:
    """The settings as a file; what JSON writes of strings, numbers and lists is TOML."""
    entries = {"network": spec} | dict(settings)
    lines = [f"{name} = {_value(value)}\n" for name, value in entries.items()]
    return "# The network: arguments of noc.design.build_design.\n" + "".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(n)} = {_value(v)}' for n, v in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)
