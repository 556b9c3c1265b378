"""Void words: a member of a group gives none of its own, and the others' are joined without it."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from collective_oracle import failures
from hypothesis import given
from hypothesis import strategies as st
from ordered_runs import mixed, side_by_side
from own_operators import own_operators
from readable_runs import differences, run_readable

from noc.design import OrderedDesign, build_design
from noc.endpoints import AxiStream, Endpoints
from noc.errors import InputError
from noc.hardware.ordered import node, operators
from noc.model.ordered import simulate_ordered
from noc.model.ordered.traffic import Given, as_traffic
from noc.verify import name_runs, verify

OPERATIONS = "broadcast,send,all_reduce:sum,barrier,reduce:max,all_reduce:min@some,barrier@one"

#: What a design can be beside.
FORMS = [
    {},
    {"link_registers": 1, "group_queue": 3},
    {"sinks": "always-ready", "operations": "barrier,all_reduce:bxor@some"},
    {"sinks": "queued", "queue": 3, "watchdog": 9},
    {"sink_timeout": 30, "operations": "barrier"},
    {"protect": "detect", "operations": "all_reduce:sum"},
    {"operations": "all_reduce:own-late,all_reduce:own,barrier"},
]


def build(spec: str = "star:3", **options) -> OrderedDesign:
    asked = {"width": 6, "operations": OPERATIONS, "void_words": True} | options
    groups = {"some": [0, 2, 3], "one": [1]}
    named = {name: n for name, n in groups.items() if f"@{name}" in f"{asked['operations']}"}
    return build_design(spec, groups=named, **asked)


@pytest.fixture(autouse=True, scope="module")
def _own() -> Iterator[None]:
    with own_operators():
        yield


# Both forms of the model, and what must come down


@pytest.mark.cases(3)
@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 10**6), spec=st.sampled_from(["star:3", "mesh:2,3", "ring:5"]))
def test_results_are_those_of_the_words_that_are_not_void(form, seed, spec) -> None:
    design = build(spec, **form)
    traffic = mixed(design, seed, messages=6, stall=0 if design.always_ready else 0.3, wrong=True)
    run = simulate_ordered(design.program, traffic, width=design.width)
    assert differences(run, run_readable(design.program, design.width, traffic)) == []
    if "own" not in form.get("operations", "") and not design.sink_timeout:
        assert failures(run) == []


def test_a_member_may_leave_and_come_back() -> None:
    """Each result is of the words of one place, whoever was early; all void, there is none."""
    design = build("mesh:2,3", operations="all_reduce:sum")
    void = [{3, 4, 5}, {3}, set(range(6)), {1}, set()]
    words = [
        [
            Given(0 if node in away else 40 * place, 0, void=int(node in away), data=1 << node)
            for place, away in enumerate(void)
        ]
        for node in range(6)
    ]
    traffic = as_traffic(design.program, words)
    run = simulate_ordered(design.program, traffic, width=6)
    sums = [sum(1 << n for n in range(6) if n not in away) for away in void if len(away) < 6]
    assert run.end == "drained"
    assert failures(run) == []
    ejected = run.events.of_kind("eject")
    assert len(ejected) == 6 * len(sums)
    assert [bits & 63 for _, bits in run.passing] == sums


def test_all_sets_of_members_in_two_places_whoever_is_early() -> None:
    """On three nodes, of which the second and the third begin early or late."""
    design = build("ring:3", operations="all_reduce:sum")
    for void, late in product(range(1 << 6), product((0, 4), repeat=2)):
        words = [
            [
                Given(begin, 0, void=void >> (3 * place + node) & 1, data=1 << node)
                for place in range(2)
            ]
            for node, begin in enumerate((2, *late))
        ]
        run = simulate_ordered(design.program, as_traffic(design.program, words), width=6)
        sets = [~void >> 3 * place & 7 for place in range(2)]
        assert [bits & 63 for _, bits in run.passing] == [each for each in sets if each]
        assert run.end == "drained"


def test_headers_of_void_words_do_not_matter() -> None:
    """Whoever speaks for a member need not know which operation the others are at."""
    design = build(operations="all_reduce:sum,barrier,reduce:max")
    words = [[Given(0, n % 3, node=4, last=1, data=n) for n in range(6)] for _ in range(6)]
    words[2] = [Given(0, 0, node=1, void=1)] * 6
    run = simulate_ordered(design.program, as_traffic(design.program, words), width=6)
    assert run.end == "drained"
    assert not len(run.events.of_kind("mismatch"))
    assert len(run.passing) == 6


# Hardware


@pytest.mark.cases(2, ci=5)
@pytest.mark.parametrize("form", FORMS)
def test_hardware_equals_the_model(form, tmp_path) -> None:
    design = build(**form)
    report = verify(design, name_runs(design, words=24), tmp_path)
    assert report.passed, [run.comparison for run in report.runs]


#: What is not looked at, and what stands there instead.
FAULTS = {
    "void results come down": (node.Node, "_without_void", lambda _self, _m, results: results),
    "void words have headers": (
        *(node, "headers_differ"),
        lambda one, other, _: (one.choice != other.choice) | (one.last != other.last),
    ),
    "nothing is void": (operators, "Mux", lambda _choice, _one, other: other),
    "all is void": (operators, "Mux", lambda _choice, one, _other: one),
}


@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_planted_faults_are_caught(fault, monkeypatch) -> None:
    design = build("ring:3", operations="all_reduce:sum,all_reduce:max")
    traffic = mixed(design, 3, messages=8, stall=0.2)
    # All sets of members, one after the other; a void word may be of any operation.
    each = np.concatenate([np.arange(count) for count in np.bincount(traffic.source)])
    void = each >> traffic.source & 1
    numbers = np.where(void, 1 - traffic.operation, traffic.operation)
    if fault:
        monkeypatch.setattr(*FAULTS[fault])
    assert side_by_side(design, replace(traffic, void=void, operation=numbers))[1] == (not fault)


# Around it


def test_axi_stream_refuses_them() -> None:
    with pytest.raises(InputError, match="AXI-Stream has no signal that says so"):
        Endpoints(axi=AxiStream()).check(build(width=8))
