"""What is on a board: clock, serial line and lights, and the files for the board's tools."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from amaranth import build
from amaranth.hdl import Cat, ClockDomain, ClockSignal, Instance, Module, ResetSignal, Signal
from amaranth.lib import io, wiring
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer
from amaranth.lib.wiring import In, Out

from noc.boards.boards import Board
from noc.chips.cut import Cut, chip_name
from noc.chips.wiring import Wire
from noc.design import AnyDesign
from noc.emit.module import Module as Verilog
from noc.emit.names import check_name
from noc.errors import InputError, option, switch
from noc.selftest import TOP, Settings, verilog
from noc.selftest.chips import ChipTests, link_pins
from noc.synth.family import Pll, Setting


class Settle(wiring.Component):
    """Asks for a reset until a PLL has been locked for some cycles, also after it lost its lock.

    It works in the domain ``waiting``, whose clock is the PLL's. ``locked`` changes at any time,
    and so does ``button``, which asks for a reset as long as it is pressed; ``reset`` is for a
    synchronizer.
    """

    def __init__(self, cycles: int) -> None:
        self._cycles = cycles
        super().__init__({"locked": In(1), "button": In(1), "reset": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Count while the PLL is locked."""
        m = Module()
        locked, waited = Signal(), Signal(range(self._cycles + 1))
        # A register: the synchronizer takes a reset at any time, also one that logic shows for a
        # moment while it changes.
        unsettled = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.locked, locked, o_domain="waiting")
        with m.If(~locked):
            m.d.waiting += waited.eq(0)
        with m.Elif(waited != self._cycles):
            m.d.waiting += waited.eq(waited + 1)
        m.d.waiting += unsettled.eq(waited != self._cycles)
        m.d.comb += self.reset.eq(unsettled | self.button)
        return m


#: A clock may differ by this share from the one that was asked for.
_TOLERANCE = 0.01

#: The clocks that can be asked for, in MHz.
_LEAST, _MOST = 1, 1000

#: The memories of iCE40 may not be read for some microseconds after configuration; five times that.
_SETTLE_SECONDS = 15e-6


@dataclass(frozen=True)
class Clock:
    """The clock of the self-test: the board's own, or what a PLL makes of it with a setting."""

    hz: float
    pll: Pll | None = None
    setting: Setting | None = None
    #: The port of the PLL for a second clock, a quarter of a cycle later, the domain ``quarter``.
    quarter: str | None = None

    @property
    def pin_hz(self) -> float:
        """The rate of a link's clock pin: as `hz` where DDR cells make it, else half of it."""
        return self.hz / 2 if self.quarter is None else self.hz

    def drive(self, m: Module, platform: Any) -> None:
        """Make the domain with its reset; without a PLL the platform does it by itself.

        The platform states the frequency of the pin, from which nextpnr and Vivado derive that of
        the clock behind the PLL: one stated there would cut the two apart.
        """
        if self.pll is None or self.setting is None:
            return
        pin = platform.request(platform.default_clk, dir="-")
        clock, locked = Signal(name="pll_clock"), Signal(name="pll_locked")
        second = {}
        if self.quarter is not None:
            m.domains.quarter = ClockDomain(reset_less=True)
            second[self.quarter] = ClockSignal("quarter")
        m.submodules.pll = Instance(
            self.pll.cell,
            **{f"p_{name}": value for name, value in self.setting.parameters.items()},
            **{f"a_{name}": value for name, value in self.setting.attributes.items()},
            **self.pll.ports(m, pin, clock, locked),
            **second,
        )
        m.domains += [ClockDomain("sync"), ClockDomain("waiting", reset_less=True)]
        m.d.comb += [ClockSignal().eq(clock), ClockSignal("waiting").eq(clock)]
        settle: Any = Settle(int(_SETTLE_SECONDS * self.hz))
        m.submodules.settle = settle
        m.d.comb += settle.locked.eq(locked)
        if platform.default_rst is not None:
            pressed = platform.request(platform.default_rst, dir="-")
            m.submodules.reset_pin = buffer = io.Buffer(io.Direction.Input, pressed)
            m.d.comb += settle.button.eq(buffer.i)
        m.submodules.reset = ResetSynchronizer(settle.reset, domain="sync")


def clock_of(board: Board, mhz: float | None, *, ddr: bool = False) -> Clock:
    """The clock that was asked for, as near as a PLL comes; None asks for the usual one.

    DDR cells make clock pins of a second one, which only a PLL has.
    """
    own = float(board.platform().default_clk_frequency) / 1e6
    if mhz is None:
        mhz = own if board.mhz is None else board.mhz
    whose = f"{board.name}'s own of {own:g} MHz"
    asked = option("mhz", float(mhz), flag="clock")
    if not _LEAST <= mhz <= _MOST:
        raise InputError(f"{asked}: from {_LEAST} to {_MOST} MHz are allowed")
    quarter = None if board.pll is None else board.pll.quarter
    if ddr and quarter is None:
        raise InputError(f"{switch('ddr', True)}: is not supported on {board.name}")
    if abs(mhz / own - 1) < 1e-9 and not ddr:
        return Clock(own * 1e6)
    if board.pll is None:
        raise InputError(f"{asked}: only {whose} is supported")
    setting = board.pll.set(own, mhz)
    if setting is None:
        raise InputError(f"{asked}: the PLL cannot work with {whose}")
    if abs(setting.hz / 1e6 / mhz - 1) > _TOLERANCE:
        raise InputError(
            f"{asked}: the PLL cannot make it of {whose}; the nearest is {setting.hz / 1e6:.6g}"
        )
    if ddr and quarter is not None:
        setting, output = quarter(setting)
        return Clock(setting.hz, board.pll, setting, output)
    return Clock(setting.hz, board.pll, setting)


def clocks_of_chips(cut: Cut, boards: Sequence[Board], mhz: float | None) -> list[Clock]:
    """The clock of each chip; those of two that are linked must not be too different."""
    clocks = [clock_of(board, mhz, ddr=cut.ddr) for board in boards]
    for one, other in (channel.chips for channel in cut.channels):
        slow, fast = sorted((one, other), key=lambda chip: clocks[chip].hz)
        if clocks[fast].hz >= 2 * clocks[slow].hz:
            slower, faster = (
                f"{boards[n].name}'s {clocks[n].hz / 1e6:g} MHz" for n in (slow, fast)
            )
            raise InputError(
                f"{option('clock')}: {faster} are twice {slower} or more, and no link works so; "
                "choose one for all"
            )
    return clocks


#: What a board shows.
OUTPUTS = ("uart", "running", "passed", "failed")

#: The name of the self-test's top module and files.
NAME = "selftest"


@dataclass(frozen=True)
class Content:
    """What is made for a board."""

    #: The name of the top module and of the files; what it is, in a message.
    name: str
    title: str
    #: Has the outputs ``uart``, ``running``, ``passed`` and ``failed``.
    top: "wiring.Component[Any]"
    #: Verilog that it instantiates.
    files: tuple[Verilog, ...] = ()
    #: Further pins: resources of which each signal has a port, ``NAME__SIGNAL``.
    pins: tuple[Any, ...] = ()
    #: Whether DDR cells stand at them.
    ddr: bool = False

    def __post_init__(self) -> None:
        check_name(self.name)


class _SelfTest(wiring.Component):
    """The self-test in Verilog, the same as is simulated; that of a chip has the pins of links."""

    def __init__(self, name: str, pins: Mapping[str, Any]) -> None:
        self._name = name
        super().__init__({name: Out(1) for name in OUTPUTS} | dict(pins))

    def elaborate(self, platform: object) -> Module:
        """Instantiate it."""
        m = Module()
        ports = {
            f"{'o' if member.flow == Out else 'i'}_{name}": getattr(self, name)
            for name, member in self.signature.members.items()
        }
        clocked = {"i_clk": ClockSignal(), "i_rst": ResetSignal(allow_reset_less=True)}
        m.submodules.verilog = Instance(self._name, **clocked, **ports)
        return m


class BoardTop(wiring.Component):
    """What the board is for, with the board's pins."""

    def __init__(self, content: Content, board: Board, clock: Clock) -> None:
        self._content, self._board, self._clock = content, board, clock
        super().__init__({})

    def elaborate(self, platform: Any) -> Module:
        """Request the pins."""
        m = Module()
        m.submodules[self._content.name] = self._content.top
        self._clock.drive(m, platform)
        pins = {"uart": _ports(platform, "uart").tx}
        for name, (resource, number, *colour) in self._board.leds.items():
            led = _ports(platform, resource, number)
            pins[name] = getattr(led, colour[0]) if colour else led
        for name, port in pins.items():
            m.submodules[f"pin_{name}"] = buffer = io.Buffer(io.Direction.Output, port)
            m.d.comb += buffer.o.eq(getattr(self._content.top, name))
        join = self._join_cells if self._content.ddr else self._join
        for described in self._content.pins:
            join(m, platform, described)
        for resource, signal in self._board.high.items():
            port = getattr(_ports(platform, resource), signal)
            m.submodules[f"pin_{signal}"] = buffer = io.Buffer(io.Direction.Output, port)
            m.d.comb += buffer.o.eq(1)
        return m

    def _join(self, m: Module, platform: Any, described: Any) -> None:
        """Join the pins of a resource to the ports of its signals."""
        platform.add_resources([described])
        ports = _ports(platform, described.name)
        for signal in described.ios:
            port, inner = getattr(ports, signal.name), f"{described.name}__{signal.name}"
            m.submodules[f"pin_{inner}"] = buffer = io.Buffer(port.direction, port)
            joined = getattr(self._content.top, inner)
            out = port.direction == io.Direction.Output
            m.d.comb += buffer.o.eq(joined) if out else joined.eq(buffer.i)

    def _join_cells(self, m: Module, platform: Any, described: Any) -> None:
        """Put DDR cells between the pins of a link's direction and its ports.

        Those out have the clock of the chip, and that of the clock pin one that is a quarter of a
        cycle later; those in have the clock that comes.
        """
        platform.add_resources([described])
        ports, name = _ports(platform, described.name), described.name
        data = getattr(self._content.top, f"{name}__data")
        if ports.data.direction == io.Direction.Output:
            clock: Any = io.DDRBuffer(io.Direction.Output, ports.clock, o_domain="quarter")
            cells: Any = io.DDRBuffer(io.Direction.Output, ports.data)
            m.d.comb += [Cat(clock.o).eq(0b01), Cat(cells.o[1], cells.o[0]).eq(data)]
        else:
            m.domains += ClockDomain(name, reset_less=True)
            clock = io.Buffer(io.Direction.Input, ports.clock)
            cells = io.DDRBuffer(io.Direction.Input, ports.data, i_domain=name)
            m.d.comb += [
                ClockSignal(name).eq(clock.i),
                getattr(self._content.top, f"{name}__clock").eq(clock.i),
                data.eq(Cat(cells.i[1], cells.i[0])),
            ]
        m.submodules[f"pin_{name}__clock"], m.submodules[f"pin_{name}__data"] = clock, cells


def _ports(platform: Any, resource: str, number: int = 0) -> Any:
    """The ports of a resource, without buffers."""
    described = platform.lookup(resource, number).ios
    parts = {part.name: "-" for part in described if hasattr(part, "name")}
    return platform.request(resource, number, dir=parts or "-")


def selftest_content(design: AnyDesign, settings: Settings) -> Content:
    """The self-test of a design."""
    title = f"the self-test of {design.network.spec} at width {design.width}"
    return Content(NAME, title, _SelfTest(TOP, {}), tuple(verilog(design, settings)))


def chip_content(
    tests: ChipTests, chip: int, wires: Sequence[Wire], clocks: Sequence[Clock], board: Board
) -> Content:
    """The self-test of a chip, with the pins of its links; the clocks are those of all chips."""
    title = f"the self-test of {chip_name(chip)} of {tests.cut.design.network.spec}"
    name, pins = tests.top_name(chip), link_pins(tests.cut, chip)
    ddr = tests.cut.ddr
    resources = describe_pins(wires, chip, board.io, [clock.pin_hz for clock in clocks])
    top = _SelfTest(name, pins)
    return Content(NAME, title, top, tuple(tests.verilog(chip)), resources, ddr)


def describe_pins(
    wires: Sequence[Wire], chip: int, attributes: Mapping[str, str], hz: Sequence[float]
) -> tuple[Any, ...]:
    """The pins of a chip's links as resources; ``hz`` are the rates of the clock pins of chips."""
    sites: dict[tuple[str, int], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for wire in wires:
        if chip in (wire.sender, wire.receiver):
            name, _, _ = wire.port(chip).partition("__")
            sites[name, wire.sender][wire.signal].append(wire.pin(chip).site)
    resources = []
    for (name, sender), signals in sites.items():
        direction = "o" if sender == chip else "i"
        rate = {"clock": [build.Clock(hz[sender])]} if sender != chip else {}
        parts = (
            build.Subsignal(
                signal, build.Pins(" ".join(pins), dir=direction), *rate.get(signal, ())
            )
            for signal, pins in signals.items()
        )
        resources.append(build.Resource(name, 0, *parts, build.Attrs(**attributes)))
    return tuple(resources)


def plan_content(content: Content, board: Board, clock: Clock, **overrides: str | bool) -> Any:
    """Everything that the board's tools need, as Amaranth plans a build."""
    platform = board.platform()
    for module in content.files:
        platform.add_file(f"{module.name}.v", module.text)
    top = BoardTop(content, board, clock)
    return platform.prepare(top, content.name, emit_src=False, **overrides)
