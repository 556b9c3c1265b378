"""DDR cells at the pins of a board: bits in their order, and a clock pin in the midst of them."""

import pytest
from amaranth.build import Pins, Resource, Subsignal
from amaranth.hdl import ClockDomain, ClockSignal, Fragment, Module, Mux, Signal
from amaranth.lib import io
from amaranth.sim import Simulator
from test_chip_links import give, take

from noc.boards.platform_top import BoardTop, Content
from noc.links import ChipLink

PINS = 2


class Cells:
    """A platform whose DDR cells are those that Amaranth describes, and whose ports are signals.

    Cells of a receiver give the bit of a rising edge with that of the falling edge behind it, or
    with that of the one before it, which is the first then. With a fault those of a sender have the
    second bit on the pin first.
    """

    def __init__(self, *, apart: bool, swaps: bool) -> None:
        self._apart, self._swaps = apart, swaps
        self._resources: dict[str, Resource] = {}
        self.ports: dict[str, dict[str, io.SimulationPort]] = {}

    def add_resources(self, resources: list[Resource]) -> None:
        self._resources |= {each.name: each for each in resources}

    def lookup(self, name: str, _: int) -> Resource:
        return self._resources[name]

    def request(self, name: str, _: int, **__: object):
        ports = {
            each.name: io.SimulationPort(
                io.Direction(each.ios[0].dir), len(each.ios[0].names), name=f"{name}_{each.name}"
            )
            for each in self._resources[name].ios
        }
        self.ports[name] = ports
        return type("Ports", (), ports)

    def get_io_buffer(self, buffer):
        m = Module()
        if not isinstance(buffer, io.DDRBuffer):
            m.d.comb += buffer.i.eq(buffer.port.i)
        elif buffer.direction == io.Direction.Output:
            both = Signal.like(buffer.o)
            m.d[buffer.o_domain] += both.eq(buffer.o)
            high = ClockSignal(buffer.o_domain)
            m.d.comb += buffer.port.o.eq(Mux(high ^ self._swaps, both[0], both[1]))
        else:
            m.domains.low = low = ClockDomain(local=True, clk_edge="neg", reset_less=True)
            first, second = Signal.like(buffer.port.i), Signal.like(buffer.port.i)
            m.d.comb += low.clk.eq(ClockSignal(buffer.i_domain))
            m.d.low += second.eq(buffer.port.i)
            given = (second, buffer.port.i) if self._apart else (first, second)
            m.d[buffer.i_domain] += [
                first.eq(buffer.port.i),
                buffer.i[0].eq(given[0]),
                buffer.i[1].eq(given[1]),
            ]
        return m


class Top:
    """The ports of a chip with an end of a link."""

    def __init__(self, here: int, link: ChipLink) -> None:
        there = 1 - here
        setattr(self, f"to_chip_{there}__data", link.tx.data)
        setattr(self, f"from_chip_{there}__data", link.rx.data)
        setattr(self, f"from_chip_{there}__clock", link.rx.clock)


class Board:
    """A board with an end of a link behind its cells, and two clocks that are a quarter apart.

    One of two has receiving cells of the one kind, and the other of the other.
    """

    def __init__(self, chip: int, *, swaps: bool) -> None:
        self.link = ChipLink((6,), (6,), pins=PINS, ddr=True)
        self.clock = ClockDomain("sync", local=True)
        self._platform, self._m = Cells(apart=chip == 1, swaps=swaps), Module()
        self._m.domains.sync = self.clock
        self._m.domains.quarter = quarter = ClockDomain(local=True, reset_less=True)
        self._m.submodules.link = self.link
        self.levels = Signal(2)
        # How many quarters of a cycle have passed.
        self.quarters = 0
        self._m.d.comb += [self.clock.clk.eq(self.levels[0]), quarter.clk.eq(self.levels[1])]
        there = 1 - chip
        board = BoardTop(Content("link", "a link", Top(chip, self.link), ddr=True), None, None)
        for way, direction in (("to", "o"), ("from", "i")):
            clock = Subsignal("clock", Pins("c", dir=direction))
            data = Subsignal("data", Pins("a b", dir=direction))
            described = Resource(f"{way}_chip_{there}", 0, clock, data)
            board._join_cells(self._m, self._platform, described)
        self.sends = self._platform.ports[f"to_chip_{there}"]
        self.takes = self._platform.ports[f"from_chip_{there}"]

    def fragment(self) -> Fragment:
        return Fragment.get(self._m, self._platform)


def lead(board: Board, start: Signal, end: Signal, late: float, times: set[int]):
    """A wire from a board; it notes in which of four quarters of a cycle the start changes."""

    async def run(ctx):
        while True:
            await ctx.changed(start)
            times.add(board.quarters % 4)
            # What changes twice at once is read when it has settled.
            await ctx.delay(1e-10)
            level = ctx.get(start)
            await ctx.delay(late)
            ctx.set(end, level)

    return run


def pass_boards(late: float = 1e-9, *, swaps: bool = False):
    """What comes each way, where the wires of clocks are so late and those of data 1 ns.

    With it in which quarters of a cycle the pins for clock and data changed, as of all boards.
    """
    boards, m = [Board(chip, swaps=swaps) for chip in range(2)], Module()
    for chip, board in enumerate(boards):
        m.submodules[f"chip_{chip}"] = board.fragment()
    sim, came, times = Simulator(m), ([], []), (set(), set())
    for chip, board in enumerate(boards):
        other = boards[1 - chip]

        async def tick(ctx, board=board, quarter=2.5e-9 + 0.05e-9 * chip):
            for phase in (0b01, 0b11, 0b10, 0b00) * 3500:
                board.quarters += 1
                ctx.set(board.levels, phase)
                await ctx.delay(quarter)

        for name, delay, changed in (("clock", late, times[0]), ("data", 1e-9, times[1])):
            wire = lead(board, board.sends[name].o, other.takes[name].i, delay, changed)
            sim.add_testbench(wire, background=True)
        sim.add_testbench(give(board.link.i_0, board.clock, [*range(30)]), background=True)
        sim.add_testbench(take(other.link.o_0, other.clock, came[chip]), background=True)
        sim.add_testbench(tick, background=chip == 1)
    sim.run()
    return *came, times


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize("late", [1e-9, 3e-9, 0])
def test_words_come_through_cells(late: float) -> None:
    first, second, (clocks, bits) = pass_boards(late)
    assert first == second == [*range(30)]
    # Each in the midst between changes of the other.
    assert (clocks, bits) == ({2, 0}, {1, 3})


@pytest.mark.ci
def test_bits_in_another_order_are_no_words() -> None:
    first, second, _ = pass_boards(swaps=True)
    assert first == second == []
