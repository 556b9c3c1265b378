"""Networks of a list of links, or of a graph of networkx, in a program."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from noc.errors import InputError
from noc.networks.found_ports import port_graph
from noc.networks.network import Network
from noc.networks.wiring import Ends, Link, Wiring, ends_of, name_of, numbered

__all__ = ["FAMILY", "from_edges", "from_networkx"]

#: The family of all such networks, which no name builds again.
FAMILY = "graph"


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
        What stands after ``graph:`` in the network's name.
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
        What stands after ``graph:`` in the network's name; without, the name of the graph.
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
    place = {node: number for number, node in enumerate(nodes)}
    names = [name_of(str(node), f"the name of node {n}") for n, node in enumerate(nodes, start=1)]
    numbered(names)
    links = []
    for number, (tail, head, out, into, both) in enumerate(edges, start=1):
        for node in (tail, head):
            if node not in place:
                raise InputError(f"edges: link {number}: {node!r:.40} is none of nodes")
        ports = [
            None if port is None else name_of(port, f"link {number}: {what!r}")
            for port, what in ((out, "out"), (into, "in"))
        ]
        links.append(Link(place[tail], place[head], ports[0], ports[1], both))
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
