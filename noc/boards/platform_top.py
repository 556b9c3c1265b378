"""The self-test on a board: clock, serial line and lights, and the files for the board's tools."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import io, wiring

from noc.boards.boards import Board
from noc.boards.clock import Clock
from noc.design import AnyDesign
from noc.selftest.selftest import SelfTest, Settings, surroundings

__all__ = ["NAME", "plan"]

#: The name of the top module and of the files.
NAME = "selftest"


class BoardTop(wiring.Component):
    """The self-test with the board's pins."""

    def __init__(self, selftest: SelfTest, board: Board, clock: Clock) -> None:
        self._selftest, self._board, self._clock = selftest, board, clock
        super().__init__({})

    def elaborate(self, platform: Any) -> Module:
        """Request the pins."""
        m = Module()
        m.submodules.selftest = self._selftest
        self._clock.drive(m, platform)
        pins = {"uart": _ports(platform, "uart").tx}
        pins |= {name: _ports(platform, *led) for name, led in self._board.leds.items()}
        for name, port in pins.items():
            m.submodules[f"pin_{name}"] = buffer = io.Buffer(io.Direction.Output, port)
            m.d.comb += buffer.o.eq(getattr(self._selftest, name))
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


def plan(
    design: AnyDesign, board: Board, settings: Settings, clock: Clock, **overrides: str
) -> Any:
    """Everything that the board's tools need, as Amaranth plans a build."""
    platform = board.platform()
    for module in surroundings(design):
        platform.add_file(f"{module.name}.v", module.text)
    top = BoardTop(SelfTest(design, settings), board, clock)
    return platform.prepare(top, NAME, emit_src=False, **overrides)
