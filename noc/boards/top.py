"""The self-test on a board: clock, serial line and lights, and the files for the board's tools."""

from typing import Any

from amaranth.hdl import Elaboratable, Module

from noc.boards.boards import Board
from noc.boards.clock import Clock
from noc.design import Design
from noc.selftest.top import SelfTest, Settings, surroundings

__all__ = ["NAME", "plan"]

#: The name of the top module and of the files.
NAME = "selftest"


class BoardTop(Elaboratable):
    """The self-test with the board's pins."""

    def __init__(self, selftest: SelfTest, board: Board, clock: Clock) -> None:
        self._selftest, self._board, self._clock = selftest, board, clock

    def elaborate(self, platform: Any) -> Module:
        """Request the pins."""
        m = Module()
        m.submodules.selftest = selftest = self._selftest
        self._clock.drive(m, platform)
        pins = {"uart": platform.request("uart", 0).tx}
        pins |= {name: platform.request(*lamp) for name, lamp in self._board.lamps.items()}
        m.d.comb += [pin.o.eq(getattr(selftest, name)) for name, pin in pins.items()]
        for resource, signal in self._board.high.items():
            described = platform.lookup(resource)
            directions = {each.name: "-" for each in described.ios} | {signal: "o"}
            found = platform.request(resource, dir=directions)
            m.d.comb += getattr(found, signal).o.eq(1)
        return m


def plan(design: Design, board: Board, settings: Settings, clock: Clock, **overrides: str) -> Any:
    """Everything that the board's tools need, as Amaranth plans a build."""
    platform = board.platform()
    for module in surroundings(design):
        platform.add_file(f"{module.name}.v", module.text)
    top = BoardTop(SelfTest(design, settings), board, clock)
    return platform.prepare(top, NAME, emit_src=False, **overrides)
