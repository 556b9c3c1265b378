"""Nodes and links by their labels, with commas between them."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from noc.errors import InputError

if TYPE_CHECKING:
    from noc.networks.network import Network

#: A link: who sends, and by which out-port.
Link = tuple[int, int]


def read_lost(network: "Network", text: str) -> tuple[list[int], list[Link]]:
    """Nodes, and links ``FROM/TO``, with commas between them."""
    nodes, links = [], set()
    for part in split_labels(network, text, _is_node_or_link):
        if _is_label(network, part) or "/" not in part:
            nodes.append(network.node(part))
        else:
            links |= read_link(network, part)
    return nodes, sorted(links)


def read_link(network: "Network", text: str) -> set[Link]:
    """All links from one node to another, of a text ``FROM/TO``."""
    ends = [*_ends(network, text)]
    if not ends:
        for label in text.split("/"):
            network.node(label)
        raise InputError("FROM/TO is needed, the labels of two nodes")
    links = links_between(network, *ends[0])
    if not links:
        label = network.label(ends[0][0])
        raise InputError(f"{network.spec} has no link from {label} to that node")
    return links


def links_between(network: "Network", start: int, end: int) -> set[Link]:
    """All links from one node to another."""
    return {(start, port) for port in np.flatnonzero(network.neighbour[start] == end).tolist()}


def _ends(network: "Network", text: str) -> Iterator[tuple[int, int]]:
    """The two nodes of a link, of which labels may have a slash themselves."""
    parts = text.split("/")
    for place in range(1, len(parts)):
        halves = "/".join(parts[:place]), "/".join(parts[place:])
        if all(_is_label(network, half) for half in halves):
            start, end = map(network.node, halves)
            yield start, end


def _is_node_or_link(network: "Network", text: str) -> bool:
    return _is_label(network, text) or any(True for _ in _ends(network, text))


def split_labels(
    network: "Network", text: str, is_one: "Callable[[Network, str], bool] | None" = None
) -> list[str]:
    """The labels of a list with commas, which labels may have themselves."""
    is_one = is_one or _is_label
    parts, labels = text.split(","), []
    while parts:
        # The longest that is a label, or else up to the first comma.
        ends = [n for n in range(1, len(parts) + 1) if is_one(network, ",".join(parts[:n]))]
        end = max(ends, default=1)
        labels.append(",".join(parts[:end]))
        del parts[:end]
    return labels


def _is_label(network: "Network", text: str) -> bool:
    try:
        network.node(text)
    except InputError:
        return False
    return True
