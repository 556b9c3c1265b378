"""The boards, and what must be known of each beyond its description in amaranth-boards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from noc.chips.wiring import Pin
from noc.errors import InputError, option
from noc.synth.families import ecp5, ice40, target, xilinx
from noc.synth.family import Area, Pll

#: An LED: the resource's name and number, and which of its colours, if it has several.
Led = tuple[str, int] | tuple[str, int, str]


@dataclass(frozen=True)
class Board:
    """A board and how the self-test sits on it."""

    #: As users type it, and as people call it.
    name: str
    title: str
    #: Its platform in amaranth-boards, as ``module:class``.
    path: str
    #: Its chip, as :func:`noc.synth.target` finds it; None where only the vendor's tools make
    #: bitstreams, for which a project is written.
    family: str | None
    device: str | None
    #: What makes other clocks of the board's, if one is supported.
    pll: Pll | None
    #: The command that loads the bitstream, ``FILE`` standing for it.
    load: str
    #: A network that fits well, and the width of its words.
    suits: tuple[str, int] = ("star:4", 32)
    #: How the bitstream's name ends.
    ending: str = ".bit"
    #: The clock where none is asked for; None for the board's own.
    mhz: float | None = None
    #: What a person must know to see the result.
    note: str = ""
    #: Which LEDs show ``running``, ``passed`` and ``failed``; those it lacks are left out.
    leds: Mapping[str, Led] = field(
        default_factory=lambda: {"running": ("led", 0), "passed": ("led", 1), "failed": ("led", 2)}
    )
    #: Pins that must be held high.
    high: Mapping[str, str] = field(default_factory=dict)
    #: The connectors for links to other boards, and what their pins are set to.
    connectors: tuple[str, ...] = ()
    #: Of those that the description takes for one: its connector, and the numbers of their pins.
    headers: Mapping[str, tuple[str, range]] = field(default_factory=dict)
    io: Mapping[str, str] = field(default_factory=dict)

    @property
    def room(self) -> Area:
        """What its chip holds, where that is not left to the vendor's tools."""
        return target(str(self.family), self.device).device.room

    @property
    def project(self) -> bool:
        """Whether only a project for the vendor's tools is made."""
        return self.family is None

    def platform(self) -> Any:
        """Its platform, which is used for one build only."""
        module, _, name = self.path.partition(":")
        try:
            boards = import_module(f"amaranth_boards.{module}")
        except ModuleNotFoundError:
            raise InputError("amaranth-boards is missing: pip install amaranth-boards") from None
        return getattr(boards, name)()

    def free_pins(self, names: Sequence[str] = ()) -> dict[str, list[Pin]]:
        """The pins of its connectors, or of some of them, that the self-test does not use."""
        asked = option("name", self.name, flag="board")
        if not self.connectors:
            raise InputError(f"{asked}: no connectors for links between boards are known of it")
        for name in names:
            if name not in self.connectors:
                allowed = ", ".join(self.connectors)
                raise InputError(f"{asked}: no connector {name!r}; allowed: {allowed}")
            if names.count(name) > 1:
                raise InputError(f"{asked}: connector {name} is named twice")
        platform = self.platform()
        resources = [(platform.default_clk, 0), ("uart", 0), *((name, 0) for name in self.high)]
        resources += [(name, number) for name, number, *_ in self.leds.values()]
        resources += [(platform.default_rst, 0)] * (platform.default_rst is not None)
        taken = {site for each in resources for site in _sites(platform.lookup(*each))}
        known = {
            f"{name}_{number}": dict(each.mapping)
            for (name, number), each in platform.connectors.items()
        }
        for header, (connector, numbers) in self.headers.items():
            known[header] = {
                number: site
                for number, site in known[connector].items()
                if int(number.rstrip("+-")) in numbers
            }
        return {
            name: [
                Pin(name, number, site) for number, site in known[name].items() if site not in taken
            ]
            for name in names or self.connectors
        }


_ECP5_IO, _ICE40_IO = {"IO_TYPE": "LVCMOS33"}, {"IO_STANDARD": "SB_LVCMOS"}


def _sites(described: Any) -> Iterator[str]:
    """The pins of the chip that a resource has."""
    for inner in getattr(described, "ios", ()):
        yield from _sites(inner)
    for pins in (described, getattr(described, "p", None), getattr(described, "n", None)):
        yield from getattr(pins, "names", ())


def _ulx3s(size: int) -> Board:
    return Board(
        name=f"ulx3s_{size}f",
        title=f"ULX3S with LFE5U-{size}F",
        path=f"ulx3s:ULX3S_{size}F_Platform",
        family="ecp5",
        device=f"LFE5U-{size}F",
        pll=ecp5.PLL,
        load="openFPGALoader -b ulx3s FILE",
        # While it is low, the ESP32 may take the board over.
        high={"esp32": "gpio0"},
        connectors=("j1", "j2"),
        # Its pins 11 to 13 are the ESP32's, too.
        headers={"j1": ("gpio_0", range(11)), "j2": ("gpio_0", range(14, 28))},
        io=_ECP5_IO,
    )


def _ecpix5(size: int) -> Board:
    return Board(
        name=f"ecpix5_{size}f",
        title=f"ECPIX-5 with LFE5UM5G-{size}F",
        path=f"ecpix5:ECPIX5{size}Platform",
        family="ecp5",
        device=f"LFE5U-{size}F",
        pll=ecp5.PLL,
        load="openFPGALoader -c ft2232 FILE",
        # Few networks are as fast as its own clock.
        mhz=50,
        leds={
            "running": ("rgb_led", 2, "b"),
            "passed": ("rgb_led", 0, "g"),
            "failed": ("rgb_led", 1, "r"),
        },
        connectors=tuple(f"pmod_{number}" for number in range(8)),
        io=_ECP5_IO,
    )


#: The boards by their names.
#:
#: :meta hide-value:
BOARDS: dict[str, Board] = {
    each.name: each
    for each in (
        *(_ulx3s(size) for size in (85, 45, 25, 12)),
        *(_ecpix5(size) for size in (85, 45)),
        Board(
            name="ecp5_5g_evn",
            title="Lattice ECP5-5G evaluation board",
            path="ecp5_5g_evn:ECP55GEVNPlatform",
            family="ecp5",
            device="LFE5U-85F",
            pll=ecp5.PLL,
            load="openFPGALoader -b ecp5_evn FILE",
            note="the serial line needs two resistor jumpers, see section 6.2 of its manual",
            # Those whose bank has 3.3 V.
            connectors=("J_32", "J_33", "J_31"),
            io=_ECP5_IO,
        ),
        Board(
            name="icebreaker",
            title="iCEBreaker",
            path="icebreaker:ICEBreakerPlatform",
            family="ice40",
            device="UP5K",
            pll=ice40.PAD_PLL,
            suits=("star:3", 8),
            load="openFPGALoader -b ice40_generic FILE",
            ending=".bin",
            leds={"failed": ("led", 0), "passed": ("led", 1)},
            connectors=("pmod_0", "pmod_1", "pmod_2"),
            io=_ICE40_IO,
        ),
        Board(
            name="ice40_hx8k_b_evn",
            title="iCE40-HX8K breakout board",
            path="ice40_hx8k_b_evn:ICE40HX8KBEVNPlatform",
            family="ice40",
            device="HX8K",
            pll=ice40.CORE_PLL,
            suits=("star:3", 32),
            load="openFPGALoader -b ice40_generic FILE",
            ending=".bin",
            connectors=("j_2", "j_3", "j_4"),
            io=_ICE40_IO,
        ),
        Board(
            name="arty_a7_35",
            title="Digilent Arty A7-35 (project for Vivado)",
            path="arty_a7:ArtyA7_35Platform",
            family=None,
            device=None,
            pll=xilinx.PLL,
            load="openFPGALoader -b arty_a7_35t FILE",
            # Few networks are as fast as its own clock.
            mhz=50,
        ),
        Board(
            name="de10_nano",
            title="Terasic DE10-Nano (project for Quartus)",
            path="de10_nano:DE10NanoPlatform",
            family=None,
            device=None,
            pll=None,
            load="quartus_pgm -m jtag -o 'p;FILE@2'",
            ending=".sof",
            note="the serial line is on the Arduino header, IO_1 (transmit)",
        ),
    )
}


def board(name: str) -> Board:
    """The board of a name; an error lists them."""
    known = BOARDS.get(name.lower())
    if known is None:
        raise InputError(
            f"{option('name', name, flag='board')}: is unknown; allowed: {', '.join(BOARDS)}"
        )
    return known


def boards_of_chips(text: str, chips: int) -> list[tuple[Board, dict[str, list[Pin]]]]:
    """The board of each chip, and the pins of its connectors for links.

    ``NAME`` is the board of all chips; ``NAME,NAME`` and so on are those of each. Behind a board
    the connectors to use may stand: ``NAME:pmod_0+pmod_1``.
    """
    parts = text.split(",")
    if len(parts) not in (1, chips):
        raise InputError(
            f"{option('name', text, flag='board')}: {len(parts)} boards for {chips} chips; one for "
            "all or one for each is needed"
        )
    result = []
    for part in parts:
        name, colon, connectors = part.partition(":")
        chosen = board(name)
        result.append((chosen, chosen.free_pins(connectors.split("+") if colon else ())))
    return result * (chips // len(result))


def check_registers(spec: str, nodes: int, width: int, board: Board) -> None:
    """Refuse at once, before trees are made, more registers than a chip has: a node holds a word.

    What else is too large is found when it has been synthesised.
    """
    if board.project or nodes * width <= board.room.ff:
        return
    raise InputError(
        f"{spec} with {option('width', width)} is too large for {board.name}: its {nodes} nodes "
        f"hold a word each, {nodes * width} flip-flops where the chip has {board.room.ff}"
    )
