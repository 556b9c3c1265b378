"""Registers in three copies: in Verilog, folders and netlists, and where there can be none."""

import re
from pathlib import Path
from typing import Any

import pytest
from folders import generated

from noc.design import build_design
from noc.emit.verilog import modules
from noc.emit.voting import triple
from noc.errors import InputError
from noc.hardware import BroadcastNetwork
from noc.verify import name_runs, verify

DIRECT = {"fabric": "direct"}

DESIGNS: list[tuple[str, dict[str, Any]]] = [
    ("star:3", {}),
    ("uhc:2", {**DIRECT, "sinks": "always-ready"}),
    ("ring:3", {"fabric": "timetable"}),
]
LARGER: list[tuple[str, dict[str, Any]]] = [
    ("mesh:2,3", {**DIRECT, "link_registers": 1}),
    ("star:3", {"operations": "broadcast,all_reduce:sum,barrier", "group_queue": 1}),
    ("best:9", {"sinks": "always-ready", "source_numbers": False}),
]


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("spec", "options"),
    [*DESIGNS, *(pytest.param(*each, marks=pytest.mark.slow) for each in LARGER)],
)
def test_the_verilog_does_what_the_model_does(
    spec: str, options: dict[str, Any], tmp_path: Path
) -> None:
    design = build_design(spec, width=5, protect="tmr", **options)
    assert verify(design, name_runs(design, words=10), tmp_path).passed


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize(("spec", "options"), [*DESIGNS, *LARGER])
def test_all_registers_have_copies(spec: str, options: dict[str, Any]) -> None:
    bare = build_design(spec, width=5, **options)
    design = build_design(spec, width=5, protect="tmr", **options)
    assert design.digest != bare.digest
    assert bare.digest == build_design(spec, width=5, protect="none", **options).digest
    for plain, voted in zip(modules(bare), modules(design), strict=True):
        assert plain.name == voted.name
        registers = re.findall(r"@\(posedge clk\)\n", plain.text)
        inside, *copies = voted.text.split(f"module {plain.name}_voted ")
        assert "posedge" not in inside
        assert plain.text.count("module ") == inside.count("module ")
        assert len(re.findall(rf"^  {plain.name}_voted #\($", inside, re.M)) == len(registers)
        assert len(copies) == bool(registers)


def test_other_words_are_refused() -> None:
    with pytest.raises(InputError, match=r"protect='twice': none, tmr or detect are allowed"):
        build_design("star:3", protect="twice")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"protect='tmr': is of the Verilog"):
        BroadcastNetwork(build_design("star:3", protect="tmr"))


def test_registers_of_other_kinds_are_refused() -> None:
    """None of ours is such; a user's operator may have any."""
    text = rtlil("\n  cell $adff $1\n    parameter \\CLK_POLARITY 1\n  end\n")
    with pytest.raises(InputError, match=r"protect='tmr': a register with an asynchronous reset"):
        triple(text, "voted")
    text = rtlil("\n  cell $dff $1\n    parameter \\CLK_POLARITY 0\n  end\n")
    with pytest.raises(InputError, match=r"the falling edge of its clock, has no copies"):
        triple(text, "voted")


def rtlil(inside: str) -> str:
    return f"module \\some\n{inside}\nend\n"


@pytest.mark.ci
def test_a_folder_says_that_it_has_them(cli, tmp_path: Path) -> None:
    folder = generated(tmp_path / "out", "ring:3", "--protect", "tmr")
    assert cli.facts("verify", "--verilog", folder, "--words", "3")["protect"] == "tmr"


@pytest.mark.slow
@pytest.mark.parametrize("family", ["ecp5", "ice40"])
def test_synthesis_leaves_the_copies(cli, family: str) -> None:
    words = ("verify", "ring:3", "--width", "4", "--words", "4", "--netlist", family)
    assert cli.facts(*words, "--protect", "tmr")["mismatches"] == 0
    options = ("ring:3", "--width", "4", "--target", family, "--json")
    flops = [
        sum(
            count
            for cell, count in cli.facts("synth", *options[:-1], *more)["cells"].items()
            if "FF" in cell
        )
        for more in ((), ("--protect", "tmr"))
    ]
    assert flops[1] >= 3 * flops[0]
