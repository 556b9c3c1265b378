"""Chips on boards: their wires, pins and self-tests, which tell of each planted fault."""

import functools
import json
import re
from argparse import Namespace
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from noc.boards import BOARDS
from noc.boards.boards import boards_of_chips
from noc.boards.build import achieved
from noc.boards.platform_top import Clock, chip_content, clock_of, clocks_of_chips, plan_content
from noc.chips import Cut, cut, divide, plan_wires
from noc.cli import main, output
from noc.cli.bitstreams import passed
from noc.design import build_design
from noc.emit.chips import is_pin
from noc.emit.module import Module
from noc.emit.verilog import common_ports
from noc.errors import InputError
from noc.networks import build_network
from noc.selftest import Result, Settings, results
from noc.selftest.chips import CHIPS_SIMULATED, ChipTests
from noc.selftest.simulate import simulate_files


@functools.cache
def small(spec: str = "star:3", chips: int = 2, pins: int = 3, *, ddr: bool = False) -> Cut:
    net = build_network(spec)
    division, ways = divide(net, chips)
    return cut(build_design(net, ways, width=16), division, pins, ddr=ddr)


WIRED = [
    ("star:3", 2, 3, "icebreaker"),
    ("star:4", 4, 4, "ulx3s_85f"),
    ("ring:4", 2, 1, "icebreaker"),
    ("star:4", 4, 3, "ecpix5_45f"),
    ("ring:6", 3, 6, "ecp5_5g_evn,ice40_hx8k_b_evn:j_4+j_2,ulx3s_12f"),
]


@pytest.mark.parametrize(("spec", "chips", "pins", "boards"), WIRED)
def test_each_pin_of_a_link_has_one_wire(spec: str, chips: int, pins: int, boards: str) -> None:
    built = small(spec, chips, pins)
    chosen = boards_of_chips(boards, chips)
    wires = plan_wires(built, [free for _, free in chosen])
    for chip in range(chips):
        own = [each for each in wires if chip in (each.sender, each.receiver)]
        # The ports that the Verilog of the chip has, each bit by itself.
        ports = filter(is_pin, common_ports(built.assembly(chip)))
        bits = Counter(
            f"{port.name}[{bit}]" if port.bits > 1 else port.name
            for port in ports
            for bit in range(port.bits)
        )
        assert Counter(each.port(chip) for each in own) == bits
        outputs = {port.name for port in common_ports(built.assembly(chip)) if port.output}
        for each in own:
            assert (each.port(chip).partition("[")[0] in outputs) == (each.sender == chip)
        # No pin twice, and all of a link on one connector.
        assert set(Counter(each.pin(chip).site for each in own).values()) == {1}
        for other in {each.sender + each.receiver - chip for each in own}:
            link = [each for each in own if other in (each.sender, each.receiver)]
            assert len({each.pin(chip).connector for each in link}) == 1


@pytest.mark.parametrize(
    ("name", "pins"),
    [
        # As their makers' constraints have them.
        ("icebreaker", {"pmod_0.1": "4", "pmod_0.4": "45", "pmod_1.10": "28", "pmod_2.1": "27"}),
        ("ulx3s_85f", {"j1.0+": "B11", "j1.0-": "C11", "j2.14+": "U18"}),
        ("ecpix5_85f", {"pmod_0.1": "T25"}),
    ],
)
def test_pins_are_those_of_the_board(name: str, pins: dict[str, str]) -> None:
    free = BOARDS[name].free_pins()
    sites = {str(pin): pin.site for connector in free.values() for pin in connector}
    assert {pin: sites.get(pin) for pin in pins} == pins
    assert not {str(pin) for pin in free.get("j1", [])} & {"j1.11+", "j1.13-"}


def test_pins_that_the_self_test_has_are_not_free() -> None:
    free = BOARDS["ice40_hx8k_b_evn"].free_pins()
    # The clock is on a connector, too.
    assert "J3" not in {pin.site for connector in free.values() for pin in connector}


def test_clocks_from_other_boards_count_by_what_they_need() -> None:
    report = {
        "fmax": {
            "clk": {"achieved": 50, "constraint": 12},
            "from_chip_1_0__clock__io": {"achieved": 12, "constraint": 6},
        }
    }
    assert achieved(report, Clock(12e6)) == 24


def test_a_cable_joins_equal_connectors_pin_by_pin() -> None:
    built = small("star:4", 4, 3)
    wires = plan_wires(built, [free for _, free in boards_of_chips("ecpix5_85f", 4)])
    assert len(wires) == 8 * len(built.channels)
    assert all(each.start.number == each.end.number for each in wires)
    # The chip with three links has three connectors in use, in their order.
    hub = {each.pin(0).connector for each in wires if 0 in (each.sender, each.receiver)}
    assert hub == {"pmod_0", "pmod_1", "pmod_2"}


def sites_in(text: str) -> list[tuple[str, str]]:
    """The ports and pins in a file of constraints."""
    return re.findall(r'^(?:LOCATE COMP "|set_io )([^" ]*)"?(?: SITE "| )(\w+)', text, re.M)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("named", "ddr"), [("icebreaker,ulx3s_12f", False), ("ecpix5_85f,ulx3s_12f", True)]
)
def test_constraints_have_the_sites_of_the_wires(named: str, ddr: bool) -> None:
    built = small(ddr=ddr)
    boards, free = zip(*boards_of_chips(named, 2), strict=True)
    wires, clocks = plan_wires(built, free), clocks_of_chips(built, boards, 25)
    tests = ChipTests(built, [Settings(clock.hz) for clock in clocks])
    for chip, (board, clock) in enumerate(zip(boards, clocks, strict=True)):
        content = chip_content(tests, chip, wires, clocks, board)
        files = plan_content(content, board, clock).files
        (text,) = (text for name, text in files.items() if name.endswith((".lpf", ".pcf")))
        placed = sites_in(text)
        assert len({site for _, site in placed}) == len(placed)
        sites = {re.sub(r"_0__(clock|data)__io", r"__\1", name): site for name, site in placed}
        for each in wires:
            assert sites[each.port(chip)] == each.pin(chip).site
        # The clock that comes has half the other's frequency, with DDR the same.
        rate = clocks[1 - chip].hz / (1 if ddr else 2)
        assert re.search(rf'from_chip_{1 - chip}_0__clock__io"? {rate / 1e6:g}\b', text) or (
            f'from_chip_{1 - chip}_0__clock__io" {rate!r} HZ' in text
        )


def test_noc_cut_writes_pins_and_wires(tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    boards = "icebreaker,ulx3s_12f"
    words = ["cut", "star:3", "--chips", "2", "--pins", "3", "--board", boards, "-o", str(out)]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["wires"]
    assert told == json.loads((out / "chips" / "wires.json").read_text())
    for chip, ending in enumerate((".pcf", ".lpf")):
        file = out / "chips" / f"noc_star_3_chip_{chip}{ending}"
        ends = [end for each in told for end in each.values() if end["chip"] == f"chip_{chip}"]
        assert sorted(sites_in(file.read_text())) == sorted((e["port"], e["site"]) for e in ends)
        verilog = file.with_suffix(".v").read_text()
        for end in ends:
            assert end["port"].partition("[")[0] in verilog
    assert 'FREQUENCY PORT "from_chip_0__clock" 6 MHZ;' in file.read_text()


@pytest.mark.parametrize("mhz", [25, 50, 60, 62.5])
def test_clock_pins_are_a_quarter_later(mhz: float) -> None:
    """By the oscillator's cycles and their eighths, whatever its clock is divided by."""
    clock = clock_of(BOARDS["ulx3s_12f"], mhz, ddr=True)
    assert clock.setting is not None
    told = clock.setting.parameters
    first, second = (
        told[f"{name}_CPHASE"] + told[f"{name}_FPHASE"] / 8 for name in ("CLKOP", "CLKOS")
    )
    assert (second - first) / told["CLKOP_DIV"] == 1 / 4
    assert (told["CLKOS_DIV"], clock.quarter) == (told["CLKOP_DIV"], "o_CLKOS")


@pytest.mark.slow
@pytest.mark.parametrize("board", ["ecp5_5g_evn:J_32", "ecp5_5g_evn:J_33", "ecp5_5g_evn:J_31"])
def test_nextpnr_takes_the_pins(board: str, tmp_path: Path) -> None:
    """And their voltage on each connector, beside that of the lights."""
    words = ["build", "star:3", "--chips", "2", "--board", board, "--width", "8"]
    assert main([*words, "-o", str(tmp_path / "out")]) == 0
    for chip in range(2):
        assert (tmp_path / "out" / f"chip_{chip}" / "selftest.bit").stat().st_size > 0


def test_clocks_that_are_too_different_are_refused() -> None:
    boards = [BOARDS["icebreaker"], BOARDS["ulx3s_12f"]]
    with pytest.raises(InputError, match=r"ulx3s_12f's 25 MHz are twice icebreaker's 12 MHz"):
        clocks_of_chips(small(), boards, None)
    assert [round(clock.hz / 1e6) for clock in clocks_of_chips(small(), boards, 25)] == [25, 25]


#: What is wrong on the way from chip 0 to chip 1, and which numbers of chip 1 tell of it. ``often``
#: is 1 in an eighth of the cycles, ``word`` what goes there, ``late`` after the first round.
FAULTS = {
    "a bit is turned over": ({"turn": "often"}, ("wrong",)),
    "words get lost": ({"drop": "often"}, ("missing",)),
    "words come again": ({"again": "often"}, ("extra",)),
    "64 words of one source get lost": ({"drop": "of_first & nth[7:6] == 1"}, ("missing",)),
    "one source is not heard": ({"drop": "of_first & late"}, ("silent",)),
    "the cable is pulled out": ({"cut": "late"}, ("down",)),
    "a data wire is broken": ({"stuck": "late"}, ("down",)),
}


def broken(text: str, stream: str) -> str:
    """The module of chip 0 with all faults, each in the runs of its number."""
    signals = ("turn", "drop", "again", "cut", "stuck")
    lines = [
        "reg [31:0] count = 0; always @(posedge clk) count <= rst ? 0 : count + 1;",
        "wire often = count[2:0] == 0, late = count > 40_000;",
        f"wire [15:0] word = {stream}__payload[15:0];",
        "wire of_first = word[2:0] == 0;",
        "reg [7:0] nth = 0; always @(posedge clk)",
        f"  if (of_first & {stream}__valid & {stream}__ready) nth <= nth + 1;",
        f"wire taken, {', '.join(signals)};",
        f"assign {stream}__ready = (taken | drop) & ~again;",
        "wire out_clock; wire [2:0] out_data;",
        "assign to_chip_1__clock = out_clock & ~cut;",
        "assign to_chip_1__data = out_data & ~{2'd0, stuck};",
    ]
    for signal in signals:
        hits = [
            f"noc_bench.run / 2 == {number} & ({wrong[signal]})"
            for number, (wrong, _) in enumerate(FAULTS.values(), start=1)
            if signal in wrong
        ]
        lines.append(f"assign {signal} = {' | '.join(hits)};")
    for before, after in (
        (f".i_0__payload({stream}__payload)", f".i_0__payload({stream}__payload ^ (turn << 12))"),
        (f".i_0__valid({stream}__valid)", f".i_0__valid({stream}__valid & ~drop)"),
        (f".i_0__ready({stream}__ready)", ".i_0__ready(taken)"),
        ("__clock(to_chip_1__clock)", "__clock(out_clock)"),
        ("__data(to_chip_1__data)", "__data(out_data)"),
        ("endmodule", "\n".join([*lines, "endmodule"])),
    ):
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


@functools.cache
def told(folder: Path) -> list[list[Result]]:
    """What both chips say, first without a fault, then with each."""
    tests = ChipTests(small(), [replace(CHIPS_SIMULATED, cycles=20_000)] * 2)
    (stream,) = small().channels[0].goes
    texts = {module.name: module.text for module in tests.all_chips()}
    texts["noc_selftest"] = texts["noc_selftest"].replace("noc_bench.run]", "noc_bench.run % 2]")
    texts["noc_star_3_chip_0"] = broken(texts["noc_star_3_chip_0"], stream.name)
    said = simulate_files(
        [Module(name, text).write(folder) for name, text in texts.items()],
        folder,
        tests.settings[0],
        rounds=4,
        lines=5,
        runs=2 * (1 + len(FAULTS)),
    )
    return [[*results(text)] for text in said]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[list[Result]]:
    return told(tmp_path_factory.mktemp("chips"))


@pytest.mark.ci
def test_chips_pass_over_their_links(reports: list[list[Result]]) -> None:
    for chip in range(2):
        first, *others = reports[chip]
        assert first.waits
        assert len(others) == 3
        for each in others:
            assert each.passed, each
            # Bits were wrong on the way, and no word was lost.
            (link,) = each.links.values()
            assert link[0] == 0
            assert each.sent > 0
            assert each.right > 0
    assert sum(faulty for own in reports[:2] for each in own for _, faulty in each.links.values())
    assert {own[0].header.replace("chip 1 of", "chip 0 of") for own in reports[:2]} == {
        reports[0][0].header
    }


@pytest.mark.ci
@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_told(name: str, reports: list[list[Result]]) -> None:
    number = [*FAULTS].index(name) + 1
    *_, last = reports[2 * number + 1]
    assert not last.passed
    assert not last.waits
    counts = vars(last) | {"down": sum(down for down, _ in last.links.values())}
    assert [one for one in FAULTS[name][1] if not counts[one]] == []


@pytest.mark.ci
def test_chips_that_stop_pass_over_ddr_cells() -> None:
    words = "build star:3 --chips 2 --ddr --sinks queued --queue 2 --width 16 --simulate 1"
    assert main(words.split()) == 0


def test_reports_of_chips_that_are_built_next_are_apart(capsys) -> None:
    tested = output.Result({"passed": True}, ["PASS", "arbornoc"])
    assert passed(Namespace(json=False), tested)
    assert capsys.readouterr().out == "PASS\n\narbornoc\n"


def test_a_board_that_waits_is_no_failure() -> None:
    text = (
        "arbornoc star:3 chip 0 of 2\r\nround 1 cycles 9 sent 1 right 2 wrong 0 missing 0 extra 0"
        "\r\nsilent 1 stream 3\r\nchip_1 down 9 faulty 0\r\nWAIT\r\n"
    )
    (result,) = results(text)
    assert result.waits
    assert not result.passed
    assert (result.silent, result.stream, result.links) == (1, 3, {"chip_1": (9, 0)})
