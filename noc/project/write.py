"""Write a project: the files of the template, and a network.toml that says which network."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from noc import __version__
from noc.design import AnyDesign, build_design
from noc.errors import InputError, option
from noc.networks import build_network
from noc.networks.graph_json import export
from noc.plugins import VARIABLE

__all__ = ["EXAMPLES", "Written", "check_folder", "write_project"]

#: What the processing elements of the template do, each in a folder of the template.
EXAMPLES = {
    "broadcast": "Each element broadcasts four numbers and adds up what it receives.",
    "sum": "Each element gives one number and receives the sum of all, which the network forms.",
}

#: What the words of the example ``sum`` want done.
_SUM = "all_reduce:sum"

#: The user's own graph as it was, so that the project does not depend on a file elsewhere.
_GRAPH = "graph.json"

#: For FuseSoC; it lists all files, which the bench in Verilog needs.
_CORE = "system.core"

#: Names that the template has otherwise, where the file would mean something in the package.
_NAMES = {"gitignore": ".gitignore"}


@dataclass(frozen=True)
class Written:
    """A project.

    Parameters
    ----------
    design : Design or OrderedDesign
        Its network.
    example : str
        What its processing elements do, one of :data:`EXAMPLES`.
    files : tuple of str
        Its files.
    """

    design: AnyDesign
    example: str
    files: tuple[str, ...]


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written, or in which something lies."""
    if not folder.parent.is_dir():
        raise InputError(f"DIR {folder}: there is no directory {folder.parent}")
    if folder.is_symlink() and not folder.exists():
        raise InputError(f"DIR {folder}: is a link that leads nowhere")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"DIR {folder}: is a file; a new directory is needed")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"DIR {folder}: is not empty; choose a new directory")


def write_project(
    folder: Path,
    spec: str = "mesh:2,2",
    *,
    settings: Mapping[str, str | int | list[str]],
) -> Written:
    """Write a project into a new or empty folder.

    Parameters
    ----------
    folder : Path
        The folder.
    spec : str
        The network.
    settings : mapping of str to str, int or list of str
        Arguments of :func:`noc.design.build_design`, for ``network.toml``.
    """
    check_folder(folder)
    network = build_network(spec)
    design = build_design(network, **dict(settings))  # type: ignore[arg-type]
    example = _example(design)
    texts = {name: text for part in ("common", example) for name, text in _template(part)}
    plugins = _plugins()
    if plugins:
        settings = {**settings, "plugins": list(plugins)}
        texts |= plugins
    if network.family in ("file", "graph"):
        spec = f"file:{_GRAPH}"
        texts[_GRAPH] = json.dumps(export(network), ensure_ascii=False, indent=1) + "\n"
    texts["network.toml"] = _toml(spec, settings)
    texts["README.md"] = _filled(
        texts["README.md"],
        NAME=folder.resolve().name,
        SPEC=spec,
        NODES=str(network.nodes),
        EXAMPLE=EXAMPLES[example],
        GENERATOR=f"arbornoc {__version__}",
    )
    texts[_CORE] = _filled(
        texts[_CORE],
        FILES="\n".join(
            f"      - {name}: {{file_type: user}}"
            for name in sorted(texts)
            if name not in (_CORE, ".gitignore")
        ),
    )
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return Written(design, example, tuple(sorted(texts)))


def _example(design: AnyDesign) -> str:
    """What the elements do, which the operations decide."""
    if design.operations is None:
        return "broadcast"
    listed = list(map(str, design.operations.listed))
    if _SUM not in listed:
        given = option("operations", ",".join(listed))
        raise InputError(
            f"{given}: the project's example needs {_SUM} among them; its network.toml can be "
            "changed afterwards"
        )
    return "sum"


def _template(part: str) -> Iterator[tuple[str, str]]:
    """The files of a part of the template, by their paths in the project."""
    yield from _texts(files("noc.project") / "template" / part, "")


def _texts(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_file():
            name = _NAMES.get(entry.name, entry.name)
            yield f"{prefix}{name}", entry.read_text(encoding="utf-8")
        elif entry.name != "__pycache__":
            yield from _texts(entry, f"{prefix}{entry.name}/")


def _plugins() -> dict[str, str]:
    """The files of the plug-ins that are loaded, as they lie in the project."""
    paths = dict.fromkeys(filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))
    texts = {f"plugins/{Path(path).name}": Path(path).read_text("utf-8") for path in paths}
    if len(texts) < len(paths):
        raise InputError(f"{option('plugin')}: two files of one name cannot lie in one project")
    return texts


def _toml(spec: str, settings: Mapping[str, str | int | list[str]]) -> str:
    """The settings as a file; strings of JSON are such of TOML."""
    entries = {"network": spec} | dict(settings)
    lines = (
        f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in entries.items()
    )
    return "# The network: arguments of noc.design.build_design.\n" + "".join(lines)


def _filled(text: str, **words: str) -> str:
    """The text with words for their names."""
    for name, word in words.items():
        text = text.replace(f"@{name}@", word)
    return text
