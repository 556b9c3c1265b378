"""The cycle model of the ordered fabric: the contract of docs/ordered.md, event by event."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.model import SINKS, TRAFFIC, Traffic, all_sources
from noc.model.ordered import OrderedRun, ordered_streams, simulate_ordered
from noc.networks import network
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.ordered_form import OrderedForm

SPECS = ["star:3", "star:4", "scc:3", "uhc:3", "uhc:4", "hypercube:3", "incomplete-star:4,3"]

FORMS = st.builds(
    OrderedForm,
    link_registers=st.integers(0, 2),
    queue=st.sampled_from([0, 1, 3]),
    own_words=st.booleans(),
) | st.builds(OrderedForm, own_words=st.just(True), source_numbers=st.just(False))


@st.composite
def programs(draw) -> OrderedProgram:
    net = network(draw(st.sampled_from(SPECS)))
    nodes = st.integers(0, net.nodes - 1)
    return compile_ordered(
        net,
        sources=draw(st.none() | st.lists(nodes, min_size=1)),
        root=draw(st.none() | nodes),
        form=draw(FORMS),
    )


@st.composite
def loaded(draw) -> tuple[OrderedProgram, Traffic]:
    program = draw(programs())
    seed = draw(st.integers(0, 10**6))
    traffic = TRAFFIC[draw(st.sampled_from(sorted(TRAFFIC)))](program, 3, seed)
    ready = SINKS[draw(st.sampled_from(sorted(SINKS)))](program.network.nodes, seed)
    return program, traffic.taken_by(ready)


def same(one: OrderedRun, other: OrderedRun) -> None:
    for name in ("end", "cycles", "injected", "hops", "delivered"):
        assert getattr(one, name) == getattr(other, name)
    for name in ("accepted", "passed", "arrival", "offered", "longest_wait"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.events.table, other.events.table)


@given(loaded(), st.none() | st.integers(0, 60))
@settings(max_examples=150)
def test_both_forms_are_equal(case, cycles) -> None:
    program, traffic = case
    forms = [
        simulate_ordered(program, traffic, cycles=cycles, arrival=True, readable=readable)
        for readable in (False, True)
    ]
    same(*forms)
