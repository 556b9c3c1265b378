"""Many runs of the same gates at once, each with a fault of its own, a bit of each word a run.

Run 0 has no fault. A run is logged from the cycle on in which a node gets, or a source gives, what
in run 0 it does not; before that its log is that of run 0.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import IntArray

Planes = npt.NDArray[np.uint64]

#: A run that has not differed from run 0.
SAME = -1

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


class Bench(NamedTuple):
    """What drives the gates and what is looked at, by numbers of signals."""

    #: The signals ``valid`` and ``ready`` of each stream (streams, 2), and those of its payload
    #: (streams, bits), or a negative number where there are fewer.
    inject: IntArray
    inject_bits: IntArray
    eject: IntArray
    eject_bits: IntArray
    #: Signals that tell of trouble.
    alarms: IntArray
    #: Array (inject streams + 1). The first word of each source.
    first: IntArray
    #: Array (words). The cycle from which on a word is offered.
    release: IntArray
    #: Array (words, bits). The bits of each.
    words: npt.NDArray[np.uint8]
    #: Array (period, eject streams). When sinks take; all take from the last cycle of run 0 on.
    ready: npt.NDArray[np.uint8]
    #: The signal that begins rounds, if any, and array (period): when it is up.
    start: IntArray
    starts: npt.NDArray[np.uint8]
    #: The last cycle of run 0.
    busy: int
    #: How long runs are.
    cycles: int


class Faults(NamedTuple):
    """What is wrong in which run."""

    #: Array (flips, 3). Cycle, flip-flop and run, by cycles: before that cycle the flip-flop
    #: changes its value.
    flips: IntArray
    #: Array (stuck, 3). Signal, value and run: the signal has the value in all cycles.
    stuck: IntArray


class Seen(NamedTuple):
    """What became of the runs."""

    #: Array (runs). The first cycle in which something that can be seen was not as in run 0, or
    #: ``SAME``.
    since: IntArray
    #: Array (runs). The first cycle in which an alarm was up that in run 0 was not, or ``SAME``.
    alarm: IntArray
    #: Array (runs). The entries in the log of each run; where it is full, nothing more is logged.
    logged: IntArray
    #: Array (log). When run 0 logged each.
    cycle: IntArray
    #: Array (runs, log). The eject streams that gave a word, and what it was, as a number that
    #: names it.
    stream: IntArray
    word: Planes
    #: Array (runs). The words that sources gave.
    taken: IntArray
    #: Array (runs). Whether some flip-flop at the end is not as in run 0.
    latent: npt.NDArray[np.bool_]


class Machine(NamedTuple):
    """The gates of some runs, and where they are."""

    #: Array (signals, groups). Each signal in all runs.
    values: Planes
    #: Array (flip-flops, groups). Room for what flip-flops take.
    state: Planes
    #: Array (inject streams, runs). The words that each source has given.
    sent: IntArray
    #: Array (groups). The runs in which something was seen that in run 0 was not, and those with an
    #: alarm.
    differs: Planes
    alarmed: Planes
    #: Array (stuck signals, groups). The runs in which a signal is stuck, and those in which it is
    #: stuck at 1.
    masks: Planes
    levels: Planes
    #: Array (signals). The row of a signal in these, or a negative number.
    row_of: IntArray


@compiled
def machine(
    registers: IntArray, signals: int, sources: int, stuck: IntArray, groups: int
) -> Machine:
    """Gates at the beginning."""
    values = np.zeros((signals, groups), dtype=np.uint64)
    values[1] = _ALL
    for number in range(registers.shape[0]):
        values[registers[number, 1]] = _ALL if registers[number, 2] else _NONE
    masks, levels, row_of = _stuck(signals, stuck, groups)
    return Machine(
        values,
        np.zeros((registers.shape[0], groups), dtype=np.uint64),
        np.zeros((sources, 64 * groups), dtype=np.int32),
        np.zeros(groups, dtype=np.uint64),
        np.zeros(groups, dtype=np.uint64),
        masks,
        levels,
        row_of,
    )


@compiled
def advance(
    gates: IntArray,
    registers: IntArray,
    few: Machine,
    bench: Bench,
    names: Planes,
    seen: Seen,
    begin: int,
    end: int,
) -> None:
    """Play 64 runs without a fault from one cycle to before another."""
    for cycle in range(begin, end):
        _step(gates, registers, few, bench, names, seen, cycle)


@compiled
def play(
    gates: IntArray,
    registers: IntArray,
    few: Machine,
    bench: Bench,
    faults: Faults,
    names: Planes,
    seen: Seen,
    cycle: int,
) -> int:
    """Play as many runs as ``seen`` has room for, from where a run without a fault is; the end.

    It is before the end of the run if no run can be told from run 0 any more.
    """
    signals, groups = few.values.shape[0], seen.since.size // 64
    many = machine(registers, signals, few.sent.shape[0], faults.stuck, groups)
    for signal in range(signals):
        many.values[signal, :] = few.values[signal, 0]
    for source in range(bench.inject.shape[0]):
        many.sent[source, :] = few.sent[source, 0]
    flip = 0
    while cycle < bench.cycles:
        while flip < faults.flips.shape[0] and faults.flips[flip, 0] == cycle:
            run, signal = faults.flips[flip, 2], registers[faults.flips[flip, 1], 1]
            many.values[signal, run >> 6] ^= _ONE << np.uint64(run & 63)
            flip += 1
        _step(gates, registers, many, bench, names, seen, cycle)
        cycle += 1
        ended = flip == faults.flips.shape[0] and not faults.stuck.shape[0]
        if ended and not many.differs.any() and not _unlike(registers, many.values).any():
            break
    unlike = _unlike(registers, many.values)
    for run in range(seen.latent.size):
        seen.latent[run] = (unlike[run >> 6] >> np.uint64(run & 63)) & _ONE
    return cycle


@compiled
def _unlike(registers: IntArray, values: Planes) -> Planes:
    """The runs in which some flip-flop is not as in run 0."""
    result = np.zeros(values.shape[1], dtype=np.uint64)
    for number in range(registers.shape[0]):
        right = _ALL if values[registers[number, 1], 0] & _ONE else _NONE
        for group in range(values.shape[1]):
            result[group] |= values[registers[number, 1], group] ^ right
    return result


@compiled
def _step(
    gates: IntArray,
    registers: IntArray,
    machine: Machine,
    bench: Bench,
    names: Planes,
    seen: Seen,
    cycle: int,
) -> None:
    """Play one cycle."""
    values, state = machine.values, machine.state
    masks, levels, row_of = machine.masks, machine.levels, machine.row_of
    for number in range(registers.shape[0]):
        if row_of[registers[number, 1]] >= 0:
            _stick(values, registers[number, 1], masks, levels, row_of)
    _offer(values, bench, machine.sent, cycle)
    _take(values, bench, cycle)
    _evaluate(gates, values, masks, levels, row_of)
    _watch(values, bench, machine.differs, seen, cycle)
    _watch_alarms(values, bench, machine.alarmed, seen, cycle)
    _log(values, bench, machine.differs, names, seen, cycle)
    _count(values, bench, machine.sent, seen)
    for number in range(registers.shape[0]):
        state[number] = values[registers[number, 0]]
    for number in range(registers.shape[0]):
        values[registers[number, 1]] = state[number]


@compiled
def _stuck(signals: int, stuck: IntArray, groups: int) -> tuple[Planes, Planes, IntArray]:
    """Which runs have a signal stuck, and at what, by the row of the signal in these."""
    row_of = np.full(signals, -1, dtype=np.int32)
    masks = np.zeros((stuck.shape[0] + 1, groups), dtype=np.uint64)
    levels = np.zeros((stuck.shape[0] + 1, groups), dtype=np.uint64)
    count = 0
    for number in range(stuck.shape[0]):
        signal, value, run = stuck[number]
        if row_of[signal] < 0:
            row_of[signal] = count
            count += 1
        bit = _ONE << np.uint64(run & 63)
        masks[row_of[signal], run >> 6] |= bit
        if value:
            levels[row_of[signal], run >> 6] |= bit
    return masks, levels, row_of


@compiled
def _stick(values: Planes, signal: int, masks: Planes, levels: Planes, row_of: IntArray) -> None:
    """Give a signal its stuck values."""
    for group in range(values.shape[1]):
        mask = masks[row_of[signal], group]
        values[signal, group] = (values[signal, group] & ~mask) | levels[row_of[signal], group]


@compiled
def _evaluate(
    gates: IntArray, values: Planes, masks: Planes, levels: Planes, row_of: IntArray
) -> None:
    """All gates, one after the other."""
    for number in range(gates.shape[0]):
        kind, output, a, b, choice = gates[number]
        if kind == 0:
            for group in range(values.shape[1]):
                values[output, group] = ~values[a, group]
        elif kind == 1:
            for group in range(values.shape[1]):
                values[output, group] = values[a, group] & values[b, group]
        elif kind == 2:
            for group in range(values.shape[1]):
                values[output, group] = values[a, group] ^ values[b, group]
        else:
            for group in range(values.shape[1]):
                one, other = values[a, group], values[b, group]
                values[output, group] = one ^ ((one ^ other) & values[choice, group])
        if row_of[output] >= 0:
            _stick(values, output, masks, levels, row_of)


@compiled
def _offer(values: Planes, bench: Bench, sent: IntArray, cycle: int) -> None:
    """Each source offers its next word; most runs are where run 0 is."""
    for source in range(bench.inject.shape[0]):
        usual = sent[source, 0]
        _offer_all(values, bench, source, usual, cycle)
        for run in range(1, sent.shape[1]):
            if sent[source, run] != usual:
                _offer_one(values, bench, source, sent[source, run], cycle, run)


@compiled
def _due(bench: Bench, source: int, number: int, cycle: int) -> int:
    """The word of this number of a source, or a negative number while there is none."""
    word = bench.first[source] + number
    if word < bench.first[source + 1] and bench.release[word] <= cycle:
        return int(word)
    return -1


@compiled
def _offer_all(values: Planes, bench: Bench, source: int, number: int, cycle: int) -> None:
    word = _due(bench, source, number, cycle)
    values[bench.inject[source, 0]] = _ALL if word >= 0 else _NONE
    for bit in range(bench.inject_bits.shape[1]):
        signal = bench.inject_bits[source, bit]
        if signal >= 0:
            values[signal] = _ALL if word >= 0 and bench.words[word, bit] else _NONE


@compiled
def _offer_one(
    values: Planes, bench: Bench, source: int, number: int, cycle: int, run: int
) -> None:
    word = _due(bench, source, number, cycle)
    mask, group = _ONE << np.uint64(run & 63), run >> 6
    _put(values, bench.inject[source, 0], group, mask, word >= 0)
    for bit in range(bench.inject_bits.shape[1]):
        signal = bench.inject_bits[source, bit]
        if signal >= 0:
            _put(values, signal, group, mask, word >= 0 and bench.words[word, bit] > 0)


@compiled
def _put(values: Planes, signal: int, group: int, mask: np.uint64, up: bool) -> None:
    if up:
        values[signal, group] |= mask
    else:
        values[signal, group] &= ~mask


@compiled
def _take(values: Planes, bench: Bench, cycle: int) -> None:
    """The sinks are ready, or not; and a round begins, or not."""
    for signal in bench.start:
        values[signal] = _ALL if bench.starts[cycle % bench.starts.size] else _NONE
    row = cycle % bench.ready.shape[0]
    for sink in range(bench.eject.shape[0]):
        if bench.eject[sink, 1] >= 2:
            up = cycle >= bench.busy or bench.ready[row, sink] > 0
            values[bench.eject[sink, 1]] = _ALL if up else _NONE


@compiled
def _watch(values: Planes, bench: Bench, differs: Planes, seen: Seen, cycle: int) -> None:
    """Note the runs in which a sink gets what in run 0 it does not, or a source is as ready."""
    for group in range(values.shape[1]):
        fresh = _NONE
        for sink in range(bench.eject.shape[0]):
            moves = values[bench.eject[sink, 0], group] & values[bench.eject[sink, 1], group]
            if values[bench.eject[sink, 0], 0] & values[bench.eject[sink, 1], 0] & _ONE:
                fresh |= ~moves
                for bit in range(bench.eject_bits.shape[1]):
                    signal = bench.eject_bits[sink, bit]
                    if signal >= 0:
                        right = _ALL if values[signal, 0] & _ONE else _NONE
                        fresh |= values[signal, group] ^ right
            else:
                fresh |= moves
        for source in range(bench.inject.shape[0]):
            moves = values[bench.inject[source, 0], group] & values[bench.inject[source, 1], group]
            usual = values[bench.inject[source, 0], 0] & values[bench.inject[source, 1], 0] & _ONE
            fresh |= moves ^ (_ALL if usual else _NONE)
        fresh &= ~differs[group]
        differs[group] |= fresh
        for bit in range(64):
            if (fresh >> np.uint64(bit)) & _ONE:
                run = 64 * group + bit
                seen.since[run] = cycle
                # Its log until now.
                count = seen.logged[0]
                seen.logged[run] = count
                seen.stream[run, :count] = seen.stream[0, :count]
                seen.word[run, :count] = seen.word[0, :count]


@compiled
def _watch_alarms(values: Planes, bench: Bench, alarmed: Planes, seen: Seen, cycle: int) -> None:
    """Note the runs in which an alarm is up that in run 0 is not."""
    for group in range(values.shape[1]):
        up = _NONE
        for number in range(bench.alarms.shape[0]):
            usual = values[bench.alarms[number], 0] & _ONE
            up |= values[bench.alarms[number], group] & (_NONE if usual else _ALL)
        fresh = up & ~alarmed[group]
        alarmed[group] |= fresh
        for bit in range(64):
            if (fresh >> np.uint64(bit)) & _ONE:
                seen.alarm[64 * group + bit] = cycle


@compiled
def _log(
    values: Planes, bench: Bench, differs: Planes, names: Planes, seen: Seen, cycle: int
) -> None:
    """Log what sinks get in run 0, and in all that differ from it."""
    for group in range(values.shape[1]):
        logged = differs[group] | (_ONE if group == 0 else _NONE)
        for sink in range(bench.eject.shape[0]):
            moves = values[bench.eject[sink, 0], group] & values[bench.eject[sink, 1], group]
            moves &= logged
            for bit in range(64):
                if not moves:
                    break
                if moves & _ONE:
                    _log_one(values, bench, sink, 64 * group + bit, names, seen, cycle)
                moves >>= _ONE


@compiled
def _log_one(
    values: Planes, bench: Bench, sink: int, run: int, names: Planes, seen: Seen, cycle: int
) -> None:
    count = seen.logged[run]
    if count == seen.word.shape[1]:
        return
    name = _NONE
    for bit in range(bench.eject_bits.shape[1]):
        signal = bench.eject_bits[sink, bit]
        if signal >= 0 and (values[signal, run >> 6] >> np.uint64(run & 63)) & _ONE:
            name ^= names[bit]
    if run == 0:
        seen.cycle[count] = cycle
    seen.stream[run, count], seen.word[run, count] = sink, name
    seen.logged[run] = count + 1


@compiled
def _count(values: Planes, bench: Bench, sent: IntArray, seen: Seen) -> None:
    """Each source goes on to its next word where its word is taken."""
    for source in range(bench.inject.shape[0]):
        for group in range(values.shape[1]):
            moves = values[bench.inject[source, 0], group] & values[bench.inject[source, 1], group]
            for bit in range(64):
                if not moves:
                    break
                if moves & _ONE:
                    run = 64 * group + bit
                    sent[source, run] += 1
                    seen.taken[run] += 1
                moves >>= _ONE
