"""The tree to take where no particular graph is asked for."""

from noc.errors import InputError
from noc.networks.arrays import PortGraph
from noc.networks.grid import tree_of
from noc.networks.spec import MOST_NODES, NetworkFamily, Number, Parameters, whole_number

#: What is least, and the children of an inner node with which it is, of those that were measured
#: (docs/performance.md): more children are fewer nodes that store words on their way up, and fewer
#: cycles, but a slower clock.
DEGREES = {"ns": 4, "luts": 8}


def _parse(family: NetworkFamily, text: str) -> Parameters:
    number, comma, least = text.partition(",")
    nodes = whole_number(family, text, number, Number(2, MOST_NODES))
    if comma and least not in DEGREES:
        raise InputError(
            f"network {f'{family.name}:{text}'!r}: {least!r} is not one of "
            f"{', '.join(DEGREES)}: {family.allowed}"
        )
    return (nodes, least) if least not in ("", "ns") else (nodes,)


def _degree(nodes: int, least: str = "ns") -> int:
    return min(DEGREES[least], nodes - 1)


def _build(nodes: int, least: str = "ns") -> PortGraph:
    return tree_of(_degree(nodes, least), nodes)


FAMILIES = (
    NetworkFamily(
        name="best",
        signature="n[,luts]",
        where="n from 2 up",
        example="best:64",
        summary="the tree with n nodes that is fastest in nanoseconds, or smallest in LUTs",
        parse=_parse,
        size=lambda nodes, *least: (nodes, _degree(nodes, *least) + 1),
        build=_build,
    ),
)
