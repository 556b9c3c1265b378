"""Runs that are compared a while at a time: as they would be at once, and faults found late."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from noc.design import build_direct, build_ordered
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.model import runs as model_runs
from noc.model import traffic
from noc.model.ordered import run as ordered_run
from noc.model.ordered import traffic as ordered_traffic
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.verify import name_runs, verify, verify_files
from noc.verify.expected import expect
from noc.verify.streams import interface

OPERATIONS = ("broadcast", "send", "all_reduce:sum", "barrier")

DESIGNS = {
    "ordered": lambda net: build_ordered(net, width=33),
    "operations": lambda net: build_ordered(net, width=8, operations=OPERATIONS),
    "many bits": lambda net: build_ordered(net, width=80, operations=OPERATIONS),
    "one source": lambda net: build_direct(
        net, sources="one", width=8, config=RouterConfig(link_registers=1, queue=2)
    ),
    "direct": lambda net: build_direct(net, width=8),
}

KINDS = {"operations": "mixed:half,wrong:bursty", "many bits": "sparse:half"}


@pytest.fixture(params=DESIGNS)
def design(request):
    return DESIGNS[request.param](build_network("star:3")), KINDS.get(request.param, "mixture")


@pytest.fixture
def small(monkeypatch):
    """Parts and chunks so small that each run has many."""
    monkeypatch.setattr(model_runs, "EVENTS_AT_A_TIME", 150)
    monkeypatch.setattr(traffic, "PART", 32)
    monkeypatch.setattr(ordered_run, "JOINS_AT_A_TIME", 20)


def all_of(built, kinds):
    """What is expected of runs, all at once, and in how many chunks."""
    streams = interface(build_manifest(built, []), built)
    for one in name_runs(built, kinds, words=40 if kinds == "mixture" else 12, seed=3):
        chunks = list(expect(built, streams, one))
        *before, last = chunks
        assert all(chunk.end is None for chunk in before)
        columns = [np.concatenate([chunk[at] for chunk in chunks]) for at in range(3)]
        order = np.lexsort((columns[2][:, 1], columns[2][:, 0]))
        columns[2] = columns[2][order]
        yield columns, (last.cycles, last.injected, last.end), len(chunks)


def test_chunks_are_the_whole(design, request, monkeypatch) -> None:
    built, kinds = design
    if kinds == "mixture" and built.sources == "all":
        # Of traffic without end, more words are made than are sent.
        kinds = "back-to-back:half,full:always,dense:bursty,sparse:rarely"
    whole = list(all_of(built, kinds))
    request.getfixturevalue("small")
    # Some of them end where the network becomes empty.
    monkeypatch.setattr(model_runs, "EVENTS_AT_A_TIME", 30)
    parts = list(all_of(built, kinds))
    assert max(count for _, _, count in parts) > 3
    for (columns, end, _), (cut, cut_end, _) in zip(whole, parts, strict=True):
        assert end == cut_end
        assert all(np.array_equal(one, other) for one, other in zip(columns, cut, strict=True))


def test_segments_of_messages_follow_each_other(monkeypatch) -> None:
    """A mixture that is made in segments drains: what is joined is in one order everywhere."""
    monkeypatch.setattr(ordered_traffic, "SEGMENT", 5)
    monkeypatch.setattr(model_runs, "EVENTS_AT_A_TIME", 150)
    built = DESIGNS["operations"](build_network("star:3"))
    ((columns, (_, injected, end), count),) = all_of(built, "mixed:half")
    assert (end, injected) == ("drained", len(columns[2]))
    assert count > 3


LATE = 900


def faulty(built, folder: Path) -> list[Path]:
    """Its Verilog, which from a late cycle of run 1 on gives a wrong bit at the last sink."""
    last = interface(build_manifest(built, []), built).eject[-1]
    top, *nodes = [module.write(folder) for module in modules(built)]
    before, found, after = top.read_text().rpartition(f"({last.payload})")
    assert found
    wrong = (
        f"wire [{last.bits - 1}:0] right; reg [31:0] at; "
        "always @(posedge clk) at <= rst ? 0 : at + 1; "
        f"assign {last.payload} = right ^ (noc_bench.run == 1 && at > {LATE});\nendmodule"
    )
    top.write_text(f"{before}(right){after.replace('endmodule', wrong)}")
    return [top, *nodes]


@pytest.mark.usefixtures("small")
@pytest.mark.cases(2)
def test_a_fault_that_comes_late_is_caught(design, tmp_path, tmp_path_factory) -> None:
    built, kinds = design
    name = "back-to-back:half" if kinds == "mixture" else kinds.partition(",")[0]
    (one,) = name_runs(built, name, words=800 if kinds == "mixture" else 60, seed=1)
    report = verify_files(
        *(built, build_manifest(built, []), faulty(built, tmp_path), [one, one], tmp_path),
        parts=tmp_path_factory.getbasetemp() / "parts",
    )
    assert report.trouble is None
    right, wrong = report.runs
    assert (right.comparison.mismatches, right.whole) == (0, True)
    assert (wrong.events, wrong.cycles, wrong.whole) == (right.events, right.cycles, True)
    assert wrong.comparison.mismatches > 20
    assert len(wrong.comparison.first) == 5
    cycles = [int(re.match(r"cycle (\d+), node", line)[1]) for line in wrong.comparison.first]
    assert min(cycles) >= LATE - 2


@pytest.mark.usefixtures("small")
def test_progress_is_told_of_long_runs_only(tmp_path, tmp_path_factory) -> None:
    built = DESIGNS["ordered"](build_network("star:3"))
    parts, told = tmp_path_factory.getbasetemp() / "parts", []
    for words in (1, 60):
        (folder := tmp_path / str(words)).mkdir()
        runs = name_runs(built, "full:half", words=words)
        assert verify(built, runs, folder, parts=parts, running=told.append).passed
        assert bool(told) == (words == 60)
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.slow
def test_a_long_run_is_compared_in_little_memory() -> None:
    """Ten million transfers take as much memory as one million."""
    script = Path(__file__).parent.parent / "bench" / "verify_long.py"
    most = []
    for words in ("6000", "60000"):
        arguments = ["star:4", "--traffic", "full", "--words", words]
        done = subprocess.run(
            [sys.executable, str(script), *arguments], capture_output=True, text=True, check=True
        )
        most.append(int(re.search(r"; (\d+) MB, ", done.stdout)[1]))
    assert most[1] < most[0] + 100
    assert most[1] < 2000
