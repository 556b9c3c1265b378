"""Which streams lie on each one-way link of a network, and how many wires that makes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from noc.networks import ABSENT, Network

__all__ = ["count_streams", "list_arcs"]

Document = dict[str, Any]


def list_arcs(network: Network, streams: Sequence[Document]) -> list[Document]:
    """Each one-way link, and its streams by the names of their signals.

    Parameters
    ----------
    network : Network
        The network.
    streams : sequence of dict
        The streams between its nodes, as the manifest lists them under ``links``.
    """
    laid: dict[tuple[str, str], list[Document]] = {}
    for stream in streams:
        named = {name: stream[name] for name in ("carries", "group", "valid") if name in stream}
        # A payload, and two wires for the handshake.
        wires = 2 + sum(field["bits"] for field in stream["fields"])
        laid.setdefault((stream["from"], stream["out_port"]), []).append(named | {"wires": wires})
    result = []
    for node, port in np.argwhere(network.neighbour != ABSENT).tolist():
        ends = {
            "from": network.label(node),
            "to": network.label(int(network.neighbour[node, port])),
            "out_port": network.out_ports[port],
            "in_port": network.in_ports[int(network.arrival[node, port])],
        }
        result.append({**ends, "streams": laid.get((ends["from"], ends["out_port"]), [])})
    return result


def count_streams(arcs: Sequence[Document]) -> Document:
    """How many streams and wires lie on one-way links, and which links have none."""
    wires = [sum(stream["wires"] for stream in arc["streams"]) for arc in arcs]
    counts = [len(arc["streams"]) for arc in arcs]
    return {
        "one_way_links": len(arcs),
        "streams": sum(counts),
        "most_streams": max(counts, default=0),
        "most_wires": max(wires, default=0),
        "without_streams": [
            {name: arc[name] for name in ("from", "to", "out_port", "in_port")}
            for arc, count in zip(arcs, counts, strict=True)
            if not count
        ],
    }
