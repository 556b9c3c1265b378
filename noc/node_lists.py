"""Nodes as users name them: labels with commas between them, groups, and which may send."""

from collections.abc import Iterable
from typing import Literal, cast, get_args

import numpy as np

from noc.errors import InputError, option
from noc.networks import Network
from noc.networks.named import Link, read_lost, split_labels

#: Whether all nodes may send at the same time, or one at a time.
Sources = Literal["all", "one"]

#: Before the nodes that a group is without.
_ALL_BUT = "all-but:"


def read_sources(network: Network, text: str) -> Sources | list[int]:
    """Which nodes may send, from a user's words: all, one, or labels with commas between them."""
    if text in get_args(Sources):
        return cast(Sources, text)
    return read_nodes(network, text, argument="sources")


def read_groups(network: Network, texts: Iterable[str]) -> dict[str, list[int]]:
    """The groups of a user's words, by name: each ``NAME=A,B,…``, or all nodes but these."""
    groups: dict[str, list[int]] = {}
    for text in texts:
        asked = option("groups", text, flag="group")
        name, equals, labels = text.partition("=")
        if not equals or name in groups:
            problem = "is named twice" if name in groups else "NAME=A,B,… is needed"
            raise InputError(f"{asked}: {problem}")
        try:
            groups[name] = _read_group(network, labels)
        except InputError as error:
            raise InputError(f"{asked}: {error.message}") from None
    return groups


def _read_group(network: Network, text: str) -> list[int]:
    """Nodes by their labels; after ``all-but:``, all nodes but these."""
    named = read_nodes(network, text.removeprefix(_ALL_BUT))
    if not text.startswith(_ALL_BUT):
        return named
    return [node for node in range(network.nodes) if node not in named]


def read_dead(network: Network, text: str) -> list[Link]:
    """The links that carry nothing, of a user's words: those named, and all that leave nodes."""
    try:
        nodes, links = read_lost(network, text)
    except InputError as error:
        raise InputError(f"{option('dead', text)}: {error.message}") from None
    of_nodes = ((n, p) for n in nodes for p in np.flatnonzero(network.neighbour[n] >= 0).tolist())
    return sorted({*links, *of_nodes})


def read_nodes(network: Network, text: str, argument: str | None = None) -> list[int]:
    """The nodes of labels with commas between them, each once."""
    labels = split_labels(network, text)
    nodes = [network.node(label, argument=argument) for label in labels]
    for number, node in enumerate(nodes):
        if node in nodes[:number]:
            asked = f"{option(argument, text)}: " if argument else ""
            raise InputError(f"{asked}{labels[number]} is named twice")
    return nodes
