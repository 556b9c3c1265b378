"""The comparison can fail: faults planted in the emitted Verilog are each caught.

All faults of a network are in one build. Each is switched on in the run of its number, so that
run 0 is the Verilog as it was emitted.
"""

import re

import pytest

from noc.design import build_direct
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.networks import build_network
from noc.verify import run, verify_files

# What each fault does to the text of a router: a pattern with its replacement, where HIT stands
# for the condition that the fault is switched on.
ALL_PORT = {
    "a look-up bit is cleared": (r"deliver = 1'h1;", "deliver = !HIT;"),
    "a look-up bit is set": (r"deliver = 1'h0;", "deliver = HIT;"),
    "a wrong next code": (r"assign (row__code_0\[0\]) = (.+);", r"assign \1 = (\2) ^ HIT;"),
    "what was sent is forgotten": (
        r"assign next_progress = (.+);",
        r"assign next_progress = HIT ? 0 : (\1);",
    ),
    "an eject is not remembered": (
        r"assign next_progress = (.+);",
        r"assign next_progress = (\1) & ~(HIT << 2);",
    ),
    "every word is delivered": (
        r"\{ row__deliver, row__sends \}",
        "{ row__deliver || HIT, row__sends }",
    ),
    "two ports are swapped": (
        r"assign out_(\d)__valid = (\w+)\[\d\];",
        r"assign out_\1__valid = \2[HIT ? 1 - \1 : \1];",
    ),
    "a link has no back-pressure": (
        r"assign (in_\d__ready) = (grant\[\d\]);",
        r"assign \1 = HIT || \2;",
    ),
    "a slot is never freed": (r"\bfree <= (.+);", r"free <= HIT ? free & \1 : \1;"),
    "a word is never done": (r"assign pop = (.+);", r"assign pop = HIT ? 0 : (\1);"),
    "a word is done too early": (r"assign pop = (.+);", r"assign pop = HIT ? occupied : (\1);"),
    "the second slot is empty": (r"\b_like_ <= (.+);", r"_like_ <= HIT ? 0 : \1;"),
    "a bit of the payload is lost": (r"assign word = (.+);", r"assign word = (\1) & ~(HIT << 6);"),
}

ONE_PORT = {
    "the count of copies is forgotten": (
        r"assign next_progress = (.+);",
        r"assign next_progress = HIT ? 0 : (\1);",
    ),
    "the order is turned round": (r"casez \(\{ sent\[0\],", "casez ({ sent[0] ^ HIT,"),
    "only the first copy leaves": (r"\blast = 1'h0;", "last = HIT;"),
}


def planted(text, faults, first=1):
    """The text with all faults, the first switched on in the run of this number."""
    hits = []
    for number, (pattern, replacement) in enumerate(faults.values(), start=first):
        condition = f"(noc_bench.run == {number})"
        text, count = re.subn(pattern, replacement.replace("HIT", condition), text)
        hits.append(count)
    return text, hits


def comparisons(folder, parts, faults, ports):
    built = build_direct(build_network("star:3"), ports=ports, width=8)
    emitted = modules(built)
    sources, hits = [], [0] * len(faults)
    for module in emitted:
        text, result = planted(module.text, faults)
        hits = [a + b for a, b in zip(hits, result, strict=True)]
        sources.append(folder / f"{module.name}.v")
        sources[-1].write_text(text)
    assert all(hits), [name for name, count in zip(faults, hits, strict=True) if not count]
    document = build_manifest(built, [])
    one = run(built, "back-to-back:half", words=20, cycles=None, seed=1)
    report = verify_files(built, document, sources, [one] * (len(faults) + 1), folder, parts=parts)
    assert report.trouble is None
    return [run_report.comparison for run_report in report.runs]


@pytest.fixture(scope="module")
def all_port(tmp_path_factory):
    folder, parts = tmp_path_factory.mktemp("mutations"), tmp_path_factory.getbasetemp() / "parts"
    result = comparisons(folder, parts, ALL_PORT, "all")
    return dict(zip(["as emitted", *ALL_PORT], result, strict=True))


def test_the_emitted_verilog_is_equal(all_port):
    assert all_port["as emitted"].mismatches == 0


@pytest.mark.parametrize("fault", ALL_PORT)
def test_a_planted_fault_is_caught(all_port, fault):
    assert all_port[fault].mismatches > 0
    assert all_port[fault].first[0].startswith("cycle ")


@pytest.mark.slow
def test_planted_faults_of_a_one_port_router_are_caught(tmp_path_factory):
    folder, parts = tmp_path_factory.mktemp("one-port"), tmp_path_factory.getbasetemp() / "parts"
    as_emitted, *faulty = comparisons(folder, parts, ONE_PORT, "one")
    assert as_emitted.mismatches == 0
    assert all(comparison.mismatches for comparison in faulty)
