"""Hints: where another choice would give smaller or better hardware."""

from collections.abc import Iterator

from noc.design import AnyDesign, OrderedDesign
from noc.networks import found_ports
from noc.programs.operations import ALL

__all__ = ["hints"]

#: Larger networks are not searched for other port labels: the search would take longer than what
#: the user asked for.
_LARGEST = 64


def hints(design: AnyDesign) -> Iterator[str]:
    """A line for each choice that another would better."""
    if isinstance(design, OrderedDesign):
        yield from _unused_groups(design)
        return
    network = design.network
    if not network.symmetric and network.nodes <= _LARGEST and found_ports.exist(network):
        yield (
            "with other port labels all nodes would look alike, and one router module would do; a "
            "graph without labels gets such labels ('noc info' tells more)"
        )


def _unused_groups(design: OrderedDesign) -> Iterator[str]:
    operations = design.operations
    used = {operation.group for operation in operations.listed}
    for name in [name for name, _ in operations.groups if name not in (ALL, *used)]:
        yield f"no operation names group {name}, as barrier@{name} would"
