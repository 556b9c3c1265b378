"""Networks, and other graphs on their nodes, for networkx and for files."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from noc.errors import InputError, option
from noc.networks.arrays import ABSENT
from noc.networks.graph_json import export
from noc.networks.network import Network

__all__ = ["graph_text", "network_text", "to_networkx", "write_graph"]

#: The forms of files, by the ends of their names.
FORMS = (".json", ".graphml", ".dot")


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
        told = ", ".join(f"{name}={_quoted(word)}" for name, word in words.items())
        lines.append(f"  {_quoted(tail)} -> {_quoted(head)} [{told}];")
    return "\n".join([*lines, "}", ""])


def write_graph(path: Path, text: Any) -> None:
    """Write a file in the form that its name ends with; ``text`` gives the text for an end."""
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
