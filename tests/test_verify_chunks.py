"""Comparisons of runs: a while at a time, by the C++ harness, and each fault caught."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers import started
from verilog_files import compared, last_sink, with_wrong_sink, written

from noc.design import build_direct, build_ordered
from noc.emit.manifest import build_manifest
from noc.emit.module import Module
from noc.harness import write_wrapper
from noc.model import runs as model_runs
from noc.model import traffic
from noc.model.ordered import run as ordered_run
from noc.model.ordered import traffic as ordered_traffic
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.programs.ordered_config import OrderedConfig
from noc.verify import name_runs, run, verify
from noc.verify.comparing import Model
from noc.verify.expected import expect
from noc.verify.runs import names
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


@pytest.mark.cases(2)
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


@pytest.mark.cases(0, ci=1)
@pytest.mark.usefixtures("small")
def test_a_fault_that_comes_late_is_caught(design, tmp_path, parts) -> None:
    """One that from a late cycle of run 1 on gives a wrong bit at the last sink."""
    built, kinds = design
    name = "back-to-back:half" if kinds == "mixture" else kinds.partition(",")[0]
    (one,) = name_runs(built, name, words=800 if kinds == "mixture" else 60, seed=1)
    late = f"noc_bench.run == 1 && at > {LATE}"
    count = "reg [31:0] at; always @(posedge clk) at <= rst ? 0 : at + 1; "
    sources = with_wrong_sink(built, tmp_path, late, count)
    report = compared(built, sources, [one, one], tmp_path, parts=parts)
    assert report.trouble is None
    right, wrong = report.runs
    assert (right.comparison.mismatches, right.whole) == (0, True)
    assert (wrong.events, wrong.cycles, wrong.whole) == (right.events, right.cycles, True)
    assert wrong.comparison.mismatches > 20
    assert len(wrong.comparison.first) == 5
    cycles = [int(re.match(r"cycle (\d+), node", line)[1]) for line in wrong.comparison.first]
    assert min(cycles) >= LATE - 2


@pytest.mark.ci
@pytest.mark.usefixtures("small")
def test_progress_is_told_of_long_runs_only(tmp_path, parts) -> None:
    built = DESIGNS["ordered"](build_network("star:3"))
    told: list[float] = []
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
    script = Path(__file__).parent.parent / "bench" / "speed.py"
    most = []
    for words in ("6000", "60000"):
        done = started(
            sys.executable, script, "long", f"star:4 --traffic full --words {words}", check=True
        )
        most.append(int(re.search(r" (\d+) MB ", done.stdout)[1]))
    assert most[1] < most[0] + 100
    assert most[1] < 2000


# The C++ program that drives what Verilator compiles: what it logs, and how it fails.


def report_with(text: str, folder: Path, parts: Path):
    """A comparison, where something more is at the end of each module."""
    built = build_direct(build_network("star:3"), width=8)
    sources = written(
        built, folder, lambda m: m.text.replace("\nendmodule", f"\n  {text}\nendmodule", 1)
    )
    one = run(built, "single", words=2, cycles=None, seed=1)
    return compared(built, sources, [one, one], folder, parts=parts)


def test_every_stream_has_its_bit_in_a_port() -> None:
    built = build_ordered(build_network("ring:66"), width=8)
    text = write_wrapper(interface(build_manifest(built, []), built))
    assert "input wire [63:0] offer_0" in text
    assert "input wire [1:0] offer_1" in text


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize(
    ("build", "spec", "width"),
    [
        (build_ordered, "star:4", 1),
        # Its sources do not fit into one port.
        pytest.param(build_ordered, "ring:66", 1, marks=pytest.mark.slow),
        (build_ordered, "star:3", 61),
        (build_ordered, "star:3", 64),
        (build_ordered, "star:3", 512),
        (build_direct, "star:3", 16),
        (build_direct, "star:3", 32),
        (build_direct, "star:3", 65),
    ],
)
def test_all_bits_of_every_payload_are_compared(build, spec, width, tmp_path, parts) -> None:
    built = build(build_network(spec), width=width)
    last = last_sink(built)
    bit = f"{{{{{last.bits - 1}{{1'b0}}}}, noc_bench.run == 1}}"
    sources = with_wrong_sink(built, tmp_path, f"{bit} << {last.data.first + width - 1}")
    # Of all sources, or of one, which is another than the node whose sink is spoilt.
    kind = "full:half" if build is build_ordered else "back-to-back:half"
    one = run(built, kind, words=2, cycles=None, seed=1)
    report = compared(built, sources, [one, one], tmp_path, parts=parts)
    assert report.trouble is None
    as_emitted, faulty = (each.comparison for each in report.runs)
    assert as_emitted.mismatches == 0
    senders = set(one.traffic.whole.source.tolist()) - {last.node}
    assert senders
    assert faulty.mismatches == 2 * len(senders)
    label = built.network.label(last.node)
    assert all(f"node {label}, eject stream: expected word" in line for line in faulty.first)


@pytest.mark.ci
def test_a_simulation_that_the_verilog_ends_fails(tmp_path, parts) -> None:
    end = "always @(posedge clk) if (noc_bench.run == 1) $finish;"
    report = report_with(end, tmp_path, parts)
    assert not report.passed
    assert report.trouble == (
        "the simulation ended before its time: %Error: the Verilog ends the simulation"
    )
    assert [each.whole for each in report.runs] == [True, False]
    assert report.runs[0].comparison.mismatches == 0


@pytest.mark.ci
def test_a_run_that_takes_too_long_fails(tmp_path, parts, monkeypatch) -> None:
    # A loop without effect would be left out.
    loop = "always @(posedge clk) while (noc_bench.run == 1 && !rst) $fflush;"
    monkeypatch.setattr(Model, "seconds", lambda *_: 1)
    report = report_with(loop, tmp_path, parts)
    assert report.trouble == ("the simulation ended before its time: %Error: a run takes too long")
    assert [each.whole for each in report.runs] == [True, False]


@pytest.mark.ci
def test_every_change_of_idle_is_logged(tmp_path, parts) -> None:
    form = RouterConfig(link_registers=1)
    built = build_direct(build_network("star:3"), sources="one", width=8, config=form)
    one = run(built, "single:half", words=3, cycles=None, seed=1)
    report = verify(built, [one], tmp_path, parts=parts)
    assert report.passed
    assert report.interface.idle == "idle"


# A wrong output of any part of a node is caught, in each fabric and by each kind of traffic: all
# faults of a network are in one build, each is switched on in runs of its own.


SPEC = "star:3"

FORM = {"queue": 2, "link_registers": 1}

FAULTY = {
    "ordered": (build_ordered, {"config": OrderedConfig(**FORM)}),
    "direct": (build_direct, {}),
    "one port": (build_direct, {"ports": "one"}),
    "one source": (build_direct, {"sources": "one", "config": RouterConfig(**FORM)}),
}

MODULE = re.compile(r"^module (\w+) ?\(.*?^endmodule", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^  output (\[\d+:0\] )?(\w+);$", re.MULTILINE)


def outputs(text: str) -> Iterator[tuple[str, str]]:
    """The outputs of each module, with the name of that module."""
    for module in MODULE.finditer(text):
        for output in OUTPUT.finditer(module[0]):
            yield module[1], output[2]


def spoil_output(text: str, module: str, output: str, hit: str) -> str:
    """The text where an output of a module has a wrong lowest bit when it is hit."""

    def spoil(found: re.Match[str]) -> str:
        head, _, body = found[0].partition(";\n")
        body = re.sub(rf"(?<![.\w\\]){output}(?![\w$])", f"{output}__right", body)
        driven, count = re.subn(
            rf"^(  output (?:\[\d+:0\] )?){output}__right;$",
            rf"\1{output};\n  assign {output} = {output}__right ^ ({hit});",
            body,
            flags=re.MULTILINE,
        )
        assert count == 1
        return f"{head};\n{driven}"

    return re.sub(
        rf"^module {module} ?\(.*?^endmodule", spoil, text, flags=re.MULTILINE | re.DOTALL
    )


@pytest.fixture(params=FAULTY)
def caught(request, tmp_path, parts) -> dict[tuple[str, str], dict[str, int]]:
    """For each output of each module, and for none, the mismatches with each kind of traffic."""
    build, options = FAULTY[request.param]
    built = build(build_network(SPEC), width=8, **options)
    kinds = [kind if kind == "single" else f"{kind}:half" for kind in names(built)]
    runs = [
        run(built, kind, words=None if "endless" in kind else 8, cycles=200, seed=seed)
        for seed, kind in enumerate(kinds)
    ]
    faults = [("none", "none")]

    def with_faults(module: Module) -> str:
        text = module.text
        if module.name != f"noc_{SPEC.replace(':', '_')}":
            for fault in outputs(module.text):
                hit = f"noc_bench.run / {len(kinds)} == {len(faults)}"
                text = spoil_output(text, *fault, hit)
                faults.append(fault)
        return text

    sources = written(built, tmp_path, with_faults)
    report = compared(built, sources, runs * len(faults), tmp_path, parts=parts)
    assert report.trouble is None
    result = iter(each.comparison.mismatches for each in report.runs)
    return {fault: {kind: next(result) for kind in kinds} for fault in faults}


@pytest.mark.cases(0, ci=1)
def test_a_wrong_output_of_any_part_is_caught(caught) -> None:
    as_emitted = caught.pop(("none", "none"))
    assert not any(as_emitted.values())
    assert len(caught) > 20
    assert [fault for fault, found in caught.items() if not any(found.values())] == []
    by_module: dict[str, list[dict[str, int]]] = {}
    for (module, _), found in caught.items():
        by_module.setdefault(module, []).append(found)
    missed = [
        (module, kind)
        for module, each in by_module.items()
        for kind in as_emitted
        if not any(found[kind] for found in each)
    ]
    assert missed == []
