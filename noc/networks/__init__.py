"""Networks: what they are, by name; distances; symmetry."""

import difflib

from noc.errors import InputError
from noc.networks import broken, cube, cycles, exchange, files, grid, star
from noc.networks.arrays import ABSENT, IntArray, Labels, PortGraph
from noc.networks.cube import BinaryLabels
from noc.networks.exchange import from_edges, from_networkx, to_networkx
from noc.networks.grid import GridLabels, NumberLabels
from noc.networks.network import Network
from noc.networks.permutations import PermutationLabels
from noc.networks.spec import NetworkFamily, Number, checked, numbers
from noc.networks.wiring import NamedLabels
from noc.registry import Registry

__all__ = [
    "ABSENT",
    "FAMILIES",
    "BinaryLabels",
    "GridLabels",
    "IntArray",
    "Labels",
    "NamedLabels",
    "Network",
    "NetworkFamily",
    "Number",
    "NumberLabels",
    "PermutationLabels",
    "PortGraph",
    "as_network",
    "build_network",
    "from_edges",
    "from_networkx",
    "is_own_graph",
    "measure_network",
    "numbers",
    "register_family",
    "to_networkx",
]

#: Every family, in the order in which ``noc list`` prints them.
FAMILIES: Registry[NetworkFamily] = Registry(
    "network family",
    (
        *star.FAMILIES,
        *cycles.FAMILIES,
        *cube.FAMILIES,
        *grid.FAMILIES,
        *star.SORTING_FAMILIES,
        *broken.FAMILIES,
        *files.FAMILIES,
    ),
    reserved=(exchange.FAMILY,),
)


def register_family(family: NetworkFamily, *, plugin: str | None = None) -> None:
    """Add a family of networks; from then on its members are built and checked by their names.

    A name that exists is refused; messages name the ``plugin`` that the family comes from.
    """
    FAMILIES.add(checked(family, FAMILIES.where(family.name, plugin)), plugin)


def build_network(spec: str) -> Network:
    """Build the network that ``spec`` names.

    >>> build_network("star:4").nodes
    24
    """
    family, text = _named(spec)
    return family.member(text)


def is_own_graph(spec: str) -> bool:
    """Whether a network is of a user's own graph, which the name does not say.

    >>> is_own_graph("without:a/b@file:mine.json"), is_own_graph("star:4")
    (True, False)
    """
    return broken.whole_spec(spec).partition(":")[0] in ("file", exchange.FAMILY)


def as_network(network: Network | str) -> Network:
    """A network as it is, or the one that a spec names: what functions take for a network.

    >>> as_network("star:4").nodes
    24
    """
    if isinstance(network, str):
        return build_network(network)
    if not isinstance(network, Network):
        raise InputError(
            f"network: {network!r:.60} is none; a Network or its name, like 'star:4', is needed"
        )
    return network


def measure_network(spec: str) -> tuple[str, int]:
    """The full name of the network that ``spec`` names and its nodes, without building it.

    >>> measure_network("star:9")
    ('star:9', 362880)
    """
    family, text = _named(spec)
    return family.measured(text)


def _named(spec: str) -> tuple[NetworkFamily, str]:
    """The family and its parameters."""
    if not isinstance(spec, str):
        raise InputError(f"network {spec!r:.60}: a name is needed, like 'star:4'")
    name, colon, text = spec.partition(":")
    family = FAMILIES.get(name)
    if family is None and files.is_graph_file(spec):
        raise InputError(f"network {spec!r}: a graph in a file is 'file:{spec}'")
    if family is None:
        known = ", ".join(FAMILIES)
        near = difflib.get_close_matches(name.lower().rstrip("0123456789"), FAMILIES, 1, 0.5)
        meant = f"; did you mean {FAMILIES[near[0]].example}?" if near else ""
        raise InputError(f"network {spec!r}: no family {name!r}; allowed: {known}{meant}")
    if not colon or not text:
        raise InputError(f"network {spec!r}: parameters are missing: {family.allowed}")
    return family, text
