"""Networks with operations: hardware and model side by side, and faults that this tells."""

from dataclasses import replace

import numpy as np
import pytest
from formal.ordered_faults import Mutation, network_with
from ordered_runs import mixed, run_bench, side_by_side

from noc.design import build_design, build_ordered
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.errors import InputError
from noc.hardware import BroadcastNetwork
from noc.model.ordered import simulate_ordered
from noc.programs.ordered_config import OrderedConfig

pytestmark = pytest.mark.usefixtures("own_operators")

WIDTH = 9

ALL = ("broadcast", "send", "all_reduce:sum", "barrier@left", "reduce:max@left")
NO_NUMBERS = OrderedConfig(source_numbers=False, own_words=True)
REGISTERS = OrderedConfig(link_registers=1, queue=2, group_queue=3, watchdog=9)

OWN = "operators of a user's own, of several latencies"

CASES = {
    "all kinds": ("star:3", ALL, {"left": [0, 2, 5]}, None),
    "one operation with data": ("ring:5", ("all_reduce:sum",), {}, None),
    "one operation without data": ("ring:5", ("barrier",), {}, None),
    "no header": ("mesh:2,3", ("broadcast", "barrier"), {}, None),
    "one-way links with registers, queues, groups that overlap": (
        "uhc:3",
        ("broadcast", "multicast@a", "reduce:min_signed@a", "all_reduce:bxor@b", "gather"),
        {"a": [1, 2, 3], "b": [0, 3, 7]},
        REGISTERS,
    ),
    "own words, several operators in a group": (
        "tree:2,3",
        ("all_gather", "all_reduce:sum", "all_reduce:max_signed", "barrier", "reduce:min"),
        {},
        NO_NUMBERS,
    ),
    OWN: (
        "star:3",
        ("all_reduce:own-late", "all_reduce:own", "reduce:sum", "broadcast", "all_reduce:own@few"),
        {"few": [1, 2, 4, 5]},
        None,
    ),
    "words for nodes only": ("complete:4", ("scatter",), {}, None),
    "one member": ("star:3", ("all_reduce:band@one", "broadcast"), {"one": [3]}, None),
}


def build(name: str):
    spec, operations, groups, config = CASES[name]
    return build_ordered(
        spec, operations=operations, groups=groups or None, width=WIDTH, config=config or NONE
    )


NONE = OrderedConfig(watchdog=5)


def check(design, traffic, cycles=None) -> set[str]:
    """That hardware and model do the same; the kinds of the events."""
    run, same = side_by_side(design, traffic, cycles=cycles)
    assert same
    return {run.events.streams[stream].kind for _, stream, _ in run.bits}


@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize("name", CASES)
def test_the_hardware_does_what_the_model_does(name: str) -> None:
    design = build(name)
    for seed, stall in ((1, 0.0), (2, 0.4)):
        run, same = side_by_side(design, mixed(design, seed, 12, stall))
        assert (run.end, same) == ("drained", True)


@pytest.mark.ci
def test_a_late_operator_is_waited_for() -> None:
    """Words that nothing moves but an operator's registers are not taken for ones that wait."""
    design = build_ordered("tree:2,2", operations=["all_reduce:own-late"], width=WIDTH)
    ready = np.ones((1, design.network.nodes), dtype=bool)
    mixture = mixed(design, 1, 1, 0.0)
    release = np.zeros_like(mixture.release)
    traffic = replace(mixture, ready=ready, release=release)
    assert simulate_ordered(design.program, traffic, width=WIDTH).end == "drained"
    check(design, traffic)


@pytest.mark.ci
def test_wrong_words_are_dropped_and_told() -> None:
    """One of each kind; words that are right pass in between."""
    design = build("all kinds")
    assert "dropped" in check(design, mixed(design, 3, 8, 0.2, wrong=True))


def test_words_find_the_node_by_its_number_and_tell_that_of_their_source() -> None:
    """Nodes are counted along the tree where words name them."""
    network = BroadcastNetwork(build_design("mesh:3,3", width=8, operations="broadcast,send"))
    sender, receiver = "0_0", "2_2"
    assert network.numbers[receiver] != network.names.index(receiver)
    got = {}

    async def bench(ctx):
        inject = getattr(network, f"inject_{sender}")
        word = {"data": 42, "operation": 1, "last": 1, "node": network.numbers[receiver]}
        ctx.set(inject.payload, word)
        ctx.set(inject.valid, 1)
        await ctx.tick().until(inject.ready)
        ctx.set(inject.valid, 0)
        for _ in range(60):
            await ctx.tick()
            for name in network.names:
                eject = getattr(network, f"eject_{name}")
                if ctx.get(eject.valid):
                    got[name] = ctx.get(eject.payload)

    run_bench(network, bench)
    assert set(got) == {receiver}
    assert (got[receiver].data, got[receiver].source) == (42, network.numbers[sender])


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("options", [{}, {"source_numbers": False}, {"queue": 4}, {"root": 3}])
def test_without_operations_words_are_broadcast(options) -> None:
    without = build_design("mesh:3,3", **options)
    named = build_design("mesh:3,3", operations=["broadcast"], **options)
    assert without.digest == named.digest
    assert build_manifest(without, []) == build_manifest(named, [])
    assert [each.text for each in modules(without)] == [each.text for each in modules(named)]
    more = build_design("mesh:3,3", operations=["broadcast", "send"], **options)
    assert more.digest != without.digest


def test_numbers_without_operations_are_places() -> None:
    for options in ({}, {"sources": "one"}, {"operations": ["broadcast", "barrier"]}):
        network = BroadcastNetwork(build_design("ring:3", width=4, **options))
        assert list(network.numbers.items()) == [(n, i) for i, n in enumerate(network.names)]


@pytest.mark.parametrize("wrong", ["x", "returned", True])
def test_what_becomes_of_own_words_is_one_of_two(wrong) -> None:
    with pytest.raises(InputError, match="drop or return are allowed"):
        build_design("ring:3", own_words=wrong)


@pytest.mark.ci
def test_operations_in_different_orders_are_told() -> None:
    """Node 0 gives its word of the group before another does it the other way round."""
    design = build("all kinds")
    assert "mismatch" in check(design, mixed(design, 1, 9, 0.5, disordered=True), 400)


MUTATIONS = {
    "a wrong operator": Mutation("combine", "(a + b)", "(a - b)"),
    "signs forgotten": Mutation("combine", "a.as_signed() > b.as_signed()", "a > b"),
    "a join that does not wait for the first": Mutation(
        "join", "both.eq(self.first.valid & self.second.valid)", "both.eq(self.second.valid)"
    ),
    "a word that counts twice": Mutation(
        "join", "self.first.ready.eq(room & self.second.valid)", "self.first.ready.eq(0)"
    ),
    "a lost word": Mutation(
        "join", "self.second.ready.eq(room & self.first.valid)", "self.second.ready.eq(room)"
    ),
    "data of the first only": Mutation(
        "operators", 'fields_of(self.b)["data"]', 'fields_of(self.a)["data"]'
    ),
    "operands of a user's operator exchanged": Mutation(
        "operators", "[part.a.eq(a), part.b.eq(b)]", "[part.a.eq(b), part.b.eq(a)]"
    ),
    "the operator of another operation": Mutation(
        "operators", "m.Case(number)", "m.Case(len(self._operators) - 1 - number)"
    ),
    "a slot too many": Mutation("join", "BUFFERS[self._slots](", "BUFFERS[2]("),
    "a result with a wrong operation": Mutation(
        "node", "word.choice == choice", "word.choice != choice"
    ),
    "a word for a node that goes elsewhere": Mutation(
        "node", "& ~self._leads_to(output, word)", "& self._leads_to(output, word)"
    ),
    "a group that is not asked": Mutation("node", "& ~reached)", "& 0)"),
    "a word for others that comes back": Mutation(
        "node", "own & self._is_for_others(word)", "Const(0)"
    ),
    "no room for words that wait": Mutation(
        "node", "[self._waiting(m, plan, layout, own)]", "[own]"
    ),
    "an operator whose registers move on": Mutation("join", "EnableInserter(room)(part)", "part"),
    "a header that is early": Mutation("operators", "{n: self._delayed(m, v) for", "{n: v for"),
    "stages that never wait": Mutation(
        "join", "result.ready | ~valid if self._latency", "1 if self._latency"
    ),
    "a watchdog that is late": Mutation("join", "self._watchdog - 1", "0"),
    "a watchdog that names the other": Mutation(
        "join", "Cat(over & ~self.first.valid,", "Cat(over & self.first.valid,"
    ),
    "words that go into no join": Mutation(
        "dispatch", "right.append(mine)", "right.append(mine | ~mine)"
    ),
    "a choice that is always the first": Mutation(
        "dispatch", "choice = choice | Mux(self._operation == number, index, 0)", "pass"
    ),
}


@pytest.mark.cases(1, ci=0)
@pytest.mark.parametrize("fault", MUTATIONS.values(), ids=MUTATIONS)
def test_a_planted_fault_is_seen(fault: Mutation) -> None:
    """By one of the networks at least."""
    network = network_with(fault).BroadcastNetwork
    for name in ("all kinds", "own words, several operators in a group", OWN):
        design = build(name)
        if not side_by_side(design, mixed(design, 1, 8, 0.4, wrong=True), network)[1]:
            return
    pytest.fail("nothing differs")
