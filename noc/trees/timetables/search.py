"""The search: fewest steps first, then words that are kept for few steps, then small routers."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from noc.errors import InputError
from noc.networks import Network, as_network, memory
from noc.trees.bounds import all_gather_bound
from noc.trees.timetables import general, symmetric
from noc.trees.timetables.matching import links_of
from noc.trees.timetables.timetable import Timetable

# A limit is given up after as many attempts as take a few seconds in all.
_WORK_OF_TREES = 3_000_000
_WORK_OF_ROUNDS = 5_000_000
#: Of small networks all timetables are alike before this.
MOST_TRIES = 10_000

#: What an attempt keeps of each word at each node.
_BYTES = 16

#: What the search tells while it goes on: what is sought, and which share of that is over.
Progress = Callable[[str], None]
Tried = Callable[[float], None]


class Effort(NamedTuple):
    """How to search, as :func:`find_timetable` has it."""

    kept: int | None
    tries: int | None
    seed: int
    progress: Progress
    tried: Tried


class Candidate(Protocol):
    """What an attempt gives."""

    @property
    def steps(self) -> int:
        """How many steps it takes."""

    @property
    def kept(self) -> int:
        """How many steps a word waits at most."""

    @property
    def area(self) -> tuple[int, ...]:
        """By what of two that are alike otherwise the one with smaller routers is found."""


_C = TypeVar("_C", bound=Candidate)

#: From a limit, how long words may be kept, and a seed.
_Attempt = Callable[[int, int, int], _C | None]


def find_timetable(
    network: Network | str,
    *,
    kept: int | None = None,
    tries: int | None = None,
    seed: int = 0,
    progress: Progress = lambda _: None,
    tried: Tried = lambda _: None,
) -> Timetable:
    """Search for a timetable of an all-gather, which is verified.

    >>> timetable = find_timetable("star:4")
    >>> timetable.steps, timetable.kept
    (8, 0)

    Parameters
    ----------
    network : Network or str
        The network, or its name.
    kept : int, optional
        How many steps a node may keep a word at most before it sends it for the last time; by
        default as many as fewest steps need.
    tries : int, optional
        After how many attempts a limit is given up; by default as many as take a few seconds.
    seed : int
        Of all random choices.
    progress : callable, optional
        Is told what is sought.
    tried : callable, optional
        Is told the share of the attempts at that which are over, and 1 at the end.
    """
    network = of_some(network)
    attempt, usual = _prepared(network)
    best = search_best(
        network,
        attempt,
        bound=all_gather_bound(network),
        # Every step brings a new word to somebody, so that none takes longer.
        worst=network.nodes * (network.nodes - 1),
        usual=usual,
        effort=Effort(kept, tries, seed, progress, tried),
    )
    return best.check()


def of_some(network: Network | str) -> Network:
    """A network in which somebody has something to receive."""
    network = as_network(network)
    if network.nodes < 2:
        raise InputError(f"{network.spec}: one node has nobody to receive from")
    return network


def search_best(
    network: Network,
    attempt: _Attempt[_C],
    *,
    bound: int,
    worst: int,
    usual: int,
    effort: Effort,
) -> _C:
    """The best of many attempts, as many as ``usual``; none takes more than ``worst`` steps."""
    kept, tries, seed = effort.kept, effort.tries or usual, effort.seed
    best: _C | None = None

    def better(steps: int, most: int) -> _C | None:
        """The best one of at most so many steps in which no word is kept longer."""
        limit = "as long as need be" if most >= worst else f"for {most} steps at most"
        fewer = f"at most {steps} steps" if best else "few steps"
        effort.progress(f"seeking {fewer}, words kept {limit}")
        found: _C | None = None
        for number in range(tries):
            effort.tried(number / (tries + 1))
            other = attempt(steps, most, seed * tries + number)
            if other is not None:
                found = other
                steps = found.steps - 1
            if found is not None and found.steps <= bound:
                break
        return found

    best = better(worst, worst if kept is None else kept)
    if best is None:
        raise kept_too_short(network, kept)
    while best.kept and (shorter := better(best.steps, best.kept * 3 // 4)) is not None:
        best = shorter
    best = _smallest(best, attempt, range(seed * tries, seed * tries + tries // 4))
    effort.tried(1.0)
    return best


def kept_too_short(network: Network, kept: int | None) -> InputError:
    """What is told where words would have to be kept longer."""
    return InputError(
        f"{network.spec}: no timetable found in which words are kept for at most {kept} steps; "
        "allow more"
    )


def _prepared(network: Network) -> tuple[_Attempt[Timetable], int]:
    """How to attempt a timetable of an all-gather, and how often."""
    if network.symmetric:
        attempts: Any = partial(symmetric.attempt, network, links_of(network))
        usual = max(20, _WORK_OF_TREES // network.nodes)
    else:
        memory.require(
            _BYTES * network.nodes**2,
            purpose=f"a timetable of {network.spec}",
            remedy="choose a smaller network",
        )
        attempts = partial(general.attempt, network, links_of(network))
        usual = max(4, _WORK_OF_ROUNDS // (network.nodes**2 * network.ports))

    def attempt(limit: int, kept: int, seed: int) -> Timetable | None:
        trees = attempts(seed=seed, limit=limit, kept=kept)
        return None if trees is None else Timetable(network, trees)

    return attempt, min(usual, MOST_TRIES)


def _smallest(best: _C, attempt: _Attempt[_C], seeds: range) -> _C:
    """Of those that take as long, and keep words as long, one that has small routers."""
    for seed in seeds:
        other = attempt(best.steps, best.kept, seed)
        if other is not None and other.area < best.area:
            best = other
    return best
