"""A point of a sweep: one design, as the options of the commands describe it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

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

#: The fabric that others are compared with, and how the network of such a design begins.
PLAIN_TREE = "plain-tree"

#: Between the groups of a point; what follows begins like a group, which no label does.
_BETWEEN = re.compile(r"; (?=[A-Za-z]\w*=)")


@dataclass(frozen=True)
class Point:
    """A design by the words of a user; None is what the commands choose by themselves.

    The fields are the options of ``noc generate``: ``sources`` may be labels, and ``operations``
    names, with commas between them; ``groups`` are as ``--group`` takes them, with ``;`` between.
    """

    network: str
    fabric: str | None = None
    algorithm: str | None = None
    sources: str | None = None
    ports: str | None = None
    rom: str | None = None
    width: int = 32
    link_registers: int = 0
    queue: int = 0
    root: str | None = None
    source_numbers: bool | None = None
    own_words: str | None = None
    operations: str | None = None
    groups: str | None = None
    group_queue: int | None = None
    watchdog: int | None = None

    def build(self) -> AnyDesign:
        """The design; refused where there is none of this kind."""
        return _build(self)

    def resolved(self) -> "Point":
        """The same with what the commands choose: the sources, the fabric and the algorithm."""
        if ends_of(self.network) is not None:
            return replace(self, fabric=self.fabric or PLAIN_TREE, sources=self.sources or "all")
        fabric = self.fabric or ("ordered" if self.operations else None)
        sources = self.sources or ("one" if fabric == "direct" else "all")
        if fabric is None:
            net = build_network(self.network) if sources not in ("all", "one") else None
            fabric = fabric_for(sources if net is None else read_sources(net, sources))
        if fabric not in USUAL:
            raise InputError(f"fabric: {fabric!r} is unknown; allowed: {', '.join(USUAL)}")
        algorithm = self.algorithm or USUAL[fabric]
        return replace(self, fabric=fabric, algorithm=algorithm, sources=sources)

    @property
    def text(self) -> str:
        """What differs from the usual, in one line."""
        usual = {field.name: field.default for field in fields(self)}
        chosen = {name: value for name, value in vars(self).items() if value != usual[name]}
        network = chosen.pop("network")
        return " ".join([network, *(f"{name}={value}" for name, value in chosen.items())])


#: The columns that name a point.
DESIGN = tuple(field.name for field in fields(Point))


#: Those of them that say what the network does other than broadcasting.
OF_OPERATIONS = ("operations", "groups", "group_queue", "watchdog")


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
    from noc.hardware.plain_tree import build_plain_tree

    usual = Point(point.network, width=point.width, source_numbers=point.source_numbers).resolved()
    for name, value in vars(point.resolved()).items():
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
    options: dict[str, Any] = {
        name: value for name, value in vars(point).items() if value is not None
    }
    net = build_network(options.pop("network"))
    if point.operations is not None:
        options["operations"] = [name.strip() for name in point.operations.split(",")]
    if point.groups is not None:
        options["groups"] = read_groups(net, _BETWEEN.split(point.groups))
    return build_design(net, **options)
