"""What the processing elements must have in the end, computed without hardware."""

from noc.design import OrderedDesign


def expected_totals(design: OrderedDesign) -> list[int]:
    """At each node the sum of what all nodes gave."""
    nodes = design.network.nodes
    return [sum(range(1, nodes + 1)) % 2**design.width] * nodes
