"""The parts of the ordered fabric in Amaranth's simulator, cycle by cycle; networks of them."""

from dataclasses import dataclass
from functools import partial
from itertools import product

import pytest
from amaranth.hdl import Module
from amaranth.sim import Simulator
from formal.ordered_faults import Mutation, network_with
from ordered_runs import expected, moved, transfers

from noc.design import OrderedDesign, build_design, build_ordered
from noc.hardware import BroadcastNetwork
from noc.hardware.ordered import Node
from noc.model import SINKS, TRAFFIC
from noc.networks import build_network
from noc.programs.ordered import Merge as MergePlan
from noc.programs.ordered import NodePlan
from noc.programs.ordered_config import OrderedConfig
from noc.programs.word_format import Fields, WordFormat
from noc.streams import BUFFERS, Fork, Merge

ALWAYS, NEVER = [1], [0]
PATTERNS = [[1], [1, 0], [0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 0, 0]]


def cycles_of(moves: list[tuple[int, int]]) -> list[int]:
    return [cycle for cycle, _ in moves]


def words_of(moves: list[tuple[int, int]]) -> list[int]:
    return [word for _, word in moves]


@pytest.mark.parametrize("slots", BUFFERS)
def test_a_buffer_takes_and_gives_a_word_in_every_cycle(slots: int) -> None:
    result = moved(BUFFERS[slots](8), {"i": list(range(9))}, {"o": ALWAYS}, 12)
    assert result == {"i": [(n, n) for n in range(9)], "o": [(n + 1, n) for n in range(9)]}


@pytest.mark.parametrize(("slots", "taken"), [(1, [0]), (2, [0, 1])])
def test_a_buffer_holds_as_many_words_as_it_has_slots(slots: int, taken: list[int]) -> None:
    assert cycles_of(moved(BUFFERS[slots](8), {"i": [5] * 9}, {"o": NEVER}, 9)["i"]) == taken


@pytest.mark.parametrize(("slots", "taken"), [(1, [0, 5, 6, 7]), (2, [0, 1, 6, 7])])
def test_only_one_slot_takes_a_word_as_it_gives_one(slots: int, taken: list[int]) -> None:
    willing = [0] * 5 + [1] * 3
    result = moved(BUFFERS[slots](8), {"i": [5] * 9}, {"o": willing}, 8)
    assert cycles_of(result["i"]) == taken
    assert cycles_of(result["o"]) == [5, 6, 7]


FIRST, SECOND = list(range(100)), list(range(100, 200))


def merged(weights, slots, *, first=FIRST, second=SECOND, pattern=ALWAYS, cycles=40) -> str:
    """The streams of the words that leave, A or B; all words of a stream leave in order."""
    dut = Merge(8, weights=weights, slots=slots)
    result = words_of(moved(dut, {"first": first, "second": second}, {"o": pattern}, cycles)["o"])
    for words in (first, second):
        known = [word for word in words if word is not None]
        left = [word for word in result if word in known]
        assert left == known[: len(left)]
    return "".join("A" if word < 100 else "B" for word in result)


@pytest.mark.parametrize("weights", [(1, 1), (1, 3), (2, 3), (5, 1), (1, 7), (4, 3)])
@pytest.mark.parametrize(("slots", "pattern"), [*product((1, 2), PATTERNS)])
def test_two_streams_that_always_offer_have_their_weights(weights, slots, pattern) -> None:
    result = merged(weights, slots, pattern=pattern)
    pair = "A" * weights[0] + "B" * weights[1]
    assert result == (pair * 40)[: len(result)]
    # Each time the exit is ready a word leaves, but for the first cycle and, with two slots, none.
    assert len(result) >= 40 * sum(pattern) // len(pattern) - 1


@pytest.mark.parametrize("slots", [1, 2])
def test_one_stream_alone_loses_no_cycle(slots: int) -> None:
    assert merged((2, 5), slots, second=[]) == "A" * 39
    assert merged((5, 2), slots, first=[]) == "B" * 39


def test_words_of_the_other_do_not_count_in_a_turn() -> None:
    pause = [None] * 5
    result = merged((3, 2), 2, first=[0, *pause, *range(1, 30)], second=SECOND)
    # The turn of the first lasts three words of its own, however many of the other pass.
    assert result.startswith("A" + "B" * 5 + "AABB" + "AAABB" * 4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Merge(8, weights=(0, 1), slots=2), r"^weights must be at least 1, not \(0, 1\)$"),
        (
            lambda: Merge(8, weights=(1, -2), slots=2),
            r"^weights must be at least 1, not \(1, -2\)$",
        ),
        (lambda: Merge(8, weights=(1, 1), slots=3), r"^slots must be 0, 1 or 2, not 3$"),
        (lambda: Fork(8, outputs=0), r"^outputs must be at least 1, not 0$"),
        (
            lambda: Node(plan(sends=True, drops=True), WordFormat(8, 8, source_numbers=False)),
            r"^words must have source numbers where a node drops its own words$",
        ),
    ],
)
def test_what_cannot_be_built_is_refused(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("patterns", [*product(PATTERNS, PATTERNS)])
def test_each_output_of_a_fork_takes_each_word_once(patterns) -> None:
    ready = {f"o__{number}": pattern for number, pattern in enumerate((*patterns, [1, 1, 0]))}
    result = moved(Fork(8, outputs=3), {"i": list(range(8))}, ready, 60)
    assert all(words_of(moves) == list(range(8)) for moves in result.values())
    # The word leaves its source in the cycle in which the last output takes it.
    for place, cycle in enumerate(cycles_of(result["i"])):
        assert cycle == max(result[name][place][0] for name in ready)


def test_a_fork_passes_a_word_in_every_cycle() -> None:
    result = moved(Fork(8, outputs=2), {"i": list(range(9))}, {"o__0": ALWAYS, "o__1": ALWAYS}, 9)
    assert all(moves == [(n, n) for n in range(9)] for moves in result.values())


@pytest.mark.parametrize("outputs", [1, 2])
def test_the_last_output_of_a_fork_is_skipped(outputs: int) -> None:
    ready = {f"o__{number}": ALWAYS for number in range(outputs - 1)} | {f"o__{outputs - 1}": NEVER}
    result = moved(Fork(8, outputs=outputs), {"i": [1, 2, 3]}, ready, 5, {"skip": 1 << outputs - 1})
    assert result.pop(f"o__{outputs - 1}") == []
    assert all(moves == [(0, 1), (1, 2), (2, 3)] for moves in result.values())


def plan(**facts) -> NodePlan:
    """A plan, without what is not said."""
    none = dict.fromkeys(("sends", "stored", "root", "drops"), False)
    slots = 0 if facts.get("root") else 2
    return NodePlan(**{**none, "up": 0, "merges": (), "down": 0, "down_slots": slots, **facts})


def numbered(word: int, source: int) -> int:
    return word | source << 8


def node(facts: NodePlan, offered, ready, cycles: int, *, number: int = 3, queue: int = 0):
    dut = Node(facts, WordFormat(8, 8, source_numbers=True), queue=queue)
    return moved(dut, offered, ready, cycles, {"number": number} if facts.sends else {})


def test_a_leaf_adds_its_number_and_stores_nothing() -> None:
    result = node(plan(sends=True), {"inject": [7, 8], "down_in": []}, {"up_out": [0, 1]}, 5)
    assert result["up_out"] == [(1, numbered(7, 3)), (3, numbered(8, 3))]
    assert cycles_of(result["inject"]) == [1, 3]


def test_a_relay_stores_a_word() -> None:
    result = node(plan(up=1, stored=True), {"up_in__0": [7, 8]}, {"up_out": ALWAYS}, 5)
    assert result["up_out"] == [(1, 7), (2, 8)]


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize("queue", [0, 2, 5])
def test_a_node_ejects_what_is_for_it(queue: int, drops: bool) -> None:
    words = [numbered(word, source) for word, source in ((1, 3), (2, 0), (3, 3), (4, 7))]
    ready = {"eject": ALWAYS, "down_out__0": ALWAYS}
    result = node(plan(sends=True, down=1, drops=drops), {"down_in": words}, ready, 9, queue=queue)
    assert result["down_out__0"] == [(n + 1, word) for n, word in enumerate(words)]
    later = 2 if queue else 1
    kept = [(n + later, w) for n, w in enumerate(words) if not drops or w >> 8 != 3]
    assert result["eject"] == kept


@pytest.mark.parametrize(("queue", "taken"), [(0, 2), (1, 3), (3, 5)])
def test_a_queue_holds_words_for_a_sink_that_is_late(queue: int, taken: int) -> None:
    words = {"down_in": list(range(9))}
    assert len(node(plan(), words, {"eject": NEVER}, 12, queue=queue)["down_in"]) == taken


BOTH = MergePlan(0, 1, (1, 2), 1), MergePlan(2, 3, (1, 1), 2)


def test_inputs_of_a_node_have_their_shares() -> None:
    facts = plan(sends=True, up=2, merges=BOTH, root=True)
    words = {"inject": 1, "up_in__0": numbered(2, 1), "up_in__1": numbered(3, 2)}
    offered = {name: [word] * 30 for name, word in words.items()}
    result = [word & 7 for word in words_of(node(facts, offered, {"eject": ALWAYS}, 25)["eject"])]
    # The first of the second merge is up_in__1; the other is what the first merge chose.
    assert result == [3, 1, 3, 2, 3, 2] * 4


CASES = [
    ("ring:4", OrderedConfig(), {}),
    ("star:3", OrderedConfig(), {}),
    ("star:3", OrderedConfig(link_registers=1, queue=2), {"sources": [1, 4, 5]}),
    ("star:3", OrderedConfig(own_words=True, source_numbers=False), {"root": 3}),
    ("uhc:3", OrderedConfig(queue=5), {}),
]


@pytest.mark.cases(4)
@pytest.mark.parametrize(("spec", "form", "options"), CASES)
@pytest.mark.parametrize(("kind", "sinks"), [("full", "half"), ("sparse", "bursty")])
def test_a_network_does_what_the_model_does(spec, form, options, kind, sinks) -> None:
    design = build_ordered(build_network(spec), width=10, config=form, **options)
    ready = SINKS[sinks](design.network.nodes, 1)
    traffic = TRAFFIC[kind](design.program, 6, 1).whole.taken_by(ready)
    result = transfers(design, BroadcastNetwork(design), traffic, 150)
    assert result == expected(design, traffic, 150)
    assert len(result) > 50


@dataclass(frozen=True)
class WithParity(WordFormat):
    """Words with one more field, behind all others or in front of them."""

    front: bool = False

    @property
    def inside(self) -> Fields:
        parity, known = {"parity": 2}, super().inside
        return parity | known if self.front else known | parity


def with_parity(front: bool, **options) -> OrderedDesign:
    """A design whose words have one more field, by nothing but their format."""
    plain = build_design("star:3", width=9, **options)

    class Design(OrderedDesign):
        words = WithParity(**vars(plain.words), front=front)

    return Design(plain.program, plain.width)


ASKED = ["broadcast", "send", "all_reduce:sum", "reduce:max", "barrier"]


def given(words: WordFormat, node: int) -> list[dict[str, int]]:
    """What a node says to all, to the next one, and together with all others."""
    own = {"data": 10 + node, "parity": node % 4}
    if words.operations.only_broadcast:
        return [own]
    sent = [own | {"operation": 0}, own | {"operation": 1, "node": (node + 1) % words.nodes}]
    joined = [{"data": 1, "operation": n, "parity": 3, "node": 2} for n in (2, 3, 4)]
    return sent + joined


def received(design: OrderedDesign, network: BroadcastNetwork) -> dict[int, list[tuple]]:
    """By the number of each node (operation, data, parity) of its words, sorted."""
    m, words, result = Module(), design.words, {n: [] for n in range(design.words.nodes)}
    m.submodules.network = network
    simulator = Simulator(m)
    simulator.add_clock(1e-6)

    async def give(ctx, name: str, number: int) -> None:
        inject = getattr(network, f"inject_{name}")
        for word in given(words, number):
            ctx.set(inject.payload, word)
            ctx.set(inject.valid, 1)
            await ctx.tick().until(inject.ready)
        ctx.set(inject.valid, 0)

    async def take(ctx, name: str, number: int) -> None:
        eject = getattr(network, f"eject_{name}")
        ctx.set(eject.ready, 1)
        for _ in range(200):
            valid, word = ctx.get(eject.valid), ctx.get(eject.payload)
            if valid:
                operation = getattr(word, "operation", 0)
                result[number].append((operation, word.data, word.parity))
            await ctx.tick()

    for name, number in network.numbers.items():
        simulator.add_testbench(partial(give, name=name, number=number))
        simulator.add_testbench(partial(take, name=name, number=number))
    simulator.run()
    return {number: sorted(words) for number, words in result.items()}


def awaited(words: WordFormat) -> dict[int, list[tuple]]:
    nodes = range(words.nodes)
    result = {n: [(0, 10 + other, other % 4) for other in nodes if other != n] for n in nodes}
    if not words.operations.only_broadcast:
        for node in nodes:
            before = (node - 1) % words.nodes
            result[node] += [(1, 10 + before, before % 4), (2, words.nodes, 3)]
            # Words of the group have data; what a barrier gives is combined too.
            result[node] += [(3, 1, 3)] * (node == 2) + [(4, words.nodes, 3)]
    return {node: sorted(words) for node, words in result.items()}


@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"queue": 2}, {"operations": ASKED, "link_registers": 1}, {"operations": ASKED}]
)
def test_a_further_field_of_words_arrives_everywhere_as_it_is(front: bool, options) -> None:
    design = with_parity(front, **options)
    assert received(design, BroadcastNetwork(design)) == awaited(design.words)


@pytest.mark.parametrize("options", [{}, {"operations": ASKED}])
def test_a_further_field_that_is_cut_by_position_is_seen(options) -> None:
    cut = Mutation(
        "words",
        "*(field.eq(fields[name]) for name, field in fields_of(target.payload).items())",
        "Cat(target.payload).eq(Cat(source.payload))",
    )
    for front in (False, True):
        design = with_parity(front, **options)
        network = network_with(cut).BroadcastNetwork(design)
        assert received(design, network) != awaited(design.words)


def test_which_fields_words_have_where() -> None:
    words = build_design(
        "star:3", width=9, operations=[*ASKED, "barrier@a"], groups={"a": [1]}
    ).words
    assert [*words.inside] == ["data", "source", "operation", "last", "node"]
    assert [*words.inject.items()] == [("data", 9), ("operation", 3), ("last", 1), ("node", 3)]
    assert words.eject == {"data": 9, "source": 3, "operation": 3, "last": 1}
    assert [*words.join(0).items()] == [("data", 9), ("choice", 2), ("last", 1), ("node", 3)]
    assert words.join(1) == {"last": 1}
    assert build_design("star:3", width=9, operations=["barrier"]).words.join(0) == {}
