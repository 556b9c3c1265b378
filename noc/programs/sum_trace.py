"""What the tables of routers add up: which own words are in which sum, and of which round.

What comes to a node by an in-port in a phase is made of what lies in the registers of the sender,
which came there by other in-ports before, perhaps in the round before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from noc.errors import CheckError
from noc.programs.round_table import OWN, Choice, Register, terms


@dataclass(frozen=True, order=True)
class Arrival:
    """What comes to a node by an in-port in a phase."""

    phase: int
    node: int
    in_port: int


@dataclass(frozen=True, order=True)
class Send:
    """What a node sends by an out-port in a phase."""

    phase: int
    node: int
    out_port: int


#: What a value is made of: an own word, or what came before, and how many rounds.
Part = tuple[Send | Arrival, int]


@dataclass(frozen=True)
class SumTrace:
    """What comes where."""

    #: What each value is made of, in the order of the tables.
    parts: dict[Arrival, list[Part]]
    #: All arrivals, each behind those that it needs.
    order: tuple[Arrival, ...]
    #: How many rounds after the first word of its sum each value comes, and each own word is taken.
    after: dict[Arrival | Send, int]


def trace_sums(sends: Mapping[Send, tuple[Arrival, Choice]], length: int) -> SumTrace:
    """Follow what nodes send; refuse what has not come, waits for itself, or mixes rounds."""
    parts = {
        arrival: [_part(send, each, length) for each in terms(choice)]
        for send, (arrival, choice) in sends.items()
    }
    needs = {
        arrival: [part for part, _ in made_of if isinstance(part, Arrival)]
        for arrival, made_of in parts.items()
    }
    for arrival, before in needs.items():
        if not parts.keys() >= {*before}:
            raise CheckError(f"{_at(arrival)} is made of what has not come")
    try:
        order = tuple(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise CheckError(f"{_at(min(error.args[1]))} waits for itself") from None
    return SumTrace(parts, order, _count_rounds(parts))


def _part(send: Send, register: Register, length: int) -> Part:
    in_port, age = register
    if age < 1 or (in_port == OWN and age > 1):
        raise CheckError(f"a word of phase {send.phase} cannot be {age} cycles old")
    rounds, phase = divmod(send.phase - age, length)
    return send if in_port == OWN else Arrival(phase, send.node, in_port), -rounds


def _at(arrival: Arrival) -> str:
    return f"what comes in step {arrival.phase + 1} to node {arrival.node}"


def _count_rounds(parts: dict[Arrival, list[Part]]) -> dict[Arrival | Send, int]:
    """The rounds of all arrivals and own words; of those added up together the first is in 0."""
    # What is joined has a fixed distance in time.
    joined: dict[Arrival | Send, list[Part]] = {arrival: [] for arrival in parts}
    for arrival, made_of in parts.items():
        for part, rounds in made_of:
            joined.setdefault(part, []).append((arrival, rounds))
            joined[arrival].append((part, -rounds))
    found: dict[Arrival | Send, int] = {}
    for first in parts:
        if first not in found:
            found |= _follow(first, joined)
    return found


def _follow(first: Arrival, joined: dict[Arrival | Send, list[Part]]) -> dict[Arrival | Send, int]:
    """The rounds of all that is joined to an arrival."""
    rounds: dict[Arrival | Send, int] = {first: 0}
    waiting: list[Arrival | Send] = [first]
    while waiting:
        each = waiting.pop()
        for other, later in joined[each]:
            if other not in rounds:
                rounds[other] = rounds[each] + later
                waiting.append(other)
            elif rounds[other] != rounds[each] + later:
                raise CheckError(f"{_at(first)} is made of words of different rounds")
    least = min(count for each, count in rounds.items() if isinstance(each, Send))
    return {each: count - least for each, count in rounds.items()}
