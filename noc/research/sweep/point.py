"""A point of a sweep: one design, as the options of the commands describe it."""

import re
from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from noc.design import (
    USUAL,
    AnyDesign,
    build_design,
    check_width,
    fabric_for,
    read_groups,
    read_sources,
)
from noc.errors import InputError
from noc.networks import build_network
from noc.options import OPTIONS

#: The fabric that others are compared with, and how the network of such a design begins.
PLAIN_TREE = "plain-tree"

#: Between the groups of a point; what follows begins like a group, which no label does.
_BETWEEN = re.compile(r"; (?=[A-Za-z]\w*=)")

#: In a table the columns of these options come first, then those of all others.
_FIRST = ("fabric", "algorithm", "sources", "ports", "rom")

_KINDS: dict[str, type] = {"number": int, "switch": bool}

#: The columns that name a point, and what is in them: the network, and the options of a design.
DESIGN: dict[str, type] = {
    "network": str,
    **{name: _KINDS.get(OPTIONS[name].kind, str) for name in dict.fromkeys((*_FIRST, *OPTIONS))},
    "link_registers": int,
}
del DESIGN["hop_cycles"], DESIGN["dead"]

#: Where a plan is silent. An option of one fabric only is then empty.
_USUAL = {
    name: OPTIONS[name].default if len(OPTIONS[name].fabrics) > 1 else None
    for name in [*DESIGN][1:]
} | {"link_registers": 0}

_Values = namedtuple("_Values", DESIGN, defaults=_USUAL.values())  # type: ignore[misc]


class Point(_Values):
    """A design by the words of a user; None is what the commands choose by themselves.

    Its fields are those of ``DESIGN``: ``sources`` may be labels, and ``operations`` names, with
    commas between them; ``groups`` are as ``--group`` takes them, with ``;`` between.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, network: str, **options: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

    def build(self) -> AnyDesign:
        """The design; refused where there is none of this kind."""
        return _build(self)

    def resolved(self) -> "Point":
        """The same with what the commands choose: the sources, the fabric and the algorithm."""
        if ends_of(self.network) is not None:
            return self.but(fabric=self.fabric or PLAIN_TREE, sources=self.sources or "all")
        fabric = self.fabric or ("ordered" if self.operations else None)
        sources = self.sources or ("one" if fabric == "direct" else "all")
        if fabric is None:
            net = build_network(self.network) if sources not in ("all", "one") else None
            fabric = fabric_for(sources if net is None else read_sources(net, sources))
        if fabric not in USUAL:
            raise InputError(f"fabric: {fabric!r} is unknown; allowed: {', '.join(USUAL)}")
        return self.but(fabric=fabric, sources=sources, algorithm=self.algorithm or USUAL[fabric])

    def but(self, **options: Any) -> "Point":
        """The same with other options."""
        point: Point = self._replace(**options)
        return point

    @property
    def text(self) -> str:
        """What differs from the usual, in one line."""
        options = [f"{n}={v}" for n, v in self._asdict().items() if v != _USUAL.get(n, v)]
        return " ".join([self.network, *options])


def spell_groups(network: str, groups: Mapping[str, Sequence[int | str]]) -> str:
    """The groups of a point, from the nodes of each by label, or by number as in the network.

    >>> spell_groups("mesh:2,2", {"left": ["0.0", "1.0"], "others": [1, 3]})
    'left=0.0,1.0; others=0.1,1.1'
    """
    net = build_network(network)

    def label(node: int | str) -> str:
        return node if isinstance(node, str) else net.label(node)

    return "; ".join(f"{name}={','.join(map(label, nodes))}" for name, nodes in groups.items())


def ends_of(network: str) -> int | None:
    """How many ends a plain tree has by its name; None for other networks.

    >>> ends_of("plain-tree:24"), ends_of("star:4")
    (24, None)
    """
    name, _, ends = network.partition(":")
    if name != PLAIN_TREE:
        return None
    if not re.fullmatch("[0-9]{1,5}", ends) or int(ends) < 2:
        raise InputError(f"network {network!r}: the number of ends is needed, 2 at least")
    return int(ends)


def _build_plain_tree(point: Point, ends: int) -> AnyDesign:
    # The parts of the hardware take long to import.
    from noc.research.sweep.plain_tree import build_plain_tree

    usual = Point(point.network, width=point.width, source_numbers=point.source_numbers).resolved()
    for name, value in point.resolved()._asdict().items():
        if value != getattr(usual, name):
            raise InputError(f"{name}: {value}: a plain tree has only width and source_numbers")
    check_width(point.width)
    return build_plain_tree(
        ends, width=point.width, source_numbers=point.source_numbers is not False
    )


@cache
def _build(point: Point) -> AnyDesign:
    if (ends := ends_of(point.network)) is not None:
        return _build_plain_tree(point, ends)
    options: dict[str, Any] = {n: v for n, v in point._asdict().items() if v is not None}
    net = build_network(options.pop("network"))
    if point.operations is not None:
        options["operations"] = [name.strip() for name in point.operations.split(",")]
    if point.groups is not None:
        options["groups"] = read_groups(net, _BETWEEN.split(point.groups))
    return build_design(net, **options)
