"""What dies while a network runs: links by which no word comes any more, sinks that take none."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from noc.errors import InputError, option
from noc.networks import ABSENT, Network
from noc.networks.named import read_link, split_labels


@dataclass(frozen=True)
class Faults:
    """What dies, and the first cycle in which it is dead; as in ``docs/faults.md``."""

    #: By the nodes that a link leads from and to; parallel ones die together.
    links: Mapping[tuple[int, int], int] = field(default_factory=dict)
    #: By the nodes of sinks.
    sinks: Mapping[int, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.links or self.sinks)


_NEGATIVE = re.compile("-[0-9]+")

#: Nothing dies.
NO_FAULTS = Faults()


def read_faults(network: Network, text: str) -> Faults:
    """The faults of a user's words, with commas between them.

    They are ``link:FROM/TO``, ``sink:NODE``, and for all links from and to a node ``node:NODE``,
    each with the first cycle as ``@CYCLE``, or else from the beginning on.

    >>> from noc.networks import build_network
    >>> read_faults(build_network("ring:3"), "link:0/1@20,sink:2")
    Faults(links={(0, 1): 20}, sinks={2: 0})
    """
    links, sinks = dict[tuple[int, int], int](), dict[int, int]()
    try:
        for part in split_labels(network, text, _is_fault):
            one = _read_fault(network, part)
            sinks |= {node: min(cycle, sinks.get(node, cycle)) for node, cycle in one.sinks.items()}
            links |= {ends: min(cycle, links.get(ends, cycle)) for ends, cycle in one.links.items()}
    except InputError as error:
        raise InputError(f"{option('faults', text)}: {error.message}") from None
    return Faults(links, sinks)


def _is_fault(network: Network, text: str) -> bool:
    try:
        _read_fault(network, text)
    except InputError:
        return False
    return True


def _read_fault(network: Network, text: str) -> Faults:
    kind, _, place = text.partition(":")
    label, at, digits = place.rpartition("@")
    if not at:
        label, digits = place, "0"
    if at and _NEGATIVE.fullmatch(digits):
        raise InputError(f"{text!r}: there is no cycle {digits}: the first after reset is 0")
    if kind not in ("link", "node", "sink") or not (digits.isascii() and digits.isdigit()):
        raise InputError(
            f"{text!r} is not link:FROM/TO, node:NODE, sink:NODE, or one of these with @CYCLE"
        )
    cycle, neighbour = int(digits), network.neighbour
    if kind == "sink":
        return Faults(sinks={network.node(label): cycle})
    if kind == "link":
        start, port = min(read_link(network, label))
        return Faults({(start, int(neighbour[start, port])): cycle})
    node = network.node(label)
    arcs = np.argwhere(neighbour != ABSENT).tolist()
    ends = [(start, int(neighbour[start, port])) for start, port in arcs]
    return Faults({each: cycle for each in ends if node in each})
