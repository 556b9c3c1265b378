"""The C++ program that drives what Verilator compiles: what it logs, and how it fails."""

import pytest

from noc.design import build_direct, build_ordered
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.harness import write_wrapper
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.verify import run, verify, verify_files
from noc.verify.comparing import Model
from noc.verify.streams import interface


@pytest.fixture
def parts(tmp_path_factory):
    return tmp_path_factory.getbasetemp() / "parts"


def spoiled(built, folder, pattern: str, text: str):
    """The Verilog of a design with one change to its top."""
    sources, hits = [], 0
    for module in modules(built):
        hits += module.text.count(pattern)
        sources.append(folder / f"{module.name}.v")
        sources[-1].write_text(module.text.replace(pattern, text, 1))
    assert hits
    return sources


def report_of(built, sources, folder, parts, kind="single"):
    one = run(built, kind, words=2, cycles=None, seed=1)
    return verify_files(built, build_manifest(built, []), sources, [one, one], folder, parts=parts)


def test_every_stream_has_its_bit_in_a_port() -> None:
    built = build_ordered(build_network("ring:66"), width=8)
    text = write_wrapper(interface(build_manifest(built, []), built))
    assert "input wire [63:0] offer_0" in text
    assert "input wire [1:0] offer_1" in text


@pytest.mark.cases(1)
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
    last = interface(build_manifest(built, []), built).eject[-1]
    top, *nodes = [module.write(tmp_path) for module in modules(built)]
    bit = f"{{{{{last.bits - 1}{{1'b0}}}}, noc_bench.run == 1}}"
    wrong = f"assign {last.payload} = right ^ ({bit} << {last.data.first + width - 1});"
    before, found, after = top.read_text().rpartition(f"({last.payload})")
    assert found
    after = after.replace("endmodule", f"wire [{last.bits - 1}:0] right; {wrong}\nendmodule")
    top.write_text(f"{before}(right){after}")
    # Of all sources, or of one, which is another than the node whose sink is spoilt.
    kind = "full:half" if build is build_ordered else "back-to-back:half"
    one = run(built, kind, words=2, cycles=None, seed=1)
    report = verify_files(
        *(built, build_manifest(built, []), [top, *nodes], [one, one], tmp_path), parts=parts
    )
    assert report.trouble is None
    as_emitted, faulty = (each.comparison for each in report.runs)
    assert as_emitted.mismatches == 0
    senders = set(one.traffic.whole.source.tolist()) - {last.node}
    assert senders
    assert faulty.mismatches == 2 * len(senders)
    label = built.network.label(last.node)
    assert all(f"node {label}, eject stream: expected word" in line for line in faulty.first)


def test_a_simulation_that_the_verilog_ends_fails(tmp_path, parts) -> None:
    built = build_direct(build_network("star:3"), width=8)
    end = "\n  always @(posedge clk) if (noc_bench.run == 1) $finish;\nendmodule"
    sources = spoiled(built, tmp_path, "\nendmodule", end)
    report = report_of(built, sources, tmp_path, parts)
    assert not report.passed
    assert report.trouble == (
        "the simulation ended before its time: %Error: the Verilog ends the simulation"
    )
    assert [each.whole for each in report.runs] == [True, False]
    assert report.runs[0].comparison.mismatches == 0


def test_a_run_that_takes_too_long_fails(tmp_path, parts, monkeypatch) -> None:
    built = build_direct(build_network("star:3"), width=8)
    # A loop without effect would be left out.
    body = "while (noc_bench.run == 1 && !rst) $fflush;"
    loop = f"\n  always @(posedge clk) {body}\nendmodule"
    sources = spoiled(built, tmp_path, "\nendmodule", loop)
    monkeypatch.setattr(Model, "seconds", lambda *_: 1)
    report = report_of(built, sources, tmp_path, parts)
    assert report.trouble == ("the simulation ended before its time: %Error: a run takes too long")
    assert [each.whole for each in report.runs] == [True, False]


def test_every_change_of_idle_is_logged(tmp_path, parts) -> None:
    form = RouterConfig(link_registers=1)
    built = build_direct(build_network("star:3"), sources="one", width=8, config=form)
    one = run(built, "single:half", words=3, cycles=None, seed=1)
    report = verify(built, [one], tmp_path, parts=parts)
    assert report.passed
    assert report.interface.idle == "idle"
