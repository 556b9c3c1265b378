"""``file:PATH``: a user's own graph, from a JSON or a GraphML file.

docs/networks.md says how to write one. In GraphML a node's name is its data ``label`` where it has
one, else its ``id``. An edge is a two-way link if it is undirected (``directed`` of the edge, else
``edgedefault`` of the graph); its boolean data ``two-way`` goes before both. The port at the source
is the edge's attribute ``sourceport`` or its data ``out``; the port at the target ``targetport`` or
its data ``in``.
"""

import json
import stat
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from noc.errors import InputError
from noc.networks import memory
from noc.networks.arrays import PortGraph
from noc.networks.found_ports import port_graph
from noc.networks.spec import NetworkFamily, Parameters, Size
from noc.networks.wiring import Ends, Link, Wiring, ends_of, kind, name_of, numbered

# Bytes of memory for each byte of the file while it is read; measured, and rounded up.
EXPANSION = {".json": 40, ".graphml": 100}

#: The words of a graph in JSON, and those of a link.
GRAPH_KEYS = {"nodes", "links", "two-way"}
LINK_KEYS = {"from", "to", "out", "in", "two-way"}

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
TRUTH = {"true": True, "1": True, "false": False, "0": False}
DEFAULTS = {"directed": True, "undirected": False}


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
    wiring = read_graphml(data) if suffix == ".graphml" else read_json(data)
    return wiring, ends_of(wiring)


def _named(path: str, error: InputError) -> InputError:
    return InputError(f"network {f'file:{path}'!r}: {error}")


def read_json(data: bytes) -> Wiring:
    """The nodes and links of a JSON file; ``InputError`` says what is wrong and where.

    >>> wiring = read_json(b'{"nodes": 2, "links": [{"from": 0, "to": 1, "out": "east"}]}')
    >>> ends = ends_of(wiring)
    >>> ends.out, ends.into, ends.out_ports
    (['east'], ['0'], ('0', 'east'))
    """
    graph = parse_json(data)
    _require_object(graph, "the file", GRAPH_KEYS, needed=("nodes", "links"))
    links = graph["links"]
    if not isinstance(links, list):
        raise InputError(f"'links' must be a list, not {kind(links)}")
    names = _names(graph["nodes"], len(links))
    nodes = numbered(names)
    two_way = _truth(graph.get("two-way", True), "'two-way'")
    return Wiring(
        names,
        [_json_link(link, f"link {n}", nodes, two_way) for n, link in enumerate(links, start=1)],
    )


def parse_json(data: bytes) -> Any:
    """What a JSON file of a user's holds; ``InputError`` says what is wrong, and where."""
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_without_repetition)
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start + 1} is no UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"line {error.lineno}, column {error.colno} is no JSON: {error.msg}"
        ) from None
    except RecursionError:
        raise InputError("it is nested too deeply") from None
    except InputError:
        raise
    except ValueError:
        raise InputError("a number in it has too many digits") from None


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for key, value in pairs:
        if key in entries:
            raise InputError(f"key {key!r:.40} occurs twice in one object")
        entries[key] = value
    return entries


def _require_object(value: object, what: str, allowed: set[str], needed: Sequence[str]) -> None:
    if not isinstance(value, dict):
        raise InputError(f"{what} must hold an object, not {kind(value)}")
    for key in value:
        if key not in allowed:
            listed = ", ".join(sorted(allowed))
            raise InputError(f"{what}: unknown key {key!r:.40}; allowed: {listed}")
    for key in needed:
        if key not in value:
            raise InputError(f"{what}: {key!r} is missing")


def _names(value: object, links: int) -> Sequence[str]:
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise InputError(f"'nodes' is {value}, and a graph has no fewer than 2")
        # Before a list that long is made.
        if value > 2 * links + 2:
            raise InputError(f"'nodes' is {value}, and {links} links leave nodes without any link")
        return [str(node) for node in range(value)]
    if not isinstance(value, list):
        raise InputError(f"'nodes' must be a list of names or a whole number, not {kind(value)}")
    return [name_of(name, f"the name of node {n}") for n, name in enumerate(value, start=1)]


def _truth(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{what} must be true or false, not {kind(value)}")
    return value


def _json_link(link: Any, what: str, nodes: dict[str, int], two_way: bool) -> Link:
    if not isinstance(link, dict):
        raise InputError(f"{what} must be an object, not {kind(link)}")
    _require_object(link, what, LINK_KEYS, needed=("from", "to"))
    tail, head = (name_of(link[key], f"{what}: {key!r}") for key in ("from", "to"))
    for name in (tail, head):
        if name not in nodes:
            raise InputError(f"{what}: {name!r:.40} is no node of 'nodes'")
    out, into = (
        name_of(link[key], f"{what}: {key!r}") if key in link else None for key in ("out", "in")
    )
    both = _truth(link.get("two-way", two_way), f"{what}: 'two-way'")
    return Link(nodes[tail], nodes[head], out, into, both)


def read_graphml(data: bytes) -> Wiring:
    """The nodes and links of a GraphML file; ``InputError`` says what is wrong and where."""
    document = _parsed_xml(data)
    graph = _graph_of(document)
    identifiers = [
        name_of(node.get("id", ""), f"the 'id' of node {n}")
        for n, node in enumerate(graph.iterfind(f"{NAMESPACE}node"), start=1)
    ]
    nodes = numbered(identifiers)
    edges = list(_plain_edges(graph, nodes))
    attributes = _attributes(document)
    names = [
        name_of(attributes.nodes[identifier].get("label", identifier), f"the name of node {n}")
        for n, identifier in enumerate(identifiers, start=1)
    ]
    numbered(names)
    data_of = {key: data for _, _, key, data in attributes.edges(keys=True, data=True)}
    links = [_with_data(edge, data_of[n], f"link {n}") for n, edge in enumerate(edges, start=1)]
    return Wiring(names, links)


def _parsed_xml(data: bytes) -> ElementTree.Element:
    try:
        document = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise InputError(f"line {line}, column {column + 1} is no XML: {reason}") from None
    except (LookupError, ValueError) as error:
        raise InputError(f"its encoding cannot be read: {error}") from None
    for element in document.iter():
        if not element.tag.startswith("{"):
            element.tag = NAMESPACE + element.tag
    return document


def _graph_of(document: ElementTree.Element) -> ElementTree.Element:
    if document.tag != f"{NAMESPACE}graphml":
        root = document.tag.rpartition("}")[2]
        raise InputError(f"it is no GraphML: its root element is {root!r:.40}")
    graphs = list(document.iter(f"{NAMESPACE}graph"))
    if len(graphs) != 1 or graphs[0] not in list(document):
        raise InputError(f"one graph is allowed, and none inside another; it has {len(graphs)}")
    return graphs[0]


def _plain_edges(graph: ElementTree.Element, nodes: dict[str, int]) -> Iterator[Link]:
    """The links, as far as networkx cannot read them; to it numbered, directed edges are left.

    networkx reads no ports and no graph that mixes directed and undirected edges, and forgets the
    direction in which an undirected edge is written.
    """
    default = graph.get("edgedefault")
    if default not in DEFAULTS:
        raise InputError(f"'edgedefault' must be directed or undirected, not {default!r:.40}")
    graph.set("edgedefault", "directed")
    for number, edge in enumerate(graph.iterfind(f"{NAMESPACE}edge"), start=1):
        edge.set("id", str(number))
        ends = edge.get("source", ""), edge.get("target", "")
        for name in ends:
            if name not in nodes:
                raise InputError(f"link {number}: {name!r:.40} is no node of the graph")
        word = edge.attrib.pop("directed", "true" if DEFAULTS[default] else "false")
        if word not in TRUTH:
            raise InputError(f"link {number}: 'directed' must be true or false, not {word!r:.40}")
        out, into = (edge.attrib.pop(name, None) for name in ("sourceport", "targetport"))
        yield Link(nodes[ends[0]], nodes[ends[1]], out, into, two_way=not TRUTH[word])


def _attributes(document: ElementTree.Element) -> Any:
    """The data of all nodes and edges, by networkx: keys, types and defaults."""
    # Here, because it takes longer to load than the rest of this stage, and few have such files.
    import networkx

    try:
        plain = BytesIO(ElementTree.tostring(document))
        with warnings.catch_warnings():
            # It warns of ports, which are read here, and of keys without a type, which are text.
            warnings.simplefilter("ignore")
            return networkx.read_graphml(plain, str, int, force_multigraph=True)
    except (networkx.NetworkXException, LookupError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"networkx cannot read it as GraphML: {reason:.120}") from None
    except RecursionError:
        raise InputError("it is nested too deeply") from None


def _with_data(link: Link, data: dict[str, Any], what: str) -> Link:
    """The link with what the data of its edge say of it."""
    out, into = (
        None if port is None else name_of(port, f"{what}: {word!r}")
        for word, port in (
            ("out", data.get("out") if link.out is None else link.out),
            ("in", data.get("in") if link.into is None else link.into),
        )
    )
    two_way = data.get("two-way", link.two_way)
    if not isinstance(two_way, bool):
        raise InputError(f"{what}: 'two-way' must be of the type boolean")
    return link._replace(out=out, into=into, two_way=two_way)


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
