"""What the board must tell on its serial line."""

from functools import reduce
from operator import xor

from expected import expected_totals, limit

from noc.design import AnyDesign

#: Clock cycles of a bit on the serial line.
BIT_CYCLES = 2


def period(design: AnyDesign) -> int:
    """Clock cycles from one start to the next: enough for a run and its report."""
    return 5000 + limit(design)


def check_report(design: AnyDesign, text: str) -> None:
    """Two runs, each with its number and the same totals."""
    totals = [total % 2**32 for total in expected_totals(design)]
    lines = [line.split() for line in text.splitlines()]
    assert [line[:2] for line in lines] == [["run", "1"], ["run", "2"]]
    told = f"first {totals[0]} last {totals[-1]} xor {reduce(xor, totals)}"
    assert {" ".join(line[4:]) for line in lines} == {told}
