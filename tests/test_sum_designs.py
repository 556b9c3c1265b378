"""Designs that add words up by the clock: Verilog, folders, benches, and what is refused."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from folders import (
    bench,
    change,
    copied,
    generated,
    manifest_of,
    shift_rounds,
    stress,
)
from helpers import strong_graphs
from hypothesis import given, settings
from own_operators import PLUGIN
from round_designs import check_few_words

from noc.design import build_design
from noc.emit.manifest import build_manifest
from noc.errors import InputError
from noc.networks import Network, build_network
from noc.trees.timetables import Exchange, SumHop, find_sums

ALL = Exchange("all_reduce", operator="sum")
EACH = Exchange("reduce_scatter", operator="sum")


# The Verilog.


@pytest.mark.slow
@given(network=strong_graphs())
@settings(max_examples=4)
def test_any_graph_becomes_verilog(network: Network, tmp_path_factory) -> None:
    name = "all_reduce:max" if network.two_way else "reduce_scatter:sum"
    design = build_design(network, fabric="timetable", width=8, exchange=name)
    check_few_words(design, tmp_path_factory.mktemp("graph"))


@pytest.mark.ci
def test_words_are_combined_by_an_operator_of_a_users(cli, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(PLUGIN, encoding="utf-8")
    options = ("--fabric", "timetable", "--exchange", "all_reduce:saturate", "--round", "2")
    plugin = ("--plugin", str(tmp_path / "own.py"))
    told = cli.facts("verify", "mesh:2,3", *options, "--width", "5", "--words", "300", *plugin)
    assert (told["mismatches"], told["events"] > 1000) == (0, True)


# Folders.


@pytest.mark.parametrize(
    "more",
    [
        {"exchange": "all_reduce:sum", "round": 2},
        {"exchange": "reduce_scatter:min"},
        {"exchange": "all_reduce:max", "sinks": "queued", "queue": 3},
    ],
)
def test_the_manifest_says_which_sum_is_where(more: dict) -> None:
    """Each node gives a word to each sum once, and gets its sums once."""
    manifest = build_manifest(build_design("mesh:2,3", fabric="timetable", **more), [])
    sums = [*range(manifest["sums"])]
    for number, node in enumerate(manifest["nodes"]):
        assert len(node["inject_lanes"]) == len(node["inject"])
        given = [each for lane in node["inject_lanes"] for each in lane["sums"] if each is not None]
        assert sorted(given) == sums
        got = [each for lane in node["lanes"] for each in lane["sums"] if each is not None]
        assert sorted(got) == (sums if manifest["exchange"] == "all_reduce" else [number])
        for lane in (*node["inject_lanes"], *node["lanes"]):
            pairs = zip(lane["sums"], lane["after"], strict=True)
            assert all((total is None) == (after is None) for total, after in pairs)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = ("--fabric", "timetable", "--exchange", "all_reduce:sum", "--round", "2")
    return generated(tmp_path_factory.mktemp("sums") / "out", "mesh:2,3", *options)


def shift_sums(manifest: dict) -> None:
    lane = manifest["nodes"][0]["lanes"][0]
    lane["after"] = [after and after + 1 for after in lane["after"]]


def exchange_sums(manifest: dict) -> None:
    lane = next(
        lane
        for node in manifest["nodes"]
        for lane in node["lanes"]
        if None not in lane["sums"] and len({*lane["sums"]}) > 1
    )
    lane["sums"].reverse()


@pytest.mark.cases(0, ci=1)
@pytest.mark.cocotb
@pytest.mark.parametrize("how", [shift_rounds, shift_sums, exchange_sums])
def test_the_benches_catch_what_is_exchanged(whole: Path, how, tmp_path: Path) -> None:
    copied(whole, tmp_path)
    change(tmp_path, "manifest", how)
    done = bench(tmp_path, "run.py", status=1)
    assert "2 of 11 tests" in done.stdout + done.stderr
    told = ("became", "before the first round", "of sum", "rounds later")
    assert any(each in done.stdout for each in told)
    wrong = r"gets sum \d of round \d+ (as|instead)|that is in no sum"
    assert re.search(wrong, stress(tmp_path, status=1).stderr)


#: In the top module, what is wrong with a word that comes to a node by a link, and what is told.
PLANTED = {
    "a bit is turned over": ("(WORD ^ &cycle[5:0])", "gets sum . of round .* as 0x"),
    "a word is lost": ("VALID & ~&cycle[5:0]", "as 0x|is not at|instead of that of round"),
    "a word is doubled": ("VALID | &cycle[5:0]", "gets "),
}


@pytest.mark.cases(0, ci=1)
@pytest.mark.cocotb
@pytest.mark.parametrize("name", PLANTED)
def test_the_stress_program_tells_what_is_wrong(whole: Path, name: str, tmp_path: Path) -> None:
    """Now and then a word is wrong on one link."""
    copied(whole, tmp_path)
    what, message = PLANTED[name]
    top = tmp_path / f"{manifest_of(tmp_path)['top']}.v"
    text = top.read_text(encoding="utf-8")
    signal = "payload" if "WORD" in what else "valid"
    found = re.search(rf"\.(in_\d+__{signal})\((\w+)\)", text)
    assert found is not None
    broken = what.replace("WORD", found[2]).replace("VALID", found[2])
    text = text.replace(found[0], f".{found[1]}({broken})", 1)
    counter = "  reg [31:0] cycle = 0;\n  always @(posedge clk) cycle <= rst ? 0 : cycle + 1;\n"
    text = text.replace(");\n", f");\n{counter}", 1)
    top.write_text(text, encoding="utf-8")
    assert re.search(message, stress(tmp_path, status=1).stderr)


# Refusals.


@pytest.mark.parametrize("length", [0, 65, 2.5, "2", True, None])
def test_what_is_no_round_is_refused(length) -> None:
    with pytest.raises(InputError, match="round"):
        build_design("mesh:2,2", fabric="timetable", exchange="all_reduce:sum", round=length)


@pytest.mark.parametrize(("exchange", "length"), [(ALL, 0), (EACH, 3), (Exchange("gather", 0), 1)])
def test_lengths_that_cannot_be_are_refused(exchange: Exchange, length: int) -> None:
    with pytest.raises(InputError, match="length"):
        find_sums(build_network("mesh:2,2"), exchange, length=length)


def test_a_plugin_that_is_not_loaded_is_named(cli, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(PLUGIN.replace("saturate", "saturate2"), encoding="utf-8")
    plugin = ("--plugin", str(tmp_path / "own.py"))
    options = ("--fabric", "timetable", "--exchange", "all_reduce:saturate2")
    folder = generated(tmp_path / "out", "ring:3", *options, *plugin)
    assert manifest_of(folder)["plugins"] == ["own.py"]
    change(folder, "manifest", lambda manifest: manifest.update(operator="unknown"))
    told = cli.refusal("verify", "--verilog", folder)
    assert "operator 'unknown' comes from a plug-in, own.py; --plugin FILE is needed" in told


def test_a_port_that_is_called_like_the_loop_is_refused() -> None:
    network = replace(build_network("star:3"), in_ports=("2", "sum"), out_ports=("2", "sum"))
    with pytest.raises(InputError, match="has a port 'sum'"):
        build_design(network, fabric="timetable", exchange="all_reduce:sum")


def test_steps_and_latency_are_printed(cli) -> None:
    told = cli.facts("steps", "all-reduce", "mesh:4,4", "--round", "5")
    assert (told["words"], told["round"], told["bound"]) == (8, 5, 5)
    carried = Counter((row["from"], row["port"], row["step"] % 5) for row in told["rows"])
    assert {*carried.values()} == {1}
    # All of the 48 links are busy in all of the 5 steps.
    assert len(carried) == 5 * 48
    options = ("--fabric", "timetable", "--exchange", "all_reduce:sum", "--words", "1,10")
    one, ten = cli.facts("latency", "mesh:4,4", *options)["latencies"]
    assert ten["cycles"] - one["cycles"] == 9
    assert one["cycles"] >= one["bound"] == 6


def test_hops_are_named_by_what_they_need() -> None:
    sums = find_sums(build_network("ring:5"), ALL, length=1)
    for hop in sums.hops:
        assert isinstance(hop, SumHop)
        assert all(need.receiver == hop.sender for need in sums.needs(hop))
    steps = [sorted({hop.step for hop in sums.hops if hop.up == up}) for up in (True, False)]
    assert all(b - a == 1 for each in steps for a, b in pairwise(each))
