"""What dies while a network runs: links by which no word comes any more, sinks that take none."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from noc.errors import InputError, option
from noc.networks import Network
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


#: Nothing dies.
NO_FAULTS = Faults()


def read_faults(network: Network, text: str) -> Faults:
    """The faults of a user's words, ``link:FROM/TO@CYCLE`` and ``sink:NODE@CYCLE`` with commas.

    >>> from noc.networks import build_network
    >>> read_faults(build_network("ring:3"), "link:0/1@20,sink:2")
    Faults(links={(0, 1): 20}, sinks={2: 0})
    """
    links, sinks = dict[tuple[int, int], int](), dict[int, int]()
    try:
        for part in split_labels(network, text, _is_fault):
            place, cycle = _read_fault(network, part)
            if isinstance(place, int):
                sinks[place] = cycle
            else:
                links[place] = cycle
    except InputError as error:
        raise InputError(f"{option('faults', text)}: {error.message}") from None
    return Faults(links, sinks)


def _is_fault(network: Network, text: str) -> bool:
    try:
        _read_fault(network, text)
    except InputError:
        return False
    return True


def _read_fault(network: Network, text: str) -> tuple[int | tuple[int, int], int]:
    """The node of a sink, or both of a link, and when it dies."""
    kind, _, place = text.partition(":")
    label, at, cycle = place.rpartition("@")
    if not at:
        label, cycle = place, "0"
    if kind not in ("link", "sink") or not (cycle.isascii() and cycle.isdigit()):
        raise InputError(f"{text!r} is not link:FROM/TO, sink:NODE, or one of these with @CYCLE")
    if kind == "sink":
        return network.node(label), int(cycle)
    # Parallel links lead to one node.
    start, port = min(read_link(network, label))
    return (start, int(network.neighbour[start, port])), int(cycle)
