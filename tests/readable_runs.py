"""Runs of the cycle model that is there to be read, in the form in which both are compared."""

from dataclasses import dataclass

import numpy as np
from readable_ordered import Fabric

from noc.model import Traffic
from noc.model.ordered import CollectiveTraffic, OrderedRun, ordered_streams, unpack
from noc.model.ordered.streams import fields_of, pack
from noc.model.runs import Signals
from noc.programs.ordered import OrderedProgram


@dataclass(frozen=True)
class Readable:
    """What a run gave, with the names that :class:`noc.model.ordered.OrderedRun` has."""

    program: OrderedProgram
    width: int
    traffic: CollectiveTraffic
    end: str
    cycles: int
    bits: list[tuple[int, int, int]]
    passing: list[tuple[int, int]]


def as_given(width: int, traffic: Traffic) -> CollectiveTraffic:
    """Broadcasts, with the data that their seed names."""
    none = np.zeros_like(traffic.source)
    data = tuple(traffic.payload(word, width) for word in range(traffic.words))
    return CollectiveTraffic(
        traffic.source, traffic.release, none, none, none, none, data, traffic.ready
    )


def run_readable(
    program: OrderedProgram, width: int, traffic: CollectiveTraffic, cycles: int | None = None
) -> Readable:
    fabric = Fabric(program, width, traffic)
    end = fabric.run(10**9 if cycles is None else cycles)
    inside = program.words(width).inside
    passing = [(cycle, pack(word, inside)) for cycle, word in fabric.order]
    return Readable(program, width, traffic, end, fabric.cycle, fabric.events, passing)


def watch_readable(
    program: OrderedProgram, width: int, traffic: CollectiveTraffic, cycles: int
) -> Signals:
    """What streams show; a word is 0, whichever it is."""
    fabric = Fabric(program, width, traffic)
    changes, last = [], dict.fromkeys(fabric.number.values(), (False, False))
    for cycle in range(cycles):
        shown = fabric.shown()
        for stream, (offers, ready) in shown.items():
            if last[stream] != (offers, ready):
                changes.append((stream, cycle, offers - 1, int(ready)))
        last |= shown
        fabric.step()
    columns = np.array(sorted(changes), dtype=np.int64).reshape(-1, 4)
    return Signals(*columns.T)


def changes_of(signals: Signals) -> list[tuple[int, ...]]:
    """Every change of what streams show."""
    rows = list(zip(*(column.tolist() for column in vars(signals).values()), strict=True))
    return [
        row
        for before, row in zip([None, *rows], rows, strict=False)
        if before is None or (before[0], *before[2:]) != (row[0], *row[2:])
    ]


def differences(one: Readable | OrderedRun, other: Readable | OrderedRun) -> list[str]:
    """What is not the same in two runs."""
    names = ("end", "cycles", "bits", "passing")
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def at(
    run: Readable | OrderedRun, kind: str, node: int, group: int = 0
) -> list[tuple[int, dict[str, int]]]:
    """The cycle of each event at one stream or alarm, and the fields of its word."""
    streams = ordered_streams(run.program)
    words = run.program.words(run.width)
    return [
        (cycle, unpack(bits, fields_of(streams[stream], words)))
        for cycle, stream, bits in run.bits
        if (streams[stream].kind, streams[stream].node, streams[stream].group)
        == (kind, node, group)
    ]
