"""The JSON form of a graph, made for writing by hand; docs/networks.md says what it means.

>>> wiring = read('''{
...   "nodes": ["a", "b", "c"],
...   "links": [
...     {"from": "a", "to": "b"},
...     {"from": "b", "to": "c", "out": "east", "in": "west"},
...     {"from": "c", "to": "a", "two-way": false}
...   ]
... }''')
>>> from noc.networks.wiring import ends_of
>>> ends = ends_of(wiring)
>>> ends.out, ends.into
(['0', 'east', '0'], ['0', 'west', '1'])
>>> ends.out_ports == ends.in_ports
True
>>> ends.out_ports
('0', '1', 'east', 'west')
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from noc.errors import InputError
from noc.networks.arrays import ABSENT
from noc.networks.network import Network
from noc.networks.wiring import Link, Wiring, kind, name_of, numbered

__all__ = ["export", "read"]

GRAPH_KEYS = {"nodes", "links", "two-way"}
LINK_KEYS = {"from", "to", "out", "in", "two-way"}


def read(text: str) -> Wiring:
    """The nodes and links of a JSON text; ``InputError`` says what is wrong and where."""
    graph = _parsed(text)
    _require_object(graph, "the file", GRAPH_KEYS, needed=("nodes", "links"))
    listed = graph["links"]
    if not isinstance(listed, list):
        raise InputError(f"'links' must be a list, not {kind(listed)}")
    names = _names(graph["nodes"], len(listed))
    nodes = numbered(names)
    two_way = _truth(graph.get("two-way", True), "'two-way'")
    links = [_link(entry, number, nodes, two_way) for number, entry in enumerate(listed, start=1)]
    return Wiring(names, links)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repetition)
    except json.JSONDecodeError as error:
        raise InputError(
            f"line {error.lineno}, column {error.colno} is no JSON: {error.msg}"
        ) from None
    except RecursionError:
        raise InputError("it is nested too deeply for a graph") from None
    except InputError:
        raise
    except ValueError:
        raise InputError("a number in it has too many digits") from None


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"key {twice!r:.40} stands twice in one object")
    return entries


def _require_object(
    value: object, what: str, allowed: set[str], needed: Sequence[str]
) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what} must hold an object, not {kind(value)}")
    for key in value:
        if key not in allowed:
            raise InputError(f"{what}: unknown key {key!r:.40}; allowed: {_listed(allowed)}")
    for key in needed:
        if key not in value:
            raise InputError(f"{what}: {key!r} is missing")
    return value


def _listed(keys: set[str]) -> str:
    return ", ".join(sorted(keys))


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
    return [name_of(name, f"the name of node {place}") for place, name in enumerate(value, start=1)]


def _truth(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{what} must be true or false, not {kind(value)}")
    return value


def _link(entry: object, number: int, nodes: dict[str, int], two_way: bool) -> Link:
    what = f"link {number}"
    if not isinstance(entry, dict):
        raise InputError(f"{what} must be an object, not {kind(entry)}")
    link = _require_object(entry, what, LINK_KEYS, needed=("from", "to"))
    at = [name_of(link[key], f"{what}: {key!r}") for key in ("from", "to")]
    for name in at:
        if name not in nodes:
            raise InputError(f"{what}: {name!r:.40} is no node of 'nodes'")
    ports = [
        name_of(link[key], f"{what}: {key!r}") if key in link else None for key in ("out", "in")
    ]
    both = _truth(link.get("two-way", two_way), f"{what}: 'two-way'")
    return Link(nodes[at[0]], nodes[at[1]], ports[0], ports[1], both)


def export(network: Network) -> dict[str, Any]:
    """Any network as an object in this form, which reads as the same network again.

    The nodes keep their order and all ports their labels; the order of the ports may change, and
    a port that no node has is lost. A two-way link is written once, from the end whose node has
    the lower number.
    """
    node, port = np.nonzero(network.neighbour != ABSENT)
    there, back = network.neighbour[node, port], network.arrival[node, port]
    paired = network.paired(node, port)
    keep = np.flatnonzero(~paired | (node < there))
    mixed = bool(paired.any() and not paired.all())
    names = [network.label(place) for place in range(network.nodes)]
    links = [
        {
            "from": names[node[arc]],
            "to": names[there[arc]],
            "out": network.out_ports[port[arc]],
            "in": network.in_ports[back[arc]],
            **({"two-way": True} if mixed and paired[arc] else {}),
        }
        for arc in keep.tolist()
    ]
    return {"nodes": names, "links": links, "two-way": bool(paired.all())}
