"""Links and sinks that die while a network runs: model and Verilog do the same from then on."""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

import pytest

from noc.design import AnyDesign, build_design
from noc.emit.manifest import list_links
from noc.errors import InputError
from noc.model import simulate
from noc.model.direct import stream
from noc.model.faults import NO_FAULTS, Faults, read_faults
from noc.model.traffic import back_to_back
from noc.networks import build_network
from noc.networks.named import links_between
from noc.programs.program import Program
from noc.verify import Report, name_runs, verify
from noc.verify.dying import let_die

DIRECT = {"fabric": "direct"}
ROUNDS = {"fabric": "timetable"}
SLICES = {**DIRECT, "algorithm": "disjoint", "sinks": "always-ready"}
INDEPENDENT = {"algorithm": "independent", "sinks": "always-ready"}

#: Designs whose streams differ: with ready and without, buffers, joins, alarms, slices.
DESIGNS = {
    "ordered": {"link_registers": 1},
    "falling": {"sinks": "always-ready"},
    "direct": DIRECT,
    "slices": {**SLICES, "survive": 1},
    "given up": {"sink_timeout": 20, "queue": 2},
    "joins": {"operations": ["broadcast", "all_reduce:sum", "send"], "watchdog": 30},
    "queued": {"sinks": "queued", "queue": 4},
    "relays": {**DIRECT, "link_registers": 1},
    "one port": {**DIRECT, "ports": "one"},
    "lost": {**DIRECT, "sinks": "always-ready"},
    "rounds": {**ROUNDS, "exchange": "all_to_all"},
    "paced": {**ROUNDS, "sinks": "queued", "queue": 4, "start": "pulse"},
    "sums": {**ROUNDS, "exchange": "all_reduce:min_signed", "round": 2},
    "complete": {**ROUNDS, "start": "ready"},
}


def built(**options) -> AnyDesign:
    return build_design("star:3", **{"width": 8} | options)


def compared(design: AnyDesign, faults: Faults, folder) -> Report:
    return verify(design, name_runs(design, words=20), folder, faults=faults)


@pytest.mark.cases(2, ci=4)
@pytest.mark.parametrize("kind", DESIGNS)
def test_what_dies_does_so_in_model_and_verilog(kind: str, tmp_path) -> None:
    """Two links and a sink, one after the other."""
    design = built(**DESIGNS[kind])
    links = sorted({(link.sender, link.receiver) for link in list_links(design)})
    sinks = {} if design.always_ready else {1: 25}
    report = compared(design, Faults({links[-1]: 7, links[2]: 40}, sinks), tmp_path)
    assert report.passed, [run.comparison for run in report.runs]


@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize("other", [Faults({(0, 5): 40}), NO_FAULTS, Faults({(0, 2): 41})])
@pytest.mark.parametrize("options", [{}, ROUNDS])
def test_another_fault_than_that_of_the_model_is_found(
    options, other, tmp_path, monkeypatch
) -> None:
    """The Verilog has none, or another link dies, or the right one a cycle later."""

    def wrong(design, streams, _faults) -> Iterator[str]:
        return let_die(design, streams, other)

    monkeypatch.setattr(import_module("noc.verify.verify"), "let_die", wrong)
    assert compared(built(**options), Faults({(0, 2): 40}), tmp_path).mismatches


# The model by itself


def transfers(program: Program, source: int, words: int, faults: Faults) -> set[tuple]:
    """The events of a run of one source."""
    traffic = back_to_back(program, source, words)
    return {e for chunk in stream(program, traffic, faults=faults) for e in chunk.events.tuples()}


@pytest.mark.parametrize("survive", [0, 1])
def test_links_that_are_dead_from_the_first_cycle_on_are_those_of_the_design(survive) -> None:
    program = built(**SLICES, survive=survive).program
    for ends in [(0, 2), (3, 1), (4, 5)]:
        dead = frozenset(links_between(program.network, *ends))
        for source in range(6):
            traffic = back_to_back(program, source, 3)
            expected = simulate(replace(program, dead=dead), traffic).events.tuples()
            assert transfers(program, source, 3, Faults({ends: 0})) == set(expected)


def test_a_node_may_die_at_any_time_where_one_is_survived() -> None:
    """Of words from others, and with trees that have no common node."""
    program = build_design("uhc:4", **DIRECT, **INDEPENDENT, survive=1).program
    for node in range(1, 16):
        for cycle in (0, 9, 14):
            dead = read_faults(program.network, f"node:{program.network.label(node)}@{cycle}")
            ejects = [e for e in transfers(program, 0, 6, dead) if e[2] == -1 and e[1] != node]
            assert len(ejects) == 6 * 14


def test_a_link_may_die_at_any_time_where_one_is_survived() -> None:
    program = build_design("star:3", **SLICES, survive=1).program
    neighbour = program.network.neighbour
    for node, there in [(n, int(m)) for n in range(6) for m in neighbour[n] if m >= 0]:
        for cycle in range(0, 16, 3):
            found = transfers(program, 0, 8, Faults({(node, there): cycle}))
            assert sum(port == -1 for _, _, port, *_ in found) == 8 * 5


def test_what_came_before_does_not_depend_on_what_dies() -> None:
    program = built(**DIRECT).program
    whole = transfers(program, 0, 30, NO_FAULTS)
    for faults in [Faults({(0, 2): 12}), Faults({}, {4: 12})]:
        found = transfers(program, 0, 30, faults)
        assert {e for e in found if e[0] < 12} == {e for e in whole if e[0] < 12}
        assert found != whole


# What is asked for


def test_faults_are_read() -> None:
    network = build_network("mesh:2,2")
    found = read_faults(network, "link:0.0/0.1@12,sink:1.1,sink:0.0@3")
    assert found == Faults({(0, 1): 12}, {3: 0, 0: 3})
    assert found
    assert not NO_FAULTS
    # Whatever is named twice dies the first time.
    found = read_faults(network, "link:0.1/0.0@3,node:0.0@5,link:0.0/1.0@9,sink:0.1@2,sink:0.1@1")
    assert found == Faults({(1, 0): 3, (0, 1): 5, (2, 0): 5, (0, 2): 5}, {1: 1})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0/1", "'0/1' is not link:FROM/TO, node:NODE, sink:NODE"),
        ("link:0/1@x", "is not link:FROM/TO"),
        ("link:0/1@-4", "there is no cycle -4: the first after reset is 0"),
        ("tree:2", "is not link:FROM/TO"),
        ("sink:9", "label '9' is no node"),
        ("link:0/0", "no link from 0 to that node"),
    ],
)
def test_other_words_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=f"^faults='{text}': .*{complaint}"):
        read_faults(build_network("ring:4"), text)


@pytest.mark.parametrize(
    ("options", "faults", "complaint"),
    [
        ({"sinks": "always-ready"}, Faults({}, {0: 1}), "the sink of 123 has no ready"),
        ({"sources": [0]}, Faults({(1, 0): 1}), "no words go by the link from 132 to 123"),
        (
            {**ROUNDS, "start": "ready", "ejects": "one"},
            Faults({(0, 2): 1}),
            "a node takes others out of its memory",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(options, faults, complaint, tmp_path) -> None:
    design = built(**options)
    with pytest.raises(InputError, match=complaint):
        verify(design, name_runs(design, "back-to-back", words=2), tmp_path, faults=faults)
