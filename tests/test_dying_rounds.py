"""Links and sinks of the timetable fabric that die: what lacks, by graphs and by registers."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

import networkx
import numpy as np
import pytest
import readable_rounds
import readable_sums
from hypothesis import given, settings
from hypothesis import strategies as st
from round_designs import at_once, drawn

from noc.design import build_design
from noc.errors import InputError
from noc.model import SINKS, Traffic
from noc.model.faults import Faults
from noc.model.operators import whole_numbers
from noc.model.timetable import SumData, find_given, stream
from noc.model.traffic import payload_rows
from noc.programs.round_table import NONE, first_inject, first_lane
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram

WIDTH = 16

Links = Collection[tuple[int, int]]


def programmed(spec: str, **options) -> RoundProgram:
    return build_design(spec, fabric="timetable", width=WIDTH, **options).program


def links_of(program: RoundProgram) -> list[tuple[int, int]]:
    return sorted({(sender, receiver) for sender, _, receiver, _ in program.links()})


def some_dead(program: RoundProgram) -> Iterator[Links]:
    """Each link, and some together."""
    links = links_of(program)
    yield from ([link] for link in links)
    yield from (links[at : at + 3] for at in range(4))


# Which words lack, where links are dead from the beginning.


def way(program: RoundProgram, values: Collection[int], dead: Links) -> networkx.DiGraph:
    """The links by which some words or sums go in a round, but those that are dead."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(program.network.nodes))
    sender = {(end, entry): start for start, _, end, entry in program.links()}
    carried = program.carried[:, :, : len(program.network.in_ports)]
    for phase, node, entry in np.argwhere(np.isin(carried, [*values])).tolist():
        assert carried[phase, node, entry] != NONE
        graph.add_edge(sender[node, entry], node)
    graph.remove_edges_from(dead)
    return graph


def ends(program: RoundProgram, value: int) -> list[int]:
    """The nodes that get a word or a sum."""
    return np.argwhere(program.taken == value)[:, 1].tolist()


@pytest.mark.parametrize("exchange", ["all_gather", "all_to_all", "gather"])
@pytest.mark.parametrize("spec", ["star:3", "mesh:2,3"])
def test_words_behind_a_dead_link_lack_and_no_others(spec: str, exchange: str) -> None:
    more = {} if exchange == "all_gather" else {"exchange": exchange}
    program = programmed(spec, **more)
    traffic = at_once(program, np.arange(len(program.sources)))
    _, flows = np.unique(program.flows.inject, return_index=True)
    lost = 0
    for dead in some_dead(program):
        (chunk,) = stream(program, traffic, faults=Faults(dict.fromkeys(dead, 0)))
        lane, given_by = first_lane(program.network), first_inject(program.network)
        got = {
            (word, node)
            for _, node, port, word, _ in chunk.events.tuples()
            if lane <= port < given_by
        }
        expected = set()
        for word, flow in enumerate(flows.tolist()):
            source = program.injects[word].node
            there = networkx.descendants(way(program, [flow], dead), source)
            expected |= {(word, node) for node in ends(program, flow) if node in there}
            lost += len({*ends(program, flow)} - there)
        assert (got, chunk.end) == (expected, "drained")
    assert lost > len(links_of(program))


def sums(program: SumProgram, given_: dict[int, int], dead: Links) -> Iterator[tuple[int, int]]:
    """Who gets which sum of a round, of the words of its flows: they climb a tree to its root."""
    for total in program.totals:
        members = {*program.members[total]}
        parts = [each for each, of in enumerate(program.members) if {*of} < members]
        (root,) = {*np.argwhere(program.carried[:, :, -1] == total)[:, 1].tolist()}
        climb = networkx.ancestors(way(program, parts, dead), root) | {root}
        comes = [flow for flow in members & {*given_} if program.flows.source[flow] in climb]
        receivers = networkx.descendants(way(program, [total], dead), root) | {root}
        for node in {*ends(program, total)} & receivers if comes else ():
            yield node, sum(given_[flow] for flow in comes) % (1 << WIDTH)


@pytest.mark.parametrize(
    ("exchange", "more"), [("all_reduce:sum", {"round": 2}), ("reduce_scatter:sum", {})]
)
def test_a_sum_is_that_of_the_words_that_come_to_its_root(exchange: str, more) -> None:
    program, rounds = programmed("mesh:2,3", exchange=exchange, **more), 3
    assert isinstance(program, SumProgram)
    traffic = at_once(program, np.repeat(program.flows.inject, rounds))
    for dead in some_dead(program):
        (chunk,) = stream(program, traffic, faults=Faults(dict.fromkeys(dead, 0)))
        data = whole_numbers(SumData(program, WIDTH, traffic.seed).rows(chunk.events))
        lane, given_by = first_lane(program.network), first_inject(program.network)
        events = zip(chunk.events.node.tolist(), chunk.events.port.tolist(), data, strict=True)
        got = Counter((node, word) for node, port, word in events if lane <= port < given_by)
        of_round = defaultdict[int, dict[int, int]](dict)
        for event, flow, number in zip(*find_given(program, chunk.events), strict=True):
            of_round[int(number)][int(flow)] = data[event]
        assert got == Counter(e for each in of_round.values() for e in sums(program, each, dead))


# What dies at any time, against routers that are played cycle by cycle.

KINDS = {
    "gather": {},
    "own register": {"start": "ready"},
    "scatter": {"exchange": "scatter"},
    "pulses": {"exchange": "all_to_all", "start": "pulse"},
    "queues": {"sinks": "queued", "queue": 2},
    "queues and pulses": {"sinks": "queued", "queue": 3, "start": "pulse"},
    "one stream": {"start": "ready", "ejects": "one"},
}


@pytest.mark.cases(2, ci=5)
@pytest.mark.parametrize("kind", KINDS)
@given(
    seed=st.integers(0, 99),
    cycles=st.tuples(st.integers(0, 60), st.integers(0, 60)),
    sinks=st.sampled_from(["always", "half"]),
)
@settings(max_examples=8)
def test_what_dies_is_dead_from_that_cycle_on(kind: str, seed: int, cycles, sinks: str) -> None:
    program, starts = programmed("star:3", **KINDS[kind]), (True, False, True, False, False)
    traffic = drawn(program, 40, seed, 1)
    dead = dict(zip(links_of(program)[seed % 8 :: 5], cycles, strict=False))
    faults = Faults({} if program.config.merged else dead)
    if not program.config.always_ready:
        ready = SINKS[sinks](program.network.nodes, seed)
        traffic = Traffic(traffic.source, traffic.release, ready, seed)
        faults = Faults(faults.links, {seed % 6: cycles[0]})
    parts = [*stream(program, traffic, starts=starts, faults=faults)]
    found = [event for part in parts for event in part.events.tuples()]
    # For longer than that nothing moves any more.
    cycle = parts[-1].cycles + 80
    assert found == readable_rounds.played(program, traffic, cycle, starts, faults)
    complete = program.config.complete
    assert parts[-1].end in ("drained", *["incomplete"] * complete) or faults.sinks


@pytest.mark.parametrize("options", [{"round": 2}, {"round": 3}])
@given(seed=st.integers(0, 99), cycles=st.tuples(st.integers(0, 60), st.integers(0, 60)))
@settings(max_examples=10)
def test_sums_lack_what_a_link_has_lost(options: dict[str, int], seed: int, cycles) -> None:
    program = programmed("mesh:2,3", exchange="all_reduce:min", **options)
    assert isinstance(program, SumProgram)
    traffic = drawn(program, 80, seed, 1)
    faults = Faults(dict(zip(links_of(program)[seed % 8 :: 5], cycles, strict=False)))
    parts, data = [], SumData(program, WIDTH, seed)
    for chunk in stream(program, traffic, faults=faults):
        numbers = whole_numbers(data.rows(chunk.events))
        columns = (column.tolist() for column in (chunk.events.cycle, chunk.events.node))
        parts += [*zip(*columns, chunk.events.port.tolist(), numbers, strict=True)]

    def of_word(word: int) -> int:
        return whole_numbers(payload_rows(seed, WIDTH, np.array([word])))[0]

    end = chunk.cycles + 99
    right = readable_sums.played(program, traffic, of_word, min, end, faults)
    assert (parts, chunk.end) == (right, "drained")


@pytest.mark.parametrize("what", ["link:123/213@40", "node:321"])
def test_links_that_die_before_one_stream_are_refused_with_a_remedy(what: str, cli) -> None:
    """A node would take other words in place of those that lack."""
    design = ("star:3", "--fabric", "timetable", "--start", "ready", "--ejects", "one")
    refusal = cli.refusal("verify", *design, "--faults", what)
    assert "--faults: links do not die with --ejects one:" in refusal
    assert refusal.rstrip().endswith("use --ejects each, or let only sinks die")


def test_the_model_refuses_them_wherever_it_is_used() -> None:
    program = programmed("star:3", start="ready", ejects="one")
    with pytest.raises(InputError, match="links do not die"):
        next(stream(program, drawn(program, 9, 0, 1), faults=Faults({(0, 1): 5})))
