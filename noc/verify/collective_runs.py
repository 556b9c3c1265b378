"""The runs of a verification of a network with operations."""

from dataclasses import replace

from noc.design import OrderedDesign
from noc.errors import InputError, option
from noc.model import SINKS
from noc.model.ordered.patterns import Mixture, mixed_operations
from noc.verify.runs import MIXTURE, Run

__all__ = ["KINDS", "list_runs", "mix_runs"]

#: What words are given: of all operations and nodes; with nodes that begin late; among wrong ones.
KINDS = {
    "mixed": Mixture(longest=4, gap=0),
    "sparse": Mixture(longest=3, gap=6),
    "skewed": Mixture(longest=4, gap=1, skew=1000),
    "wrong": Mixture(longest=2, gap=1, wrong=20),
}

#: What each sends, for ``noc list``.
SUMMARIES = {
    "mixed": "all operations, without a pause",
    "sparse": "all operations, with pauses",
    "skewed": "all operations, of which some nodes begin a thousand cycles late",
    "wrong": "all operations, and words that no operation takes",
}

#: Messages of each node in a run, where nothing is asked for.
_WORDS = 64


def list_runs(
    design: OrderedDesign, names: list[str], *, words: int | None, cycles: int | None, seed: int
) -> list[Run]:
    """The runs of some names, like ``mixed:half``; without sinks they are always ready."""
    return [
        _build_run(design, name, words=words, cycles=cycles, seed=seed + place)
        for place, name in enumerate(names)
    ]


def mix_runs(
    design: OrderedDesign, *, words: int | None, cycles: int | None, seed: int
) -> list[Run]:
    """All kinds, with all sinks."""
    kinds = list(KINDS)
    names = [f"{kinds[place % len(kinds)]}:{sinks}" for place, sinks in enumerate(SINKS)]
    return list_runs(design, names, words=words, cycles=cycles, seed=seed)


def _build_run(
    design: OrderedDesign, name: str, *, words: int | None, cycles: int | None, seed: int
) -> Run:
    kind, _, sinks = name.partition(":")
    sinks = sinks or "always"
    asked = option("name", name, flag="traffic")
    if kind not in KINDS:
        raise InputError(f"{asked}: {', '.join([MIXTURE, *KINDS])} are allowed with operations")
    if sinks not in SINKS:
        raise InputError(f"{asked}: the sinks are one of {', '.join(SINKS)}")
    messages = words or _WORDS
    mixture = replace(KINDS[kind], messages=messages)
    ready = SINKS[sinks](design.network.nodes, seed)
    traffic = mixed_operations(design.program, design.width, mixture, ready=ready, seed=seed)
    count = len(design.program.operations.listed)
    what = f"{messages} messages of {count} operations"
    return Run(f"{kind}:{sinks}", what, traffic, cycles)
