"""Networks of the ordered fabric in Amaranth's simulator; its parts are proven."""

from dataclasses import dataclass
from functools import partial

import pytest
from amaranth.hdl import Module
from amaranth.sim import Simulator
from formal.ordered_faults import Mutation, network_with
from ordered_runs import side_by_side

from noc.design import OrderedDesign, build_design, build_ordered
from noc.hardware import BroadcastNetwork
from noc.model import SINKS, TRAFFIC
from noc.networks import build_network
from noc.programs.ordered_config import OrderedConfig
from noc.programs.word_format import Fields, WordFormat

CASES = [
    ("ring:4", OrderedConfig(), {}),
    ("star:3", OrderedConfig(), {}),
    ("star:3", OrderedConfig(link_registers=1, queue=2), {"sources": [1, 4, 5]}),
    ("star:3", OrderedConfig(own_words=True, source_numbers=False), {"root": 3}),
    ("uhc:3", OrderedConfig(queue=5), {}),
]


@pytest.mark.cases(1, ci=8)
@pytest.mark.parametrize(("spec", "form", "options"), CASES)
@pytest.mark.parametrize(("kind", "sinks"), [("full", "half"), ("sparse", "bursty")])
def test_a_network_does_what_the_model_does(spec, form, options, kind, sinks) -> None:
    design = build_ordered(build_network(spec), width=10, config=form, **options)
    ready = SINKS[sinks](design.network.nodes, 1)
    traffic = TRAFFIC[kind](design.program, 6, 1).whole.taken_by(ready)
    run, same = side_by_side(design, traffic, cycles=150)
    assert same
    assert len(run.bits) > 50


@dataclass(frozen=True)
class WithStamp(WordFormat):
    """Words with one more field, behind all others or in front of them."""

    front: bool = False

    @property
    def inside(self) -> Fields:
        stamp, known = {"stamp": 2}, super().inside
        return stamp | known if self.front else known | stamp


def with_stamp(front: bool, **options) -> OrderedDesign:
    """A design whose words have one more field, by nothing but their format."""
    plain = build_design("star:3", width=9, **options)

    class Design(OrderedDesign):
        words = WithStamp(**vars(plain.words), front=front)

    return Design(plain.program, plain.width)


ASKED = ["broadcast", "send", "all_reduce:sum", "reduce:max", "barrier"]


def given(words: WordFormat, node: int) -> list[dict[str, int]]:
    """What a node says to all, to the next one, and together with all others."""
    own = {"data": 10 + node, "stamp": node % 4}
    if words.operations.only_broadcast:
        return [own]
    sent = [own | {"operation": 0}, own | {"operation": 1, "node": (node + 1) % words.nodes}]
    joined = [{"data": 1, "operation": n, "stamp": 3, "node": 2} for n in (2, 3, 4)]
    return sent + joined


def received(design: OrderedDesign, network: BroadcastNetwork) -> dict[int, list[tuple]]:
    """By the number of each node (operation, data, stamp) of its words, sorted."""
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
                result[number].append((operation, word.data, word.stamp))
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


@pytest.mark.cases(1)
@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"queue": 2}, {"operations": ASKED, "link_registers": 1}, {"operations": ASKED}]
)
def test_a_further_field_of_words_arrives_everywhere_as_it_is(front: bool, options) -> None:
    design = with_stamp(front, **options)
    assert received(design, BroadcastNetwork(design)) == awaited(design.words)


@pytest.mark.ci
@pytest.mark.parametrize("options", [{}, {"operations": ASKED}])
def test_a_further_field_that_is_cut_by_position_is_seen(options) -> None:
    cut = Mutation(
        "words",
        "*(field.eq(fields[name]) for name, field in fields_of(target.payload).items())",
        "Cat(target.payload).eq(Cat(source.payload))",
    )
    for front in (False, True):
        design = with_stamp(front, **options)
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
