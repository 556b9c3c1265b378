"""What the self-test places at the nodes of each kind of network, and how it is added up."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring

from noc.design import AnyDesign, OrderedDesign
from noc.selftest.barrier import BarrierWatch
from noc.selftest.conductor import Conductor
from noc.selftest.endpoint import EVENTS, Endpoint
from noc.selftest.judge import stream_bits
from noc.selftest.operation_endpoint import OperationEndpoint
from noc.selftest.operation_words import OperationWords, operation_words
from noc.selftest.tally import Tally
from noc.selftest.text import ALARMS, EACH
from noc.selftest.words import Words, words_of

__all__ = ["Stations", "stations"]

#: For each node a signal.
Bits = list[Signal]


class Stations(Protocol):
    """The endpoints of a network."""

    #: The operations that the report has lines for.
    operations: tuple[str, ...]
    #: Bits that an endpoint needs to clear what it expects one by one.
    sweep_bits: int
    #: Bits of the two payloads of an endpoint, which it offers and which arrive.
    payload_bits: tuple[int, int]
    #: Outputs of an endpoint that tell of a cycle, and their bits.
    events: Mapping[str, int]
    #: Outputs that belong to the payload for the network, and stand below it there.
    below: Mapping[str, int]

    def endpoint(self) -> "wiring.Component[Any]":
        """What stands at each node."""
        ...

    def of_node(self, node: int) -> Iterator[tuple[str, int, int]]:
        """The constants that a node gets: name, value and bits."""
        ...

    def counting(self) -> dict[str, int]:
        """What the conductor must know to count."""
        ...

    def count(
        self,
        m: Module,
        conductor: Conductor,
        events: Mapping[str, Bits],
        alarms: Mapping[str, Bits],
    ) -> None:
        """Add up what all endpoints tell, and give it to the conductor."""
        ...


def stations(design: AnyDesign) -> Stations:
    """What the self-test of a design places at its nodes; refuses what cannot be tested."""
    if isinstance(design, OrderedDesign) and not design.program.operations.only_broadcast:
        return _WithOperations(operation_words(design))
    return _Plain(words_of(design))


def _tally(m: Module, name: str, bits: Any) -> Value:
    """How many of some bits are set, the same few cycles later for all of them."""
    m.submodules[f"tally_{name}"] = tally = Tally(len(bits))
    m.d.comb += tally.bits.eq(Cat(bits))
    total: Value = tally.sum
    return total


def _times(count: int, value: Value) -> Value:
    """A multiple, added up by hand, since a synthesis tool would take a multiplier for it."""
    shifts = [bit for bit in range(count.bit_length()) if count >> bit & 1]
    return sum((value << bit for bit in shifts), Const(0))


class _Plain:
    """Every word is broadcast."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self.operations: tuple[str, ...] = ()
        self.sweep_bits = words.stream_bits
        self.payload_bits = words.width, words.arriving_bits
        self.events: Mapping[str, int] = dict.fromkeys(EVENTS, 1)
        self.below: Mapping[str, int] = {"tree": words.tree_bits} if words.tree_bits else {}

    def endpoint(self) -> "wiring.Component[Any]":
        return Endpoint(self._words)

    def of_node(self, node: int) -> Iterator[tuple[str, int, int]]:
        yield "node", node, self._words.node_bits

    def counting(self) -> dict[str, int]:
        return {"copies": self._words.nodes * self._words.receivers}

    def count(
        self,
        m: Module,
        conductor: Conductor,
        events: Mapping[str, Bits],
        alarms: Mapping[str, Bits],
    ) -> None:
        del alarms
        for name, bits in events.items():
            m.d.comb += getattr(conductor, name).eq(_tally(m, name, bits))
        m.d.comb += conductor.expected.eq(_times(self._words.receivers, conductor.sent))


class _WithOperations:
    """Words have operations."""

    def __init__(self, words: OperationWords) -> None:
        self._words = words
        self.operations = tuple(map(str, words.listed))
        self.sweep_bits = stream_bits(words)
        self.payload_bits = (
            sum(words.format.inject.values()),
            sum(words.format.eject.values()),
        )
        count = len(words.listed)
        self.events: Mapping[str, int] = {
            "sent": count,
            "right": count,
            "released": count,
            "wrong": 1,
            "extra": 1,
        }
        self.below: Mapping[str, int] = {}

    def endpoint(self) -> "wiring.Component[Any]":
        return OperationEndpoint(self._words)

    def of_node(self, node: int) -> Iterator[tuple[str, int, int]]:
        words = self._words
        count, bits = len(words.listed), max(1, words.node_bits)
        yield "node", words.numbers[node], bits
        for name, nodes in (("gives", words.givers), ("gets", words.takers)):
            yield name, sum(1 << n for n in range(count) if node in nodes(n)), count
        for place, group in enumerate(words.operations.joined_groups):
            members = words.operations.members(group)
            yield f"ranks__{place}", members.index(node) if node in members else 0, bits

    def counting(self) -> dict[str, int]:
        words = self._words
        most = sum(max(words.copies(n).values()) for n in range(len(words.listed)))
        return {
            "copies": most * words.nodes,
            "lap": words.words_of_lap,
            "more": len(ALARMS) + len(EACH) * len(words.listed),
            "errors": len(ALARMS),
        }

    def count(
        self,
        m: Module,
        conductor: Conductor,
        events: Mapping[str, Bits],
        alarms: Mapping[str, Bits],
    ) -> None:
        for name in ("sent", "right"):
            m.d.comb += getattr(conductor, name).eq(
                _tally(m, name, [bits.any() for bits in events[name]])
            )
        for name in ("wrong", "extra"):
            m.d.comb += getattr(conductor, name).eq(_tally(m, name, events[name]))
        expected: Value = Const(0)
        early: Value = Const(0)
        further = conductor.more[len(ALARMS) :]
        for number, operation in enumerate(self._words.listed):
            sent, right = (self._of_operation(m, events, name, number) for name in EACH)
            place = len(EACH) * number
            m.d.comb += [further[place].eq(sent), further[place + 1].eq(right)]
            expected = expected + self._expected(m, events["sent"], number, sent)
            if operation.kind == "barrier":
                early = early + self._early(m, conductor, events, number, sent)
        told = [_tally(m, name, [bits.any() for bits in alarms[name]]) for name in alarms]
        m.d.comb += [to.eq(of) for to, of in zip(conductor.more, (*told, early), strict=False)]
        m.d.sync += conductor.expected.eq(expected)

    def _of_operation(self, m: Module, events: Mapping[str, Bits], name: str, number: int) -> Value:
        return _tally(m, f"{name}_{number}", [bits[number] for bits in events[name]])

    def _expected(self, m: Module, sent: Bits, number: int, total: Value) -> Value:
        """How many words are to come for those that nodes gave of an operation."""
        copies = self._words.copies(number)
        result: Value = Const(0)
        for count in sorted(set(copies.values()) - {0}):
            nodes = {node for node, each in copies.items() if each == count}
            bits = [each[number] if n in nodes else Const(0) for n, each in enumerate(sent)]
            some = total if nodes == set(copies) else _tally(m, f"sent_{number}_{count}", bits)
            result = result + _times(count, some)
        return result

    def _early(
        self,
        m: Module,
        conductor: Conductor,
        events: Mapping[str, Bits],
        number: int,
        sent: Value,
    ) -> Value:
        """Whether a barrier lets nodes go too early."""
        members = len(self._words.members(number))
        m.submodules[f"barrier_{number}"] = watch = BarrierWatch(self._words.nodes, members)
        m.d.comb += [
            watch.clear.eq(conductor.clear),
            watch.entered.eq(sent),
            watch.released.eq(self._of_operation(m, events, "released", number)),
        ]
        early: Value = watch.early
        return early
