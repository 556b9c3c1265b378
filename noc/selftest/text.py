"""Reads the text that a self-test sends."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["ALARMS", "EACH", "NUMBERS", "Result", "results", "taken", "template"]

#: What a report tells, in this order.
NUMBERS = ("round", "cycles", "sent", "right", "wrong", "missing", "extra")

#: What it tells of a network with operations beside, and then of each operation.
ALARMS, EACH = ("dropped", "mismatch", "early"), ("sent", "right")


def _spelled(names: tuple[str, ...]) -> str:
    return " ".join(rf"{name} (?P<{name}_>\d+)" for name in names)


_OPERATION = re.compile(r"^(\w+\S*) sent (\d+) right (\d+)\r?$", re.MULTILINE)

_RESULT = re.compile(
    rf"^(arbornoc .*?)\r?\n{_spelled(NUMBERS)}\r?\n"
    rf"({_spelled(ALARMS)}\r?\n(?P<operations>({_OPERATION.pattern[1:-1]}\n)+))?"
    r"(?P<verdict>PASS|FAIL)\r?$",
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
    dropped, mismatch, early : int
        Of a network with operations: in how many cycles, and at how many nodes, it raised an
        alarm, or released a node from a barrier too early.
    operations : mapping of str to (int, int)
        For each of its operations the words that were sent, and those that were right.
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
    dropped: int = 0
    mismatch: int = 0
    early: int = 0
    operations: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def template(header: str, operations: Sequence[object]) -> list[str]:
    """The lines of a report before the verdict; ``{N}`` stands for its number N."""
    lines = [NUMBERS] + ([ALARMS] if operations else [])
    named = [("", line) for line in lines] + [(f"{name} ", EACH) for name in operations]
    text, place = [header], 0
    for before, names in named:
        text.append(before + " ".join(f"{name} {{{place + n}}}" for n, name in enumerate(names)))
        place += len(names)
    return text


def results(text: str) -> Iterator[Result]:
    """The complete reports in what came over the serial line."""
    return iter(taken(text)[0])


def taken(text: str) -> tuple[list[Result], str]:
    """The complete reports, and what is left of the text behind the last of them."""
    reports, rest = [], text
    for match in _RESULT.finditer(text):
        told = NUMBERS + (ALARMS if match["operations"] else ())
        numbers = {name: int(match[f"{name}_"]) for name in told}
        operations = {
            name: (int(sent), int(right))
            for name, sent, right in _OPERATION.findall(match["operations"] or "")
        }
        passed = match["verdict"] == "PASS"
        reports.append(Result(header=match[1], passed=passed, operations=operations, **numbers))
        rest = text[match.end() :]
    return reports, rest
