"""GraphML: the nodes and links of a graph in the form that most graph programs write.

A node's name is its data ``label`` where it has one, else its ``id``. An edge is a two-way link
if it is undirected (``directed`` of the edge, else ``edgedefault`` of the graph); its boolean
data ``two-way`` goes before both. The port at the source is the edge's attribute ``sourceport``
or its data ``out``; the port at the target ``targetport`` or its data ``in``. In everything else
the rules are those of the JSON form, with the edges in the order of the file.
"""

import warnings
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from noc.errors import InputError
from noc.networks.wiring import Link, Wiring, name_of, numbered

__all__ = ["read"]

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
TRUTH = {"true": True, "1": True, "false": False, "0": False}
DEFAULTS = {"directed": True, "undirected": False}

#: Source, target, whether directed, and the two ports.
Edge = tuple[str, str, bool, str | None, str | None]


def read(data: bytes) -> Wiring:
    """The nodes and links of a GraphML file; ``InputError`` says what is wrong and where."""
    document = _parsed(data)
    graph = _graph_of(document)
    identifiers = [
        name_of(node.get("id", ""), f"the 'id' of node {place}")
        for place, node in enumerate(graph.iterfind(f"{NAMESPACE}node"), start=1)
    ]
    node_of = numbered(identifiers)
    edges = list(_made_plain(graph, node_of))
    attributes = _attributes(document)
    names = [
        name_of(attributes.nodes[identifier].get("label", identifier), f"the name of node {place}")
        for place, identifier in enumerate(identifiers, start=1)
    ]
    numbered(names)
    of_edge = {key: data for _, _, key, data in attributes.edges(keys=True, data=True)}
    links = [
        _link(number, edge, of_edge[number], node_of) for number, edge in enumerate(edges, start=1)
    ]
    return Wiring(names, links)


def _parsed(data: bytes) -> ElementTree.Element:
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


def _made_plain(graph: ElementTree.Element, nodes: dict[str, int]) -> Iterator[Edge]:
    """Take out of the edges what networkx does not read, and number them.

    networkx reads no ports and no graph that mixes directed and undirected edges, and forgets the
    direction in which an undirected edge is written. It is given directed edges only.
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
        ports = edge.attrib.pop("sourceport", None), edge.attrib.pop("targetport", None)
        yield *ends, TRUTH[word], *ports


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
        raise InputError("it is nested too deeply for a graph") from None


def _link(number: int, edge: Edge, data: dict[str, Any], nodes: dict[str, int]) -> Link:
    source, target, directed, *ports = edge
    what = f"link {number}"
    named = [
        name_of(data[word] if port is None else port, f"{what}: {word!r}")
        if port is not None or word in data
        else None
        for port, word in zip(ports, ("out", "in"), strict=True)
    ]
    two_way = data.get("two-way", not directed)
    if not isinstance(two_way, bool):
        raise InputError(f"{what}: 'two-way' must be of the type boolean")
    return Link(nodes[source], nodes[target], named[0], named[1], two_way)
