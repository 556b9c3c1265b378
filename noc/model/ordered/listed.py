"""The ordered fabric with words and sinks from lists, compiled, and what such a run writes down."""

from typing import NamedTuple

from noc.compiled import compiled_whole, inlined
from noc.model import runs
from noc.model.ordered.kernel import offer, run_cycle, watch_after, watch_before
from noc.model.ordered.state import Fixed, Registers
from noc.model.runs import DRAINED, FULL, HUNGRY, LIMIT, NONE, STILL, Offered, runs_out
from noc.networks import IntArray


class Counts(runs.Counts):
    """A record of what was counted so far."""

    passed: int  # words that passed the root


class Log(NamedTuple):
    """What a run counts and lists; arrays without rows of what it need not list."""

    counts: Counts
    events: IntArray  # (3, room): cycle, stream, word
    joins: IntArray  # (room, 2): both words of each result
    signals: IntArray  # (cycles, streams and more): what they show
    root: int  # whether words that pass the root are events too


@inlined
def _release(fixed: Fixed, offered: Offered, registers: Registers, source: int) -> int:
    """The release of a source's next word; NONE while it offers one, and if there is none."""
    for way in range(fixed.ways[source], fixed.ways[source + 1]):
        if registers.length[fixed.offering + way]:
            return NONE
    if offered.next[source] == offered.end[source]:
        if registers.rounds[source] == 0:
            return NONE
        registers.rounds[source] -= 1
        offered.next[source] = offered.end[source] - offered.drawn[source]
    return int(offered.release[offered.next[source]])


@inlined
def _offer_released(fixed: Fixed, offered: Offered, registers: Registers, cycle: int) -> None:
    """Sources that offer no word offer one whose release has come; some of them are dropped."""
    for source in range(fixed.sources):
        if NONE < _release(fixed, offered, registers, source) <= cycle:
            row = offered.next[source]
            offered.next[source] += 1
            if offered.way[row] == NONE:
                registers.moved[source] = offered.word[row]
                registers.moved[fixed.dropped[source]] = 0
            else:
                offer(fixed, registers, offered.way[row], offered.word[row])


@inlined
def _all_offered(fixed: Fixed, offered: Offered, registers: Registers, cycle: int) -> bool:
    """Whether no source will offer a word in this cycle, or later, that it did not before."""
    for source in range(fixed.sources):
        if _release(fixed, offered, registers, source) >= cycle:
            return False
    return True


@inlined
def _empty(fixed: Fixed, offered: Offered, registers: Registers) -> bool:
    """Whether no buffer and no queue holds a word, nor will get one."""
    for source in range(fixed.sources):
        if offered.next[source] < offered.end[source] or registers.rounds[source]:
            return False
    held = 0
    for buffer in range(registers.length.size):
        held += registers.length[buffer]
        for stage in range(1, fixed.stages[buffer]):
            held += registers.word[buffer, stage] != NONE
    for node in range(registers.queue_length.size):
        held += registers.queue_length[node]
        held += registers.kept[node] != NONE and registers.returns[node]
    return bool(held == 0)


@inlined
def _list(log: Log, stream: int, word: int) -> None:
    """Add an event to the list, if there is one."""
    if log.events.shape[1]:
        event = log.events.shape[1] - log.counts.room
        log.events[0, event] = log.counts.cycle
        log.events[1, event] = stream
        log.events[2, event] = word
        log.counts.room -= 1


@inlined
def _write_down(fixed: Fixed, registers: Registers, log: Log) -> None:
    """Write down what moved in a cycle, and which joins have waited too long, and forget it."""
    counts, moved, quiet = log.counts, registers.moved, log.counts.quiet + 1
    ejects = fixed.sources + fixed.node.size
    for stream in range(fixed.streams):
        word = moved[stream]
        if word != NONE:
            moved[stream] = NONE
            _list(log, stream, word)
            counts.injected += stream < fixed.sources
            counts.ejected += fixed.sources <= stream < ejects
            # Words that do not match may be offered for ever.
            if stream < fixed.alarms:
                quiet = 0
    if moved[fixed.leave] != NONE:
        counts.passed += 1
        if log.root:
            _list(log, fixed.leave, moved[fixed.leave])
    for unseen in range(fixed.streams, fixed.other + 1):
        if moved[unseen] != NONE:
            moved[unseen] = NONE
            quiet = 0
    counts.quiet = quiet
    for join in range(fixed.alarm.size if fixed.watchdog else 0):
        late = moved[fixed.other + 1 + join]
        if late != NONE:
            moved[fixed.other + 1 + join] = NONE
            _list(log, fixed.late[join], fixed.late_bit[join] << 2 | late)


@inlined
def _let_die(fixed: Fixed, registers: Registers, cycle: int) -> None:
    """Streams by which no word passes from a cycle on; a sink that is dead never comes back."""
    for fault in range(fixed.dies.shape[0]):
        stream = fixed.dies[fault, 0]
        if fixed.dies[fault, 1] == cycle:
            registers.dead[stream] = 1
            if fixed.sources <= stream < fixed.sources + fixed.node.size:
                registers.returns[stream - fixed.sources] = 0


@inlined
def _cycle(fixed: Fixed, registers: Registers, log: Log) -> None:
    """One cycle; and, if that is asked for, what streams show in it."""
    counts, watched = log.counts, log.signals.shape[0] > 0
    if watched:
        watch_before(fixed, registers, log.signals[counts.watched])
    run_cycle(fixed, registers, log.joins)
    if watched:
        watch_after(fixed, registers, log.signals[counts.watched])
        counts.watched += 1
    _write_down(fixed, registers, log)
    counts.cycle += 1


@inlined
def _is_full(fixed: Fixed, registers: Registers, log: Log) -> bool:
    """Whether a list might have no room for what one more cycle adds."""
    if log.events.shape[1] and log.counts.room < registers.moved.size:
        return True
    listed = registers.results[0] - registers.results[1]
    if log.joins.shape[0] and log.joins.shape[0] - listed < fixed.alarm.size:
        return True
    return bool(log.signals.shape[0] and log.counts.watched == log.signals.shape[0])


@compiled_whole
def advance(fixed: Fixed, offered: Offered, registers: Registers, log: Log) -> int:
    """Run until the run ends, or until a list might be too short for another cycle."""
    counts, period = log.counts, offered.ready.shape[0]
    while True:
        if runs_out(offered):
            return HUNGRY
        _let_die(fixed, registers, counts.cycle)
        if _empty(fixed, offered, registers):
            return DRAINED
        if counts.cycle >= offered.stop:
            return LIMIT
        # Registers change only where words move.
        still = counts.quiet >= offered.patience
        if still and _all_offered(fixed, offered, registers, counts.cycle):
            return STILL
        if _is_full(fixed, registers, log):
            return FULL
        _offer_released(fixed, offered, registers, counts.cycle)
        sinks = offered.ready[counts.cycle % period]
        for node in range(registers.ready.size):
            registers.ready[node] = sinks[node] and not registers.dead[fixed.sources + node]
        for number in range(registers.away.size):
            registers.away[number] = sinks[registers.ready.size + number]
        _cycle(fixed, registers, log)
