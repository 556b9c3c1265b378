"""The runs of a verification: which words are sent, and when the sinks take them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import InputError, option, switch
from noc.model import SINKS, TRAFFIC, LongTraffic, Traffic, broadcast, mixing
from noc.model.ordered.run import AnyTraffic
from noc.model.ordered.traffic import Mixture, mixed_operations
from noc.model.sinks import absent, members_away
from noc.model.traffic import OF_VERIFY, BoolArray, send_all, send_alone

ALONE, BACK_TO_BACK, ENDLESS = OF_VERIFY

#: All of what is meaningful for the design.
MIXTURE = "mixture"

#: Sinks that are away for so many cycles more than their time-out.
ABSENT, _ABSENT = "absent", 25

#: Members that are away for some time, while others go on; the traffic never ends.
AWAY = "away"

#: Transfers of a run of the mixture, at most, as far as its least number of words allows.
_TRANSFERS = 250_000

_LEAST_WORDS = 8

#: Cycles of a run whose traffic never ends, where nothing is asked for.
_LEAST_CYCLES, _MOST_CYCLES = 100, 1000

#: Cycles after a broadcast before the next one: a stray copy would still be seen alone.
_PAUSE = 4


#: What words are given: of all operations and nodes; with nodes that begin late; among wrong ones.
KINDS = {
    "mixed": Mixture(longest=4, gap=0),
    "sparse": Mixture(longest=3, gap=6),
    "skewed": Mixture(longest=4, gap=1, skew=1000),
    "wrong": Mixture(longest=2, gap=1, wrong=20),
    AWAY: Mixture(longest=3, gap=1),
}

#: What each sends, for ``noc list``.
SUMMARIES = {
    "mixed": "all operations, without a pause",
    "sparse": "all operations, with pauses",
    "skewed": "all operations, of which some nodes begin a thousand cycles late",
    "wrong": "all operations, and words that no operation takes",
    AWAY: "all operations without end, while members are away at times; with --stand-ins",
}

#: Messages of each node in a run, where nothing is asked for.
_MESSAGES = 64


@dataclass(frozen=True)
class Run:
    """One run after reset."""

    #: Traffic and sinks.
    name: str
    #: What is sent, in words.
    what: str
    #: The words and the sinks.
    traffic: AnyTraffic = field(repr=False)
    #: Cycles after which it is cut off.
    cycles: int | None = None
    #: How many words are sent, if that is known before.
    words: int | None = None


def names(design: AnyDesign) -> list[str]:
    """The names of traffic that the design allows, sinks apart."""
    if not design.operations.only_broadcast:
        return [kind for kind in KINDS if kind != AWAY or design.program.stand_ins]
    return [ALONE, BACK_TO_BACK, *([*TRAFFIC, ENDLESS] if design.sources == "all" else ())]


def list_sinks(design: AnyDesign) -> list[str]:
    """The names of sinks that the design allows."""
    if design.always_ready:
        return ["always"]
    return [*SINKS, *[ABSENT] * (design.sink_timeout > 0)]


def mixture(design: AnyDesign, *, words: int | None, cycles: int | None, seed: int) -> list[Run]:
    """Broadcasts alone, one source at full rate, and all sources at once, with all sinks.

    With operations, words of all of them, with all sinks.
    """
    others = [sinks for sinks in list_sinks(design) if sinks != "always"]
    chosen = [(ALONE, "always"), (BACK_TO_BACK, "always")]
    if not design.operations.only_broadcast:
        kinds, all_sinks = names(design), list_sinks(design)
        count = max(len(kinds), len(all_sinks))
        chosen = [(kinds[n % len(kinds)], all_sinks[n % len(all_sinks)]) for n in range(count)]
    elif design.always_ready:
        chosen += [(kind, "always") for kind in names(design) if kind not in (ALONE, BACK_TO_BACK)]
    elif design.sources == "all":
        chosen += [(BACK_TO_BACK, "half"), ("full", "always"), (ENDLESS, "always")]
        chosen += [(("dense", "sparse")[place % 2], sinks) for place, sinks in enumerate(others)]
    else:
        chosen += [(BACK_TO_BACK, sinks) for sinks in others]
    return [
        run(
            design,
            f"{kind}:{sinks}",
            words=None if kind in (ENDLESS, AWAY) else words,
            cycles=cycles,
            seed=seed + place,
        )
        for place, (kind, sinks) in enumerate(chosen)
    ]


def run(design: AnyDesign, name: str, *, words: int | None, cycles: int | None, seed: int) -> Run:
    """The run of a name, like ``full:bursty``; without sinks they are always ready.

    Parameters
    ----------
    design : AnyDesign
        The network.
    name : str
        The traffic, and after a colon the sinks.
    words : int, optional
        Words of each source, or of the one source, or messages of operations; without, as many as
        a run of fair length has. Traffic that never ends has no such number.
    cycles : int, optional
        Cycles after which the run is cut off; without ``words``, offer as many as a sink can take
        until then, which are not enough for each source to send until then: ``endless`` is.
    seed : int
        Chooses sources, pauses, payloads and sinks.
    """
    asked = option("name", name, flag="traffic")
    kind, colon, sinks = name.partition(":")
    sinks = sinks if colon else "always"
    if kind not in names(design):
        if kind == AWAY:
            raise InputError(f"{asked}: members are away only with {switch('stand_ins', True)}")
        allowed = ", ".join([MIXTURE, *names(design)])
        many = " with operations" if not design.operations.only_broadcast else ""
        many = many if design.sources == "all" else " with one source at a time"
        raise InputError(f"{asked}: {allowed} are allowed{many}")
    if sinks not in list_sinks(design):
        raise InputError(f"{asked}: the sinks are one of {', '.join(list_sinks(design))}")
    if kind in (ENDLESS, AWAY):
        if words is not None:
            raise InputError(f"{asked}: ends with {option('cycles')}, not with {option('words')}")
        cycles = cycles or max(
            _LEAST_CYCLES, min(_MOST_CYCLES, _TRANSFERS // (2 * design.network.nodes))
        )
    ready = _sinks(design, sinks, seed)
    name, program = f"{kind}:{sinks}", design.program
    if not design.operations.only_broadcast:
        # Of one that never ends each has a word or more.
        messages = words or (cycles if kind == AWAY else None) or _MESSAGES
        return Run(name, *_of_operations(design, kind, ready, messages, seed), cycles)
    if kind == ENDLESS:
        assert cycles is not None
        count = cycles * len(program.sources)
        sent = LongTraffic(lambda: send_all(program, cycles), count, program.sources, ready, seed)
        return Run(name, "words of all sources without end", sent, cycles)
    traffic: Traffic | LongTraffic
    if kind == ALONE:
        traffic = _one_after_the_other(design, ready, words, seed)
        what = f"{traffic.words} single broadcasts" if traffic.words != 1 else "a single broadcast"
    elif kind == BACK_TO_BACK:
        count = words if words is not None else _fair(design, cycles)
        source = _drawn_source(design, seed)
        parts = partial(send_alone, source, count)
        traffic = LongTraffic(parts, count, [source], ready, seed)
        what = f"{count} words of one source without a pause"
    else:
        traffic = _many(design, kind, words, cycles, seed).taken_by(ready)
        what = f"{traffic.words} words of many sources"
    return Run(name, what, traffic, cycles, traffic.words)


def _sinks(design: AnyDesign, name: str, seed: int) -> BoolArray:
    """When the sinks of a name are ready."""
    nodes = design.network.nodes
    if name == ABSENT:
        return absent(nodes, cycles=design.sink_timeout + _ABSENT)
    return SINKS[name](nodes, seed)


def _fair(design: AnyDesign, cycles: int | None) -> int:
    """Words of a run: a sink takes one each cycle; or for a fair length."""
    if cycles is not None:
        return cycles + 1
    return max(_LEAST_WORDS, min(400, _TRANSFERS // (2 * design.network.nodes)))


def _drawn_source(design: AnyDesign, seed: int) -> int:
    sources: tuple[int, ...] = design.program.sources
    return sources[mixing.key(seed, 3) % len(sources)]


def _many(
    design: AnyDesign, kind: str, words: int | None, cycles: int | None, seed: int
) -> LongTraffic:
    """Words of many sources: ``words`` of each, or the first ones of enough."""
    if words is not None:
        return TRAFFIC[kind](design.program, words, seed)
    count = _fair(design, cycles)
    if kind == "full":
        count = max(count, len(design.program.sources))
    each = -(-count // len(design.program.sources))
    return TRAFFIC[kind](design.program, each, seed, count)


def _one_after_the_other(
    design: AnyDesign, ready: BoolArray, words: int | None, seed: int
) -> Traffic:
    """Broadcasts of different sources, each when the one before has drained."""
    program = design.program
    sources = list(program.sources)
    most = len(sources) if words is None else words
    count = min(most, len(sources), max(_LEAST_WORDS, _TRANSFERS // (2 * design.network.nodes)))
    if count < len(sources):
        order = np.argsort(mixing.draws(len(sources), seed, 4), kind="stable")[:count]
        sources = [sources[place] for place in sorted(order.tolist())]
    count_cycles: Callable[..., int] = fabrics.module(design.fabric, "run").count_cycles
    release, at = [], 0
    for source in sources:
        release.append(at)
        one = broadcast(program, source, seed=seed).taken_by(np.roll(ready, -at, axis=0))
        at += _PAUSE + count_cycles(design, one)
    return Traffic(
        source=np.array(sources, dtype=np.int64),
        release=np.array(release, dtype=np.int64),
        ready=ready,
        seed=seed,
    )


def _of_operations(
    design: AnyDesign, kind: str, ready: BoolArray, messages: int, seed: int
) -> tuple[str, AnyTraffic]:
    mixture, away = replace(KINDS[kind], messages=messages), None
    if kind == AWAY:
        away = members_away(len(design.program.stand_ins), seed)
        ready = np.resize(ready, (len(away), design.network.nodes))
    traffic = mixed_operations(
        design.program, design.width, mixture, ready=ready, away=away, seed=seed
    )
    count = len(design.program.operations.listed)
    return f"{messages} messages of {count} operations", traffic


def name_runs(
    design: AnyDesign,
    traffic: str = MIXTURE,
    *,
    words: int | None = None,
    cycles: int | None = None,
    seed: int = 0,
) -> list[Run]:
    """The runs of the traffic of a name.

    Parameters
    ----------
    design : AnyDesign
        The network.
    traffic : str
        Names with commas between them, such as ``full:half,endless``; or ``mixture``, which is all
        of what is meaningful for the design.
    words, cycles, seed
        As :func:`noc.verify.run` takes them.
    """
    if traffic == MIXTURE:
        return mixture(design, words=words, cycles=cycles, seed=seed)
    return [
        run(design, name, words=words, cycles=cycles, seed=seed + place)
        for place, name in enumerate(traffic.split(","))
    ]
