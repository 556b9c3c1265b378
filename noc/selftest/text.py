"""Reads the text that a self-test sends."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["NUMBERS", "Result", "results", "taken"]

#: What a report tells, in this order.
NUMBERS = ("round", "cycles", "sent", "right", "wrong", "missing", "extra")

_RESULT = re.compile(
    r"^(arbornoc .*?)\r?\n"
    + " ".join(rf"{name} (?P<{name}>\d+)" for name in NUMBERS)
    + r"\r?\n(?P<verdict>PASS|FAIL)\r?$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Result:
    """The report of one round.

    Parameters
    ----------
    header : str
        What is tested.
    round : int
        Counts from 1.
    cycles : int
        Clock cycles while words were on their way.
    sent : int
        Words of all sources.
    right, wrong, missing, extra : int
        Words of all sinks: those that came as they should, those that were never sent, those
        that should have come and did not, and those that should not have come.
    passed : bool
        The verdict.
    """

    header: str
    round: int
    cycles: int
    sent: int
    right: int
    wrong: int
    missing: int
    extra: int
    passed: bool


def results(text: str) -> Iterator[Result]:
    """The complete reports in what came over the serial line."""
    return iter(taken(text)[0])


def taken(text: str) -> tuple[list[Result], str]:
    """The complete reports, and what is left of the text behind the last of them."""
    reports, rest = [], text
    for match in _RESULT.finditer(text):
        numbers = {name: int(match[name]) for name in NUMBERS}
        passed = match["verdict"] == "PASS"
        reports.append(Result(header=match[1], passed=passed, **numbers))
        rest = text[match.end() :]
    return reports, rest
