"""Traffic: which words are offered where and when, what they hold, and when sinks take them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from noc.errors import InputError
from noc.model import mixing
from noc.model.runs import Draw
from noc.networks import IntArray, Network
from noc.programs.config import RouterConfig
from noc.programs.ordered_config import OrderedConfig
from noc.programs.round_config import RoundConfig
from noc.programs.word_format import MOST_WIDTH
from noc.registry import Registry, guarded

BoolArray = npt.NDArray[np.bool_]

# Words are numbered in 32 bits.
_MOST_WORDS = 2**31 - 1

#: Words of a part of traffic; an even number.
PART = 1 << 14


class Senders(Protocol):
    """What traffic asks of a program, whichever fabric runs it."""

    @property
    def network(self) -> Network:
        """The network."""

    @property
    def sources(self) -> Sequence[int]:
        """The nodes that may send."""


class Words(NamedTuple):
    """Some words in their order: a part of traffic.

    Parameters
    ----------
    source : array (words)
        The node that injects each word.
    release : array (words)
        The first cycle in which the inject stream may be valid with it.
    """

    source: IntArray
    release: IntArray


def _join_parts(parts: Iterable[Words]) -> Words:
    return Words(*map(np.concatenate, zip(*parts, strict=True)))


def _check_words(words: Words, program: Senders) -> None:
    """Refuse words that the program cannot carry."""
    if not words.source.shape == words.release.shape == (words.source.size,):
        raise InputError("traffic: source and release must be as long as each other")
    sends = np.isin(words.source, program.sources)
    if not sends.all():
        wrong = int(words.source[~sends][0])
        raise InputError(f"traffic: node {wrong} is not among the sources of the program")


def check_words(words: int) -> None:
    """Refuse more words than have numbers."""
    if words > _MOST_WORDS:
        raise InputError(f"traffic: at most {_MOST_WORDS:,} words of a run are allowed")


def check_ready(ready: BoolArray, nodes: int) -> None:
    """Refuse sinks that do not fit a network."""
    if ready.ndim != 2 or ready.shape[1] != nodes or not ready.shape[0]:
        raise InputError(f"ready: must be an array (period, {nodes})")


def check_stalls(ready: BoolArray, config: RouterConfig | OrderedConfig | RoundConfig) -> None:
    """Refuse sinks that stall, of a network that is built for sinks that never do."""
    if config.always_ready and not ready.all():
        raise InputError("ready: sinks stall, of a network for sinks that never do")


@dataclass(frozen=True, eq=False)
class Traffic:
    """The words that sources offer, and the cycles in which sinks are ready.

    A word is named by its position in the arrays. A source offers its words in this order, each
    from its release on until it is taken.

    Parameters
    ----------
    source, release : array (words)
        As :class:`Words` has them.
    ready : array of bool (period, nodes)
        When each node's sink takes a word, repeated for ever.
    seed : int
        Names the payloads.
    """

    source: IntArray = field(repr=False)
    release: IntArray = field(repr=False)
    ready: BoolArray = field(repr=False)
    seed: int = 0

    @property
    def words(self) -> int:
        """Number of words."""
        return int(self.source.size)

    @property
    def whole(self) -> "Traffic":
        """All words."""
        return self

    def draw(self) -> Draw[Words]:
        """The words, part by part, as the cycle model asks for them."""
        parts = iter([Words(self.source, self.release)])
        return lambda _: next(parts, None)

    def payload(self, word: int, width: int) -> int:
        """The bits of a word: a pure function of the seed, the word and the width."""
        if not 1 <= width <= MOST_WIDTH:
            raise InputError(f"width: {width} is out of range; 1 to {MOST_WIDTH} are allowed")
        return mixing.bits(width, self.seed, width, word)

    def taken_by(self, ready: BoolArray) -> "Traffic":
        """The same words, with other sinks."""
        return replace(self, ready=ready)

    def check(self, program: Senders) -> None:
        """Refuse words that the program cannot carry and sinks that do not fit the network."""
        check_ready(self.ready, program.network.nodes)
        _check_words(Words(self.source, self.release), program)


@dataclass(frozen=True, eq=False)
class LongTraffic:
    """Traffic of any length, whose words are made when they are asked for.

    Parameters
    ----------
    parts : callable
        Begins anew and gives all words, part by part.
    words : int
        How many there are.
    senders : sequence of int
        The nodes that send any.
    ready, seed
        As :class:`Traffic` has them.
    """

    parts: Callable[[], Iterator[Words]] = field(repr=False)
    words: int
    senders: Sequence[int] = field(repr=False)
    ready: BoolArray = field(repr=False)
    seed: int = 0

    @cached_property
    def whole(self) -> Traffic:
        """All words at once."""
        return Traffic(*_join_parts(self.parts()), self.ready, self.seed)

    def draw(self) -> Draw[Words]:
        """The words, part by part, as the cycle model asks for them."""
        parts, senders = self.parts(), frozenset(self.senders)
        return lambda node: next(parts, None) if node in senders else None

    def taken_by(self, ready: BoolArray) -> "LongTraffic":
        """The same words, with other sinks."""
        return replace(self, ready=ready)

    def check(self, program: Senders) -> None:
        """Refuse sinks that do not fit the network, and too many words; each is right."""
        check_words(self.words)
        check_ready(self.ready, program.network.nodes)


def payload_rows(seed: int, width: int, numbers: IntArray) -> npt.NDArray[np.uint32]:
    """What words hold, by their numbers, as rows of 32-bit words, the lowest first."""
    if numbers.size:
        first, last = int(numbers.min()), int(numbers.max())
        # Most come many times, and are not far apart.
        if last - first < numbers.size:
            every = np.arange(first, last + 1)
            return mixing.many_bits(width, every, seed, width)[numbers - first]
    return mixing.many_bits(width, numbers, seed, width)


def _numbers(words: int) -> Iterator[IntArray]:
    """The numbers of words, as many at a time as a part has; one part at least."""
    for begin in range(0, max(1, words), PART):
        yield np.arange(begin, min(begin + PART, words), dtype=np.int64)


def send_alone(source: int, words: int) -> Iterator[Words]:
    """The parts of :func:`back_to_back`."""
    for word in _numbers(words):
        yield Words(np.full_like(word, source), np.zeros_like(word))


def send_all(program: Senders, words: int) -> Iterator[Words]:
    """The parts of :func:`all_sources`."""
    sources = np.array(program.sources, dtype=np.int64)
    for word in _numbers(words * sources.size):
        yield Words(sources[word % sources.size], np.zeros_like(word))


def send_random(program: Senders, words: int, *, gap: int = 1, seed: int = 0) -> Iterator[Words]:
    """The parts of :func:`random_words`, which are the same as far as they go for more words."""
    sources, last = np.array(program.sources, dtype=np.int64), 0
    for word in _numbers(words):
        first = int(word[0]) if word.size else 0
        choice, wait = (
            (mixing.draws(word.size, seed, column, first=first) % np.uint64(end)).astype(np.int64)
            for column, end in enumerate((sources.size, 2 * gap + 1))
        )
        release = last + np.cumsum(wait)
        last = release[-1] if release.size else last
        yield Words(sources[choice], release)


def _whole(program: Senders, parts: Iterable[Words], seed: int) -> Traffic:
    """All at once, for sinks that are always ready."""
    return Traffic(*_join_parts(parts), _always(program), seed)


def _always(program: Senders) -> BoolArray:
    return np.ones((1, program.network.nodes), dtype=np.bool_)


def broadcast(program: Senders, source: int, *, seed: int = 0) -> Traffic:
    """One word of one source."""
    return back_to_back(program, source, 1, seed=seed)


def back_to_back(program: Senders, source: int, words: int, *, seed: int = 0) -> Traffic:
    """Words of one source, offered without a pause."""
    return _whole(program, send_alone(source, words), seed)


def all_sources(program: Senders, words: int, *, seed: int = 0) -> Traffic:
    """The same number of words of every source, offered without a pause."""
    return _whole(program, send_all(program, words), seed)


def endless(program: Senders, cycles: int, *, seed: int = 0) -> Traffic:
    """Words that every source offers without a pause, enough for a run of some cycles.

    A word each for every source and cycle: for long runs see :mod:`noc.model.ordered.load`.
    """
    return all_sources(program, cycles, seed=seed)


def random_words(program: Senders, words: int, *, gap: int = 1, seed: int = 0) -> Traffic:
    """Words of random sources; from 0 to twice ``gap`` cycles lie between two."""
    return _whole(program, send_random(program, words, gap=gap, seed=seed), seed)


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
        From a program, a number of words of a source, in the mean, and a seed to the words, part
        by part. What it gives must depend on these arguments only.
    """

    name: str
    summary: str
    build: Callable[[Senders, int, int], Iterator[Words]]

    def __call__(
        self, program: Senders, words: int, seed: int, most: int | None = None
    ) -> LongTraffic:
        """``words`` of each source in the mean; no more than ``most``, of all together."""
        check_words(words * len(program.sources) if most is None else most)

        def parts() -> Iterator[Words]:
            left = most
            for part in self.build(program, words, seed):
                yield Words(*(column[:left] for column in part))
                left = None if left is None else left - part.source.size
                if left is not None and left <= 0:
                    break

        count = 0
        for part in parts():
            _check_words(part, program)
            count += part.source.size
        return LongTraffic(parts, count, program.sources, _always(program), seed)


def _at_random(gap: int) -> Callable[[Senders, int, int], Iterator[Words]]:
    return lambda program, words, seed: send_random(
        program, words * len(program.sources), gap=gap, seed=seed
    )


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
            lambda program, words, _: send_all(program, words),
        ),
        TrafficPattern(
            "dense", "random sources send without a pause between two words", _at_random(gap=0)
        ),
        TrafficPattern(
            "sparse", "random sources send, 0 to 4 cycles between two words", _at_random(gap=2)
        ),
    ),
    reserved=(*OF_VERIFY, "mixture"),
)


def _as_of(function: Callable[..., object]) -> Callable[[Iterator[object]], object]:
    """What gives the next part, and is taken for a part of a function."""

    def step(parts: Iterator[object]) -> object:
        return next(parts, None)

    step.__wrapped__ = function  # type: ignore[attr-defined]
    return step


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
    # Errors are those of its file.
    step = guarded(_as_of(pattern.build), where)

    def build(program: Senders, words: int, seed: int) -> Iterator[Words]:
        parts = inner(program, words, seed)
        if not isinstance(parts, Iterator):
            raise InputError(
                f"{where}: build returned type {type(parts).__name__}, not an iterator"
            )
        while (part := step(parts)) is not None:
            if not isinstance(part, Words):
                raise InputError(f"{where}: build gave type {type(part).__name__}, not Words")
            try:
                _check_words(part, program)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            yield part

    TRAFFIC.add(replace(pattern, build=build), plugin)
