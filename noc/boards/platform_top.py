"""What is on a board: clock, serial line and lights, and the files for the board's tools."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal
from amaranth.lib import io, wiring
from amaranth.lib.wiring import Out

from noc.boards.boards import Board
from noc.boards.clock import Clock
from noc.design import AnyDesign
from noc.emit.module import Module as Verilog
from noc.emit.names import check_name
from noc.selftest import TOP, Settings, verilog

#: What a board shows.
OUTPUTS = ("uart", "running", "passed", "failed")

#: The name of the self-test's top module and files.
NAME = "selftest"


@dataclass(frozen=True)
class Content:
    """What is made for a board.

    Parameters
    ----------
    name, title : str
        The name of the top module and of the files; what it is, in a message.
    top : wiring.Component
        Has the outputs ``uart``, ``running``, ``passed`` and ``failed``.
    files : tuple of Module
        Verilog that it instantiates.
    """

    name: str
    title: str
    top: "wiring.Component[Any]"
    files: tuple[Verilog, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name)


class _SelfTest(wiring.Component):
    """The self-test in Verilog, the same as is simulated."""

    def __init__(self) -> None:
        super().__init__({name: Out(1) for name in OUTPUTS})

    def elaborate(self, platform: object) -> Module:
        """Instantiate it."""
        m = Module()
        outputs = {f"o_{name}": getattr(self, name) for name in OUTPUTS}
        clocked = {"i_clk": ClockSignal(), "i_rst": ResetSignal(allow_reset_less=True)}
        m.submodules.verilog = Instance(TOP, **clocked, **outputs)
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
        pins |= {name: _ports(platform, *led) for name, led in self._board.leds.items()}
        for name, port in pins.items():
            m.submodules[f"pin_{name}"] = buffer = io.Buffer(io.Direction.Output, port)
            m.d.comb += buffer.o.eq(getattr(self._content.top, name))
        for resource, signal in self._board.high.items():
            port = getattr(_ports(platform, resource), signal)
            m.submodules[f"pin_{signal}"] = buffer = io.Buffer(io.Direction.Output, port)
            m.d.comb += buffer.o.eq(1)
        return m


def _ports(platform: Any, resource: str, number: int = 0) -> Any:
    """The ports of a resource, without buffers."""
    described = platform.lookup(resource, number).ios
    parts = {part.name: "-" for part in described if hasattr(part, "name")}
    return platform.request(resource, number, dir=parts or "-")


def selftest_content(design: AnyDesign, settings: Settings) -> Content:
    """The self-test of a design."""
    title = f"the self-test of {design.network.spec} at width {design.width}"
    return Content(NAME, title, _SelfTest(), tuple(verilog(design, settings)))


def plan_content(content: Content, board: Board, clock: Clock, **overrides: str | bool) -> Any:
    """Everything that the board's tools need, as Amaranth plans a build."""
    platform = board.platform()
    for module in content.files:
        platform.add_file(f"{module.name}.v", module.text)
    top = BoardTop(content, board, clock)
    return platform.prepare(top, content.name, emit_src=False, **overrides)
