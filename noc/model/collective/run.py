"""Runs of the cycle model of networks with operations."""

from dataclasses import dataclass, field

from noc.model.collective.reference import CollectiveFabric
from noc.model.collective.streams import collective_streams, fields_of, word_format
from noc.model.collective.traffic import CollectiveTraffic
from noc.model.collective.words import unpack
from noc.model.common import last_cycle
from noc.model.ordered.streams import OrderedStream
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import WordFormat

__all__ = ["CollectiveEvent", "CollectiveRun", "simulate_collectives"]


@dataclass(frozen=True)
class CollectiveEvent:
    """A transfer, or an alarm.

    Parameters
    ----------
    cycle : int
        When; cycle 0 is the first after reset.
    stream : OrderedStream
        Where.
    fields : dict
        The fields of the word, none of an alarm.
    """

    cycle: int
    stream: OrderedStream
    fields: dict[str, int]


@dataclass(frozen=True, eq=False)
class CollectiveRun:
    """What a run gave.

    Parameters
    ----------
    program : OrderedProgram
        What ran.
    format : WordFormat
        The fields of its words.
    traffic : CollectiveTraffic
        With which words and sinks.
    end : str
        Why it ended. ``drained``: every word was accepted, and no node holds one. ``starved``: no
        word moves again, because a sink that is asked is never ready, or because words that others
        wait for are not given. ``limit``: the cycles that were asked for are over.
    cycles : int
        Number of cycles simulated.
    streams : tuple of OrderedStream
        All streams and alarms, by number.
    events : list of (int, int, int)
        Cycle, stream, and the bits of the word, 0 for an alarm; sorted.
    order : list of (int, int)
        The cycle in which each word passed the root, and its bits there, as on a link.
    """

    program: OrderedProgram = field(repr=False)
    format: WordFormat = field(repr=False)
    traffic: CollectiveTraffic = field(repr=False)
    end: str
    cycles: int
    streams: tuple[OrderedStream, ...] = field(repr=False)
    events: list[tuple[int, int, int]] = field(repr=False)
    order: list[tuple[int, int]] = field(repr=False)

    @property
    def injected(self) -> int:
        """Words that were taken from inject streams."""
        inject = {n for n, stream in enumerate(self.streams) if stream.kind == "inject"}
        return sum(stream in inject for _, stream, _ in self.events)

    def named(self) -> list[CollectiveEvent]:
        """All events, with their fields by name."""
        fields = [fields_of(stream, self.format) for stream in self.streams]
        return [
            CollectiveEvent(cycle, self.streams[stream], unpack(bits, fields[stream]))
            for cycle, stream, bits in self.events
        ]

    def at(self, kind: str, node: int, group: int = 0) -> list[tuple[int, dict[str, int]]]:
        """The cycle of each event at one stream or alarm, and the fields of its word."""
        numbers = [
            number
            for number, stream in enumerate(self.streams)
            if (stream.kind, stream.node, stream.group) == (kind, node, group)
        ]
        return [
            (cycle, unpack(bits, fields_of(self.streams[stream], self.format)))
            for cycle, stream, bits in self.events
            if stream in numbers
        ]


def simulate_collectives(
    program: OrderedProgram,
    width: int,
    traffic: CollectiveTraffic,
    *,
    cycles: int | None = None,
) -> CollectiveRun:
    """Run until every word has arrived, or none can move, or the cycles are over.

    Parameters
    ----------
    program : OrderedProgram
        What runs; it has operations.
    width : int
        Bits of a word's data.
    traffic : CollectiveTraffic
        Words and sinks.
    cycles : int, optional
        Simulate at most so many cycles.
    """
    traffic.check(program, width)
    fabric = CollectiveFabric(program, width, traffic)
    end = fabric.run(last_cycle(cycles))
    return CollectiveRun(
        program=program,
        format=word_format(program, width),
        traffic=traffic,
        end=end,
        cycles=fabric.cycle,
        streams=collective_streams(program),
        events=fabric.events,
        order=[(cycle, fabric.bits(word)) for cycle, word in fabric.order],
    )
