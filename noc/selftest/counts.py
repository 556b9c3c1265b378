"""Counts what the endpoints of all nodes signal, in each cycle and at barriers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.conductor import Conductor
from noc.selftest.text import ALARMS
from noc.selftest.words import Words

__all__ = ["BarrierWatch", "Tally", "count", "delay"]

#: The signals of a node by their names.
Signals = Mapping[str, Any]


def delay(count: int) -> int:
    """Cycles from ``count`` bits to their sum."""
    return max(1, (count - 1).bit_length())


class Tally(wiring.Component):
    """How many of some bits are set, added up by a level of a tree in each cycle.

    Parameters
    ----------
    count : int
        Number of bits.

    Members
    -------
    bits : In(count)
        The bits.
    sum : Out(range(count + 1))
        How many were set ``delay`` cycles ago.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        self._count = count
        super().__init__({"bits": In(count), "sum": Out(range(count + 1))})

    def elaborate(self, platform: object) -> Module:
        """Add neighbours, then neighbouring sums, with registers between."""
        m = Module()
        level, most = list(self.bits), 1
        for height in range(delay(self._count)):
            most *= 2
            pairs = [level[first : first + 2] for first in range(0, len(level), 2)]
            shape = range(min(most, self._count) + 1)
            level = [Signal(shape, name=f"sum_{height}_{n}") for n in range(len(pairs))]
            m.d.sync += [total.eq(sum(pair)) for total, pair in zip(level, pairs, strict=True)]
        m.d.comb += self.sum.eq(level[0])
        return m


class BarrierWatch(wiring.Component):
    """Counts the members that wait at a barrier, and those of them that are still to be released.

    Members wait for the barrier's word before they give the next one. When the first is released,
    all of them must have given theirs in an earlier cycle; until the last is, nobody needs to.

    Parameters
    ----------
    nodes : int
        How many can come or be released in a cycle.
    members : int
        How many must come.

    Members
    -------
    clear : In(1)
        Forget everything.
    entered, released : In(range(nodes + 1))
        How many have come in a cycle, and how many were released in the same.
    early : Out(1)
        Somebody is released too early, or again.
    """

    def __init__(self, nodes: int, members: int) -> None:
        self._nodes, self._members = nodes, members
        counts = {name: In(range(nodes + 1)) for name in ("entered", "released")}
        super().__init__({"clear": In(1), **counts, "early": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """What is broken may release more than ever came: the counts stay where they are then."""
        m = Module()
        waiting, left = Signal(range(2 * self._nodes + 1)), Signal(range(self._nodes + 1))
        begins, early = Signal(), Signal()
        m.d.comb += [
            begins.eq(self.released.any() & (left == 0)),
            early.eq(
                Mux(begins, waiting < self._members, self.released > left)
                | (self.released > waiting)
            ),
        ]
        m.d.sync += self.early.eq(early & ~self.clear)
        m.d.sync += waiting.eq(waiting + self.entered - Mux(early, 0, self.released))
        with m.If(~early):
            m.d.sync += left.eq(Mux(begins, self._members, left) - self.released)
        with m.If(self.clear):
            m.d.sync += [waiting.eq(0), left.eq(0)]
        return m


def _times(count: int, value: Value) -> Value:
    """A multiple, added up by hand, since a synthesis tool would take a multiplier for it."""
    shifts = [bit for bit in range(count.bit_length()) if count >> bit & 1]
    return sum((value << bit for bit in shifts), Const(0))


def count(m: Module, words: Words, conductor: Conductor, nodes: Sequence[Signals]) -> None:
    """Add up what all endpoints signal, and the alarms of the network, for the conductor."""

    def tally(name: str, bits: Iterable[Any]) -> Value:
        """How many are set, for all of them the same few cycles later."""
        m.submodules[f"tally_{name}"] = adder = Tally(len(nodes))
        m.d.comb += adder.bits.eq(Cat(bits))
        total: Value = adder.sum
        return total

    def of_operation(event: str, number: int) -> Value:
        return tally(f"{event}_{number}", (node[event][number] for node in nodes))

    for event in ("sent", "right", "wrong", "extra"):
        total = tally(event, (node[event].any() for node in nodes))
        m.d.comb += getattr(conductor, event).eq(total)
    copies = [words.copies(number) for number in range(len(words.listed))]
    expected: Value = Const(0)
    for some in sorted({number for each in copies for number in each.values()} - {0}):
        sent = [
            Cat(
                bit
                for bit, each in zip(signals["sent"], copies, strict=True)
                if each.get(n) == some
            )
            for n, signals in enumerate(nodes)
        ]
        expected += _times(some, tally(f"for_{some}", (bits.any() for bits in sent)))
    m.d.sync += conductor.expected.eq(expected)
    if not words.reported:
        return
    alarms = [
        tally(name, (node[name].any() if name in node else Const(0) for node in nodes))
        for name in ALARMS[:2]
    ]
    early: Value = Const(0)
    numbers: list[Value] = []
    for number, operation in enumerate(words.listed):
        numbers += [of_operation("sent", number), of_operation("right", number)]
        if operation.kind == "barrier":
            watch = BarrierWatch(len(nodes), len(words.members(number)))
            m.submodules[f"barrier_{number}"] = watch
            m.d.comb += [
                watch.clear.eq(conductor.clear),
                watch.entered.eq(numbers[-2]),
                watch.released.eq(of_operation("released", number)),
            ]
            early += watch.early
    more = [*alarms, early, *numbers]
    m.d.comb += [to.eq(of) for to, of in zip(conductor.more, more, strict=True)]
