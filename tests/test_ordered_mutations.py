# amaranth: UnusedElaboratable=no
"""The comparison with the model can fail: faults planted in the ordered fabric are each caught."""

import pytest
from formal.ordered_faults import MUTATIONS, network_with
from ordered_runs import expected, transfers

from noc.design import build_ordered
from noc.emit.manifest import manifest
from noc.emit.verilog import modules
from noc.hardware import Network
from noc.model import SINKS, all_sources
from noc.networks import network
from noc.verify import run, verify_files

CYCLES = 60


@pytest.fixture(scope="module")
def ordered():
    return build_ordered(network("star:3"), width=6)


@pytest.fixture(scope="module")
def traffic(ordered):
    return all_sources(ordered.program, 12, seed=1).taken_by(SINKS["half"](6, 1))


def test_the_network_as_it_is_does_what_the_model_does(ordered, traffic) -> None:
    assert transfers(ordered, Network(ordered), traffic, CYCLES) == expected(
        ordered, traffic, CYCLES
    )


@pytest.mark.parametrize("fault", MUTATIONS.values(), ids=MUTATIONS)
def test_a_planted_fault_is_caught(ordered, traffic, fault) -> None:
    dut = network_with(fault).Network(ordered)
    found = transfers(ordered, dut, traffic, CYCLES)
    assert found != expected(ordered, traffic, CYCLES)


# Of the emitted Verilog of the middle node: a text, and what stands there in the run of its number.
PLANTED = {
    "a turn that does not pass": ("turn <= ", "turn <= (noc_bench.run == 1) ? turn : "),
    "a sent flag lost": ("sent <= ", "sent <= (noc_bench.run == 2) ? 0 : "),
    "a child left out": ("assign done = ", "assign done = ((noc_bench.run == 3) ? 1 : 0) | "),
}


def test_planted_faults_in_the_verilog_are_caught(ordered, tmp_path_factory) -> None:
    folder, sources = tmp_path_factory.mktemp("ordered"), []
    hits = dict.fromkeys(PLANTED, 0)
    for module in modules(ordered):
        text = module.text
        for name, (right, wrong) in PLANTED.items():
            hits[name] += text.count(right)
            text = text.replace(right, wrong)
        sources.append(folder / f"{module.name}.v")
        sources[-1].write_text(text)
    assert all(hits.values()), hits
    one = run(ordered, "full:half", words=12, cycles=None, seed=1)
    report = verify_files(
        ordered,
        manifest(ordered, []),
        sources,
        [one] * (len(PLANTED) + 1),
        folder,
        parts=tmp_path_factory.getbasetemp() / "parts",
    )
    assert report.trouble is None
    as_emitted, *faulty = [each.comparison.mismatches for each in report.runs]
    assert as_emitted == 0
    assert all(faulty)
