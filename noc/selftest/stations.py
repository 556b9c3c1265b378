"""What the self-test has at the nodes of a network, and how that is counted."""

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value

from noc.design import AnyDesign
from noc.selftest.conductor import Conductor
from noc.selftest.counts import BarrierWatch, Tally
from noc.selftest.text import ALARMS, EACH
from noc.selftest.words import Words, words_of

__all__ = ["Stations", "stations"]

#: The signals of a node by their names.
Signals = Mapping[str, Signal]


def _times(count: int, value: Value) -> Value:
    """A multiple, added up by hand, since a synthesis tool would take a multiplier for it."""
    shifts = [bit for bit in range(count.bit_length()) if count >> bit & 1]
    return sum((value << bit for bit in shifts), Const(0))


class Stations:
    """The endpoints of a network.

    Parameters
    ----------
    words : Words
        What they give.
    """

    def __init__(self, words: Words) -> None:
        self.words = words
        #: The operations that the report has lines for: none where all is broadcast.
        only_broadcast = words.operations.only_broadcast
        self.operations = () if only_broadcast else tuple(map(str, words.listed))

    def constants(self, node: int) -> dict[str, int]:
        """The values of the inputs of an endpoint that stay as they are, by the ports' names."""
        words = self.words
        result = {"node": words.numbers[node]}
        for name, nodes in (("gives", words.givers), ("gets", words.takers)):
            result[name] = sum(1 << n for n in range(len(words.listed)) if node in nodes(n))
        for place, group in enumerate(words.operations.joined_groups):
            members = words.operations.members(group)
            result[f"ranks__{place}"] = members.index(node) if node in members else 0
        return result

    def counting(self) -> dict[str, int]:
        """What the conductor must know to count."""
        words = self.words
        most = sum(max(words.copies(n).values()) for n in range(len(words.listed)))
        alarms = len(ALARMS) if self.operations else 0
        return {
            "copies": most * words.nodes,
            "lap": words.words_of_lap if words.laps else 0,
            "more": alarms + len(EACH) * len(self.operations),
            "errors": alarms,
        }

    def count(self, m: Module, conductor: Conductor, nodes: Sequence[Signals]) -> None:
        """Add up what all endpoints signal, and the alarms of the network, for the conductor."""

        def tally(name: str, bits: list[Any]) -> Value:
            """How many are set, for all of them the same few cycles later."""
            m.submodules[f"tally_{name}"] = adder = Tally(len(bits))
            m.d.comb += adder.bits.eq(Cat(bits))
            total: Value = adder.sum
            return total

        def of_operation(event: str, number: int) -> Value:
            return tally(f"{event}_{number}", [node[event][number] for node in nodes])

        for event in ("sent", "right", "wrong", "extra"):
            total = tally(event, [node[event].any() for node in nodes])
            m.d.comb += getattr(conductor, event).eq(total)
        expected: Value = Const(0)
        for count, givers in self._copies().items():
            bits = [
                Cat(signals["sent"][n] for n in givers[node]).any()
                for node, signals in enumerate(nodes)
            ]
            expected = expected + _times(count, tally(f"for_{count}", bits))
        m.d.sync += conductor.expected.eq(expected)
        if not self.operations:
            return
        early: Value = Const(0)
        numbers: list[Value] = []
        for number, operation in enumerate(self.words.listed):
            sent = of_operation("sent", number)
            numbers += [sent, of_operation("right", number)]
            if operation.kind == "barrier":
                m.submodules[f"barrier_{number}"] = watch = BarrierWatch(
                    len(nodes), len(self.words.members(number))
                )
                m.d.comb += [
                    watch.clear.eq(conductor.clear),
                    watch.entered.eq(sent),
                    watch.released.eq(of_operation("released", number)),
                ]
                early = early + watch.early
        alarms = [
            tally(name, [node[name].any() if name in node else Const(0) for node in nodes])
            for name in ALARMS[:2]
        ]
        more = [*alarms, early, *numbers]
        m.d.comb += [to.eq(of) for to, of in zip(conductor.more, more, strict=True)]

    def _copies(self) -> dict[int, list[list[int]]]:
        """For each number of words that come down for one, which operations of each node."""
        result: dict[int, list[list[int]]] = {}
        for number in range(len(self.words.listed)):
            for node, count in self.words.copies(number).items():
                if count:
                    empty: list[list[int]] = [[] for _ in range(self.words.nodes)]
                    result.setdefault(count, empty)[node].append(number)
        return result


def stations(design: AnyDesign) -> Stations:
    """What the self-test of a design has at its nodes; refuses what cannot be tested."""
    return Stations(words_of(design))
