"""Scripts for other tools: that for Vivado is played by Tcl, with a model of Vivado's commands."""

import json
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from noc.cli import main
from noc.emit.streams import streams_of

COMMAND = ("--axi-stream", "--scripts", "vivado")


def interpreter() -> Any:
    """Tcl, which Debian has apart from Python."""
    return pytest.importorskip("tkinter").Tcl()


class Vivado:
    """What the commands of the IP packager do, as far as the script says it."""

    def __init__(self, ports: set[str]) -> None:
        self.ports, self.properties = ports, {}
        self.sources: list[str] = []
        # What Vivado finds by itself, and gets wrong.
        self.buses: dict[str, dict[str, Any]] = {"clk": {"wrong": True}}
        self.saved = False
        self.tcl = interpreter()
        for name in ("create_project", "close_project", "update_compile_order"):
            self.tcl.createcommand(name, lambda *_: "")
        for name in ("package_project", "create_xgui_files", "update_checksums", "check_integrity"):
            self.tcl.createcommand(f"ipx::{name}", lambda *_: "")
        self.tcl.createcommand("current_fileset", lambda: "sources_1")
        self.tcl.createcommand("ipx::current_core", lambda: "core")
        self.tcl.createcommand("add_files", lambda _, path: self.sources.append(path))
        for name in ("get_bus_interfaces", "remove_bus_interface", "add_bus_interface"):
            self.tcl.createcommand(f"ipx::{name}", getattr(self, name))
        for name in ("add_port_map", "add_bus_parameter", "associate_bus_interfaces", "save_core"):
            self.tcl.createcommand(f"ipx::{name}", getattr(self, name))
        self.tcl.createcommand("set_property", self.set_property)

    def get_bus_interfaces(self, _quiet: str, name: str, _of: str, core: str) -> str:
        assert core == "core"
        return name if name in self.buses else ""

    def remove_bus_interface(self, name: str, core: str) -> str:
        del self.buses[name]
        return core

    def add_bus_interface(self, name: str, core: str) -> str:
        assert name not in self.buses
        assert core == "core"
        self.buses[name] = {"ports": {}}
        return name

    def add_port_map(self, logical: str, bus: str) -> str:
        assert logical not in self.buses[bus]["ports"]
        return f"{bus}/{logical}"

    def add_bus_parameter(self, name: str, bus: str) -> str:
        return f"{bus}/{name}"

    def associate_bus_interfaces(self, *words: str) -> str:
        *pairs, core = words
        assert core == "core"
        options = dict(zip(pairs[::2], pairs[1::2], strict=True))
        clock = self.buses[options.pop("-clock")]
        for option, name in options.items():
            assert name in self.buses
            clock.setdefault(option, []).append(name)
        return ""

    def set_property(self, name: str, value: str, of: str) -> str:
        bus, _, part = of.partition("/")
        if name == "physical_name":
            assert value in self.ports
            self.buses[bus]["ports"][part] = value
        elif part:
            self.buses[bus][part] = value
        elif bus in self.buses:
            self.buses[bus][name] = value
        else:
            self.properties[of, name] = value
        return ""

    def save_core(self, core: str) -> str:
        self.saved = core == "core"
        return ""


def packaged(folder: Path, *options: str) -> tuple[Vivado, dict[str, Any]]:
    assert main(["generate", "star:3", *COMMAND, *options, "-o", str(folder)]) == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    top = manifest["axis"]["top"]
    head = (folder / f"{top}.v").read_text().partition(");")[0]
    vivado = Vivado(set(re.findall(r"(\w+),?$", head, re.MULTILINE)))
    script = folder / f"{top}_ip.tcl"
    vivado.tcl.eval(f"set argc 0; set argv {{}}; info script {{{script}}}")
    vivado.tcl.evalfile(str(script))
    return vivado, manifest


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--node-clocks each --no-tlast",
        "--node-clocks shared --sources 123,321",
        "--operations broadcast,send --vector-ports",
        "--fabric timetable --exchange all_to_all",
    ],
)
def test_an_ip_has_every_stream_with_its_ports_and_clock(tmp_path: Path, options: str) -> None:
    vivado, manifest = packaged(tmp_path / "out", *options.split())
    axis = manifest["axis"]
    assert vivado.saved
    assert vivado.properties["sources_1", "top"] == axis["top"]
    assert vivado.properties["core", "name"] == axis["top"]
    # In a project for any family.
    assert vivado.properties["core", "supported_families"] == ""
    assert vivado.properties["core", "auto_family_support_level"] == "level_2"
    assert {Path(path) for path in vivado.sources} == set((tmp_path / "out").glob("*.v"))
    expected, clocks = {}, {axis["clock"]: axis["reset"]}
    of_clock: dict[str, set[str]] = {axis["clock"]: set()}
    for node in axis["nodes"]:
        clocks[node["clock"]] = node["reset"]
        for side, mode in (("s_axis", "slave"), ("m_axis", "master")):
            for _, stream in streams_of(node, side):
                name = stream["tvalid"].removesuffix("_tvalid")
                of_clock.setdefault(node["clock"], set()).add(name)
                expected[name] = mode, {kind.upper(): port for kind, port in stream.items()}
    kind = "xilinx.com:interface:axis"
    streams = {name: bus for name, bus in vivado.buses.items() if name in expected}
    assert {n: (b["interface_mode"], b["ports"]) for n, b in streams.items()} == expected
    for bus in streams.values():
        assert bus["bus_type_vlnv"] == f"{kind}:1.0"
        assert bus["abstraction_type_vlnv"] == f"{kind}_rtl:1.0"
    assert vivado.buses.keys() - streams.keys() == {*clocks, *clocks.values()}
    for clock, reset in clocks.items():
        bus = vivado.buses[clock]
        assert bus["ports"] == {"CLK": clock}
        assert set(bus.get("-busif", [])) == of_clock[clock]
        assert bus["-reset"] == [reset]
        assert vivado.buses[reset]["ports"] == {"RST": reset}
        assert vivado.buses[reset]["POLARITY"] == "ACTIVE_HIGH"
        assert vivado.buses[reset]["bus_type_vlnv"] == "xilinx.com:signal:reset:1.0"


def written(folder: Path, *options: str) -> dict[str, Any]:
    scripts = ("--scripts", "librelane,siliconcompiler")
    assert main(["generate", "star:3", *scripts, *options, "-o", str(folder)]) == 0
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


SILICON = {"": "noc_star_3", "--vector-ports --node-clocks shared": "noc_star_3_clocks_vectors"}


@pytest.mark.parametrize("options", SILICON)
def test_librelane_reads_every_file_and_the_clock(tmp_path: Path, options: str) -> None:
    written(tmp_path, *options.split())
    top = SILICON[options]
    config = json.loads((tmp_path / f"{top}_librelane.json").read_text())
    assert config["DESIGN_NAME"] == top
    assert {tmp_path / name.removeprefix("dir::") for name in config["VERILOG_FILES"]} == set(
        tmp_path.glob("*.v")
    )
    assert (config["CLOCK_PORT"], config["CLOCK_PERIOD"]) == ("clk", 10.0)
    given = {name: config.get(name) for name in ("PNR_SDC_FILE", "SIGNOFF_SDC_FILE")}
    # With clocks of the nodes one period says too little.
    assert set(given.values()) == ({f"dir::{top}.sdc"} if options else {None})


class Recorder:
    """Stands for what SiliconCompiler has of a design and a project, and notes the calls."""

    def __init__(self, *arguments: object) -> None:
        self.calls: list[tuple[object, ...]] = [arguments]

    def __getattr__(self, name: str) -> Any:
        return lambda *words, **options: self.calls.append((name, *words, *options.values()))


@pytest.mark.parametrize("options", SILICON)
def test_siliconcompiler_reads_every_file(tmp_path: Path, monkeypatch, options: str) -> None:
    written(tmp_path, *options.split())
    top = SILICON[options]
    package, loaded = ModuleType("siliconcompiler"), []
    package.Design = package.ASIC = Recorder
    package.targets = SimpleNamespace(asap7_demo=loaded.append)
    monkeypatch.setitem(sys.modules, "siliconcompiler", package)
    project = runpy.run_path(str(tmp_path / f"{top}_siliconcompiler.py"))["build"]("asap7_demo")
    assert loaded == [project]
    ((design,), *calls) = project.calls
    assert calls == [("add_fileset", ["rtl", "sdc"])]
    assert design.calls[:2] == [(top,), ("set_topmodule", top, "rtl")]
    files = {"rtl": set(), "sdc": set()}
    for name, path, kind in design.calls[2:]:
        assert name == "add_file"
        files[kind].add(Path(path))
    assert files["rtl"] == set(tmp_path.glob("*.v"))
    assert files["sdc"] == set(tmp_path.glob("*.sdc"))
    (constraints,) = files["sdc"]
    tcl, clocks = interpreter(), []
    for name in ("set_input_delay", "set_output_delay", "set_max_delay", "set_min_delay"):
        tcl.createcommand(name, lambda *_: "")
    for name in ("get_ports", "get_clocks", "all_inputs", "all_outputs", "set_false_path"):
        tcl.createcommand(name, lambda *words: words[-1] if words else "")
    tcl.createcommand("create_clock", lambda *words: clocks.append(words[1:]))
    tcl.eval(constraints.read_text())
    node = [("node_clk", "-period", "10.0", "node_clk")] if options else []
    assert clocks == [("clk", "-period", "10.0", "clk"), *node]
    # FuseSoC has constraints of its own.
    assert "siliconcompiler" not in (tmp_path / f"{top}.core").read_text()
