"""The clocks of boards: made by a PLL, stated at the pin, with a reset until they are settled."""

import re

import pytest
from amaranth.sim import Simulator

from noc.boards import board, clock_of
from noc.boards.platform_top import NAME, Settle, plan_content, selftest_content
from noc.design import build_direct
from noc.networks import build_network
from noc.selftest import Settings

MADE = build_direct(build_network("star:3"), width=8)

CLOCKS = [
    ("ulx3s_85f", 25, 100),
    ("ulx3s_85f", 25, 62.5),
    ("icebreaker", 12, 60),
    ("ice40_hx8k_b_evn", 12, 48),
    ("arty_a7_35", 100, 40),
]


@pytest.mark.parametrize(("name", "own", "wanted"), CLOCKS)
def test_a_pll_makes_the_clock_that_was_asked_for(name: str, own: float, wanted: float) -> None:
    assert clock_of(board(name), own).pll is None
    built = clock_of(board(name), wanted)
    assert built.hz == pytest.approx(wanted * 1e6, rel=0.01)
    settings, cell = built.setting.parameters, built.pll.cell
    if cell == "EHXPLLL":
        result = own / settings["CLKI_DIV"] * settings["CLKFB_DIV"]
        assert 400 <= result * settings["CLKOP_DIV"] <= 800
    elif cell == "PLLE2_BASE":
        oscillator = own / settings["DIVCLK_DIVIDE"] * settings["CLKFBOUT_MULT"]
        assert 800 <= oscillator <= 1600
        assert settings["CLKIN1_PERIOD"] == 1000 / own
        result = oscillator / settings["CLKOUT0_DIVIDE"]
    else:
        oscillator = own / (settings["DIVR"] + 1) * (settings["DIVF"] + 1)
        assert 533 <= oscillator <= 1066
        result = oscillator / 2 ** settings["DIVQ"]
    assert built.hz == pytest.approx(result * 1e6)
    files = plan_content(selftest_content(MADE, Settings(built.hz)), board(name), built).files
    text = files.get(f"{NAME}.il") or files[f"{NAME}.v"]
    assert re.search(rf"\b{cell} ", text)


PINS = [
    ("ulx3s_12f", 40, 'FREQUENCY PORT "clk25_0__io" 25000000.0 HZ;'),
    ("icebreaker", 16.2, "set_frequency clk12_0__io 12.0"),
    ("ice40_hx8k_b_evn", 48, "set_frequency clk12_0__io 12.0"),
    (
        *("arty_a7_35", 40),
        'create_clock -name clk100_0__io -period 10.0 [get_nets "clk100_0__io"]',
    ),
]


@pytest.mark.parametrize(("name", "wanted", "stated"), PINS)
def test_only_the_clock_at_the_pin_is_stated(name: str, wanted: float, stated: str) -> None:
    """The tools derive the one behind the PLL."""
    built = clock_of(board(name), wanted)
    assert built.pll is not None
    files = plan_content(selftest_content(MADE, Settings(built.hz)), board(name), built).files
    text = "".join(text for file, text in files.items() if file.endswith((".lpf", ".pcf", ".xdc")))
    results = re.findall(r"^(?:FREQUENCY|set_frequency|create_clock).*", text, re.MULTILINE)
    assert results == [stated]


SETTLE = 20


def test_a_reset_lasts_until_the_pll_has_been_locked_for_a_while() -> None:
    dut = Settle(SETTLE)
    # Through two registers of a synchronizer, and one more.
    late = 3

    async def bench(ctx) -> None:
        async def resets(cycles: int) -> list[int]:
            return [(await ctx.tick("waiting").sample(dut.reset))[-1] for _ in range(cycles)]

        async def released() -> int:
            return (await resets(SETTLE + late + 5)).index(0)

        assert all(await resets(2 * SETTLE))
        ctx.set(dut.locked, 1)
        assert SETTLE <= await released() <= SETTLE + late + 1
        assert not any(await resets(2 * SETTLE))
        for loss in (2, SETTLE):
            ctx.set(dut.locked, 0)
            lost = await resets(loss)
            ctx.set(dut.locked, 1)
            lost += await resets(SETTLE + late + 5)
            begin = lost.index(1)
            assert begin <= late + 1
            assert all(lost[begin : loss + SETTLE])
            assert not any(lost[loss + SETTLE + late + 1 :])
        # Lost while it settles.
        ctx.set(dut.locked, 0)
        await resets(SETTLE)
        ctx.set(dut.locked, 1)
        assert all(await resets(SETTLE - 1))
        ctx.set(dut.locked, 0)
        assert all(await resets(1))
        ctx.set(dut.locked, 1)
        assert await released() >= SETTLE
        ctx.set(dut.button, 1)
        assert ctx.get(dut.reset) == 1
        assert all(await resets(SETTLE))
        ctx.set(dut.button, 0)
        assert ctx.get(dut.reset) == 0
        assert not any(await resets(SETTLE))

    simulator = Simulator(dut)
    simulator.add_clock(1e-6, domain="waiting")
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize(
    ("name", "wanted"), [("ecp5_5g_evn", 48), ("arty_a7_35", 40), ("ulx3s_12f", 40)]
)
def test_the_button_of_a_board_resets_with_a_pll_too(name: str, wanted: float) -> None:
    built = clock_of(board(name), wanted)
    files = plan_content(selftest_content(MADE, Settings(built.hz)), board(name), built).files
    text = "".join(text for text in files.values() if isinstance(text, str))
    button = board(name).platform().default_rst is not None
    assert button == ("rst_0__io" in text)
    # Elsewhere it is a constant.
    assert button == (re.search(r"(connect|assign) \\?button =? ?1'", text) is None)
