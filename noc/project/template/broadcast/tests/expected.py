"""What the processing elements must have in the end, computed without hardware."""

from hardware.element import WORDS, senders

from noc.design import AnyDesign


def expected_totals(design: AnyDesign) -> list[int]:
    """At each node the sum of what all other senders gave."""
    given = {node: range(node * WORDS, node * WORDS + WORDS) for node in senders(design)}
    return [
        sum(sum(numbers) for sender, numbers in given.items() if sender != node) % 2**design.width
        for node in range(design.network.nodes)
    ]
