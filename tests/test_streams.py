"""Parts for streams stand alone: for words of any shape, and a queue as in gates."""

import random
import sys
from dataclasses import replace

import pytest
from amaranth.hdl import ClockDomain, Fragment, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import Out
from amaranth.sim import Simulator
from helpers import started
from ordered_runs import moved
from own_operators import Late

from noc import streams
from noc.design import build_direct
from noc.endpoints import AxiEndpoint, BeatFormat, PacketArbiter, Reassembly
from noc.hardware import Router
from noc.hardware.direct.router import FixedPriority
from noc.hardware.ordered import Node
from noc.programs.ordered import compile_ordered
from noc.programs.ordered_config import OrderedConfig
from noc.programs.word_format import WordFormat
from noc.streams import Fork, Join, Merge, Queue

PAIR = data.StructLayout({"data": 8, "tag": 2})


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", streams.__all__)
def test_nothing_but_amaranth_is_loaded_with_it(name: str) -> None:
    script = f"from noc.streams import {name}; import sys; print(*sys.modules)"
    done = started(sys.executable, "-c", script, check=True)
    loaded = set(done.stdout.split())
    assert "amaranth" in loaded
    assert not {"numpy", "numba", "networkx"} & loaded
    ours = {each for each in loaded if each.startswith("noc.")}
    assert {each for each in ours if not each.startswith("noc.streams")} == set()


def add(a, b):
    return a + b


@pytest.mark.parametrize("slots", [0, 1, 2])
def test_a_join_of_numbers(slots: int) -> None:
    dut = Join(8, combine=add, slots=slots)
    result = moved(dut, {"first": [1, 2, 250], "second": [None, 10, 20, 30]}, {"o": [1]}, 9)
    assert [word for _, word in result["o"]] == [11, 22, 24]
    assert "mismatch" not in dut.signature.members


def test_a_join_of_structs_tells_of_those_that_differ() -> None:
    def combine(a, b):
        return data.Const(PAIR, 0) if a is b else Mux(a.data > b.data, a.as_value(), b.as_value())

    dut = Join(PAIR, combine=combine, differ=lambda a, b: a.tag != b.tag, slots=1)
    words = {"first": [5 | 1 << 8, 9 | 2 << 8], "second": [7 | 1 << 8, 3 | 3 << 8]}
    tags: list[int] = []

    class Watched(wiring.Component):
        """The join, and its alarm as the tag of one more stream."""

        def __init__(self) -> None:
            super().__init__({**dut.signature.members, "told": Out(2)})

        def elaborate(self, _platform) -> Module:
            m = Module()
            m.submodules.dut = dut
            for name in ("first", "second", "o"):
                wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(dut, name))
            m.d.comb += self.mismatch.eq(dut.mismatch)
            with m.If(dut.mismatch):
                m.d.sync += self.told.eq(self.told + 1)
            return m

    watched = Watched()
    result = moved(
        watched, words, {"o": [1]}, 5, seen=lambda ctx: tags.append(ctx.get(watched.told))
    )
    assert [word for _, word in result["o"]] == [7 | 1 << 8, 9 | 2 << 8]
    assert tags[-1] == 1


@pytest.mark.parametrize("ready", [[1], [0, 1], [0, 0, 1, 1]])
def test_a_join_waits_for_a_component_that_takes_its_time(ready: list[int]) -> None:
    dut = Join(8, combine=Late(8), latency=3, slots=1)
    result = moved(dut, {"first": list(range(9)), "second": [10] * 9}, {"o": ready}, 50)
    assert [word for _, word in result["o"]] == list(range(10, 28, 2))


STAR = compile_ordered("star:3")
QUEUED = compile_ordered("star:3", config=OrderedConfig(queue=3, sinks="queued"))
TABLE = build_direct("star:3").program.tables[0]
NUMBERED = WordFormat(8, 6, source_numbers=True)
ENDLESS = BeatFormat(4, 8, last=False)


def node(depth: int, words: WordFormat = NUMBERED, **options):
    return Node(replace(QUEUED.plans[0], depth=depth), words, **options)


WRONG = [
    (lambda: Join(8, combine=add, slots=3), r"slots must be 0, 1 or 2, not 3$"),
    (lambda: Join(8, combine=add, latency=2), "latency must be 0 where combine is a function, not"),
    (lambda: Merge(8, weights=(0, 1), slots=2), r"weights must be at least 1, not \(0, 1\)$"),
    (lambda: Merge(8, weights=(1, -2), slots=2), r"weights must be at least 1, not \(1, -2\)$"),
    (lambda: Merge(8, weights=(1, 1), slots=3), "slots must be 0, 1 or 2, not 3$"),
    (lambda: Fork(8, outputs=0), "outputs must be at least 1, not 0$"),
    (lambda: Queue(8, depth=0), "depth must be at least 1, not 0"),
    (lambda: Queue(8, depth=2, always_ready=True, registered=True), "a queue that is always"),
    (lambda: Node(STAR.plans[1], WordFormat(8, 6, False)), "words must have source numbers where"),
    (lambda: node(9, queue=4), "a plan has a depth, above its queue, if and only if"),
    (lambda: node(0, queue=4, sinks="queued"), "a plan has a depth, above its queue, if and"),
    (lambda: node(4, queue=4, sinks="queued"), "a plan has a depth, above its queue, if and"),
    (lambda: Router(TABLE, width=0), "width must be from 1 to 512, not 0$"),
    (lambda: Router(TABLE, width=513), "width must be from 1 to 512, not 513$"),
    (lambda: FixedPriority(0), "count must be at least 1, not 0$"),
    (lambda: PacketArbiter(0), "count must be at least 1, not 0"),
    (lambda: BeatFormat(0, 8), "sources must be at least 1, not 0"),
    (lambda: BeatFormat(4, 0), "width must be at least 1, not 0"),
    (lambda: Reassembly(ENDLESS, longest=4), "format must have an end"),
    (lambda: Reassembly(BeatFormat(4, 8), longest=0), "longest must be at least 1, not 0"),
    (lambda: AxiEndpoint(ENDLESS, arbitrated=True), "format must have an end"),
    (lambda: AxiEndpoint(ENDLESS, longest=4), "format must have an end"),
    (lambda: AxiEndpoint(BeatFormat(4, 8), longest=0), "longest must be at least 1, not 0"),
    (lambda: AxiEndpoint(BeatFormat(4, 8), longest=4, arbitrated=True), "longest and arbitrated"),
]


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_a_component_that_cannot_be_built_is_refused(make, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        make()


@pytest.mark.parametrize(
    "build",
    [
        *streams.BUFFERS.values(),
        lambda shape: streams.Queue(shape, depth=2),
        lambda shape: streams.Queue(shape, depth=6),
    ],
)
def test_words_may_be_structs(build) -> None:
    words = [5 | 1 << 8, 9 | 2 << 8, 255 | 3 << 8]
    result = moved(build(PAIR), {"i": words}, {"o": [0, 1]}, 20)
    assert [word for _, word in result["o"]] == words


def differences(width: int, depth: int, cycles: int = 1500, *, registered: bool = False) -> int:
    """In how many cycles the two say different things under the same random use."""
    m, chance = Module(), random.Random(100 * width + depth)
    m.domains.sync = clock = ClockDomain()
    m.submodules.known = known = SyncFIFO(width=width, depth=depth)
    m.submodules.queue = queue = Queue(width, depth=depth, registered=registered)
    both = ((known.w_stream, known.r_stream, known.level), (queue.i, queue.o, queue.level))
    count = 0

    async def use(ctx):
        nonlocal count

        def shown(into, out, level) -> tuple[int, ...]:
            word = ctx.get(out.valid) and 1 + ctx.get(out.payload)
            return ctx.get(into.ready), word, ctx.get(level)

        for cycle in range(cycles):
            # For a while it runs full, then empty, then neither.
            often = (0.9, 0.1, 0.5, 1.0)[cycle // 50 % 4]
            put, take = chance.random() < often, chance.random() < (1.1 - often)
            word = chance.getrandbits(width)
            ctx.set(clock.rst, chance.random() < 0.01)
            for into, out, _ in both:
                ctx.set(into.valid, put)
                ctx.set(into.payload, word)
                ctx.set(out.ready, take)
            count += shown(*both[0]) != shown(*both[1])
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(use)
    simulator.run()
    return count


@pytest.mark.cases(2, ci=16)
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7, 17, 32])
@pytest.mark.parametrize("width", [0, 1, 5])
@pytest.mark.parametrize("registered", [False, True])
def test_it_does_what_a_queue_in_gates_does(width: int, depth: int, registered: bool) -> None:
    assert differences(width, depth, registered=registered) == 0


def test_a_word_that_does_not_pass_by_the_memory_is_seen(monkeypatch) -> None:
    right = memory.Memory.read_port

    def old_words(self, *, domain: str = "sync", transparent_for=()):
        del transparent_for
        return right(self, domain=domain)

    monkeypatch.setattr(memory.Memory, "read_port", old_words)
    assert differences(5, 5)


def test_a_reset_that_leaves_words_is_seen(monkeypatch) -> None:
    elaborate = Queue.elaborate

    def kept(self, platform) -> Module:
        self.level = Signal.like(self.level, reset_less=True)
        return elaborate(self, platform)

    monkeypatch.setattr(Queue, "elaborate", kept)
    assert differences(5, 4)


@pytest.mark.parametrize(("depth", "domain"), [(4, "comb"), (5, "sync")])
def test_few_words_are_no_block_ram(monkeypatch, depth: int, domain: str) -> None:
    domains, right = [], memory.Memory.read_port

    def read_port(self, *, domain: str = "sync", transparent_for=()):
        domains.append(domain)
        return right(self, domain=domain, transparent_for=transparent_for)

    monkeypatch.setattr(memory.Memory, "read_port", read_port)
    Fragment.get(Queue(8, depth=depth), None)
    assert domains == [domain]
