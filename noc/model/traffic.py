"""Traffic: which words are offered where and when, what they hold, and when sinks take them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from noc.errors import InputError
from noc.model import mixing
from noc.networks import IntArray
from noc.programs.program import Program

__all__ = [
    "TRAFFIC",
    "WIDEST",
    "BoolArray",
    "Traffic",
    "all_sources",
    "back_to_back",
    "broadcast",
    "endless",
    "random_words",
]

BoolArray = npt.NDArray[np.bool_]

#: The most payload bits of a word.
WIDEST = 512

_BITS_OF_A_DRAW = 64


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
        begin, bits = mixing.key(self.seed, width, word), 0
        for chunk in range(-(-width // _BITS_OF_A_DRAW)):
            bits |= mixing.key(begin, chunk) << (chunk * _BITS_OF_A_DRAW)
        return bits & ((1 << width) - 1)

    def taken_by(self, ready: BoolArray) -> "Traffic":
        """The same words, with other sinks."""
        return replace(self, ready=ready)

    def check(self, program: Program) -> None:
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


def _traffic(program: Program, source: IntArray, release: IntArray, seed: int) -> Traffic:
    """Words whose trees alternate, so that several words of a source use all its trees."""
    return Traffic(
        source=source,
        tree=np.arange(source.size, dtype=np.int64) % program.trees,
        release=release,
        ready=np.ones((1, program.network.nodes), dtype=np.bool_),
        seed=seed,
    )


def broadcast(program: Program, source: int, *, tree: int = 0, seed: int = 0) -> Traffic:
    """One word of one source."""
    alone = back_to_back(program, source, 1, seed=seed)
    return replace(alone, tree=np.array([tree], dtype=np.int64))


def back_to_back(program: Program, source: int, words: int, *, seed: int = 0) -> Traffic:
    """Words of one source, offered without a pause."""
    return _traffic(
        program, np.full(words, source, dtype=np.int64), np.zeros(words, dtype=np.int64), seed
    )


def all_sources(program: Program, words: int, *, seed: int = 0) -> Traffic:
    """So many words of every source, offered without a pause."""
    source = np.tile(np.array(program.sources, dtype=np.int64), words)
    made = _traffic(program, source, np.zeros_like(source), seed)
    turn = np.repeat(np.arange(words, dtype=np.int64), len(program.sources))
    return replace(made, tree=turn % program.trees)


def endless(program: Program, cycles: int, *, seed: int = 0) -> Traffic:
    """Every source offers a word in each of so many cycles; the run is to be cut off there."""
    return all_sources(program, cycles, seed=seed)


def random_words(program: Program, words: int, *, gap: int = 1, seed: int = 0) -> Traffic:
    """Words of random sources on random trees; from 0 to twice ``gap`` cycles lie between two."""
    sources = np.array(program.sources, dtype=np.int64)
    choice = mixing.draws(words, seed, 0) % np.uint64(sources.size)
    wait = (mixing.draws(words, seed, 1) % np.uint64(2 * gap + 1)).astype(np.int64)
    tree = (mixing.draws(words, seed, 2) % np.uint64(program.trees)).astype(np.int64)
    return replace(_traffic(program, sources[choice], np.cumsum(wait), seed), tree=tree)


#: Traffic of many sources by name: from a program, a number of words of a source and a seed.
TRAFFIC: dict[str, Callable[[Program, int, int], Traffic]] = {
    "full": lambda program, words, seed: all_sources(program, words, seed=seed),
    "dense": lambda program, words, seed: random_words(
        program, words * len(program.sources), gap=0, seed=seed
    ),
    "sparse": lambda program, words, seed: random_words(
        program, words * len(program.sources), gap=2, seed=seed
    ),
}
