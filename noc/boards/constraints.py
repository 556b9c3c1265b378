"""Pins of links as nextpnr reads them, for a user's own design in which ports have these names."""

from collections.abc import Sequence

from noc.boards.boards import Board
from noc.boards.platform_top import clock_of
from noc.chips.wiring import Wire

#: By the family of chips how the file's name ends, what it says of a pin, and of a clock that
#: comes. No others have connectors for links.
_FORMATS = {
    "ecp5": (
        ".lpf",
        'LOCATE COMP "{port}" SITE "{site}";\nIOBUF PORT "{port}" {attributes};',
        'FREQUENCY PORT "{port}" {mhz:g} MHZ;',
    ),
    "ice40": (".pcf", "set_io {port} {site}", "set_frequency {port} {mhz:g}"),
}


def pin_file(
    boards: Sequence[Board], chip: int, wires: Sequence[Wire], *, ddr: bool
) -> tuple[str, str]:
    """The ending of the file with the pins of a chip, and its text."""
    board = boards[chip]
    ending, of_pin, of_clock = _FORMATS[str(board.family)]
    attributes = " ".join(f"{name}={value}" for name, value in board.io.items())
    lines = [
        f"# Links of chip {chip} on {board.title}, with the clocks that 'noc build' gives boards."
    ]
    if ddr:
        lines.append("# Ports outside the DDR cells, which stand around the module of the chip.")
    for wire in wires:
        if chip in (wire.sender, wire.receiver):
            port, site = wire.port(chip), wire.pin(chip).site
            lines.append(of_pin.format(port=port, site=site, attributes=attributes))
            if wire.signal == "clock" and wire.receiver == chip:
                mhz = clock_of(boards[wire.sender], None, ddr=ddr).pin_hz / 1e6
                lines.append(of_clock.format(port=port, mhz=mhz))
    return ending, "\n".join([*lines, ""])
