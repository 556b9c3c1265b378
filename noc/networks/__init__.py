"""Networks: what they are, by name; distances; symmetry."""

from noc.errors import InputError
from noc.networks import choice, cube, cycles, grid, imported, plain, sorting, star
from noc.networks.network import ABSENT, IntArray, Labels, Network
from noc.networks.spec import Family

__all__ = [
    "ABSENT",
    "FAMILIES",
    "Family",
    "IntArray",
    "Labels",
    "Network",
    "measured",
    "network",
]

#: Every family, in the order in which ``noc list`` prints them.
FAMILIES: dict[str, Family] = {
    family.name: family
    for room in (star, choice, cycles, cube, grid, plain, sorting, imported)
    for family in room.FAMILIES
}


def network(spec: str) -> Network:
    """Build the network that ``spec`` names.

    >>> network("star:4").nodes
    24
    """
    family, text = _named(spec)
    return family.member(text)


def measured(spec: str) -> tuple[str, int]:
    """The full name of the network that ``spec`` names and its nodes, without building it.

    >>> measured("star:9")
    ('star:9', 362880)
    """
    family, text = _named(spec)
    return family.measured(text)


def _named(spec: str) -> tuple[Family, str]:
    """The family, and what tells its member."""
    name, colon, text = spec.partition(":")
    family = FAMILIES.get(name)
    if family is None:
        known = ", ".join(FAMILIES)
        raise InputError(f"network {spec!r}: no family {name!r}; allowed: {known}")
    if not colon or not text:
        raise InputError(f"network {spec!r}: parameters are missing: {family.allowed}")
    return family, text
