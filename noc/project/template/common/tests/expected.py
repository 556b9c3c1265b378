"""What the elements must have in the end, and a board report, computed without hardware."""

from functools import partial, reduce
from operator import xor

from hardware.example import WORDS, first_number, receivers, senders

from noc.design import AnyDesign
from noc.model.operators import combine

#: Clock cycles of a bit on the serial line, in simulations.
BIT_CYCLES = 2


def limit(design: AnyDesign) -> int:
    """Cycles within which a run must end."""
    return 200 + 50 * design.network.nodes * len(design.operations.listed)


def expected_totals(design: AnyDesign) -> list[int]:
    """At each node the sum of the data that it gets; a word of a barrier counts as 1."""
    totals = [0] * design.network.nodes
    for index, operation in enumerate(design.operations.listed):
        for word in range(WORDS):
            words = {
                sender: (first_number(design, sender) + index * WORDS + word) % 2**design.width
                for sender in senders(design, operation)
            }
            if operation.joined:
                # All words become one; an operator of your own may depend on their order.
                join = partial(combine, operation.operator, width=design.width)
                joined = reduce(join, words.values()) if operation.operator else 1
                words = {next(iter(words)): joined}
            for sender, number in words.items():
                for node in receivers(design, operation, sender):
                    totals[node] += number
    return [total % 2**design.width for total in totals]


def period(design: AnyDesign) -> int:
    """Clock cycles from one start to the next: enough for a run and its report."""
    return 5000 + limit(design)


def check_report(design: AnyDesign, text: str) -> None:
    """Two runs, each with its number and the same totals."""
    totals = [total % 2**32 for total in expected_totals(design)]
    lines = [line.split() for line in text.splitlines()]
    assert [line[:2] for line in lines] == [["run", "1"], ["run", "2"]]
    totals_shown = f"first {totals[0]} last {totals[-1]} xor {reduce(xor, totals)}"
    assert {" ".join(line[4:]) for line in lines} == {totals_shown}
