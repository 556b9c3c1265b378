"""Netlists of whole networks against the model, those that are kept, and sums of a choice."""

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

from noc.design import build_design, build_direct, build_ordered
from noc.emit.manifest import build_manifest
from noc.emit.module import Module
from noc.errors import CheckError, InputError
from noc.networks import build_network
from noc.synth import FAMILIES, Netlist, family, synthesise, tools
from noc.synth.netlist import _FILES, map_sums, router_netlists, widths_of_sums
from noc.synth.tools import Tool
from noc.verify import netlist, run, verify_files

# How the type of a look-up table is written, and its parameter, by family.
TABLES = {"ecp5": ("LUT4", "INIT"), "ice40": ("SB_LUT4", "LUT_INIT")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "options", "target", "mapping"),
    [
        ("star:3", "--fabric direct", "ice40", "best"),
        ("star:3", "--fabric direct --ports one", "ecp5", "best"),
        ("star:3", "--fabric direct --ports one", "nexus", "plain"),
        ("star:4", "--fabric direct", "ecp5", "best"),
        ("star:3", "--fabric ordered", "ice40", "plain"),
        ("uhc:3", "--fabric ordered --link-registers 1 --queue 4", "ecp5", "plain"),
        ("star:4", "--fabric ordered --own-words return --no-source-numbers", "ecp5", "best"),
        ("star:4", "--fabric ordered --sources 1234,2134,4321", "nexus", "plain"),
    ],
)
def test_a_netlist_equals_the_model(spec, options, target, mapping, cli):
    arguments = [spec, *options.split(), "--width", "8"]
    arguments += ["--traffic", "single,full:half,dense:bursty,endless"]
    arguments += ["--netlist", target, "--mapping", mapping]
    result = cli.facts("verify", *arguments)
    assert (result["netlist"], result["mismatches"]) == (target, 0)
    assert result["compared"]["links"] > build_network(spec).nodes
    assert result["events"] > 5000


MANY = "broadcast,send,all_reduce:sum,barrier@left,reduce:max@left"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "options", "target", "mapping"),
    [
        ("star:3", f"--operations {MANY} --group left=123,213,321 --watchdog 9", "ecp5", "best"),
        ("ring:4", "--operations reduce:min_signed,gather --link-registers 1", "ice40", "plain"),
        ("uhc:3", "--operations scatter,barrier --group-queue 3", "nexus", "plain"),
    ],
)
def test_a_netlist_with_operations_equals_the_model(spec, options, target, mapping, cli):
    arguments = [spec, *options.split(), "--width", "8", "--traffic", "mixed:half,wrong:always"]
    result = cli.facts("verify", *arguments, "--netlist", target, "--mapping", mapping)
    assert (result["netlist"], result["mismatches"]) == (target, 0)
    # Those of joined words beside those up and down the trees.
    assert result["compared"]["links"] > 2 * (build_network(spec).nodes - 1)
    assert result["events"] > 2000


#: Designs whose words take known cycles, and how many events there are at least.
CLOCKED = {
    "rounds": ("--fabric timetable", 1000),
    "pulses": ("--fabric timetable --sinks queued --queue 2 --start pulse", 1000),
    "ready": ("--fabric timetable --start ready --width 8", 1000),
    "one stream": ("--fabric timetable --start ready --ejects one --width 8", 1000),
    "an exchange": ("--fabric timetable --exchange all_to_all", 1000),
    "sums": ("--fabric timetable --exchange all_reduce:sum --words 200", 1000),
    "one chooser": ("--fabric timetable --choices one", 1000),
    "slices": ("--fabric direct --algorithm disjoint --sinks always-ready", 100),
}


@pytest.mark.slow
@pytest.mark.parametrize("target", TABLES)
@pytest.mark.parametrize("name", [name for name in CLOCKED if name != "sums"])
def test_a_netlist_by_the_clock_equals_the_model(name: str, target: str, cli) -> None:
    options, events = CLOCKED[name]
    told = cli.facts("verify", "mesh:2,2", *options.split(), "--netlist", target)
    assert (told["mismatches"], told["events"] > events) == (0, True)


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("target", TABLES)
def test_a_netlist_of_sums_by_the_clock_equals_the_model(target: str, cli) -> None:
    test_a_netlist_by_the_clock_equals_the_model("sums", target, cli)


def spoiled(text: str, kind: str, parameter: str) -> tuple[str, int]:
    """A netlist whose tables are numbered from 1 on, and how many there are."""
    numbers = itertools.count(1)
    pattern = rf"({kind} #\(\s*\.{parameter}\(16'h\w+\))"
    return re.subn(pattern, lambda result: f"{result[1]}, .NUMBER({next(numbers)})", text)


def spoiling(model: str, kind: str, parameter: str) -> str:
    """The models of the cells; the table of the run's number has a wrong bit, in run 0 none."""
    begin = re.search(rf"\bmodule {kind}\b", model).start()
    end = model.index("endmodule", begin)
    head, declared, body = re.split(rf"(parameter \[15:0\] {parameter} = [^;]+;)", model[begin:end])
    wrong = (
        "parameter NUMBER = 0; wire [15:0] used = "
        f"{parameter} ^ (NUMBER != 0 && noc_bench.run == NUMBER ? 16'h1 << NUMBER % 16 : 16'h0);"
    )
    body = re.sub(rf"\b{parameter}\b", "used", body)
    return model[:begin] + head + declared + wrong + body + model[end:]


def build_joining(network, width):
    operations = ("broadcast", "send", "all_reduce:sum")
    return build_ordered(network, operations=operations, width=width)


@pytest.mark.slow
@pytest.mark.parametrize("target", TABLES)
@pytest.mark.parametrize("build", [build_direct, build_ordered, build_joining])
def test_a_wrong_bit_of_a_look_up_table_is_caught(build, target, tmp_path):
    built = build(build_network("star:3"), width=8)
    mapped, models = netlist.netlist_files(built, family(target), tmp_path)
    text, count = spoiled(mapped.read_text(), *TABLES[target])
    mapped.write_text(text)
    models.write_text(spoiling(models.read_text(), *TABLES[target]))
    if build is build_joining:
        one = run(built, "mixed:half", words=20, cycles=None, seed=1)
    else:
        one = run(built, "dense:half", words=20, cycles=None, seed=1)
    report = verify_files(
        built, build_manifest(built, []), [mapped, models], [one] * (count + 1), tmp_path
    )
    assert report.trouble is None
    as_made, *faulty = [each.comparison.mismatches for each in report.runs]
    assert as_made == 0
    # Many bits stand for inputs that never come.
    assert sum(mismatches > 0 for mismatches in faulty) > count // 4


def test_cells_without_a_model_are_refused():
    chosen = family("ecp5")
    built = Netlist("top", chosen, Path(), {}, {}, {"LUT4": 3, "DP16KD": 1}, "Yosys 0")
    models = netlist.models(chosen)
    with pytest.raises(InputError, match=r"^netlist='ecp5': the netlist has DP16KD, of which"):
        netlist._check_modelled(built, chosen, models)
    netlist._check_modelled(replace(built, cells={"LUT4": 3, "TRELLIS_FF": 1}), chosen, models)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_has_models_of_its_tables_and_flip_flops(name):
    text = netlist.models(family(name))
    modules = re.findall(r"^\s*module\s+(\w+)", text, re.MULTILINE)
    assert len(modules) == len(set(modules))
    chosen = family(name)
    assert any(module.startswith(chosen.ffs) for module in modules)
    assert "`include" not in text


def test_a_missing_yosys_is_named(cli, monkeypatch):
    monkeypatch.setattr("noc.synth.tools._package", lambda _: None)
    # Nor is there one that Debian has.
    monkeypatch.setenv("PATH", "")
    assert "yosys is missing: pip install pyosys" in cli.refusal(
        "verify", "star:3", "--netlist", "ecp5"
    )


# Netlists are kept from one network to the next.


COUNTER = """module {0}(input clk, rst, output reg [3:0] q, output half);
  always @(posedge clk) q <= rst ? 0 : q + 3;
  {0}_half inner (.q(q), .on(rst), .half(half));
endmodule
module {0}_half(input [3:0] q, input on, output half); assign half = on & ^q[3:1]; endmodule
"""


def files(folder: Path, name: str) -> list[bytes]:
    return [(folder / f"{name}{ending}").read_bytes() for ending in _FILES]


@pytest.mark.ci
def test_a_module_of_another_name_is_not_mapped_again(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("noc.synth.kept.cache_folder", lambda *_: tmp_path)
    first = synthesise(Module("first", COUNTER.format("first")), family("ecp5"), tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("noc.synth.netlist.kept_for", lambda *_: None)
        fresh = synthesise(Module("other", COUNTER.format("other")), family("ecp5"), tmp_path)
    expected = files(fresh.folder, "other")
    for path in fresh.folder.iterdir():
        path.unlink()
    # Only what is different is given to Yosys.
    asked: list[str] = []
    run = Tool.run
    monkeypatch.setattr(
        Tool, "run", lambda *args, **named: asked.append(args[2].name) or run(*args, **named)
    )
    second = synthesise(Module("other", COUNTER.format("other")), family("ecp5"), tmp_path)
    assert (asked, second.cells) == ([], first.cells)
    assert files(second.folder, "other") == expected
    text = COUNTER.format("third").replace("+ 3", "+ 5")
    synthesise(Module("third", text), family("ecp5"), tmp_path)
    assert asked == ["third.0"]
    for path in tmp_path.glob("*.zip"):
        path.write_bytes(path.read_bytes()[:-30])
    again = synthesise(Module("third", text), family("ecp5"), tmp_path)
    assert asked == ["third.0"] * 2
    assert again.cells["TRELLIS_FF"] == 4


# Sums of which a summand is chosen: the cells of a family give what the Verilog says.


ECP5 = family("ecp5")

MODULE = """\
module m(input [{top}:0] a, b, c, input s, output [{top}:0] o);
  assign o = {sum};
endmodule
"""


def prove(folder: Path, width: int, chips=ECP5, sum_="a + (s ? c : b)") -> None:
    """That the mapped module is the one that was read, for all inputs."""
    text = MODULE.format(top=width - 1, sum=sum_)
    (folder / "m.v").write_text(text, encoding="utf-8")
    models = tools.yosys().share / chips.models[0]
    lines = [
        *("read_verilog -sv m.v", "prep", "rename m gold", "design -stash gold"),
        *("read_verilog -sv m.v", *map_sums(chips, "m", (width,))),
        # Something was mapped.
        *("select -assert-min 1 t:CCU2C", "rename m gate", f"read_verilog -lib {models}"),
        *(f"read_verilog -overwrite {models}", "hierarchy -top gate", "proc", "flatten"),
        *("design -copy-from gold gold", "miter -equiv gold gate miter", "flatten miter"),
        "sat -verify -prove trigger 0 miter",
    ]
    (folder / "prove.ys").write_text("\n".join([*lines, ""]), encoding="utf-8")
    tools.yosys().run(["prove.ys"], folder, "prove.txt", seconds=120)


@pytest.mark.cases(5)
@pytest.mark.parametrize("width", [5, 8, 11])
@pytest.mark.parametrize(
    "sum_", ["a + (s ? c : b)", "(s ? c : b) + a", "a + b + c", "a + b + c + (s ? a : c)"]
)
def test_the_cells_give_the_sum(tmp_path: Path, width: int, sum_: str) -> None:
    prove(tmp_path, width, sum_=sum_)


@pytest.mark.parametrize(
    ("right", "wrong"), [("16'h569a", "16'h596a"), (".C0(one[i])", ".C0(other[i])")]
)
def test_a_wrong_table_is_seen(tmp_path: Path, right: str, wrong: str) -> None:
    text = ECP5.sum_of_choice
    assert right in text
    with pytest.raises(CheckError):
        prove(tmp_path, 8, replace(ECP5, sum_of_choice=text.replace(right, wrong)))


@pytest.mark.ci
def test_sums_of_joins_are_mapped(tmp_path: Path) -> None:
    """A node adds its own words to those of two children, each of which has two slots."""
    design = build_design("mesh:3,2", operations="all_reduce:sum", width=16)
    assert widths_of_sums(design) == (16,)
    assert widths_of_sums(build_design("mesh:3,2", operations="all_reduce:max")) == ()
    assert widths_of_sums(build_design("mesh:3,2", operations="all_reduce:sum", width=4)) == ()
    assert widths_of_sums(build_design("mesh:3,2")) == ()
    folded = sum(each.area.lut for each in router_netlists(design, ECP5, tmp_path))
    without = replace(ECP5, sum_of_choice="")
    plain = sum(each.area.lut for each in router_netlists(design, without, tmp_path))
    assert folded <= plain - 16 * 2


@pytest.mark.ci
def test_sums_by_the_clock_are_mapped(tmp_path: Path) -> None:
    """Of several words one after the other, each is added in a carry cell a bit."""
    design = build_design("ring:5", fabric="timetable", exchange="all_reduce:sum", width=16)
    assert widths_of_sums(design) == (16,)
    cells = sum(
        each.cells.get("CCU2C", 0) * int((design.program.table == number).sum())
        for number, each in enumerate(router_netlists(design, ECP5, tmp_path))
    )
    # One word less is added than there are nodes.
    assert 2 * cells == 16 * (5 - 1)
