"""What the processing elements must have in the end, computed without hardware."""

from functools import reduce

from hardware.example import WORDS, first_number, operations, receivers, senders

from noc.design import AnyDesign
from noc.model.ordered.operators import combine


def limit(design: AnyDesign) -> int:
    """Cycles within which a run must end."""
    return 200 + 50 * design.network.nodes * len(operations(design))


def expected_totals(design: AnyDesign) -> list[int]:
    """At each node the sum of the data that it gets; a word of a barrier counts as 1."""
    totals = [0] * design.network.nodes
    for place, operation in enumerate(operations(design)):
        for word in range(WORDS):
            given = {
                sender: (first_number(design, sender) + place * WORDS + word) % 2**design.width
                for sender in senders(design, operation)
            }
            if operation.joined:
                # All words become one; an operator of your own may depend on their order.
                words = list(given.values())
                joined = (
                    reduce(lambda a, b: combine(operation.operator, a, b, design.width), words)
                    if operation.operator
                    else 1
                )
                given = {next(iter(given)): joined}
            for sender, number in given.items():
                for node in receivers(design, operation, sender):
                    totals[node] += number
    return [total % 2**design.width for total in totals]
