"""Netlists with the models of their cells equal the cycle model, and a wrong table is caught."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from noc.cli import main
from noc.design import build_direct, build_ordered
from noc.emit.manifest import build_manifest
from noc.errors import InputError
from noc.networks import build_network
from noc.synth import FAMILIES, Netlist, family
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
def test_a_netlist_equals_the_model(spec, options, target, mapping, capsys):
    arguments = [spec, *options.split(), "--width", "8"]
    arguments += ["--traffic", "single,full:half,dense:bursty,endless"]
    arguments += ["--netlist", target, "--mapping", mapping]
    assert main(["verify", *arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
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
def test_a_netlist_with_operations_equals_the_model(spec, options, target, mapping, capsys):
    arguments = [spec, *options.split(), "--width", "8", "--traffic", "mixed:half,wrong:always"]
    assert main(["verify", *arguments, "--netlist", target, "--mapping", mapping, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["netlist"], result["mismatches"]) == (target, 0)
    # Those of joined words beside those up and down the trees.
    assert result["compared"]["links"] > 2 * (build_network(spec).nodes - 1)
    assert result["events"] > 2000


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
    built = Netlist("top", chosen, "plain", Path(), {}, {}, {"LUT4": 3, "DP16KD": 1}, "Yosys 0")
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["star:3", "--netlist", "asic"], "--netlist asic: is unknown; allowed: ecp5, ice40"),
        (["--verilog", "x", "--netlist", "ecp5"], "--netlist T: is made of SPEC, not of --veril"),
        (["star:3", "--mapping", "best"], "--mapping: is for --netlist T only"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message, capsys):
    assert main(["verify", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.err.count("\n"), captured.out) == (1, "")


def test_a_missing_yosys_is_named(capsys, monkeypatch):
    monkeypatch.setattr("noc.synth.tools._package", lambda _: None)
    assert main(["verify", "star:3", "--netlist", "ecp5"]) == 2
    assert "yosys is missing: pip install pyosys" in capsys.readouterr().err
