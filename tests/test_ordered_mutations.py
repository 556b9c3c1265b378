"""The comparison with the model can fail: faults planted in the ordered fabric are each caught."""

import pytest
from formal.ordered_faults import MUTATIONS, network_with
from ordered_runs import expected, transfers

from noc.design import build_ordered
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.hardware import BroadcastNetwork
from noc.model import SINKS, TRAFFIC
from noc.networks import build_network
from noc.verify import run, verify_files

CYCLES = 60


@pytest.fixture(scope="module")
def ordered():
    return build_ordered(build_network("star:3"), width=6)


def mismatched(ordered, network_class) -> list[str]:
    """The kinds of traffic with which its transfers are not those of the model."""
    result = []
    for kind in ("full", "sparse"):
        traffic = TRAFFIC[kind](ordered.program, 12, 1).whole.taken_by(SINKS["half"](6, 1))
        results = transfers(ordered, network_class(ordered), traffic, CYCLES)
        if results != expected(ordered, traffic, CYCLES):
            result.append(kind)
    return result


def test_the_network_as_it_is_does_what_the_model_does(ordered) -> None:
    assert mismatched(ordered, BroadcastNetwork) == []


@pytest.mark.cases(6)
@pytest.mark.parametrize("fault", MUTATIONS.values(), ids=MUTATIONS)
def test_a_planted_fault_is_caught(ordered, fault) -> None:
    assert mismatched(ordered, network_with(fault).BroadcastNetwork)


# A text of the emitted Verilog, and what stands there; each is on in the run of its number.
PLANTED = {
    "a sent flag lost": ("? done :", "? ((noc_bench.run == 1) ? 0 : done) :"),
    "an output not waited for": ("assign done[0] = ", "assign done[0] = (noc_bench.run == 2) | "),
    "a turn of one word": (" last <= ", " last <= (noc_bench.run == 3) | "),
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
        build_manifest(ordered, []),
        sources,
        [one] * (len(PLANTED) + 1),
        folder,
        parts=tmp_path_factory.getbasetemp() / "parts",
    )
    assert report.trouble is None
    as_emitted, *faulty = [each.comparison.mismatches for each in report.runs]
    assert as_emitted == 0
    assert all(faulty)
