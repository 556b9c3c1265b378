"""What the UHC paper states of the network itself, by search on every size up to n = 14."""

from dataclasses import replace

import networkx as nx
import numpy as np

from noc.networks import Network, build_network
from noc.research.papers.tables.table import Reason, Row, misprint
from noc.trees import build_tree

__all__ = ["rows"]

SIZES = range(2, 15)
EVEN, ODD = SIZES[::2], SIZES[1::2]

#: Up to which n the properties that need a look at every pair of halves are checked.
SMALL = 10


def rows() -> list[Row]:
    """Diameters, symmetry, decomposition, connectivity."""
    return [
        Row(
            "link from 0000 to 0100, port and out-port",
            "2, 1",
            _port(build_network("uhc:4"), 0, 0b100),
        ),
        _notation(),
        *(row for n in SIZES for row in _diameters(n)),
        *(Row(f"n = {n}, links", n * 2 ** (n - 1), build_network(f"uhc:{n}").links) for n in SIZES),
        *(Row(f"n = {n}, out-degree", n // 2, build_network(f"uhc:{n}").degree) for n in EVEN),
        *(Row(f"n = {n}, nodes n+1 from a node", 2 ** (n // 2 - 1), _farthest(n)) for n in EVEN),
        *map(_one_port_floor, EVEN),
        *(Row(f"Theorem 1, n = {n}", "node symmetric", _symmetry(n)) for n in EVEN),
        *(Row(f"section 2, n = {n}", "not node symmetric", _symmetry(n)) for n in ODD),
        *(Row(f"Theorem 2, n = {n}", "negative UHC", _bits_exchanged(n)) for n in EVEN),
        *(Row(f"halves, n = {n}", "positive, negative", _halves(n)) for n in range(3, SMALL)),
        *(Row(f"n = {n}, arc-connectivity", n // 2, _arc_connectivity(n)) for n in (2, 4, 6)),
    ]


def _port(net: Network, node: int, to: int) -> str:
    out_port = net.neighbour[node].tolist().index(to)
    return f"{(node ^ to).bit_length() - 1}, {out_port}"


def _notation() -> Row:
    """The example that explains hats over bits."""
    printed = "1, 3"
    negative = _out_ports(build_network("uhc:4,negative"), 0)
    why = misprint("uhc-notation", negative == printed)
    return Row("hats on 0000: its out-ports", printed, _out_ports(build_network("uhc:4"), 0), why)


def _out_ports(net: Network, node: int) -> str:
    there = [int(to) for to in net.neighbour[node] if to >= 0]
    return ", ".join(str(port) for port in sorted((node ^ to).bit_length() - 1 for to in there))


def _diameters(n: int) -> list[Row]:
    printed = n + 1 if n % 2 == 0 else n + 2
    return [
        Row(f"{spec}, diameter", printed, build_network(spec).diameter())
        for spec in (f"uhc:{n}", f"uhc:{n},negative")
    ]


def _farthest(n: int) -> int:
    return int((build_network(f"uhc:{n}").distances(0) == n + 1).sum())


def _one_port_floor(n: int) -> Row:
    """The conclusion's lower bound, n + 2, from the nodes that are farthest from a node.

    With one port only one node at each distance d can have the message after d steps: the first
    hop goes to one node, its first send to one, and so on.
    """
    net = build_network(f"uhc:{n}")
    hops = net.distances(0)
    least = int(hops.max()) + bool((hops == hops.max()).sum() > 1)
    row = Row(f"n = {n}, one-port lower bound", n + 2, least)
    if row.agrees:
        return row
    text = "only one node is n+1 away: one-port broadcast takes n+1 steps, by BT1 for one"
    steps = build_tree(net, "bt1", ports="one").steps
    return replace(row, why=Reason(text, steps == least == n + 1))


def _symmetry(n: int) -> str:
    """Nodes of unequal out-degree cannot be taken to one another by any relabelling."""
    net = build_network(f"uhc:{n}")
    if net.symmetric:
        return "node symmetric"
    out_degrees = (net.neighbour >= 0).sum(axis=1)
    return "not node symmetric" if np.unique(out_degrees).size > 1 else "no ports are kept"


def _bits_exchanged(n: int) -> str:
    """Exchange bits 2i and 2i+1 of every label and look at what comes out."""
    net, negative = build_network(f"uhc:{n}"), build_network(f"uhc:{n},negative")
    node = np.arange(net.nodes)
    low = np.int64(sum(1 << bit for bit in range(0, n, 2)))
    image = (node & low) << 1 | (node >> 1) & low
    exchanged = np.empty_like(net.neighbour)
    exchanged[image] = image[net.neighbour]
    return "negative UHC" if np.array_equal(exchanged, negative.neighbour) else "another graph"


def _arcs(net: Network) -> set[tuple[int, int]]:
    sender, port = np.nonzero(net.neighbour >= 0)
    return set(zip(sender.tolist(), net.neighbour[sender, port].tolist(), strict=True))


def _halves(n: int) -> str:
    """The polarities of the two halves that the highest bit tells apart."""
    arcs, top = _arcs(build_network(f"uhc:{n}")), 1 << (n - 1)
    known = {
        polarity: _arcs(
            build_network(f"uhc:{n - 1}" + (",negative" if polarity == "negative" else ""))
        )
        for polarity in ("positive", "negative")
    }
    result = []
    for half in (0, top):
        inside = {(u ^ half, v ^ half) for u, v in arcs if u & top == v & top == half}
        result += [polarity for polarity, expected in known.items() if inside == expected]
    return ", ".join(result)


def _arc_connectivity(n: int) -> int:
    graph = nx.DiGraph(sorted(_arcs(build_network(f"uhc:{n}"))))
    return int(nx.edge_connectivity(graph))
