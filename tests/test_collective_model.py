"""The cycle model of networks with operations: the contract of docs/collectives.md."""

import random
from collections import Counter, deque
from dataclasses import replace
from functools import cache
from unittest import mock

import networkx as nx
import numpy as np
import pytest
from collective_oracle import failures
from hypothesis import given, settings
from hypothesis import strategies as st
from readable_runs import as_given, changes_of, differences, run_readable, watch_readable
from test_ordered_model import SPECS as MORE_SPECS
from test_ordered_model import forms, sinks_of

from noc.design import OrderedDesign, build_ordered
from noc.emit.manifest import build_manifest
from noc.errors import InputError
from noc.model import random_words
from noc.model.ordered import (
    CollectiveTraffic,
    Given,
    Mixture,
    OrderedRun,
    as_traffic,
    mixed_operations,
    repeated,
    simulate_ordered,
    watch_ordered,
)
from noc.model.ordered.live import LiveOrdered
from noc.model.ordered.streams import unpack
from noc.model.sinks import always
from noc.networks import build_network
from noc.programs.operators import BUILT_IN as OPERATORS
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.ordered_config import OrderedConfig

# Small, and different in what matters: fan-in, height, one-way links, leaves.
SPECS = ["star:3", "ring:5", "mesh:2,3", "uhc:3", "tree:2,3", "complete:4", "star:4"]

KINDS = [
    *("broadcast", "all_gather", "multicast@left", "multicast@right", "all_gather@one"),
    *("send", "scatter", "gather", "barrier", "barrier@left", "barrier@right", "barrier@one"),
    *(f"reduce:{operator}" for operator in OPERATORS),
    *(f"all_reduce:{operator}" for operator in OPERATORS),
    *(f"reduce:{operator}@left" for operator in ("sum", "max_signed")),
    *(f"all_reduce:{operator}@right" for operator in ("sum", "min", "bxor")),
    "all_reduce:min_signed@one",
]

FORMS = forms(group_queue=st.sampled_from([1, 2, 5]), watchdog=st.sampled_from([0, 1, 7, 50]))


def groups_of(nodes: int) -> dict[str, list[int]]:
    return {"left": [0, 1, nodes - 1], "right": list(range(1, nodes, 2)), "one": [nodes // 2]}


@cache
def plain(spec: str, *operations: str, **form: object) -> OrderedProgram:
    net = build_network(spec)
    config = OrderedConfig(**form)
    return compile_ordered(net, operations=operations, groups=groups_of(net.nodes), config=config)


@st.composite
def programs(draw) -> OrderedProgram:
    net = build_network(draw(st.sampled_from([*SPECS, *MORE_SPECS])))
    some = st.lists(st.sampled_from(KINDS), min_size=1, max_size=7, unique=True)
    operations = draw(st.just(["broadcast"]) | some | some)
    groups = groups_of(net.nodes)
    sources = None
    if not any("reduce" in name or "barrier" in name for name in operations):
        sources = draw(st.none() | st.lists(st.integers(0, net.nodes - 1), min_size=1))
    elif all("@" in name for name in operations if "reduce" in name or "barrier" in name):
        sources = draw(st.none() | st.just(sorted({n for g in groups.values() for n in g})))
    return compile_ordered(
        net,
        sources=sources,
        root=draw(st.none() | st.integers(0, net.nodes - 1)),
        config=draw(FORMS),
        operations=operations,
        groups=groups,
    )


@st.composite
def loaded(draw) -> tuple[OrderedProgram, int, CollectiveTraffic]:
    program = draw(programs())
    width, seed = draw(st.sampled_from([1, 2, 7, 32, 64, 100])), draw(st.integers(0, 10**6))
    mixture = Mixture(
        messages=draw(st.integers(1, 6)),
        longest=draw(st.sampled_from([1, 3])),
        gap=draw(st.sampled_from([0, 1, 5])),
        skew=draw(st.sampled_from([0, 10, 60])),
        wrong=draw(st.sampled_from([0, 30])),
    )
    ready = draw(sinks_of(program, seed))
    return program, width, mixed_operations(program, width, mixture, ready=ready, seed=seed).whole


@given(loaded())
@settings(max_examples=30)
def test_every_node_receives_what_it_must(case) -> None:
    assert failures(simulate_ordered(case[0], case[2], width=case[1])) == []


@pytest.mark.ci
@given(loaded(), st.none() | st.integers(0, 60), st.booleans())
@settings(max_examples=100)
def test_both_forms_are_equal(case, cycles, shuffled) -> None:
    program, width, traffic = case
    if shuffled:
        mixture = Mixture(4, longest=2, wrong=10, shuffled=True)
        traffic = mixed_operations(
            program, width, mixture, ready=traffic.ready, seed=cycles or 0
        ).whole
    one = run_readable(program, width, traffic, cycles)
    assert differences(one, simulate_ordered(program, traffic, width=width, cycles=cycles)) == []


@given(loaded(), st.sampled_from([1, 5, 10**6]))
@settings(max_examples=30)
def test_words_that_are_offered_while_it_runs_move_alike(case, forgets) -> None:
    program, width, traffic = case
    traffic = replace(traffic, ready=always(program.network.nodes))
    run = simulate_ordered(program, traffic, width=width)
    right = [(e.cycle, e.stream.kind, e.stream.node, e.fields) for e in run.named()]
    model, moved = LiveOrdered(program, width), []
    left = {node: deque() for node in traffic.source.tolist()}
    for number, node in enumerate(traffic.source.tolist()):
        left[node].append((int(traffic.release[number]), vars(traffic.word(number))))
    names = ("operation", "node", "last", "data")
    with mock.patch("noc.model.ordered.live._FORGETS", forgets):
        for cycle in range(run.cycles + 5):
            first = {node: words[0] for node, words in left.items() if words}
            offers = {n: word for n, (release, word) in first.items() if release <= cycle}
            offers = {n: {name: word[name] for name in names} for n, word in offers.items()}
            taken, came = model.move(offers)
            moved += [(cycle, "inject", node, None) for node in taken]
            moved += [(cycle, "eject", *each) for each in came]
            for node in taken:
                left[node].popleft()
    assert moved == [
        (*at, kind, node, fields if kind == "eject" else None)
        for *at, kind, node, fields in right
        if kind in ("inject", "eject")
    ]


@pytest.mark.ci
@given(loaded())
@settings(max_examples=25)
def test_both_forms_show_the_same(case) -> None:
    program, width, traffic = case
    cycles = simulate_ordered(program, traffic, width=width).cycles
    one = watch_readable(program, width, traffic, cycles)
    other = watch_ordered(program, traffic, cycles)
    # Which word is offered only the compiled form tells.
    other = replace(other, word=np.where(other.word == -1, -1, 0))
    assert changes_of(one) == changes_of(other)


@pytest.mark.parametrize("registers", [0, 1])
@pytest.mark.parametrize("spec", SPECS)
def test_a_result_comes_in_every_cycle(spec, registers) -> None:
    names = ("send", "all_reduce:sum", "barrier@left")
    program = plain(spec, *names, link_registers=registers)
    traffic = repeated(program, 8, 1, words=10)
    run = simulate_ordered(program, traffic, width=8, rounds=200, events=False)
    assert (run.end, run.passed) == ("drained", 2_000)
    assert run.cycles == 2_000 + program.joined_cycles(0) + int(program.down_cycles.max())


@pytest.mark.slow
def test_a_hundred_million_words_are_joined() -> None:
    program = compile_ordered("star:4", operations=["all_reduce:sum", "barrier", "reduce:max"])
    mixture = Mixture(messages=1_000, longest=4, gap=0)
    traffic = mixed_operations(program, 32, mixture, seed=3).whole
    run = simulate_ordered(program, traffic, width=32, rounds=1_700, events=False)
    assert run.end == "drained"
    assert run.injected == 1_700 * traffic.words


SUITE = ["broadcast", "send", "all_reduce:sum", "reduce:max@left", "barrier@right", "barrier@one"]

# In a network of one operation fields and merges are absent.
LATENCY = [*((name,) for name in SUITE), tuple(SUITE)]


def eject_cycles(run: OrderedRun) -> dict[int, list[int]]:
    nodes = range(run.program.network.nodes)
    return {node: [cycle for cycle, _ in run.at("eject", node)] for node in nodes}


def offered_at(program: OrderedProgram, top: int, to: set[int]) -> dict[int, list[int]]:
    """When nodes have a word that is at the root in some cycle."""
    down = program.down_cycles.tolist()
    return {node: [top + down[node]] if node in to else [] for node in range(len(down))}


@pytest.mark.cases(8, ci=41)
@pytest.mark.parametrize("form", [{}, {"link_registers": 2, "own_words": True}, {"queue": 2}])
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("names", LATENCY, ids=len)
def test_a_word_alone_takes_the_cycles_of_its_way(spec, names, form) -> None:
    program = plain(spec, *names, **form)
    listed, numbers, end = program.operations.listed, program.numbers, program.network.nodes
    for number, operation in enumerate(listed):
        members = set(program.operations.members(program.operations.group_of(number)))
        for node in range(end) if operation.to_node or not operation.joined else [0]:
            to, named = members, 0
            if operation.to_node:
                to, named = {(node + 1) % end}, numbers[(node + 1) % end]
            if operation.joined:
                top = program.joined_cycles(program.operations.group_of(number))
                traffic = repeated(program, 8, number, named=named, cycle=3)
            else:
                to = to if operation.to_node or program.config.own_words else to - {node}
                top = int(program.up[node])
                traffic = repeated(program, 8, number, nodes=[node], named=named, cycle=3)
            run = simulate_ordered(program, traffic, width=8)
            assert eject_cycles(run) == offered_at(program, 3 + top, to)


@given(st.sampled_from(SPECS), FORMS, st.integers(0, 10**6), st.sampled_from([8, 33, 100]))
@settings(max_examples=15)
def test_words_of_a_seed_are_those_that_are_given(spec, form, seed, width) -> None:
    program = compile_ordered(build_network(spec), config=form)
    traffic = random_words(program, 40, seed=seed)
    runs = (traffic, as_given(width, traffic))
    assert differences(*(simulate_ordered(program, one, width=width) for one in runs)) == []


PAIRED = [
    *("broadcast", "multicast@left", "send", "scatter", "barrier", "barrier@right"),
    *("reduce:sum", "reduce:max_signed@left", "all_reduce:min", "all_reduce:bxor@right"),
]


def in_all_pairs(program: OrderedProgram, width: int, seed: int) -> CollectiveTraffic:
    """Every operation right behind every other, and behind itself."""
    lots, listed = random.Random(seed), program.operations.listed
    graph = nx.complete_graph(len(listed), create_using=nx.DiGraph)
    graph.add_edges_from((number, number) for number in graph)
    rows: list[list[Given]] = [[] for _ in range(program.network.nodes)]
    for number, _ in nx.eulerian_circuit(graph):
        operation = listed[number]
        members = program.operations.members(program.operations.group_of(number))
        to, last = lots.randrange(program.network.nodes), lots.randrange(2)
        for node in members if operation.joined else [lots.choice(program.sources)]:
            rows[node].append(Given(0, number, to, last, lots.getrandbits(width)))
    return as_traffic(program, rows)


@pytest.mark.parametrize(
    ("spec", "width"), [("star:3", 512), ("ring:5", 1), ("uhc:3", 33), ("tree:2,3", 8)]
)
def test_every_operation_behind_every_other(spec, width) -> None:
    program = plain(spec, *PAIRED, link_registers=1)
    traffic = in_all_pairs(program, width, seed=width)
    run = simulate_ordered(program, traffic, width=width)
    assert failures(run) == []
    # A sink that is hardly ever ready slows all down, and changes nothing.
    slow = np.ones((97, program.network.nodes), dtype=np.bool_)
    slow[1:, 2] = False
    assert failures(simulate_ordered(program, replace(traffic, ready=slow), width=width)) == []


def test_nodes_that_come_thousands_of_cycles_late() -> None:
    program = plain("mesh:2,3", "broadcast", "all_reduce:sum", "barrier@left", link_registers=1)
    traffic = mixed_operations(program, 16, Mixture(messages=12, skew=3_000, gap=40), seed=5).whole
    run = simulate_ordered(program, traffic, width=16)
    assert failures(run) == []
    assert run.cycles > 2_000


def given_at(program: OrderedProgram, words: dict[int, list[Given]]) -> CollectiveTraffic:
    return as_traffic(program, [words.get(node, []) for node in range(program.network.nodes)])


@pytest.mark.ci
@given(programs().filter(lambda program: program.joins))
@settings(max_examples=15)
def test_a_member_can_give_as_many_words_as_the_manifest_says(program) -> None:
    """Before any other member of the group gives one."""
    operations, label = program.operations, program.network.label
    nodes = {n["label"]: n for n in build_manifest(OrderedDesign(program, 8), [])["nodes"]}
    for joins in program.joins:
        name, members = operations.groups[joins.group]
        number = operations.joined_in(joins.group)[0]
        for node in members:
            waiting = nodes[label(node)]["waiting"][name]
            assert (waiting is None) == (len(members) == 1)
            given = [Given(0, number)] * (3 + (waiting or 0))
            run = simulate_ordered(program, given_at(program, {node: given}), width=8)
            assert len(run.at("inject", node)) == (len(given) if waiting is None else waiting)


#: Groups that never give anything else, and sources that are in none; and both of all nodes.
SHARES = {
    "one group": ("mesh:3,4", {"one": [0, 1, 2]}),
    "two groups": ("uhc:4", {"one": [0, 3, 5], "two": [1, 2]}),
    "three groups": ("star:4", {"one": [0, 1], "two": [5], "three": [2, 8, 20, 23]}),
    "two groups of all": ("star:3", {"one": [*range(6)], "two": [*range(6)]}),
    "one group of all": ("mesh:3,4", {"one": [*range(12)]}),
}
WARM, LONG = 600, 4_800


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", SHARES)
def test_results_and_words_that_are_sent_pass_the_root_in_turns(name: str) -> None:
    """The shares that docs/collectives.md promises, of a long run in which nobody rests."""
    spec, groups = SHARES[name]
    operations = ["broadcast", *(f"all_reduce:sum@{group}" for group in groups)]
    program = compile_ordered(spec, operations=operations, groups=groups)
    nodes, mixed = program.network.nodes, name.endswith("of all")
    words = []
    for node in range(nodes):
        joined = [n for n, each in enumerate(groups.values(), 1) if node in each]
        # As often as its turns come, where a node gives both.
        each = [0, *joined * (nodes // len(groups))] if mixed else joined or [0]
        words.append([Given(0, n) for n in each] * (LONG // len(each)))
    run = simulate_ordered(program, as_traffic(program, words), width=8, cycles=WARM + LONG)
    inside = [unpack(bits, run.format.inside) for cycle, bits in run.passing if cycle >= WARM]
    passed = [(word["operation"], word["source"]) for word in inside]
    assert len(passed) == LONG
    if mixed:
        shares = Counter(passed)
        assert all(abs(shares[0, n] - LONG // (2 * nodes)) <= 1 for n in range(nodes))
        assert all(
            abs(shares[n, 0] - LONG // (2 * len(groups))) <= nodes
            for n in range(1, len(operations))
        )
        return
    for place in (0, 1):
        assert len({n == 0 for n, _ in passed[place::2]}) == 1
    period = 2 * len(groups)
    for begin in range(0, LONG, period):
        assert {n for n, _ in passed[begin : begin + period]} == set(range(len(operations)))


def test_words_of_different_operations_are_joined_and_tell() -> None:
    program = plain("complete:4", "all_reduce:sum", "all_reduce:max", "reduce:min", "send")
    own = [[Given(0, 0, 0, 0, 5)] for _ in range(4)]
    own[3] = [Given(0, 1, 0, 1, 7)]
    run = simulate_ordered(program, as_traffic(program, own), width=8)
    # The header of the first goes on, so that the next join has nothing to tell.
    assert [fields for _, fields in run.at("mismatch", program.root)] == [{}]
    assert [fields["data"] for _, fields in run.at("eject", 2)] == [22]
    assert run.end == "drained"


def test_names_that_differ_are_a_mismatch_in_a_reduce_alone() -> None:
    for number, mismatches in ((0, 1), (1, 0)):
        program = plain("ring:5", "reduce:sum@left", "all_reduce:sum@left")
        words = {node: [Given(0, number, node % 2, 0, 1)] for node in (0, 1, 4)}
        run = simulate_ordered(program, given_at(program, words), width=8)
        found = [run.events.streams[stream].kind for _, stream, _ in run.bits]
        assert found.count("mismatch") == mismatches


@given(loaded().filter(lambda case: case[0].joins), st.integers(0, 100))
@settings(max_examples=10)
def test_orders_that_differ_trouble_no_word_that_is_sent(case, seed) -> None:
    program, width, _ = case
    mixture = Mixture(messages=9, longest=2, shuffled=True)
    run = simulate_ordered(
        program,
        mixed_operations(program, width, mixture, seed=seed).whole,
        width=width,
        cycles=10_000,
    )
    assert run.end != "limit"


@pytest.mark.parametrize(
    ("queue", "words", "end"),
    [(1, 2, "drained"), (1, 3, "starved"), (2, 2, "drained"), (3, 3, "drained"), (3, 4, "starved")],
)
def test_groups_may_come_in_any_order_while_their_words_find_room(queue, words, end) -> None:
    """Each gives first what the other gives last; beyond the room, words of others go on.

    For the words of a leaf, which are stored at its parent, there is room for two at least.
    """
    program = compile_ordered(
        "complete:4",
        operations=["barrier@one", "barrier@other", "broadcast"],
        groups={"one": [1, 2], "other": [1, 2]},
        config=OrderedConfig(group_queue=queue),
    )
    one, other = [Given(0, 0)] * words, [Given(0, 1)] * words
    given = {1: [*one, *other], 2: [*other, *one], 3: [Given(9, 2)]}
    run = simulate_ordered(program, given_at(program, given), width=8)
    assert run.end == end
    missing = 0 if end == "drained" else 2 * words
    assert [len(run.at("eject", n)) for n in range(3)] == [1, *[1 + 2 * words - missing] * 2]


@given(programs().filter(lambda program: program.joins), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_words_that_wait_hold_up_nothing(program, lots) -> None:
    """All groups' words fit into their buffers: then any order at any node is right."""
    listed, room = program.operations.listed, program.config.group_queue
    words = {node: [] for node in range(program.network.nodes) if program.plan_of(node).injects}
    for group in program.operations.joined_groups:
        wanted = [lots.choice(program.operations.joined_in(group)) for _ in range(room)]
        for node in program.operations.members(group):
            words[node].append([Given(lots.choice([0, 0, 90]), number) for number in wanted])
    for node in program.sources:
        words[node] += [[Given(0, n)] for n, o in enumerate(listed) if not o.joined]
    # Each node mixes its rows of words as it likes.
    for node, rows in words.items():
        mixed = []
        while rows := [row for row in rows if row]:
            mixed.append(lots.choice(rows).pop(0))
        words[node] = mixed
    run = simulate_ordered(program, given_at(program, words), width=1)
    assert run.end == "drained"


@pytest.mark.parametrize("spec", ["star:4", "uhc:3", "tree:2,3"])
def test_the_watchdog_names_the_nodes_that_give_nothing(spec) -> None:
    net = build_network(spec)
    design = build_ordered(
        net, operations=["barrier", "send"], config=OrderedConfig(watchdog=20), width=8
    )
    silent = {2, net.nodes - 1}
    words = {node: [Given(0, 0)] for node in range(net.nodes) if node not in silent}
    run = simulate_ordered(design.program, given_at(design.program, words), width=8)
    assert run.end == "starved"
    entries = {entry["label"]: entry for entry in build_manifest(design, [])["nodes"]}
    named = [
        {net.node(label) for label in bit["missing"]}
        for node in range(net.nodes)
        for _, told in run.at("late", node)
        for place, bit in enumerate(entries[net.label(node)]["late"]["bits"])
        if told["late"] >> place & 1
    ]
    # Nobody is named without reason, and each of them is, by itself.
    assert all(nodes & silent for nodes in named)
    assert [{node} in named for node in silent] == [True, True]


@pytest.mark.parametrize(
    ("operation", "node", "dropped"), [(0, 0, 0), (1, 0, 1), (2, 0, 0), (2, 7, 1), (3, 0, 1)]
)
def test_wrong_words_are_dropped_at_once(operation, node, dropped) -> None:
    program = plain("ring:5", "broadcast", "barrier@right", "send")
    words = {2: [Given(4, operation, node, 0, 9), Given(4, 0, 0, 1, 10)]}
    run = simulate_ordered(program, given_at(program, words), width=8)
    assert run.end == "drained"
    assert [cycle for cycle, _ in run.at("dropped", 2)] == [4] * dropped
    assert len(run.at("inject", 2)) == 2
    assert len(run.at("eject", 1)) == 2 - dropped - (operation == 2 and not dropped)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": [3]}, "traffic: node 3 has no inject stream"),
        ({"operation": [4]}, "traffic: operation does not fit 2 bits"),
        ({"node": [8]}, "traffic: node does not fit 3 bits"),
        ({"last": [2]}, "traffic: last does not fit 1 bits"),
        ({"release": [0, 1]}, "traffic: all columns must be as long as each other"),
    ],
)
def test_words_that_do_not_fit_are_refused(change, message) -> None:
    net = build_network("ring:5")
    groups = {"left": [0, 1, 4]}
    program = compile_ordered(
        net, sources=[0, 1, 4], operations=["send", "barrier@left", "gather"], groups=groups
    )
    traffic = given_at(program, {0: [Given(0, 0)]})
    traffic = replace(traffic, **{name: np.array(value) for name, value in change.items()})
    with pytest.raises(InputError, match=f"^{message}$"):
        simulate_ordered(program, traffic, width=8)
