"""Traffic: which words are offered where and when, what they hold, and when sinks take them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from noc.errors import InputError
from noc.model import mixing
from noc.networks import IntArray, Network
from noc.registry import Registry, guarded

__all__ = [
    "OF_VERIFY",
    "TRAFFIC",
    "WIDEST",
    "BoolArray",
    "Senders",
    "Traffic",
    "TrafficPattern",
    "all_sources",
    "back_to_back",
    "broadcast",
    "endless",
    "random_words",
    "register_traffic",
]

BoolArray = npt.NDArray[np.bool_]

#: The most payload bits of a word.
WIDEST = 512


class Senders(Protocol):
    """What traffic asks of a program, whichever fabric runs it."""

    @property
    def network(self) -> Network:
        """The network."""

    @property
    def sources(self) -> Sequence[int]:
        """The nodes that may send."""

    @property
    def trees(self) -> int:
        """Among how many trees a source can choose for a word."""


@dataclass(frozen=True, eq=False)
class Traffic:
    """The words that sources offer, and the cycles in which sinks are ready.

    A word is named by its place in the arrays. A source offers its words in this order, each
    from its release on until it is taken.

    Parameters
    ----------
    source : array (words)
        The node that injects each word.
    tree : array (words)
        The tree that it follows, numbered as in the program.
    release : array (words)
        The first cycle in which the inject stream may be valid with it.
    ready : array of bool (period, nodes)
        When each node's sink takes a word, repeated for ever.
    seed : int
        Names the payloads.
    """

    source: IntArray = field(repr=False)
    tree: IntArray = field(repr=False)
    release: IntArray = field(repr=False)
    ready: BoolArray = field(repr=False)
    seed: int = 0

    @property
    def words(self) -> int:
        """Number of words."""
        return int(self.source.size)

    def payload(self, word: int, width: int) -> int:
        """The bits of a word: a pure function of the seed, the word and the width."""
        if not 1 <= width <= WIDEST:
            raise InputError(f"width: {width} is out of range; 1 to {WIDEST} are allowed")
        return mixing.bits(width, self.seed, width, word)

    def taken_by(self, ready: BoolArray) -> "Traffic":
        """The same words, with other sinks."""
        return replace(self, ready=ready)

    def check(self, program: Senders) -> None:
        """Refuse words that the program cannot carry and sinks that do not fit the network."""
        nodes = program.network.nodes
        if self.ready.ndim != 2 or self.ready.shape[1] != nodes or not self.ready.shape[0]:
            raise InputError(f"ready: must be an array (period, {nodes})")
        if not self.source.shape == self.tree.shape == self.release.shape == (self.words,):
            raise InputError("traffic: source, tree and release must be as long as each other")
        if not np.isin(self.source, program.sources).all():
            wrong = int(self.source[~np.isin(self.source, program.sources)][0])
            raise InputError(f"traffic: node {wrong} is not among the sources of the program")
        if ((self.tree < 0) | (self.tree >= program.trees)).any():
            raise InputError(f"traffic: trees are numbered 0 to {program.trees - 1}")


def _traffic(program: Senders, source: IntArray, release: IntArray, seed: int) -> Traffic:
    """Words whose trees alternate, so that several words of a source use all its trees."""
    return Traffic(
        source=source,
        tree=np.arange(source.size, dtype=np.int64) % program.trees,
        release=release,
        ready=np.ones((1, program.network.nodes), dtype=np.bool_),
        seed=seed,
    )


def broadcast(program: Senders, source: int, *, tree: int = 0, seed: int = 0) -> Traffic:
    """One word of one source."""
    alone = back_to_back(program, source, 1, seed=seed)
    return replace(alone, tree=np.array([tree], dtype=np.int64))


def back_to_back(program: Senders, source: int, words: int, *, seed: int = 0) -> Traffic:
    """Words of one source, offered without a pause."""
    return _traffic(
        program, np.full(words, source, dtype=np.int64), np.zeros(words, dtype=np.int64), seed
    )


def all_sources(program: Senders, words: int, *, seed: int = 0) -> Traffic:
    """So many words of every source, offered without a pause."""
    source = np.tile(np.array(program.sources, dtype=np.int64), words)
    traffic = _traffic(program, source, np.zeros_like(source), seed)
    turn = np.repeat(np.arange(words, dtype=np.int64), len(program.sources))
    return replace(traffic, tree=turn % program.trees)


def endless(program: Senders, cycles: int, *, seed: int = 0) -> Traffic:
    """Words that every source offers without a pause, enough for so many cycles of a run.

    A word each for every source and cycle: for long runs see :mod:`noc.model.ordered.load`.
    """
    return all_sources(program, cycles, seed=seed)


def random_words(program: Senders, words: int, *, gap: int = 1, seed: int = 0) -> Traffic:
    """Words of random sources on random trees; from 0 to twice ``gap`` cycles lie between two."""
    sources = np.array(program.sources, dtype=np.int64)
    choice = mixing.draws(words, seed, 0) % np.uint64(sources.size)
    wait = (mixing.draws(words, seed, 1) % np.uint64(2 * gap + 1)).astype(np.int64)
    tree = (mixing.draws(words, seed, 2) % np.uint64(program.trees)).astype(np.int64)
    return replace(_traffic(program, sources[choice], np.cumsum(wait), seed), tree=tree)


@dataclass(frozen=True)
class TrafficPattern:
    """Traffic of many sources that has a name.

    Parameters
    ----------
    name : str
        What users type.
    summary : str
        What is sent, in one line.
    build : callable
        From a program, a number of words of a source, in the mean, and a seed to the traffic.
    """

    name: str
    summary: str
    build: Callable[[Senders, int, int], Traffic]

    def __call__(self, program: Senders, words: int, seed: int) -> Traffic:
        """So many words of each source in the mean."""
        return self.build(program, words, seed)


#: Traffic that ``noc verify`` has beside: of one source, or as long as the network needs it.
OF_VERIFY = {
    "single": "broadcasts of different sources, each when the one before has drained",
    "back-to-back": "one source sends without a pause",
    "endless": "every source sends without a pause until the run is cut off",
}

#: Traffic of many sources by name, in the order in which ``noc list`` prints it.
TRAFFIC: Registry[TrafficPattern] = Registry(
    "traffic",
    (
        TrafficPattern(
            "full",
            "every source sends without a pause",
            lambda program, words, seed: all_sources(program, words, seed=seed),
        ),
        TrafficPattern(
            "dense",
            "random sources send without a pause between two words",
            lambda program, words, seed: random_words(
                program, words * len(program.sources), gap=0, seed=seed
            ),
        ),
        TrafficPattern(
            "sparse",
            "random sources send, 0 to 4 cycles between two words",
            lambda program, words, seed: random_words(
                program, words * len(program.sources), gap=2, seed=seed
            ),
        ),
    ),
    reserved=(*OF_VERIFY, "mixture"),
)


def register_traffic(pattern: TrafficPattern, *, plugin: str | None = None) -> None:
    """Add traffic; from then on it is known by its name, and its words are checked.

    Parameters
    ----------
    pattern : TrafficPattern
        The traffic. A name that exists is refused.
    plugin : str, optional
        Where it comes from, for messages.
    """
    where = TRAFFIC.where(pattern.name, plugin)
    inner = guarded(pattern.build, where)

    def build(program: Senders, words: int, seed: int) -> Traffic:
        traffic = inner(program, words, seed)
        if not isinstance(traffic, Traffic):
            raise InputError(
                f"{where}: build returned type {type(traffic).__name__}, not a Traffic"
            )
        try:
            traffic.check(program)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        return traffic

    TRAFFIC.add(replace(pattern, build=build), plugin)
