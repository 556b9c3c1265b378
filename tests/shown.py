"""What streams show, cycle by cycle: as the cycle models say, and as a waveform says."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from noc.design import AnyDesign, Design, OrderedDesign
from noc.hardware import assemble, node_names
from noc.model import simulate, watch
from noc.model.ordered import (
    CollectiveTraffic,
    fields_of,
    ordered_streams,
    simulate_ordered,
    unpack,
    watch_ordered,
)
from noc.model.runs import NONE, Signals
from noc.model.traffic import Traffic


def names(path: Path) -> dict[tuple[str, ...], str]:
    """For every signal, by its scopes and its name, the mark that stands for it."""
    return {name: mark for name, mark, _ in declared(path)}


def declared(path: Path) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """For every signal its scopes and its name, the mark that stands for it, and its bits."""
    scopes: list[str] = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            yield (*scopes, words[4]), words[3], int(words[2])
        elif words[:1] == ["$enddefinitions"]:
            break


def rising(path: Path, clock: str) -> Iterator[dict[str, int]]:
    """The value of every mark just before each rising edge of the clock."""
    text = path.read_text().partition("$enddefinitions")[2]
    value, fresh = {}, {}
    for line in [*text.splitlines()[1:], "#end"]:
        if line.startswith("#"):
            if fresh.get(clock) == 1 and value.get(clock) == 0:
                yield value.copy()
            value.update(fresh)
            fresh = {}
        elif line.startswith("b"):
            bits, mark = line[1:].split()
            fresh[mark] = int(bits.replace("x", "0").replace("z", "0"), 2)
        elif line[:1] in "01xz" and line:
            fresh[line[1:]] = int(line[0] == "1")


FIELDS = ("valid", "ready", "data")

# What streams show in a cycle: the data of the word that is offered, or None; and whether they are
# ready. By node and name.
Shown = dict[tuple[int, str], list[tuple[int | None, bool]]]


def told_by_model(built: AnyDesign, traffic: Traffic | CollectiveTraffic) -> Shown:
    # Of a long one all words are here.
    traffic = getattr(traffic, "whole", traffic)
    if isinstance(traffic, CollectiveTraffic):
        return _told_of_operations(built, traffic)
    width, cycles = built.width, _length(built, traffic)
    if isinstance(built, Design):
        signals, ports = watch(built.program, traffic, cycles), built.program.inject + 2
        in_ports = [label.replace(" ", "_").removeprefix("in_") for label in built.network.in_ports]
        brief = [*(f"in_{label}" for label in in_ports), "inject", "eject"]
        streams = [divmod(number, ports) for number in range(built.network.nodes * ports)]
        keys = [(node, brief[port]) for node, port in streams]
    else:
        signals = watch_ordered(built.program, traffic, cycles)
        keys = [(stream.node, stream.kind) for stream in ordered_streams(built.program)]
    word, ready = _dense(signals, len(keys), cycles)
    return {
        key: [
            (None if w < 0 else traffic.payload(w, width), bool(r))
            for w, r in zip(word[place].tolist(), ready[place].tolist(), strict=True)
        ]
        for place, key in enumerate(keys)
    }


def _told_of_operations(built: OrderedDesign, traffic: CollectiveTraffic) -> Shown:
    """What is offered is what moves next; links without data show 0."""
    run = simulate_ordered(built.program, traffic, width=built.width)
    signals = watch_ordered(built.program, traffic, run.cycles)
    word, ready = _dense(signals, len(run.events.streams), run.cycles)
    moves: dict[int, list[tuple[int, int]]] = {}
    for cycle, stream, bits in run.bits:
        fields = unpack(bits, fields_of(run.events.streams[stream], run.format))
        moves.setdefault(stream, []).append((cycle, fields.get("data", 0)))
    groups = [name for name, _ in built.program.operations.groups]
    wrong = {
        (c, run.events.streams[s].node)
        for c, s, _ in run.bits
        if run.events.streams[s].kind == "dropped"
    }
    told: Shown = {}
    for place, stream in enumerate(run.events.streams):
        if stream.kind in ("dropped", "mismatch", "late"):
            continue
        brief = f"join_{groups[stream.group]}" if stream.kind == "join" else stream.kind
        told[stream.node, brief] = shown = []
        left = deque(moves.get(place, []))
        for cycle, (offered, taken) in enumerate(zip(word[place], ready[place], strict=True)):
            moved = left.popleft()[1] if left and left[0][0] == cycle else None
            # Wrong words go nowhere, and are not seen waiting.
            waits = left[0][1] if offered != NONE and moved is None else None
            shown.append((waits if moved is None else moved, bool(taken) or moved is not None))
            dropped = stream.kind == "inject" and (cycle, stream.node) in wrong
            assert dropped or (moved is not None) == bool(offered != NONE and taken)
    return told


def _dense(signals: Signals, streams: int, cycles: int) -> tuple[np.ndarray, np.ndarray]:
    """Word and ready of every stream in every cycle."""
    word, ready = np.full((streams, cycles), -1), np.zeros((streams, cycles), dtype=bool)
    changes = zip(signals.stream, signals.cycle, signals.word, signals.ready, strict=True)
    for stream, cycle, offered, taken in changes:
        word[stream, cycle:], ready[stream, cycle:] = offered, taken
    return word, ready


def told_by_waveform(built: AnyDesign, path: Path) -> Shown:
    known = names(path)
    node_of = {f"node_{name}": node for node, name in enumerate(node_names(built.network))}
    streams = [
        (node_of[scopes[1]], name.removesuffix("__valid"), scopes)
        for *scopes, name in known
        if len(scopes) == 2 and scopes[1] in node_of and name.endswith("__valid")
    ]
    reset, result = known["noc_bench", "rst"], {(node, brief): [] for node, brief, _ in streams}
    marks = [
        (result[node, brief], *(known.get((*scopes, f"{brief}__{field}")) for field in FIELDS))
        for node, brief, scopes in streams
    ]
    depends = {
        id(result[node, brief])
        for node, brief in result
        if brief == "inject" and _depends_on_the_word(built, node)
    }
    for value in rising(path, known["noc_bench", "clk"]):
        if not value[reset]:
            for shown, valid, ready, data in marks:
                word = (value[data] if data else 0) if value[valid] else None
                taken = bool(value[ready]) and not (word is None and id(shown) in depends)
                shown.append((word, taken))
    return result


def _depends_on_the_word(built: AnyDesign, node: int) -> bool:
    """Whether it depends on a node's own word where it goes, and so whether it is taken."""
    if not isinstance(built, OrderedDesign):
        return False
    plan = built.program.plan_of(node)
    ways = plan.sends + sum(joins.own for joins in plan.joins)
    return ways > 1 or "dropped" in assemble(built).alarms(node)


def differences(built: AnyDesign, traffic: Traffic | CollectiveTraffic, path: Path) -> list[object]:
    """Where the waveform shows something else than the model: stream, cycle, and what both say."""
    model, wave = told_by_model(built, traffic), told_by_waveform(built, path)
    assert set(wave) <= set(model)
    assert {brief for _, brief in wave} >= {"inject", "eject"}
    # The bench goes on for some cycles after the last transfer.
    assert all(len(shown) >= len(model[key]) for key, shown in wave.items())
    return [
        (key, cycle, *both)
        for key, shown in wave.items()
        for cycle, both in enumerate(zip(model[key], shown, strict=False))
        if both[0] != both[1]
    ]


def _length(built: AnyDesign, traffic: Traffic) -> int:
    if isinstance(built, Design):
        return simulate(built.program, traffic).cycles
    return simulate_ordered(built.program, traffic).cycles
