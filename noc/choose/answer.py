"""The best design for a question, and why it is."""

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from noc.choose.candidates import Candidate
from noc.choose.figure import Figure
from noc.choose.question import Question

__all__ = ["Answer", "Condition", "Failed", "Ranked", "choose", "conditions_of"]


@dataclass(frozen=True)
class Condition:
    """One limit.

    Parameters
    ----------
    name : str
        The option.
    limit : float or None
        The limit, if there is one.
    figure : callable
        What is held against it; None where it is not known.
    bound : callable, optional
        A bound of it from below, where it takes long to compute.
    least : bool
        Whether the figure must be at least as large, rather than at most.
    unit : str
        Of the figure.
    """

    name: str
    limit: float | None
    figure: Callable[[Candidate], Figure | None]
    bound: Callable[[Candidate], Figure | None] | None = None
    least: bool = False
    unit: str = ""

    @property
    def takes_long(self) -> bool:
        """Whether the figure is worth a look at its bound first."""
        return self.bound is not None

    def excess(self, candidate: Candidate, *, soon: bool = False) -> float:
        """How many times the limit is exceeded, up to 1 it is kept; soon, at least how many."""
        figure = (self.bound if soon and self.bound else self.figure)(candidate)
        if figure is None or (self.least and not figure.value):
            return inf
        limit = self.limit or inf
        return limit / figure.value if self.least else figure.value / limit


@dataclass(frozen=True)
class Failed:
    """Designs that fail a condition.

    Parameters
    ----------
    condition : Condition
        Which; of several the first in the order of the conditions.
    candidates : tuple of Candidate
        The designs, the one that is nearest first.
    """

    condition: Condition
    candidates: tuple[Candidate, ...]


#: Designs that meet all conditions, the best first.
Ranked = tuple[Candidate, ...]


@dataclass(frozen=True)
class Answer:
    """What there is.

    Parameters
    ----------
    question : Question
        What was asked.
    looked_at : int
        How many designs have so many nodes.
    ranked : tuple of Candidate
        The best of those that meet all conditions; none if no design does.
    meeting : int
        How many meet all conditions, as far as was looked.
    failed : tuple of Failed
        The others, by the first condition that they fail.
    nearest : Candidate or None
        If none meets all conditions, the one that misses them by least.
    """

    question: Question
    looked_at: int
    ranked: Ranked
    meeting: int
    failed: tuple[Failed, ...]
    nearest: Candidate | None


def conditions_of(question: Question) -> list[Condition]:
    """The limits of a question."""
    every = [
        Condition("load", question.load, lambda design: design.carries, least=True),
        Condition("luts", question.luts, lambda design: design.luts, unit="LUTs"),
        Condition("mhz", question.mhz, lambda design: design.mhz, least=True, unit="MHz"),
        Condition(
            "latency",
            question.cycles,
            lambda design: design.latency,
            bound=lambda design: design.cycles_at_least,
            unit="cycles",
        ),
        Condition(
            "latency",
            question.ns,
            lambda design: design.in_ns(design.latency),
            bound=lambda design: design.in_ns(design.cycles_at_least),
            unit="ns",
        ),
    ]
    return [condition for condition in every if condition.limit is not None]


def choose(question: Question, candidates: Sequence[Candidate], *, top: int = 2) -> Answer:
    """The best designs for a question.

    Parameters
    ----------
    question : Question
        What is asked.
    candidates : sequence of Candidate
        Among which designs.
    top : int
        How many of the best are ranked.
    """
    if question.least == "ns" and all(candidate.mhz is None for candidate in candidates):
        question = replace(question, least="cycles")
    conditions = conditions_of(question)
    broken: dict[str, list[Candidate]] = {condition.name: [] for condition in conditions}
    left: list[Candidate] = []
    for candidate in candidates:
        name = next((c.name for c in conditions if c.excess(candidate, soon=True) > 1), None)
        (left if name is None else broken[name]).append(candidate)
    late = [condition for condition in conditions if condition.takes_long]

    def rank(candidate: Candidate) -> tuple[float, ...] | None:
        for condition in late:
            if condition.excess(candidate) > 1:
                broken[condition.name].append(candidate)
                return None
        return _rank(question, candidate)

    ranked = _least(left, lambda design: _rank(question, design, soon=True), rank, top)
    failed = [
        Failed(c, tuple(sorted(broken[c.name], key=partial(c.excess, soon=True))))
        for c in conditions
        if broken[c.name]
    ]
    meeting = len(candidates) - sum(len(each.candidates) for each in failed)
    nearest = None if ranked else _nearest(candidates, conditions)
    return Answer(question, len(candidates), tuple(ranked), meeting, tuple(failed), nearest)


def _nearest(candidates: Sequence[Candidate], conditions: Sequence[Condition]) -> Candidate | None:
    """The design whose worst excess is the least."""

    def worst(candidate: Candidate, *, soon: bool = False) -> tuple[float, ...]:
        return (max(condition.excess(candidate, soon=soon) for condition in conditions),)

    found = _least(candidates, partial(worst, soon=True), worst, 1)
    return found[0] if found and worst(found[0])[0] < inf else None


def _rank(question: Question, candidate: Candidate, *, soon: bool = False) -> tuple[float, ...]:
    """What to have least of, and what decides between equals; soon, a bound of it from below.

    Of equals, one that was measured is the better.
    """
    luts = inf if candidate.luts is None else candidate.luts.value
    if question.least == "luts":
        return luts, candidate.estimated, candidate.cycles.value
    cycles = candidate.cycles_at_least if soon else candidate.latency
    if question.least == "cycles":
        return (cycles.value,) if soon else (cycles.value, candidate.estimated, luts)
    ns = candidate.in_ns(cycles)
    first = inf if ns is None else ns.value
    return (first,) if soon else (first, candidate.estimated, cycles.value, luts)


def _least(
    candidates: Sequence[Candidate],
    bound: Callable[[Candidate], tuple[float, ...]],
    exact: Callable[[Candidate], tuple[float, ...] | None],
    count: int,
) -> list[Candidate]:
    """Those with the least exact value, which takes long: only where the bound leaves it open.

    What has no exact value is left out.
    """
    found: list[tuple[tuple[float, ...], int]] = []
    order = sorted(range(len(candidates)), key=lambda place: bound(candidates[place]))
    for place in order:
        if len(found) >= count and bound(candidates[place]) > found[count - 1][0]:
            break
        value = exact(candidates[place])
        if value is not None:
            insort(found, (value, place))
    return [candidates[place] for _, place in found[:count]]
