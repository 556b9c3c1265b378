# amaranth: UnusedElaboratable=no
"""How each chip stops by itself, where queues of sinks stop the root of a network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from noc.design import OrderedDesign
from noc.errors import InputError, option
from noc.hardware.assembly import Assembly, Link, Part
from noc.hardware.ordered import Entrance, Exit, word_shape

#: How ports begin by which words come down to a node, and by which its children stop it.
_FALLING, _STOPPING = "down_in", "stop_in"

#: The end of the name of what lets words in.
ENTRANCE = "chip_entrance"

#: And of what lets them out, by how many can wait there.
_EXIT = "chip_exit_{}"


def falls(link: Link) -> bool:
    """Whether words come down by a stream."""
    return link.receiver[1] == _FALLING


def stops(link: Link) -> bool:
    """Whether a stream is a wire that stops."""
    return link.receiver[1].startswith(_STOPPING)


@dataclass(frozen=True)
class Stops:
    """How chips stop where queues do so, and no word waits on its way down."""

    design: OrderedDesign
    whole: Assembly
    #: The chip of each instance of the whole.
    owner: Sequence[int]

    @property
    def needed(self) -> bool:
        """Whether they do."""
        return self.design.program.config.stops

    def check(self, chips: Sequence[str]) -> None:
        """Refuse chips, which have these names, to which words come in several ways."""
        for chip, name in enumerate(chips):
            falling, stopping = self._falling(chip), self._stopping(chip)
            ways, wanted = [len(falling), len(stopping)], int(chip != self.owner[self.design.root])
            if ways != [wanted] * 2:
                raise InputError(
                    f"{option('sinks', 'queued')}: of streams from other chips down to {name}, and "
                    f"up from it, {wanted} each can be stopped, and there are {ways[0]} and "
                    f"{ways[1]}; divide the nodes otherwise"
                )
            ends = [each.sender[0] for each in falling] + [each.receiver[0] for each in stopping]
            others = [chips[self.owner[end]] for end in ends]
            if len({*others}) > 1:
                raise InputError(
                    f"{option('sinks', 'queued')}: words come down to {name} from {others[0]}, and "
                    f"go up from it to {others[1]}, which cannot stop them; divide the nodes "
                    "otherwise"
                )

    def stop_of(self, chip: int) -> Link:
        """The wire by which the nodes of a chip would stop others."""
        (link,) = self._stopping(chip)
        return link

    def exit_name(self, chip: int) -> str:
        """The end of the name of what stands where words leave for a chip."""
        return _EXIT.format(self._depth(chip))

    @property
    def parts(self) -> list[Part]:
        """What stands at ends of links, each different part once."""
        chips = {*self.owner} - {self.owner[self.design.root]}
        if not (self.needed and chips):
            return []
        shape, queue = word_shape(self.design.words.inside), self.design.program.config.queue
        exits = [
            Part(_EXIT.format(depth), partial(Exit, shape, queue=queue, depth=depth))
            for depth in sorted({*map(self._depth, chips)})
        ]
        return [Part(ENTRANCE, partial(Entrance, shape)), *exits]

    def _depth(self, chip: int) -> int:
        """Of the queue where words leave for a chip.

        After it says stop a word more can come for each register that its stop passes, up to the
        root or to where words enter the chip, and for each that words pass from there down.
        """
        (falling,), links = self._falling(chip), self.whole.links
        here = falling.sender[0]
        above = {link.receiver: link.sender[0] for link in links}
        below = {link.sender: link.receiver[0] for link in links}
        registers = self._along(here, above, (_FALLING, "i"))
        registers += self._along(self.stop_of(chip).receiver[0], below, ("stop_out", "o"))
        enters = self.owner[here] != self.owner[self.design.root]
        return self.design.program.config.queue + registers + enters

    def _along(self, start: int, ways: Mapping[tuple[int, str], int], ports: Sequence[str]) -> int:
        """How many instances a way by these ports passes before it leaves their chip, or ends."""
        count = 0
        here: int | None = start
        while here is not None and self.owner[here] == self.owner[start]:
            count += 1
            here = next((ways[here, port] for port in ports if (here, port) in ways), None)
        return count

    def _falling(self, chip: int) -> list[Link]:
        """Streams of words that come down to a chip from others."""
        return [
            link
            for link in self.whole.links
            if falls(link) and chip == self.owner[link.receiver[0]] != self.owner[link.sender[0]]
        ]

    def _stopping(self, chip: int) -> list[Link]:
        """Stops that go from a chip to others."""
        return [
            link
            for link in self.whole.links
            if stops(link) and chip == self.owner[link.sender[0]] != self.owner[link.receiver[0]]
        ]
