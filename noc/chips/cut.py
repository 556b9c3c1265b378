# amaranth: UnusedElaboratable=no
"""The hardware of each chip: its nodes, and an end of a link to each chip that it speaks to."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from noc.chips.division import Division
from noc.chips.stops import ENTRANCE, Stops, falls, stops
from noc.design import AnyDesign, OrderedDesign
from noc.errors import InputError, option, switch
from noc.hardware.assembly import Assembly, Instance, Link, Part, assemble
from noc.links import MOST_BITS, MOST_LANES, ChipLink, FrameFormat, bits_of
from noc.trees.tree import NO_PARENT

#: How a chip calls the pins and alarms of its link to another.
PINS_OUT, PINS_IN, DOWN, FAULTY = "to_{}", "from_{}", "{}_down", "{}_faulty"

#: Why other designs cannot be cut.
WAITING = (
    "words have to wait at links between chips, which carry less than one in a cycle, as they can "
    "in the ordered fabric"
)

#: And why not those with sinks that are always ready, whose nodes have no wires to stop the root.
UNSTOPPED = (
    "words would be lost at links between chips, which carry less than one in a cycle, where "
    "nothing stops the root; use queued sinks"
)


def chip_name(chip: int) -> str:
    """The name of a chip in signals."""
    return f"chip_{chip}"


@dataclass(frozen=True)
class Channel:
    """What goes between two chips."""

    #: The chips, the lower number first.
    chips: tuple[int, int]
    #: The streams of the network from the first to the second, and back.
    goes: tuple[Link, ...]
    comes: tuple[Link, ...]
    #: Of the words of these streams.
    shapes: tuple[tuple[Any, ...], tuple[Any, ...]] = field(repr=False)

    @property
    def both(self) -> "tuple[Channel, Channel]":
        """As each of its chips sees it."""
        return self, self.seen_from(self.chips[1])

    def seen_from(self, chip: int) -> "Channel":
        """With this chip as the first."""
        if chip == self.chips[0]:
            return self
        return Channel(self.chips[::-1], self.comes, self.goes, self.shapes[::-1])


@dataclass(frozen=True, eq=False)
class Cut:
    """A network on several chips."""

    #: The whole network.
    design: OrderedDesign
    #: Which nodes lie on which chip.
    division: Division
    #: Pins for data of a link between two chips, each way.
    pins: int
    #: Whether each carries two bits in a cycle, through DDR cells.
    ddr: bool = False

    def __post_init__(self) -> None:
        design, asked = self.design, option("pins", self.pins)
        most, which = MOST_BITS // bits_of(1, ddr=self.ddr), f" with {switch('ddr', True)}"
        if not 1 <= self.pins <= most:
            raise InputError(f"{asked}: from 1 to {most} are allowed{which * self.ddr}")
        if design.config.sinks == "always-ready":
            raise InputError(f"{option('sinks', 'always-ready')}: {UNSTOPPED}")
        if design.config.lookahead:
            raise InputError(
                f"{switch('lookahead', True)}: links between chips take whole words at once"
            )
        if design.protect != "none":
            raise InputError(
                f"{option('protect', design.protect)}: links between chips have no copies"
            )
        for channel in self.channels:
            lanes = max(map(len, channel.shapes))
            names = " and ".join(map(chip_name, channel.chips))
            most = min(MOST_LANES, 2 ** (2 * self.half) - 1)
            if lanes > most:
                raise InputError(
                    f"{asked}: {lanes} streams go from one of {names} to the other, and with so "
                    f"many pins {most} can"
                )
        if self._stops.needed:
            self._stops.check([*map(chip_name, range(self.division.chips))])

    @property
    def half(self) -> int:
        """Bits that all pins for data of a direction carry in a cycle, half a beat."""
        return bits_of(self.pins, ddr=self.ddr)

    @cached_property
    def _whole(self) -> Assembly:
        return assemble(self.design)

    @cached_property
    def _owner(self) -> list[int]:
        """The chip of each instance; buffers in links are on the chip that sends."""
        whole, nodes = self._whole, len(self._whole.names)
        owner = [*self.division.chip] + [-1] * (len(whole.instances) - nodes)
        for link in whole.links:
            receiver = link.receiver[0]
            if owner[receiver] < 0:
                owner[receiver] = owner[link.sender[0]]
        return owner

    @cached_property
    def _stops(self) -> Stops:
        return Stops(self.design, self._whole, self._owner)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The links between chips, by their numbers."""
        lanes: dict[tuple[int, int], list[Link]] = defaultdict(list)
        for link in self._whole.links:
            ends = self._owner[link.sender[0]], self._owner[link.receiver[0]]
            # Chips stop by themselves.
            if ends[0] != ends[1] and not stops(link):
                lanes[ends].append(link)
        pairs = sorted({(min(ends), max(ends)) for ends in lanes})
        result = []
        for pair in pairs:
            both = tuple(lanes[pair]), tuple(lanes[pair[::-1]])
            shapes = tuple(tuple(map(self._shape, links)) for links in both)
            result.append(Channel(pair, *both, (shapes[0], shapes[1])))
        return tuple(result)

    def _shape(self, link: Link) -> Any:
        """Of the words of a stream."""
        sender, port = link.sender
        member: Any = self._whole.part_of(sender).signature.members[port.partition("__")[0]]
        return member.signature.members["payload"].shape

    def channels_of(self, chip: int) -> list[Channel]:
        """The links of a chip, as it sees them."""
        return [each.seen_from(chip) for each in self.channels if chip in each.chips]

    def frames(self, channel: Channel) -> FrameFormat:
        """What the first of two chips sends to the second."""
        return FrameFormat.of(*channel.shapes, self.half)

    def count_down(self, channel: Channel) -> int:
        """Streams from the first of two chips to the second in which words come down."""
        chip, down = self.division.chip, self.design.program.down.parent.tolist()
        ends = ((chip[above], chip[node]) for node, above in enumerate(down) if above != NO_PARENT)
        return sum(each == channel.chips for each in ends)

    @property
    def rate(self) -> float:
        """Broadcasts a cycle, at most: each goes down all links of the tree."""
        ways = (way for channel in self.channels for way in channel.both if way.goes)
        rates = (self.frames(way).rate / max(1, self.count_down(way)) for way in ways)
        return min(rates, default=1.0)

    @cached_property
    def _shapes(self) -> list[Any]:
        """The shapes of words at ends of links, those of each different end once."""
        result: list[Any] = []
        for chip in range(self.division.chips):
            for channel in self.channels_of(chip):
                if channel.shapes not in result:
                    result.append(channel.shapes)
        return result

    @cached_property
    def link_parts(self) -> tuple[Part, ...]:
        """The different ends of links, and what stands at them."""
        ends = [
            Part(f"chip_link_{number}", partial(ChipLink, *shapes, pins=self.pins, ddr=self.ddr))
            for number, shapes in enumerate(self._shapes)
        ]
        return (*ends, *self._stops.parts)

    def assembly(self, chip: int) -> Assembly:
        """The hardware of a chip."""
        whole, owner, channels = self._whole, self._owner, self.channels_of(chip)
        own = [number for number, each in enumerate(owner) if each == chip]
        place = {number: index for index, number in enumerate(own)}
        parts = [*whole.parts, *self.link_parts]
        instances = [whole.instances[number] for number in own]
        links = [
            Link(link.name, _moved(link.sender, place), _moved(link.receiver, place))
            for link in whole.links
            if link.sender[0] in place and link.receiver[0] in place
        ]
        outer: dict[str, tuple[int, str]] = {}
        for channel in channels:
            end, other = len(instances), chip_name(channel.chips[1])
            part = len(whole.parts) + self._shapes.index(channel.shapes)
            instances.append(Instance(f"link_to_{other}", part))
            goes = [
                Link(link.name, _moved(link.sender, place), (end, f"i_{n}"))
                for n, link in enumerate(channel.goes)
            ]
            comes = [
                Link(link.name, (end, f"o_{n}"), _moved(link.receiver, place))
                for n, link in enumerate(channel.comes)
            ]
            if self._stops.needed:
                here, there = channel.chips
                sides = (
                    (channel.goes, goes, there, f"exit_to_{other}"),
                    (channel.comes, comes, here, f"entrance_from_{other}"),
                )
                goes, comes = ([*self._led(*side, instances, place)] for side in sides)
            links += [*goes, *comes]
            members = (PINS_OUT, "tx"), (PINS_IN, "rx"), (DOWN, "down"), (FAULTY, "faulty")
            outer |= {name.format(other): (end, member) for name, member in members}
        used = sorted({instance.part for instance in instances})
        return Assembly(
            tuple(parts[part] for part in used),
            tuple(replace(each, part=used.index(each.part)) for each in instances),
            tuple(links),
            tuple(whole.names[node] for node in self.division.members[chip]),
            network_ports=outer,
        )

    def _led(
        self,
        streams: Sequence[Link],
        links: Sequence[Link],
        chip: int,
        name: str,
        instances: list[Instance],
        place: Mapping[int, int],
    ) -> Iterator[Link]:
        """Links to or from another chip; words that come down to a chip pass an instance more.

        Where they leave for that chip it stops those above, as a node there would, and where they
        enter it they wait while a node stops them.
        """
        for stream, link in zip(streams, links, strict=True):
            if not falls(stream):
                yield link
                continue
            own, stop, leaves = len(instances), self._stops.stop_of(chip), stream.sender[0] in place
            suffix = self._stops.exit_name(chip) if leaves else ENTRANCE
            instances.append(Instance(name, self._part_number(suffix)))
            yield Link(link.name, link.sender, (own, "i"))
            yield Link(f"{name}_{link.name}", (own, "o"), link.receiver)
            if leaves:
                yield Link(stop.name, (own, "stop"), _moved(stop.receiver, place))
            else:
                yield Link(stop.name, _moved(stop.sender, place), (own, "stop"))

    def _part_number(self, suffix: str) -> int:
        """Of what stands at ends of links, among all parts of chips."""
        names = [part.suffix for part in self.link_parts]
        return len(self._whole.parts) + names.index(suffix)


def _moved(end: tuple[int, str], place: Mapping[int, int]) -> tuple[int, str]:
    """An end of a stream, by the number of its instance on the chip."""
    return place[end[0]], end[1]


def cut(design: AnyDesign, division: Division, pins: int, *, ddr: bool = False) -> Cut:
    """A network on the chips of a division."""
    if not isinstance(design, OrderedDesign):
        raise InputError(f"{option('fabric', design.fabric)}: {WAITING}")
    return Cut(design, division, pins, ddr)
