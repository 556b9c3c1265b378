"""Members of network families by their number of nodes."""

import contextlib
from collections.abc import Iterable, Iterator

from noc.errors import InputError, option
from noc.networks import FAMILIES
from noc.networks.spec import NetworkFamily

__all__ = ["members"]

#: Parameters that are whole numbers, at most.
_MOST_PARAMETERS = 3

#: What stands in the signature of a family that takes any number of sizes.
_ANY_NUMBER = "…"


def members(names: Iterable[str], least: int, most: int) -> list[str]:
    """The members of some families that have from ``least`` to ``most`` nodes, smallest first.

    >>> members(["star", "mesh"], 22, 23)
    ['mesh:11,2', 'mesh:22', 'mesh:23']
    >>> members(["star", "uhc"], 1, 24)
    ['star:2', 'uhc:2', 'star:3', 'uhc:3', 'uhc:4', 'star:4']

    Sizes of a grid are listed in falling order only, since others give the same networks.
    """
    found = set()
    for family in map(_family, names):
        any_order = _ANY_NUMBER in family.signature
        for parameters in _products(most, _MOST_PARAMETERS, any_order):
            text = ",".join(map(str, parameters))
            with contextlib.suppress(InputError):
                spec, nodes = family.measured(text)
                if least <= nodes <= most:
                    found.add((nodes, spec))
    return [spec for _, spec in sorted(found)]


def _family(name: str) -> NetworkFamily:
    family = FAMILIES.get(name)
    if family is None:
        raise InputError(
            f"{option('network', name)}: is no family of networks; allowed: {', '.join(FAMILIES)}"
        )
    return family


def _products(most: int, length: int, falling: bool) -> Iterator[tuple[int, ...]]:
    """Numbers whose product is at most so much: every family has as many nodes."""
    least = 2 if falling else 1
    for first in range(least, most + 1):
        yield (first,)
        if length > 1:
            for others in _products(most // first, length - 1, falling):
                if not falling or others[0] <= first:
                    yield (first, *others)
