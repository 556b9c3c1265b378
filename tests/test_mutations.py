"""The comparison can fail: faults planted in the Verilog, and in the ordered fabric, are caught.

All faults of a Verilog are in one build. Each is switched on in the run of its number, so that
run 0 is the Verilog as it was emitted.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial

import pytest
from formal.ordered_faults import MUTATIONS, network_with
from ordered_runs import side_by_side
from verilog_files import compared, written

from noc.design import build_design, build_direct, build_ordered
from noc.emit.module import Module
from noc.hardware import BroadcastNetwork
from noc.model import SINKS, TRAFFIC
from noc.verify import run

# What each fault does to the text of a module: a pattern with its replacement, where HIT stands
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


ORDERED = {
    "a sent flag lost": (r"\? done :", "? (HIT ? 0 : done) :"),
    "an output not waited for": (r"assign done\[0\] = ", "assign done[0] = HIT | "),
    "a turn of one word": (" last <= ", " last <= HIT | "),
}

ALWAYS_READY = {
    "a turn of one word": (" last <= ", " last <= HIT | "),
    "a word lost": (" o__valid <= ", " o__valid <= !HIT & "),
}

TIMETABLE = {
    "a wrong choice": (r"(choice_1_0_before) <= (.+);", r"\1 <= (\2) ^ HIT;"),
    "a wrong choice of a part": (r"(choice_1_0_1) <= (.+);", r"\1 <= (\2) ^ HIT;"),
    "a part of another phase": (r"(choice_1_0_3) <= (.+);", r"\1 <= HIT ? choice_1_0_0 : \2;"),
    "a part that stays": (r"assign (never_2) = (.+);", r"assign \1 = (\2) | HIT;"),
    "a round that is too long": (r" last <= (.+);", r" last <= (\1) & !HIT;"),
    "a word that is forgotten": (r"(eject__1__valid) <= (.+);", r"\1 <= (\2) & !HIT;"),
    "a word where there is none": (r"assign (out_1__valid) = (.+);", r"assign \1 = (\2) | HIT;"),
    "a bit of a word": (r"assign (out_0__payload) = (.+);", r"assign \1 = (\2) ^ (HIT << 5);"),
    "a turn that is missed": (r"(inject__ready) <= (.+);", r"\1 <= (\2) & !HIT;"),
    "an idle link that sends": (r"(sends_1) <= (.+);", r"\1 <= (\2) | HIT;"),
    "lanes exchanged": (r"<= in_0__payload;", "<= HIT ? in_1__payload : in_0__payload;"),
}

SLICES = {
    "a word that is forgotten": (r"assign (eject__valid) = (.+);", r"assign \1 = (\2) & !HIT;"),
    "a bit of a word": (r"assign (eject__payload) = (.+);", r"assign \1 = (\2) ^ HIT;"),
    "a bit of a code": (r"assign (out_0__payload) = (.+);", r"assign \1 = (\2) ^ HIT;"),
    "a bit of a slice": (r"assign (out_1__payload) = (.+);", r"assign \1 = (\2) ^ (HIT << 8);"),
    "a slice that is forgotten": (r"assign (out_1__valid) = (.+);", r"assign \1 = (\2) & !HIT;"),
    "a slice where there is none": (r"assign (out_0__valid) = (.+);", r"assign \1 = (\2) | HIT;"),
    "never empty": (r"\b(busy) <= (.+);", r"\1 <= (\2) | HIT;"),
}

KINDS: Mapping[str, tuple[Callable, str, Mapping[str, tuple[str, str]]]] = {
    "all ports": (partial(build_direct, width=8), "back-to-back:half", ALL_PORT),
    "one port": (partial(build_direct, ports="one", width=8), "back-to-back:half", ONE_PORT),
    "ordered": (partial(build_ordered, width=6), "full:half", ORDERED),
    "always ready": (
        *(partial(build_design, sinks="always-ready", width=8), "full:always"),
        ALWAYS_READY,
    ),
    "timetable": (partial(build_design, fabric="timetable", width=32), "full", TIMETABLE),
    "slices": (
        partial(build_design, fabric="direct", algorithm="disjoint", sinks="always-ready", width=8),
        "single:always",
        SLICES,
    ),
}


SLOW = pytest.param("one port", marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=[*(kind for kind in KINDS if kind != "one port"), SLOW])
def comparisons(request, tmp_path_factory):
    """Comparisons by fault, and that of the Verilog as it was emitted."""
    build, traffic, faults = KINDS[request.param]
    built, folder = build("star:3"), tmp_path_factory.mktemp("mutations")
    hits = dict.fromkeys(faults, 0)

    def with_faults(module: Module) -> str:
        text = module.text
        for number, (fault, (pattern, wrong)) in enumerate(faults.items(), start=1):
            condition = f"(noc_bench.run == {number})"
            text, count = re.subn(pattern, wrong.replace("HIT", condition), text)
            hits[fault] += count
        return text

    sources = written(built, folder, with_faults)
    assert all(hits.values()), hits
    one = run(built, traffic, words=20, cycles=None, seed=1)
    parts = tmp_path_factory.getbasetemp() / "parts"
    report = compared(built, sources, [one] * (len(faults) + 1), folder, parts=parts)
    assert report.trouble is None
    named = zip(["as emitted", *faults], report.runs, strict=True)
    return {name: each.comparison for name, each in named}


@pytest.mark.cases(1, ci=3)
def test_planted_faults_in_the_verilog_are_caught(comparisons) -> None:
    assert comparisons.pop("as emitted").mismatches == 0
    for fault, comparison in comparisons.items():
        assert comparison.mismatches > 0, fault
        assert comparison.first[0].startswith("cycle ")


@pytest.fixture(scope="module")
def ordered():
    return build_ordered("star:3", width=6)


def same(ordered, network) -> list[bool]:
    """Whether it does what the model does, with two kinds of traffic."""
    kinds = (TRAFFIC[kind](ordered.program, 12, 1) for kind in ("full", "sparse"))
    given = (kind.whole.taken_by(SINKS["half"](6, 1)) for kind in kinds)
    return [side_by_side(ordered, traffic, network, 60)[1] for traffic in given]


def test_the_network_as_it_is_does_what_the_model_does(ordered) -> None:
    assert all(same(ordered, BroadcastNetwork))


@pytest.mark.cases(1, ci=6)
@pytest.mark.parametrize("fault", MUTATIONS.values(), ids=MUTATIONS)
def test_a_planted_fault_is_caught(ordered, fault) -> None:
    assert not all(same(ordered, network_with(fault).BroadcastNetwork))
