"""``file:PATH``: a user's own graph, from a JSON or a GraphML file.

docs/networks.md says how to write one.
"""

import stat
from functools import lru_cache
from pathlib import Path

from noc.errors import InputError
from noc.networks import graph_graphml, graph_json, memory
from noc.networks.found_ports import port_graph
from noc.networks.graph_json import export
from noc.networks.network import PortGraph
from noc.networks.spec import NetworkFamily, Parameters, Size
from noc.networks.wiring import Ends, Wiring, ends_of

__all__ = ["FAMILIES", "export", "is_graph_file"]

# Bytes of memory for each byte of the file while it is read; measured, and rounded up.
JSON, GRAPHML = ".json", ".graphml"
EXPANSION = {JSON: 40, GRAPHML: 100}


def is_graph_file(path: str) -> bool:
    """Whether a file of this name would be read as a graph.

    >>> is_graph_file("My.GraphML"), is_graph_file("star:4")
    (True, False)
    """
    return Path(path).suffix.lower() in EXPANSION


def _parse(family: NetworkFamily, text: str) -> Parameters:  # noqa: ARG001
    if not is_graph_file(text):
        raise InputError(f"network {f'file:{text}'!r}: the file must end in .json or .graphml")
    return (text,)


def _size(path: str) -> Size:
    wiring, ends = _described(path)
    return len(wiring.names), max(len(ends.out_ports), len(ends.in_ports))


def _build(path: str) -> PortGraph:
    wiring, ends = _described(path)
    # What was kept since the size was asked for is not needed again.
    _read.cache_clear()
    try:
        return port_graph(wiring, ends)
    except InputError as error:
        raise _named(path, error) from None


def _described(path: str) -> tuple[Wiring, Ends]:
    try:
        about = Path(path).stat()
        return _read(path, about.st_mode, about.st_size, about.st_mtime_ns)
    except OSError as error:
        reason = f"it cannot be read: {error.strerror}"
        raise _named(path, InputError(reason)) from None
    except InputError as error:
        raise _named(path, error) from None


@lru_cache(maxsize=1)
def _read(path: str, mode: int, size: int, changed: int) -> tuple[Wiring, Ends]:  # noqa: ARG001
    """The graph in a file; kept from asking for its size to building it, unless it changes."""
    if not stat.S_ISREG(mode):
        raise InputError(f"it is {'a directory' if stat.S_ISDIR(mode) else 'no regular file'}")
    if size == 0:
        raise InputError("the file is empty")
    suffix = Path(path).suffix.lower()
    memory.require(
        size * EXPANSION[suffix],
        purpose=f"reading its {memory.in_units(size)}",
        remedy="use a smaller one",
    )
    with Path(path).open("rb") as file:
        data = file.read(size)
    wiring = graph_graphml.read(data) if suffix == GRAPHML else graph_json.read(_text(data))
    return wiring, ends_of(wiring)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start + 1} is no UTF-8 text") from None


def _named(path: str, error: InputError) -> InputError:
    return InputError(f"network {f'file:{path}'!r}: {error}")


FAMILIES: tuple[NetworkFamily, ...] = (
    NetworkFamily(
        name="file",
        signature="PATH",
        where="the path of a graph in a .json or .graphml file",
        example="file:my-graph.json",
        summary="your own graph, from a JSON or GraphML file",
        parse=_parse,
        size=_size,
        build=_build,
    ),
)
