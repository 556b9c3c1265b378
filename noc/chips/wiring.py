"""Which pins of connectors the wires between chips join."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from noc.chips.cut import PINS_IN, PINS_OUT, Cut, chip_name
from noc.errors import InputError, option


@dataclass(frozen=True)
class Pin:
    """A pin of a connector on a board."""

    #: The connector, and which of its pins, as the board's description calls them.
    connector: str
    number: str
    #: The pin of the chip that it leads to.
    site: str

    def __str__(self) -> str:
        return f"{self.connector}.{self.number}"


#: The pins of each connector of a board that are free, in their order.
Connectors = Mapping[str, Sequence[Pin]]


@dataclass(frozen=True)
class Wire:
    """A wire from a pin of one chip to a pin of another."""

    sender: int
    receiver: int
    #: Which of the signals of that direction: ``clock``, or ``data`` with the number of its bit.
    signal: str
    bit: int | None
    start: Pin
    end: Pin

    def port(self, chip: int) -> str:
        """The port of a chip's module, with its bit."""
        sends = chip == self.sender
        name = (PINS_OUT if sends else PINS_IN).format(
            chip_name(self.receiver if sends else self.sender)
        )
        return f"{name}__{self.signal}" + ("" if self.bit is None else f"[{self.bit}]")

    def pin(self, chip: int) -> Pin:
        """Where it is on a chip's board."""
        return self.start if chip == self.sender else self.end


def plan_wires(cut: Cut, boards: Sequence[Connectors]) -> list[Wire]:
    """The wires of all links, with the board of each chip.

    The pins of a link lie on one connector at each end, in the same order, so that one cable joins
    them: first those from the chip with the lower number, then those to it.
    """
    signals: list[tuple[str, int | None]] = [("clock", None)]
    # A single one has no number.
    signals += [("data", bit if cut.pins > 1 else None) for bit in range(cut.pins)]
    free = [{name: [*pins] for name, pins in board.items()} for board in boards]
    wires = []
    for first, second in (channel.chips for channel in cut.channels):
        ends = [_take(cut, chip, free[chip]) for chip in (first, second)]
        for place, (signal, bit) in enumerate(signals):
            wires.append(Wire(first, second, signal, bit, ends[0][place], ends[1][place]))
        for place, (signal, bit) in enumerate(signals, start=len(signals)):
            wires.append(Wire(second, first, signal, bit, ends[1][place], ends[0][place]))
    return wires


def _take(cut: Cut, chip: int, free: dict[str, list[Pin]]) -> list[Pin]:
    """Pins for a link of a chip, on the first connector that has so many left."""
    count, links = 2 * (cut.pins + 1), len(cut.channels_of(chip))
    for pins in free.values():
        if len(pins) >= count:
            result = pins[:count]
            del pins[:count]
            return result
    asked = option("pins", cut.pins)
    most = max(map(len, free.values()), default=0)
    raise InputError(
        f"{asked}: chip {chip} has {links} link{'s' * (links > 1)} of {count} pins, for which its "
        f"board has not enough connectors: {most} pins are left on one; use fewer pins or chips, "
        "more connectors, or another board"
    )
