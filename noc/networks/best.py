"""The tree to take where no particular graph is asked for."""

from noc.networks.grid import tree_of
from noc.networks.spec import (
    MOST_NODES,
    MOST_PORTS,
    NetworkFamily,
    Number,
    Parameters,
    whole_number,
)

#: The children of an inner node, by what is least with them, as measured in docs/performance.md:
#: more children are fewer cycles and fewer nodes that store words on their way up, and at some
#: number a slower clock.
CHILDREN = {"ns": 4, "luts": 8}


def _parse(family: NetworkFamily, text: str) -> Parameters:
    number, _, form = text.partition(",")
    nodes = whole_number(family, text, number, Number(2, MOST_NODES))
    if form in ("", "ns", "luts"):
        return (nodes, form) if form == "luts" else (nodes,)
    return nodes, whole_number(family, text, form, Number(1, MOST_PORTS - 1))


def _arity(nodes: int, form: int | str = "ns") -> int:
    return min(form if isinstance(form, int) else CHILDREN[form], nodes - 1)


FAMILIES = (
    NetworkFamily(
        name="best",
        signature="n[,luts|c]",
        where="n from 2 up, c children of each inner node",
        example="best:64",
        summary="the tree of n nodes that is fastest in ns, or smallest in LUTs, by measurement",
        parse=_parse,
        size=lambda nodes, *form: (nodes, _arity(nodes, *form) + 1),
        build=lambda nodes, *form: tree_of(_arity(nodes, *form), nodes),
    ),
)
