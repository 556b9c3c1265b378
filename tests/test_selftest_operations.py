"""The self-test of networks with operations passes on them, and its text tells of each fault."""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from collective_oracle import reduced
from planted_nodes import Fault, tell_faults

from noc.cli import main
from noc.design import OrderedDesign, build_ordered
from noc.errors import InputError
from noc.hardware.ordered.operators import COMBINE
from noc.networks import build_network
from noc.programs.operations import OPERATORS
from noc.programs.ordered_config import OrderedConfig
from noc.selftest import SIMULATED, results, simulate, stations
from noc.selftest.barrier import BarrierWatch
from noc.selftest.giver import Giver
from noc.selftest.judge import Judge, stream_bits
from noc.selftest.operation_words import OperationWords, following, operation_words
from noc.selftest.patterns import pair, result
from noc.selftest.text import Result, template

SEED = 0b1010011100101101

SHORT = replace(SIMULATED, cycles=2000)


def words_for(spec: str, *operations: str, width: int = 16, **form) -> OperationWords:
    return operation_words(
        build_ordered(build_network(spec), width=width, operations=operations, **form)
    )


def numbers(count: int) -> Iterator[int]:
    """The first numbers of results."""
    number = 0
    for _ in range(count):
        yield number
        number = following(number)


def test_numbers_of_results_repeat_after_255() -> None:
    listed = list(numbers(256))
    assert len(set(listed)) == 255
    assert listed[255] == 0


# What can be wrong with the words of the members of a group: what is combined instead, by which.
Combine = Callable[[str, list[int]], int]
Wrong = Callable[[Combine, str, list[int], list[int]], int]


def wrong_ones(operator: str, members: int) -> dict[str, Wrong]:
    """Each word lost, taken twice, or that of the lap before; other operators, also in one join."""
    faults: dict[str, Wrong] = {}
    for m in range(members):
        faults[f"{m} is lost"] = lambda of, op, now, _, m=m: of(op, now[:m] + now[m + 1 :])
        faults[f"{m} is old"] = lambda of, op, now, old, m=m: of(
            op, [*now[:m], old[m], *now[m + 1 :]]
        )
        # The others give the same however often they take a word.
        if operator in ("sum", "bxor"):
            faults[f"{m} is twice"] = lambda of, op, now, _, m=m: of(op, [*now, now[m]])
    for other in set(OPERATORS) - {operator}:
        faults[other] = lambda of, _, now, __, other=other: of(other, now)
        for m in range(members - 1):
            faults[f"{other} joins {m}"] = lambda of, op, now, _, m=m, other=other: of(
                op, [*now[:m], of(other, now[m : m + 2]), *now[m + 2 :]]
            )
    return faults


@pytest.mark.parametrize(
    ("spec", "width"), [("ring:3", 8), ("ring:4", 16), ("ring:5", 8), ("ring:8", 32)]
)
@pytest.mark.parametrize("operator", OPERATORS)
def test_each_wrong_contribution_and_operator_is_seen(spec: str, width: int, operator: str) -> None:
    """By the data of the results of two rounds alone."""
    words = words_for(spec, f"all_reduce:{operator}", width=width)
    members, mask = words.nodes, (1 << width) - 1

    def signed(word: int) -> int:
        return word - (word >> width - 1 << width)

    two: dict[str, Callable[[int, int], int]] = {
        "sum": lambda a, b: a + b & mask,
        "min": min,
        "max": max,
        "min_signed": lambda a, b: min(a, b, key=signed),
        "max_signed": lambda a, b: max(a, b, key=signed),
        "band": lambda a, b: a & b,
        "bor": lambda a, b: a | b,
        "bxor": lambda a, b: a ^ b,
    }

    def combine(name: str, given: list[int]) -> int:
        return reduce(two[name], given)

    unseen = wrong_ones(operator, members)
    for seed in (SEED, 0x1234):
        laps = []
        for lap, number in enumerate(numbers(4 * members**2)):
            made = words.pair(0, number, 0, seed)
            laps.append([words.contribution(0, lap, rank, made) for rank in range(members)])
        for old, now in pairwise(laps):
            right = combine(operator, now)
            assert right == reduced(operator, now, width)
            for fault, wrong in list(unseen.items()):
                if wrong(combine, operator, now, old) != right:
                    del unseen[fault]
    assert not unseen


@pytest.mark.parametrize("members", [1, 2, 3, 4, 5, 6, 17, 24])
def test_the_result_is_that_of_all_contributions(members: int) -> None:
    """What a node computes from two words is what all words become."""
    operations = [f"all_reduce:{operator}" for operator in OPERATORS]
    groups = {"few": range(members)}
    words = words_for("ring:24", *(f"{o}@few" for o in operations), groups=groups)
    m, number, seed, key = Module(), Signal(8), Signal(16), Signal(words.key_bits)
    a, b = pair(words, number, seed, key)
    made = [Signal(16, name=operator) for operator in OPERATORS]
    m.d.comb += [to.eq(result(o, members, a, b)) for to, o in zip(made, OPERATORS, strict=True)]

    async def compare(ctx):
        ctx.set(seed, SEED)
        for lap, value in enumerate(numbers(40)):
            ctx.set(number, value)
            for place, operator in enumerate(OPERATORS):
                ctx.set(key, place)
                given = [
                    words.contribution(place, lap, rank, words.pair(place, value, 0, SEED))
                    for rank in range(members)
                ]
                await ctx.delay(1e-7)
                assert ctx.get(made[place]) == reduced(operator, given, 16)

    sim = Simulator(m)
    sim.add_testbench(compare)
    sim.run()


MIXED = ("broadcast", "send", "reduce:max", "all_reduce:bor@some", "barrier")


def mixed() -> OperationWords:
    return words_for("star:3", *MIXED, groups={"some": [0, 2, 3, 5]})


def given(words: OperationWords, node: int, laps: int) -> list[dict[str, int]]:
    """What a node gives."""
    sequence, told, taken = list(numbers(laps)), [], SEED
    own = words.numbers[node]
    for lap in range(laps):
        sweep, meant = divmod(lap, words.nodes)
        for operation, each in enumerate(words.listed):
            if node not in words.givers(operation):
                continue
            name = words.name(own, operation, meant)
            count = (sweep if each.to_node else lap) % 16
            value, last = words.word(name, count, taken), count & 1
            if each.joined:
                number = sequence[sweep if each.to_node else lap]
                made = words.pair(operation, number, meant if each.to_node else 0, taken)
                rank = words.members(operation).index(node)
                value, last = words.contribution(operation, lap, rank, made), number & 1
            named = meant if each.to_node else own
            told.append({"data": value, "operation": operation, "last": last, "node": named})
    return told


@pytest.mark.parametrize("node", [1, 2])
def test_a_node_gives_the_words_as_they_are_defined(node: int) -> None:
    """In their order, and after a barrier only when it is released; node 1 is not in the group."""
    words, laps = mixed(), 40
    dut, got = Giver(words), []
    barrier = len(MIXED) - 1

    async def drive(ctx):
        ctx.set(dut.node, words.numbers[node])
        ctx.set(dut.gives, sum((node in words.givers(n)) << n for n in range(len(MIXED))))
        for rank, group in zip(dut.ranks, words.operations.joined_groups, strict=True):
            members = words.operations.members(group)
            ctx.set(rank, members.index(node) if node in members else 0)
        ctx.set(dut.seed, SEED)
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        ctx.set(dut.send, 1)
        ctx.set(dut.joined, 1)
        asleep = 0
        for cycle in range(30 * laps):
            # A few laps at a time, as they are granted.
            ctx.set(dut.grant, cycle % 20 == 0 and cycle < 20 * laps)
            ctx.set(dut.offered.ready, cycle % 3 == 1)
            ctx.set(dut.released, asleep == 1)
            *_, leaves, word, sent = await ctx.tick().sample(
                dut.offered.valid & dut.offered.ready, dut.offered.payload, dut.sent
            )
            asleep = max(0, asleep - 1)
            if sent:
                assert not asleep
                asleep = 7 if sent >> barrier else 0
            if leaves:
                got.append(word)

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(drive)
    sim.run()
    fields, expected = words.format.inject, []
    for each in given(words, node, laps):
        word = place = 0
        for name, bits in fields.items():
            word, place = word | each[name] << place, place + bits
        expected.append(word)
    # The data of a barrier means nothing.
    blank = ~((1 << words.width) - 1)
    last = [(n & 7) == barrier for n in (word >> words.width for word in expected)]
    assert len(got) == len(expected)
    assert [w & blank if b else w for w, b in zip(got, last, strict=True)] == [
        w & blank if b else w for w, b in zip(expected, last, strict=True)
    ]


def judged(
    words: OperationWords, node: int, arriving: list[dict[str, int]], *, waits: bool = True
) -> list[str]:
    """What is said of words that arrive one after the other at a node."""
    dut, said = Judge(words), []
    fields = words.format.eject

    async def arrive(ctx):
        ctx.set(dut.node, words.numbers[node])
        ctx.set(dut.gets, sum((node in words.takers(n)) << n for n in range(len(words.listed))))
        ctx.set(dut.seed, SEED)
        ctx.set(dut.clear, 1)
        for name in range(1 << stream_bits(words)):
            ctx.set(dut.sweep, name)
            await ctx.tick()
        ctx.set(dut.clear, 0)
        ctx.set(dut.take, 1)
        ctx.set(dut.waiting, waits)
        await ctx.tick()
        for each in [*arriving, None, None, None, None]:
            ctx.set(dut.arriving.valid, each is not None)
            word = place = 0
            for name, bits in fields.items():
                word, place = word | (each or {}).get(name, 0) << place, place + bits
            ctx.set(dut.arriving.payload, word)
            await ctx.tick()
            right = ctx.get(dut.right)
            if right:
                said.append(f"right {right.bit_length() - 1}")
            said.extend(name for name in ("wrong", "extra") if ctx.get(getattr(dut, name)))

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(arrive)
    sim.run()
    return said


NODE = 2


def sent(operation: int, source: int, node: int, count: int) -> dict[str, int]:
    """A word that moves by itself; nodes by number in words."""
    words = mixed()
    value = words.word(words.name(source, operation, node), count, SEED)
    return {"data": value, "source": source, "operation": operation, "last": count & 1}


def joined(operation: int, node: int, place: int) -> dict[str, int]:
    """The result of so many before, for a node or a group."""
    words = mixed()
    number = list(numbers(place + 1))[place]
    made = words.pair(operation, number, node, SEED)
    operator = words.listed[operation].operator
    members = range(len(words.members(operation)))
    lap = node + place * words.nodes if words.listed[operation].to_node else place
    words_given = [words.contribution(operation, lap, rank, made) for rank in members]
    value = reduced(operator, words_given, words.width) if operator else 77
    return {"data": value, "source": 0, "operation": operation, "last": number & 1}


OWN = mixed().numbers[NODE]
OTHER, THIRD = 3, 4
assert OWN not in (OTHER, THIRD)
JUDGED = [
    ("broadcasts", [sent(0, OTHER, 0, n) for n in (0, 1, 2)], ["right 0"] * 3),
    ("one again", [sent(0, OTHER, 0, n) for n in (0, 0, 1)], ["right 0", "extra", "right 0"]),
    ("its own", [sent(0, OWN, 0, 0)], ["extra"]),
    ("a wrong bit", [sent(0, OTHER, 0, 0) | {"data": 1 << 15}], ["wrong"]),
    ("a wrong source", [sent(0, OTHER, 0, 0) | {"source": THIRD}], ["wrong"]),
    ("another operation", [sent(0, OTHER, 0, 0) | {"operation": 1}], ["wrong"]),
    ("no operation", [sent(0, OTHER, 0, 0) | {"operation": 7}], ["wrong"]),
    ("the last of a message", [sent(0, OTHER, 0, 0) | {"last": 1}], ["wrong"]),
    ("for the node", [sent(1, OTHER, OWN, 0), sent(1, OWN, OWN, 0)], ["right 1"] * 2),
    ("for another node", [sent(1, OTHER, OTHER, 0)], ["extra"]),
    ("results", [joined(2, OWN, n) for n in (0, 1, 2)], ["right 2"] * 3),
    ("two kinds", [joined(3, 0, 0), joined(2, OWN, 0), joined(3, 0, 1)], [3, 2, 3]),
    ("a result again", [joined(3, 0, 0), joined(3, 0, 0)], ["right 3", "wrong"]),
    ("a result of another", [joined(2, OWN, 0) | {"operation": 3}], ["wrong"]),
    ("a result for another", [joined(2, OTHER, 0)], ["wrong"]),
    ("a result with a source", [joined(3, 0, 0) | {"source": 1}], ["wrong"]),
    ("a wrong result", [joined(3, 0, 0) | {"data": 1}, joined(3, 0, 1)], ["wrong", "right 3"]),
    ("barriers", [joined(4, 0, 0), joined(4, 0, 1)], ["right 4"] * 2),
    ("a barrier's header", [joined(4, 0, 0) | {"last": 1}], ["wrong"]),
]


@pytest.mark.parametrize(("arriving", "said"), [c[1:] for c in JUDGED], ids=[c[0] for c in JUDGED])
def test_what_is_said_of_words(arriving: list[dict[str, int]], said: list) -> None:
    expected = [f"right {each}" if isinstance(each, int) else each for each in said]
    assert judged(mixed(), NODE, arriving) == expected


def test_what_is_said_of_results_for_other_groups() -> None:
    assert judged(mixed(), 1, [joined(3, 0, 0), joined(4, 0, 0)]) == ["extra", "right 4"]


def test_a_barrier_that_nobody_waits_for_is_extra() -> None:
    arriving = [joined(4, 0, 0), joined(3, 0, 0)]
    assert judged(mixed(), NODE, arriving, waits=False) == ["extra", "right 3"]


def watched(events: list[tuple[int, int]], members: int = 3) -> list[int]:
    """In which cycles a barrier is released too early; how many come and go in each."""
    dut, early = BarrierWatch(6, members), []

    async def drive(ctx):
        for cycle, (entered, released) in enumerate([*events, (0, 0)]):
            ctx.set(dut.entered, entered)
            ctx.set(dut.released, released)
            await ctx.tick()
            if ctx.get(dut.early):
                early.append(cycle)

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(drive)
    sim.run()
    return early


WATCHED = [
    ("one by one", [(1, 0), (2, 0), (0, 1), (0, 1), (0, 1), (3, 0), (0, 3)], []),
    ("the next while the last go", [(3, 0), (0, 1), (1, 0), (1, 2), (0, 0), (1, 0), (0, 3)], []),
    ("one lacks", [(2, 0), (0, 1)], [1]),
    ("in the same cycle", [(2, 0), (1, 1)], [1]),
    ("one lacks in the next", [(3, 0), (0, 3), (2, 0), (0, 1), (1, 0), (0, 3)], [3]),
    ("released again", [(3, 0), (0, 3), (0, 1)], [2]),
    ("more than came", [(3, 0), (0, 1), (0, 3)], [2]),
]


@pytest.mark.parametrize(("events", "early"), [c[1:] for c in WATCHED], ids=[c[0] for c in WATCHED])
def test_a_barrier_is_watched(events: list[tuple[int, int]], early: list[int]) -> None:
    assert watched(events) == early


def test_members_that_come_and_go_at_random_raise_no_alarm() -> None:
    draw, members = random.Random(1), 5
    came, gone, events = [0] * members, [0] * members, []
    while min(gone) < 30:
        comes = [n for n in range(members) if came[n] == gone[n] and draw.random() < 0.3]
        goes = [n for n in range(members) if gone[n] < min(came) and draw.random() < 0.3]
        for count, nodes in ((came, comes), (gone, goes)):
            for n in nodes:
                count[n] += 1
        events.append((len(comes), len(goes)))
    assert watched(events, members) == []


# A network with an operation of each kind that the fabric knows, and what can be wrong at one node.
FORM = {
    "groups": {"few": ["123", "312"], "every": range(6)},
    "width": 16,
}


def whole(reduce_by: str = "max", add_by: str = "sum") -> OrderedDesign:
    operations = ["broadcast", "multicast@few", "send", f"reduce:{reduce_by}"]
    operations += [f"all_reduce:{add_by}", "barrier@every"]
    return build_ordered(build_network("star:3"), operations=operations, **FORM)


# Words of the group of all nodes hold data, 16 bits, the choice between reduce and all_reduce, last
# and the node, 3 bits; those of the barrier are in a group of their own.
FAULTS: Mapping[str, tuple[Fault, tuple[str, ...]]] = {
    "a contribution is lost": (
        {"inner__join_0_in_0__payload": "{join_0_in_0__payload[20:16], 16'd0}"},
        ("wrong", "missing"),
    ),
    "a contribution is counted twice": (
        {
            "inner__join_0_in_0__payload": "join_0_in_0__payload[16] ? {join_0_in_0__payload[20:16]"
            ", join_0_in_0__payload[14:0], 1'b0} : join_0_in_0__payload"
        },
        ("wrong", "missing"),
    ),
    "a word is joined twice": (
        {"join_0_in_0__ready": "inner__join_0_in_0__ready & |count[1:0]"},
        ("wrong", "missing"),
    ),
    "a word that is to be joined gets lost": (
        {
            "inner__join_0_in_0__valid": "join_0_in_0__valid & |count",
            "join_0_in_0__ready": "inner__join_0_in_0__ready | ~|count",
        },
        ("missing",),
    ),
    "the operation changes on the way up": (
        {"join_0_out__payload": "inner__join_0_out__payload ^ (&count << 16)"},
        ("mismatch",),
    ),
    "the node of a reduce changes on the way up": (
        {"join_0_out__payload": "inner__join_0_out__payload ^ (1 << 18)"},
        ("mismatch",),
    ),
    "the mark of the last changes on the way up": (
        {"join_0_out__payload": "inner__join_0_out__payload ^ (1 << 17)"},
        ("mismatch",),
    ),
    "a word goes to the wrong node": ({"inner__first_0": "first_0 + 1"}, ("extra", "missing")),
    "a word goes to a node that is not in the group": (
        {"inner__groups_1": "groups_1 ^ 1"},
        ("extra",),
    ),
    "a word does not go to a node of the group": (
        {"inner__groups_0": "groups_0 & 2"},
        ("missing",),
    ),
    "a barrier is released early": (
        {"inner__join_2_in_0__valid": "join_2_in_0__valid | HIT"},
        ("early",),
    ),
    "a barrier is released twice": (
        {"inner__eject__ready": "eject__ready & ~(eject__payload[21:19] == 5)"},
        ("early", "extra"),
    ),
    "a barrier is not released": (
        {"eject__valid": "inner__eject__valid & ~(eject__payload[21:19] == 5)"},
        ("missing",),
    ),
    "a word has an operation that there is not": (
        {"inner__inject__payload": "inject__payload | (7 << 16)"},
        ("dropped", "missing"),
    ),
    "a word says that another node sent it": (
        {"inner__number": "number ^ 1"},
        ("wrong", "missing"),
    ),
    "the node is dead": ({"inner__rst": "rst | HIT"}, ("missing",)),
}

OPERATOR = "a node has other operators"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the text says in each run: the first without a fault, then one fault each."""
    folder, parts = tmp_path_factory.mktemp("operations"), tmp_path_factory.getbasetemp() / "parts"
    faults = [fault for fault, _ in FAULTS.values()]
    texts = tell_faults(whole(), folder, parts, SHORT, faults, other=whole("min", "bor"))
    return dict(zip(["none", *FAULTS, OPERATOR], texts, strict=True))


@pytest.mark.cocotb
def test_the_network_as_it_is_passes(told) -> None:
    (round_,) = results(told["none"])
    assert round_.passed
    assert (round_.wrong, round_.missing, round_.extra) == (0, 0, 0)
    assert (round_.dropped, round_.mismatch, round_.early) == (0, 0, 0)
    laps = {sent // 6 for sent, _ in round_.operations.values()}
    (count,) = laps
    assert count > 20
    assert {name: (s // count, r // count) for name, (s, r) in round_.operations.items()} == {
        "broadcast": (6, 30),
        # Two of the senders are in the group, and do not get their own words.
        "multicast@few": (6, 10),
        "send": (6, 6),
        "reduce:max": (6, 1),
        "all_reduce:sum": (6, 6),
        "barrier@every": (6, 6),
    }
    assert round_.sent == sum(sent for sent, _ in round_.operations.values())
    assert round_.right == sum(right for _, right in round_.operations.values())


@pytest.mark.cocotb
@pytest.mark.parametrize("fault", [*FAULTS, OPERATOR])
def test_a_planted_fault_is_told(told, fault: str) -> None:
    (round_,) = results(told[fault])
    assert not round_.passed
    wanted = FAULTS[fault][1] if fault in FAULTS else ("wrong", "missing")
    assert all(getattr(round_, name) for name in wanted), round_


def passes(design: OrderedDesign, folder: Path, rounds: int = 4) -> list[Result]:
    _, told = simulate(design, folder, replace(SIMULATED, cycles=500), rounds=rounds)
    assert [each.round for each in told] == list(range(1, rounds + 1))
    assert all(each.passed and each.sent for each in told), told
    return told


def build(spec: str, operations: str, **form) -> OrderedDesign:
    return build_ordered(build_network(spec), operations=operations.split(), **form)


GROUPS = {"a": [0, 3, 5], "b": [1, 2, 3, 4, 8], "one": [4]}
EVERY_OPERATOR = " ".join(f"all_reduce:{operator}" for operator in OPERATORS)
# What all joins of a network do by mistake.
INSTEAD = {
    "sum": "bxor",
    "min": "max",
    "max": "min",
    "min_signed": "min",
    "max_signed": "max",
    "band": "bor",
    "bor": "band",
    "bxor": "sum",
}


@pytest.fixture(scope="module")
def all_joins_wrong(tmp_path_factory) -> Result:
    design = build("ring:3", EVERY_OPERATOR, width=8)
    wrong = {operator: COMBINE[other] for operator, other in INSTEAD.items()}
    settings = replace(SIMULATED, cycles=500)
    with mock.patch.dict(COMBINE, wrong):
        _, (told,) = simulate(design, tmp_path_factory.mktemp("wrong"), settings, rounds=1)
    return told


@pytest.mark.cocotb
@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_that_is_wrong_everywhere_is_told(all_joins_wrong, operator: str) -> None:
    """The self-test must not compute its results as the joins do."""
    sent, right = all_joins_wrong.operations[f"all_reduce:{operator}"]
    assert right < sent > 20
    assert not all_joins_wrong.passed


VARIANTS = {
    "every operator": lambda: build("star:3", f"broadcast {EVERY_OPERATOR}", width=16),
    "a broadcast alone": lambda: build("ring:5", "broadcast", width=4),
    "a barrier alone": lambda: build("ring:5", "barrier", width=1),
    "a send alone": lambda: build("ring:5", "send", width=7),
    "a reduce of one bit": lambda: build("ring:5", "reduce:min", width=1),
    "many groups": lambda: build(
        "mesh:3,3",
        "multicast@a barrier@a all_reduce:bor@b reduce:sum@b barrier scatter all_gather@one "
        "all_reduce:sum@one gather@a",
        groups=GROUPS,
        width=16,
        config=OrderedConfig(link_registers=1, queue=3),
    ),
    "few senders": lambda: build(
        "uhc:4",
        "broadcast send all_reduce:bxor@few barrier@few",
        sources=[1, 5, 6],
        groups={"few": [5, 6]},
        config=OrderedConfig(own_words=True),
    ),
    "no source numbers": lambda: build(
        "scc:3",
        "broadcast multicast@few reduce:sum barrier@few",
        groups={"few": [0, 5, 7]},
        width=16,
        config=OrderedConfig(source_numbers=False, own_words=True),
    ),
}


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_every_kind_of_network_passes(tmp_path: Path, name: str) -> None:
    passes(VARIANTS[name](), tmp_path)


def test_a_report_is_read_as_it_is_written() -> None:
    names = ("broadcast", "all_reduce:sum@every")
    lines = template("arbornoc a", names)
    text = "\r\n".join([*lines, "FAIL", ""]).format(*range(100, 114))
    (told,) = results(f"r 1\r\nPASS\r\n{text}arbornoc a\r\nround")
    assert (told.round, told.extra, told.dropped, told.early) == (100, 106, 107, 109)
    assert told.operations == {names[0]: (110, 111), names[1]: (112, 113)}
    assert not told.passed


def test_the_least_width_is_told(capsys) -> None:
    asked = ["build", "star:4", "--simulate", "1", "--operations", "broadcast,send", "--width"]
    assert main([*asked, "11"]) == 2
    assert capsys.readouterr().err == (
        "noc build: error: --width 11: the self-test of star:4 needs at least 12 bits, to tell its "
        "24 nodes and 2 operations apart\n"
    )


def test_more_operations_than_a_report_has_room_for_are_refused() -> None:
    groups = {f"g{n}": [n] for n in range(51)}
    design = build("ring:51", " ".join(f"barrier@{name}" for name in groups), groups=groups)
    with pytest.raises(InputError, match=r"reports on 50 at most, not on 51$"):
        stations(design)


def test_the_folder_of_a_board_names_operations_and_groups(tmp_path: Path) -> None:
    options = ["--operations", "barrier,all_reduce:sum@some", "--group", "some=0,2"]
    command = ["build", "ring:3", "--width", "8", "--board", "arty_a7_35", *options]
    assert main([*command, "-o", str(tmp_path / "out")]) == 0
    built = json.loads((tmp_path / "out" / "build.json").read_text())
    assert built["operations"] == ["barrier", "all_reduce:sum@some"]
    assert built["groups"] == {"all": ["0", "1", "2"], "some": ["0", "2"]}
    # All nodes give words, though none of them is sent.
    assert " sources all " in built["header"]
