"""The self-test of networks with operations passes on them, and its text tells of each fault."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from amaranth.hdl import Module, Signal
from collective_oracle import reduced
from ordered_runs import run_bench
from own_operators import own_operators

from noc.cli import main
from noc.design import OrderedDesign, build_design, build_direct, build_ordered
from noc.errors import InputError
from noc.hardware.ordered.operators import COMBINE
from noc.model.operators import combine
from noc.networks import build_network
from noc.programs.operators import OPERATORS, register_operator
from noc.programs.ordered_config import OrderedConfig
from noc.selftest import SIMULATED, Result, results, simulate
from noc.selftest.conductor import BarrierWatch
from noc.selftest.giver import Giver
from noc.selftest.judge import Judge
from noc.selftest.patterns import Patterns, following, result
from noc.selftest.report import template
from noc.selftest.rounds import RoundWords
from noc.selftest.selftest import words_of
from noc.selftest.words import Words

SEED = 0b1010011100101101


def words_for(spec: str, *operations: str, width: int = 16, **form) -> Words:
    return words_of(build_ordered(build_network(spec), width=width, operations=operations, **form))


def contribution(
    words: Words, operation: int, lap: int, rank: int, number: int, node: int = 0, seed: int = SEED
) -> int:
    """What a member gives."""
    operator, count = words.listed[operation].operator, len(words.members(operation))
    key = operation | node << words.operations.bits
    a, b = words.patterns.pair(number, seed, key)
    place, run = (rank + lap) % count, lap // count
    second = run // 2 % count if operator == "bor" and run % 2 and count > 2 else 0
    if place in (0, second):
        return a
    return b ^ (1 << words.width) - 1 if operator in ("sum", "bxor") and place % 2 == 0 else b


def sent(words: Words, operation: int, source: int, node: int, count: int) -> dict[str, int]:
    """A word that is sent; nodes by number in words."""
    name = source | operation << words.number_bits
    if words.addressed:
        meant = node if words.listed[operation].to_node else source
        name |= meant << words.number_bits + words.operations.bits
    number = count % (1 << words.count_bits)
    parts = ((number, words.count_bits), (SEED, 16), (name, words.name_bits))
    bits = [[value >> b % count for value, count in parts] for b in range(words.body_bits)]
    body = sum(((a ^ b ^ c) & 1) << place for place, (a, b, c) in enumerate(bits))
    value = body << words.name_bits | name
    return {"data": value, "source": source, "operation": operation, "last": number & 1}


def packed(word: dict[str, int], fields: dict[str, int]) -> int:
    result = first = 0
    for name, bits in fields.items():
        result, first = result | word.get(name, 0) << first, first + bits
    return result


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


@pytest.mark.cases(14)
@pytest.mark.parametrize(
    ("spec", "width"), [("ring:3", 8), ("ring:4", 16), ("ring:5", 8), ("ring:8", 32)]
)
@pytest.mark.parametrize("operator", OPERATORS)
def test_each_wrong_contribution_and_operator_is_seen(spec: str, width: int, operator: str) -> None:
    """By the data of the results of two rounds alone."""
    words = words_for(spec, f"all_reduce:{operator}", width=width)
    members = words.nodes

    def combined(name: str, given: list[int]) -> int:
        return reduce(lambda a, b: combine(name, a, b, width), given)

    unseen = wrong_ones(operator, members)
    for seed in (SEED, 0x1234):
        laps = []
        for lap, number in enumerate(numbers(4 * members**2)):
            ranks = range(members)
            laps.append([contribution(words, 0, lap, r, number, seed=seed) for r in ranks])
        for old, now in pairwise(laps):
            right = combined(operator, now)
            assert right == reduced(operator, now, width)
            for fault, wrong in list(unseen.items()):
                if wrong(combined, operator, now, old) != right:
                    del unseen[fault]
    assert not unseen


@pytest.mark.cases(4)
@pytest.mark.parametrize("members", [1, 2, 3, 4, 5, 6, 17, 24])
def test_the_result_is_that_of_all_contributions(members: int) -> None:
    """What a node computes from two words is what all words become."""
    operations = [f"all_reduce:{operator}" for operator in OPERATORS]
    groups = {"few": range(members)}
    words = words_for("ring:24", *(f"{o}@few" for o in operations), groups=groups)
    m, number, seed, key = Module(), Signal(8), Signal(16), Signal(words.key_bits)
    a, b = words.patterns.pair(number, seed, key)
    made = [Signal(16, name=operator) for operator in OPERATORS]
    m.d.comb += [to.eq(result(o, members, a, b)) for to, o in zip(made, OPERATORS, strict=True)]

    async def compare(ctx):
        ctx.set(seed, SEED)
        for lap, value in enumerate(numbers(40)):
            ctx.set(number, value)
            for place, operator in enumerate(OPERATORS):
                ctx.set(key, place)
                given = [contribution(words, place, lap, r, value) for r in range(members)]
                await ctx.delay(1e-7)
                assert ctx.get(made[place]) == reduced(operator, given, 16)

    run_bench(m, compare)


MIXED = ("broadcast", "send", "reduce:max", "all_reduce:bor@some", "barrier")


def mixed() -> Words:
    return words_for("star:3", *MIXED, groups={"some": [0, 2, 3, 5]})


def given(words: Words, node: int, laps: int) -> list[dict[str, int]]:
    """What a node gives."""
    sequence, told = list(numbers(laps)), []
    own = words.numbers[node]
    for lap in range(laps):
        sweep, meant = divmod(lap, words.nodes)
        for operation, each in enumerate(words.listed):
            if node not in words.givers(operation):
                continue
            to, count = (meant, sweep) if each.to_node else (own, lap)
            word = sent(words, operation, own, to, count) | {"node": to}
            if each.joined:
                number, rank = sequence[count], words.members(operation).index(node)
                to = meant if each.to_node else 0
                word["data"] = contribution(words, operation, lap, rank, number, to)
                word["last"] = number & 1
            # The data of a barrier mean nothing.
            told.append(word | ({"data": 0} if each.kind == "barrier" else {}))
    return told


GIVING = {
    "in a group": (mixed, 2),
    "not in it": (mixed, 1),
    "broadcasts": (lambda: words_for("star:3", "broadcast", width=12), 5),
    "of one bit": (lambda: words_for("star:3", "broadcast", width=4), 5),
    "wide": (lambda: words_for("star:4", "broadcast", width=70), 5),
    "every second turned": (lambda: words_for("ring:5", "all_reduce:sum", "reduce:bxor"), 3),
    "none joined": (lambda: words_for("mesh:3,3", "send", "broadcast"), 7),
    "direct": (lambda: words_of(build_direct("star:3", width=12)), 5),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", GIVING)
def test_a_node_gives_the_words_as_they_are_defined(name: str) -> None:
    """In their order, and after a barrier only when it is released."""
    words, node = GIVING[name][0](), GIVING[name][1]
    dut, got, laps = Giver(words), [], 40
    barriers = sum(1 << number for number in words.of_kind("barrier"))

    async def drive(ctx):
        for port, value in words.giver_constants(node)[0].items():
            port, _, group = port.partition("__")
            if port != "gets":
                ctx.set(getattr(dut, port)[int(group)] if group else getattr(dut, port), value)
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
            ctx.set(dut.inject.ready, cycle % 3 == 1)
            ctx.set(dut.released, barriers if asleep == 1 else 0)
            *_, leaves, word, sent = await ctx.tick().sample(
                dut.inject.valid & dut.inject.ready, dut.inject.payload, dut.sent
            )
            asleep = max(0, asleep - 1)
            if sent:
                assert not asleep
                asleep = 7 if sent & barriers else 0
            if leaves:
                got.append(word)

    run_bench(dut, drive)
    fields = words.inject
    expected = [packed(each, fields) for each in given(words, node, laps if words.laps else 500)]
    for place, word in enumerate(got):
        if barriers >> (word >> words.width & 7) & 1:
            got[place] = word >> words.width << words.width
    assert len(got) == len(expected) if words.laps else len(got) > 300
    assert got == expected[: len(got)]


def judged(
    words: Words, node: int, arriving: list[dict[str, int]], *, waits: bool = True
) -> list[str]:
    """What is said of words that arrive one after the other at a node."""
    dut, said = Judge(words), []

    async def arrive(ctx):
        ctx.set(dut.node, words.numbers[node])
        ctx.set(dut.gets, words.judge_constants(node)[0]["gets"])
        ctx.set(dut.seed, SEED)
        ctx.set(dut.clear, 1)
        for name in range(1 << words.stream_bits):
            ctx.set(dut.sweep, name)
            await ctx.tick()
        ctx.set(dut.clear, 0)
        ctx.set(dut.take, 1)
        ctx.set(dut.waiting, waits)
        await ctx.tick()
        for each in [*arriving, None, None, None, None]:
            ctx.set(dut.eject.valid, each is not None)
            ctx.set(dut.eject.payload, packed(each or {}, words.eject))
            await ctx.tick()
            right = ctx.get(dut.right)
            if right:
                said.append(f"right {right.bit_length() - 1}")
            said.extend(name for name in ("wrong", "extra") if ctx.get(getattr(dut, name)))

    run_bench(dut, arrive)
    return said


NODE = 2


def broadcast(source: int, *counts: int, words: Words | None = None) -> list[dict[str, int]]:
    return [sent(words or mixed(), 0, source, 0, count) for count in counts]


def send(source: int, node: int) -> dict[str, int]:
    return sent(mixed(), 1, source, node, 0)


def joined(operation: int, node: int, place: int) -> dict[str, int]:
    """The result of so many before, for a node or a group."""
    words = mixed()
    number, operator = list(numbers(place + 1))[place], words.listed[operation].operator
    lap = node + place * words.nodes if words.listed[operation].to_node else place
    ranks = range(len(words.members(operation)))
    given = [contribution(words, operation, lap, rank, number, node) for rank in ranks]
    value = reduced(operator, given, words.width) if operator else 77
    return {"data": value, "source": 0, "operation": operation, "last": number & 1}


OWN = mixed().numbers[NODE]
OTHER, THIRD = 3, 4
assert OWN not in (OTHER, THIRD)
(FIRST,) = broadcast(OTHER, 0)
JUDGED = [
    ("broadcasts", broadcast(OTHER, *range(16), 0, 1), ["right 0"] * 18),
    ("two sources", [FIRST, *broadcast(THIRD, 0), *broadcast(OTHER, 1, 2)], ["right 0"] * 4),
    ("one again", broadcast(OTHER, 0, 1, 1, 2), ["right 0", "right 0", "extra", "right 0"]),
    ("one left out", broadcast(OTHER, 0, 2, 3), ["right 0"] * 3),
    ("one late", broadcast(OTHER, 0, 2, 1, 3), ["right 0", "right 0", "extra", "right 0"]),
    ("its own", broadcast(OWN, 0, 1), ["extra", "extra"]),
    ("a wrong bit", [FIRST | {"data": FIRST["data"] ^ 1 << 10}, FIRST], ["wrong", "right 0"]),
    ("a wrong name", [FIRST | {"data": FIRST["data"] ^ 1}, FIRST], ["wrong", "right 0"]),
    ("another seed", [FIRST | {"data": FIRST["data"] ^ 0xF000}], ["wrong"]),
    ("a wrong source", [FIRST | {"source": THIRD}], ["wrong"]),
    ("another operation", [FIRST | {"operation": 1}], ["wrong"]),
    ("no operation", [FIRST | {"operation": 7}], ["wrong"]),
    ("the last of a message", [FIRST | {"last": 1}], ["wrong"]),
    ("for the node", [send(OTHER, OWN), send(OWN, OWN)], ["right 1"] * 2),
    ("for another node", [send(OTHER, OTHER)], ["extra"]),
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


@pytest.mark.cases(6)
@pytest.mark.parametrize(("arriving", "said"), [c[1:] for c in JUDGED], ids=[c[0] for c in JUDGED])
def test_what_is_said_of_words(arriving: list[dict[str, int]], said: list) -> None:
    expected = [f"right {each}" if isinstance(each, int) else each for each in said]
    assert judged(mixed(), NODE, arriving) == expected


@pytest.mark.parametrize(
    ("form", "own", "other"),
    [
        ({}, "extra", "wrong"),
        ({"source_numbers": False, "own_words": True}, "right 0", "right 0"),
        ({"own_words": True}, "right 0", "wrong"),
    ],
)
def test_what_is_said_where_all_is_broadcast(form: dict, own: str, other: str) -> None:
    words = words_for("star:3", "broadcast", width=12, config=OrderedConfig(**form))
    first, second = broadcast(3, 0, 1, words=words)
    assert judged(words, 0, [first, second | {"source": 2}]) == ["right 0", other]
    assert judged(words, 0, broadcast(0, 0, words=words)) == [own]


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

    run_bench(dut, drive)
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


def build(spec: str, operations: str, **form) -> OrderedDesign:
    return build_ordered(build_network(spec), operations=operations.split(), **form)


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
    """Also those of one operator of a user, ``own-turned``, but not those of two more."""
    wrong = {operator: COMBINE[other] for operator, other in INSTEAD.items()}
    with own_operators(), mock.patch.dict(COMBINE, wrong):
        turned = replace(OPERATORS["own"], name="own-turned", model=lambda a, b, w: (b - a) % 2**w)
        register_operator(turned)
        own = "all_reduce:own all_reduce:own-late all_reduce:own-turned reduce:own-late"
        design = build("star:3", f"{EVERY_OPERATOR} {own}", width=8)
        settings = replace(SIMULATED, cycles=1500)
        _, (told,) = simulate(design, tmp_path_factory.mktemp("wrong"), settings, rounds=1)
    return told


@pytest.mark.ci
@pytest.mark.cocotb
@pytest.mark.parametrize("operator", [*OPERATORS, "own-turned"])
def test_an_operator_that_is_wrong_everywhere_is_told(all_joins_wrong, operator: str) -> None:
    """The self-test must not compute its results as the joins do."""
    sent, right = all_joins_wrong.operations[f"all_reduce:{operator}"]
    assert right < sent > 20
    assert not all_joins_wrong.passed


@pytest.mark.ci
@pytest.mark.cocotb
def test_the_results_of_a_users_operators_are_those_of_their_models(all_joins_wrong) -> None:
    for operator in ("own", "own-late"):
        sent, right = all_joins_wrong.operations[f"all_reduce:{operator}"]
        assert right == sent > 20
    sent, right = all_joins_wrong.operations["reduce:own-late"]
    assert 6 * right == sent > 20


@pytest.mark.parametrize("bits", range(1, 8))
def test_words_of_different_results_differ(bits: int) -> None:
    """Neither of the two words tells all keys apart, and what joins them neither: the two do."""
    patterns = Patterns(width=16, key_bits=bits, rank_bits=3)
    pairs = [patterns.pair(77, SEED, key) for key in range(1 << bits)]
    for of_two in (lambda a, b: a ^ b, lambda a, b: a + b, lambda a, _: a):
        assert len({of_two(*pair) for pair in pairs}) == 1 << bits


@pytest.mark.ci
def test_sums_of_a_users_operator_are_told_apart() -> None:
    with own_operators():
        model = lambda a, b, width: (3 * a + b) % 2**width  # noqa: E731
        register_operator(replace(OPERATORS["own"], name="own-mix", model=model))
        form = {"exchange": "reduce_scatter:own-mix", "width": 16}
        words = words_of(build_design("star:4", fabric="timetable", **form))
        assert isinstance(words, RoundWords)
        assert len({tuple(row) for row in words.table}) == 24


@pytest.mark.ci
@pytest.mark.cocotb
def test_sums_of_a_users_operator_are_those_of_its_model(tmp_path: Path) -> None:
    """A sum is made in an order of its own, which counts where a - b is not b - a."""
    with own_operators():
        turned = replace(OPERATORS["own"], name="own-turned", model=lambda a, b, w: (b - a) % 2**w)
        register_operator(turned)
        for operator in ("own", "own-turned"):
            folder = tmp_path / operator
            folder.mkdir()
            exchange = f"all_reduce:{operator}"
            design = build_design(
                "hypercube:3", fabric="timetable", exchange=exchange, width=8, round=3
            )
            settings = replace(SIMULATED, cycles=500)
            _, (told,) = simulate(design, folder, settings, rounds=1)
            assert told.sent > 1000
            assert told.passed == (operator == "own"), told


def test_a_report_is_read_as_it_is_written() -> None:
    names = ("broadcast", "all_reduce:sum@every")
    lines = template("arbornoc a", names)
    text = "\r\n".join([*lines, "FAIL", ""]).format(*range(100, 114))
    (told,) = results(f"r 1\r\nPASS\r\n{text}arbornoc a\r\nround")
    assert (told.round, told.extra, told.dropped, told.early) == (100, 106, 107, 109)
    assert told.operations == {names[0]: (110, 111), names[1]: (112, 113)}
    assert not told.passed


def test_more_operations_than_a_report_has_room_for_are_refused() -> None:
    groups = {f"g{n}": [n] for n in range(51)}
    design = build("ring:51", " ".join(f"barrier@{name}" for name in groups), groups=groups)
    with pytest.raises(InputError, match=r"reports on 50 at most, not on 51$"):
        words_of(design)


@pytest.mark.ci
def test_the_folder_of_a_board_names_operations_and_groups(tmp_path: Path) -> None:
    options = ["--operations", "barrier,all_reduce:sum@some", "--group", "some=0,2"]
    command = ["build", "ring:3", "--width", "8", "--board", "arty_a7_35", *options]
    assert main([*command, "-o", str(tmp_path / "out")]) == 0
    built = json.loads((tmp_path / "out" / "build.json").read_text())
    assert built["operations"] == ["barrier", "all_reduce:sum@some"]
    assert built["groups"] == {"all": ["0", "1", "2"], "some": ["0", "2"]}
    # All nodes give words, though none of them is sent.
    assert " sources all " in built["header"]
