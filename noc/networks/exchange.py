"""Networks from lists of links and from networkx; networks as graphs of networkx and as files."""

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from noc.errors import InputError, option
from noc.networks.arrays import ABSENT
from noc.networks.found_ports import port_graph
from noc.networks.network import Network
from noc.networks.wiring import Ends, Link, Wiring, ends_of, name_of, numbered

#: The family of all such networks, which no name builds again.
FAMILY = "graph"


#: The forms of files, by the ends of their names.
FORMS = (".json", ".graphml", ".dot")


def from_edges(
    edges: Iterable[Sequence[Any]],
    *,
    nodes: Iterable[Hashable] | None = None,
    two_way: bool = True,
    name: str = "edges",
) -> Network:
    """The network of a list of links.

    >>> from_edges([("a", "b", "east", "west"), ("b", "c")]).out_ports
    ('0', 'east', 'west')

    Parameters
    ----------
    edges : iterable of sequence
        Each link as (from, to) or (from, to, out, in) with the labels of the out-port at the one
        end and of the in-port at the other, or None for a label.
    nodes : iterable, optional
        The nodes in their order; without, in the order in which the links name them.
    two_way : bool
        Whether links carry words both ways; then ``out`` and ``in`` are for both directions.
    name : str
        The network's name after ``graph:``.
    """
    listed = [_edge(edge, number) for number, edge in enumerate(edges, start=1)]
    if nodes is None:
        nodes = dict.fromkeys(node for edge in listed for node in edge[:2])
    return _network(list(nodes), [(*edge, two_way) for edge in listed], name)


def from_networkx(graph: Any, *, name: str = "") -> Network:
    """The network of a graph of networkx.

    Parameters
    ----------
    graph : networkx graph
        Undirected edges are two-way links, directed ones one-way. An edge's attributes ``out`` and
        ``in``, where it has them, are the labels of the ports at its ends. The graph's attribute
        ``port_order``, where it has it, has labels that come first, in this order, a line each.
    name : str
        The network's name after ``graph:``; without, the name of the graph.
    """
    try:
        two_way = not graph.is_directed()
        edges = [
            (tail, head, data.get("out"), data.get("in"), two_way)
            for tail, head, data in graph.edges(data=True)
        ]
        nodes, named = list(graph.nodes), str(graph.name)
        ports = str(graph.graph.get("port_order", "")).split("\n")
    except AttributeError:
        raise InputError(f"graph: type {type(graph).__name__} is no graph of networkx") from None
    return _network(nodes, edges, name or named or "networkx", ports)


def _edge(edge: Sequence[Any], number: int) -> tuple[Any, Any, Any, Any]:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) not in (2, 4):
        raise InputError(f"edges: link {number} is {edge!r:.60}; (from, to) or (from, to, out, in)")
    return (*edge, None, None) if len(edge) == 2 else (edge[0], edge[1], edge[2], edge[3])


def _network(
    nodes: list[Any],
    edges: list[tuple[Any, Any, Any, Any, bool]],
    name: str,
    port_order: Sequence[str] = (),
) -> Network:
    name_of(name, "name")
    number = {node: n for n, node in enumerate(nodes)}
    names = [name_of(str(node), f"the name of node {n}") for n, node in enumerate(nodes, start=1)]
    numbered(names)
    links = []
    for n, (tail, head, out, into, two_way) in enumerate(edges, start=1):
        for node in (tail, head):
            if node not in number:
                raise InputError(f"edges: link {n}: {node!r:.40} is none of nodes")
        ports = [
            None if port is None else name_of(port, f"link {n}: {what!r}")
            for port, what in ((out, "out"), (into, "in"))
        ]
        links.append(Link(number[tail], number[head], ports[0], ports[1], two_way))
    wiring = Wiring(names, links)
    graph = port_graph(wiring, _reordered(ends_of(wiring), port_order))
    return Network(f"{FAMILY}:{name}", FAMILY, (name,), *graph)


def _reordered(ends: Ends, port_order: Sequence[str]) -> Ends:
    """The same labels, those of an order first."""
    number = {port: n for n, port in enumerate(port_order)}
    out_ports, in_ports = (
        tuple(sorted(ports, key=lambda port: number.get(port, len(number))))
        for ports in (ends.out_ports, ends.in_ports)
    )
    return ends._replace(out_ports=out_ports, in_ports=in_ports)


def to_networkx(network: Network) -> Any:
    """A graph of networkx with an edge for each one-way link; :func:`from_networkx` reads it back.

    >>> from noc.networks import build_network
    >>> graph = to_networkx(build_network("star:3"))
    >>> graph.number_of_edges(), graph["123"]["213"][0]
    (12, {'out': '2', 'in': '2'})

    Parameters
    ----------
    network : Network
        The network. Its labels are the nodes; the attributes ``out`` and ``in`` of an edge are the
        labels of the ports at its ends. A two-way link is two edges. The graph's attribute
        ``port_order`` has the labels in the order of the network's ports, a line each: text, which
        all of networkx's writers take.
    """
    graph = _graph(network)
    graph.graph["port_order"] = "\n".join(dict.fromkeys([*network.out_ports, *network.in_ports]))
    for node, port in np.argwhere(network.neighbour != ABSENT).tolist():
        ends = (network.label(each) for each in (node, int(network.neighbour[node, port])))
        into = network.in_ports[int(network.arrival[node, port])]
        graph.add_edge(*ends, **{"out": network.out_ports[port], "in": into})
    return graph


def export(network: Network) -> dict[str, Any]:
    """A network as an object that, written as JSON, ``file:PATH`` reads as the same network.

    The nodes keep their order and all ports their labels; the order of the ports may change, and
    a port that no node has is lost. A two-way link is written once, from the end whose node has
    the lower number.
    """
    node, port = np.nonzero(network.neighbour != ABSENT)
    receiver, in_port = network.neighbour[node, port], network.arrival[node, port]
    paired = network.paired(node, port)
    mixed = bool(paired.any() and not paired.all())
    names = [network.label(number) for number in range(network.nodes)]
    links = [
        {
            "from": names[node[arc]],
            "to": names[receiver[arc]],
            "out": network.out_ports[port[arc]],
            "in": network.in_ports[in_port[arc]],
            **({"two-way": True} if mixed and paired[arc] else {}),
        }
        for arc in np.flatnonzero(~paired | (node < receiver)).tolist()
    ]
    return {"nodes": names, "links": links, "two-way": bool(paired.all())}


def network_text(network: Network, suffix: str) -> str:
    """A network as a file that ends so: JSON and GraphML are what ``file:PATH`` reads."""
    document = export(network)
    if suffix == ".json":
        links = ",\n  ".join(json.dumps(link, ensure_ascii=False) for link in document["links"])
        nodes = json.dumps(document["nodes"], ensure_ascii=False)
        both = json.dumps(document["two-way"])
        return f'{{"nodes": {nodes},\n "links": [\n  {links}\n ],\n "two-way": {both}}}\n'
    graph = _graph(network)
    for link in document["links"]:
        ends = {name: link[name] for name in ("out", "in")}
        both = link.get("two-way", document["two-way"])
        graph.add_edge(link["from"], link["to"], **ends, **{"two-way": both})
    return graph_text(graph, suffix)


def graph_text(graph: Any, suffix: str) -> str:
    """A graph of networkx as GraphML or, for Graphviz, DOT."""
    if suffix == ".graphml":
        import networkx

        return "\n".join([*networkx.generate_graphml(graph), ""])
    lines = [f"digraph {_quoted(graph.name)} {{", *(f"  {_quoted(node)};" for node in graph)]
    for tail, head, data in graph.edges(data=True):
        words = {"taillabel": data["out"], "headlabel": data["in"]}
        words |= {"label": str(data["step"])} if "step" in data else {}
        words |= {"dir": "both"} if data.get("two-way") else {}
        attributes = ", ".join(f"{name}={_quoted(word)}" for name, word in words.items())
        lines.append(f"  {_quoted(tail)} -> {_quoted(head)} [{attributes}];")
    return "\n".join([*lines, "}", ""])


def write_graph(path: Path, text: Callable[[str], str]) -> None:
    """Write a file in the form that its name ends with; ``text`` gives the text of a form."""
    suffix = path.suffix.lower()
    if suffix not in FORMS:
        raise InputError(f"{option('output', path)}: the file must end in {', '.join(FORMS)}")
    written = text(suffix)
    try:
        path.write_text(written, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{option('output', path)}: {error.strerror}") from None


def _graph(network: Network) -> Any:
    # Here, because it takes longer to load than the rest of this stage.
    import networkx

    graph = networkx.MultiDiGraph(name=network.spec)
    graph.add_nodes_from(network.label(node) for node in range(network.nodes))
    return graph


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
