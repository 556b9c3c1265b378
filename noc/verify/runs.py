"""The runs of a verification: which words are sent, and when the sinks take them."""

from dataclasses import dataclass, field, replace

import numpy as np

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.model import (
    SINKS,
    TRAFFIC,
    Traffic,
    back_to_back,
    broadcast,
    endless,
    mixing,
)
from noc.model.collective.traffic import CollectiveTraffic
from noc.model.traffic import OF_VERIFY, BoolArray
from noc.networks import memory
from noc.verify.models import accepted_by_source, run_model

__all__ = ["ALONE", "BACK_TO_BACK", "ENDLESS", "MIXTURE", "Run", "mixture", "names", "run"]

ALONE, BACK_TO_BACK, ENDLESS = OF_VERIFY

#: All of what is meaningful for the design.
MIXTURE = "mixture"

#: Transfers of a run of the mixture, at most, as far as its least number of words allows.
_TRANSFERS = 250_000

_LEAST_WORDS = 8

#: Cycles of a run whose traffic never ends, where nothing is asked for.
_LEAST_CYCLES, _MOST_CYCLES = 100, 1000

#: What a run takes in memory: words with their payloads, and transfers expected and logged.
_BYTES_PER_WORD, _BYTES_PER_TRANSFER = 200, 150

#: What a word takes that is offered in the model alone.
_BYTES_PER_OFFER = 100

#: Cycles after a broadcast before the next one: a stray copy would still be seen alone.
_PAUSE = 4


@dataclass(frozen=True)
class Run:
    """One run after reset.

    Parameters
    ----------
    name : str
        Traffic and sinks.
    what : str
        What is sent, in words.
    traffic : Traffic or CollectiveTraffic
        The words and the sinks.
    cycles : int or None
        It is cut off after so many cycles.
    """

    name: str
    what: str
    traffic: Traffic | CollectiveTraffic = field(repr=False)
    cycles: int | None = None


def names(design: AnyDesign) -> list[str]:
    """The names of traffic that the design allows, sinks apart."""
    return [ALONE, BACK_TO_BACK, *([*TRAFFIC, ENDLESS] if design.sources == "all" else ())]


def mixture(design: AnyDesign, *, words: int | None, cycles: int | None, seed: int) -> list[Run]:
    """Broadcasts alone, one source at full rate, and all sources at once, with all sinks."""
    chosen = [(ALONE, "always"), (BACK_TO_BACK, "always")]
    if design.sources == "all":
        others = [sinks for sinks in SINKS if sinks != "always"]
        chosen += [(BACK_TO_BACK, "half"), ("full", "always"), (ENDLESS, "always")]
        kinds = ("dense", "sparse")
        chosen += [(kinds[place % len(kinds)], sinks) for place, sinks in enumerate(others)]
    else:
        chosen += [(BACK_TO_BACK, sinks) for sinks in SINKS if sinks != "always"]
    return [
        run(
            design,
            f"{kind}:{sinks}",
            words=None if kind == ENDLESS else words,
            cycles=cycles,
            seed=seed + place,
        )
        for place, (kind, sinks) in enumerate(chosen)
    ]


def run(design: AnyDesign, name: str, *, words: int | None, cycles: int | None, seed: int) -> Run:
    """The run of a name, like ``full:bursty``; without sinks they are always ready.

    Parameters
    ----------
    design : Design
        The network.
    name : str
        The traffic, and after a colon the sinks.
    words : int, optional
        Words of each source, or of the one source; without, as many as a run of fair length has.
        Traffic that never ends has no such number.
    cycles : int, optional
        Cut the run off after so many cycles; without ``words``, offer as many as a sink can take
        until then, which are not enough for each source to send until then: ``endless`` is.
    seed : int
        Chooses sources, pauses, payloads and sinks.
    """
    asked = option("name", name, flag="traffic")
    kind, colon, sinks = name.partition(":")
    sinks = sinks if colon else "always"
    if kind not in names(design):
        allowed = ", ".join([MIXTURE, *names(design)])
        many = "" if design.sources == "all" else " with one source at a time"
        raise InputError(f"{asked}: {allowed} are allowed{many}")
    if sinks not in SINKS:
        raise InputError(f"{asked}: the sinks are one of {', '.join(SINKS)}")
    if kind == ENDLESS:
        if words is not None:
            raise InputError(f"{asked}: ends with {option('cycles')}, not with {option('words')}")
        cycles = cycles or max(
            _LEAST_CYCLES, min(_MOST_CYCLES, _TRANSFERS // (2 * design.network.nodes))
        )
    _check_memory(design, kind, words, cycles)
    ready = SINKS[sinks](design.network.nodes, seed)
    if kind == ALONE:
        traffic = _one_after_the_other(design, ready, words, seed)
        what = f"{traffic.words} single broadcasts" if traffic.words != 1 else "a single broadcast"
    elif kind == BACK_TO_BACK:
        count = words if words is not None else _fair(design, cycles)
        traffic = back_to_back(design.program, _drawn_source(design, seed), count, seed=seed)
        what = f"{count} words of one source without a pause"
    elif kind == ENDLESS and cycles is not None:
        traffic = _endless(design, cycles, ready, seed)
        what = f"words of all sources without end, {traffic.words} of them offered"
    else:
        traffic = _many(design, kind, words, cycles, seed)
        what = f"{traffic.words} words of many sources"
    return Run(f"{kind}:{sinks}", what, traffic.taken_by(ready), cycles)


def _check_memory(design: AnyDesign, kind: str, words: int | None, cycles: int | None) -> None:
    """Refuse a run whose transfers cannot be held in memory; without limits none is so long."""
    if kind == ALONE or (words is None and cycles is None):
        return
    nodes = design.network.nodes
    count = _fair(design, cycles) if words is None else words
    if words is not None and kind != BACK_TO_BACK:
        count *= len(design.program.sources)
    # A sink takes one word a cycle, and most words arrive there by a link.
    taken = count if cycles is None else min(count, cycles)
    offered = nodes * count * _BYTES_PER_OFFER if kind == ENDLESS else 0
    memory.require(
        offered + count * _BYTES_PER_WORD + 2 * nodes * taken * _BYTES_PER_TRANSFER,
        purpose=f"a run of {count} words",
        remedy=f"use fewer {option('words')} or {option('cycles')}",
    )


def _fair(design: AnyDesign, cycles: int | None) -> int:
    """Words of a run: for so many cycles, since a sink takes one each, or for a fair length."""
    if cycles is not None:
        return cycles + 1
    return max(_LEAST_WORDS, min(400, _TRANSFERS // (2 * design.network.nodes)))


def _drawn_source(design: AnyDesign, seed: int) -> int:
    sources = design.program.sources
    return sources[mixing.key(seed, 3) % len(sources)]


def _many(
    design: AnyDesign, kind: str, words: int | None, cycles: int | None, seed: int
) -> Traffic:
    """Words of many sources: so many of each, or the first ones of enough."""
    if words is not None:
        return TRAFFIC[kind](design.program, words, seed)
    count = _fair(design, cycles)
    if kind == "full":
        count = max(count, len(design.program.sources))
    each = -(-count // len(design.program.sources))
    return _first(TRAFFIC[kind](design.program, each, seed), count)


def _first(traffic: Traffic, count: int) -> Traffic:
    return replace(
        traffic,
        source=traffic.source[:count],
        tree=traffic.tree[:count],
        release=traffic.release[:count],
    )


def _endless(design: AnyDesign, cycles: int, ready: BoolArray, seed: int) -> Traffic:
    """So many words of each source that it offers one in every cycle, and no more."""
    traffic = endless(design.program, cycles, seed=seed).taken_by(ready)
    accepted = accepted_by_source(design, traffic, cycles)
    turn = np.repeat(np.arange(cycles, dtype=np.int64), len(design.program.sources))
    offered = turn <= accepted[traffic.source]
    return replace(
        traffic,
        source=traffic.source[offered],
        tree=traffic.tree[offered],
        release=traffic.release[offered],
    )


def _one_after_the_other(
    design: AnyDesign, ready: BoolArray, words: int | None, seed: int
) -> Traffic:
    """Broadcasts of different sources and trees, each when the one before has drained."""
    program = design.program
    pairs = [(source, tree) for source in program.sources for tree in range(program.trees)]
    most = len(pairs) if words is None else words
    count = min(most, len(pairs), max(_LEAST_WORDS, _TRANSFERS // (2 * design.network.nodes)))
    if count < len(pairs):
        order = np.argsort(mixing.draws(len(pairs), seed, 4), kind="stable")[:count]
        pairs = [pairs[place] for place in sorted(order.tolist())]
    release, at = [], 0
    for source, tree in pairs:
        release.append(at)
        one = broadcast(program, source, tree=tree, seed=seed)
        at += _duration(design, replace(one, ready=np.roll(ready, -at, axis=0))) + _PAUSE
    return Traffic(
        source=np.array([source for source, _ in pairs], dtype=np.int64),
        tree=np.array([tree for _, tree in pairs], dtype=np.int64),
        release=np.array(release, dtype=np.int64),
        ready=ready,
        seed=seed,
    )


def _duration(design: AnyDesign, traffic: Traffic) -> int:
    return run_model(design, traffic).cycles
