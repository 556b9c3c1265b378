# amaranth: UnusedElaboratable=no
"""Endpoints in Amaranth's own simulator: whole packets, other clocks, and their limits."""

import random
from itertools import pairwise

import pytest
from amaranth.hdl import ClockDomain, Module, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.sim import Simulator

from noc.cli import main
from noc.design import design
from noc.emit.folder import contents
from noc.endpoints import (
    AxiEndpoint,
    AxiStream,
    Crossing,
    Endpoints,
    Reassembly,
    Turns,
    WordFormat,
)
from noc.hardware import Network
from noc.networks import network


def simulate(dut, clocks: dict[str, float], *benches, until: float) -> None:
    """Run testbenches, and fail if one has not ended after so many microseconds."""
    ended = []

    def guarded(bench):
        async def run(ctx):
            await bench(ctx)
            ended.append(bench)

        return run

    simulator = Simulator(dut)
    for domain, period in clocks.items():
        simulator.add_clock(period * 1e-6, domain=domain, phase=period * 0.37e-6)
    for bench in benches:
        simulator.add_testbench(guarded(bench))
    simulator.run_until(until * 1e-6)
    assert len(ended) == len(benches), "a testbench did not end in time"


def writer(port, words, chance, seed, domain="sync"):
    """Offer words in turn, with pauses."""

    async def bench(ctx):
        lots = random.Random(seed)
        for word in words:
            while lots.random() >= chance:
                await ctx.tick(domain)
            ctx.set(port.payload, word)
            ctx.set(port.valid, 1)
            await ctx.tick(domain).until(port.ready)
            ctx.set(port.valid, 0)

    return bench


def reader(port, count, got, chance, seed, domain="sync", spare=20):
    """Take words at random times, and longer than is needed, so that a stray one is seen."""

    async def bench(ctx):
        lots, left, cycle = random.Random(seed), spare, 0
        while left:
            ready = lots.random() < chance or len(got) >= count
            ctx.set(port.ready, ready)
            _, _, valid, payload = await ctx.tick(domain).sample(port.valid, port.payload)
            if ready and valid:
                got.append((cycle, payload))
            left -= len(got) >= count
            cycle += 1

    return bench


def mixed(sources: int, longest: int, packets: int, seed: int):
    """Packets of all sources, and the same words in an order in which they may arrive."""
    lots = random.Random(seed)
    sent = {
        source: [
            [lots.randrange(256) for _ in range(lots.randint(1, longest))] for _ in range(packets)
        ]
        for source in range(sources)
    }
    queues = {
        source: [
            {"source": source, "last": place == len(packet) - 1, "data": word}
            for packet in own
            for place, word in enumerate(packet)
        ]
        for source, own in sent.items()
    }
    words = []
    while queues:
        source = lots.choice(list(queues))
        words.append(queues[source].pop(0))
        if not queues[source]:
            del queues[source]
    return sent, words


def packets_of(received) -> dict[int, list[list[int]]]:
    """What arrived, by source; fails where a packet has a word of another source in between."""
    result: dict[int, list[list[int]]] = {}
    within = None
    for _, word in received:
        source = word["source"]
        assert within in (None, source), "a word of another source within a packet"
        own = result.setdefault(source, [])
        if within is None:
            own.append([])
        own[-1].append(word["data"])
        within = None if word["last"] else source
    assert within is None, "the last packet has no end"
    return result


@pytest.mark.parametrize("longest", [1, 2, 5, 8])
@pytest.mark.parametrize(("fast_in", "fast_out"), [(1, 1), (0.4, 1), (1, 0.4), (0.5, 0.5)])
def test_packets_of_many_sources_are_put_together(longest, fast_in, fast_out) -> None:
    dut = Reassembly(WordFormat(5, 8), longest=longest)
    sent, words = mixed(5, longest, packets=12, seed=longest)
    got = []
    simulate(
        dut,
        {"sync": 1},
        writer(dut.i, words, fast_in, seed=1),
        reader(dut.o, len(words), got, fast_out, seed=2),
        until=20 * len(words) + 100,
    )
    assert packets_of(got) == sent


def test_a_reset_empties_the_rings() -> None:
    dut, reset, got = Reassembly(WordFormat(3, 8), longest=4), Signal(), []
    word = {"source": 1, "last": 0, "data": 7}

    async def bench(ctx):
        await writer(dut.i, [word] * 3, 1, seed=1)(ctx)
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)
        await writer(dut.i, [word, {**word, "last": 1, "data": 8}], 1, seed=1)(ctx)

    simulate(ResetInserter(reset)(dut), {"sync": 1}, bench, reader(dut.o, 2, got, 1, 1), until=99)
    assert packets_of(got) == {1: [[7, 8]]}


def test_long_packets_of_one_source_pass_without_gaps() -> None:
    """A ring of one packet is enough: the next one enters while the first leaves."""
    dut, longest, count = Reassembly(WordFormat(4, 8), longest=16), 16, 6
    words = [
        {"source": 2, "last": place % longest == longest - 1, "data": place}
        for place in range(longest * count)
    ]
    got = []
    simulate(
        dut,
        {"sync": 1},
        writer(dut.i, words, 1, seed=1),
        reader(dut.o, len(words), got, 1, seed=1),
        until=300,
    )
    cycles = [cycle for cycle, _ in got]
    assert cycles[-1] - cycles[0] < len(words) + 2 * count


@pytest.mark.parametrize(
    ("write", "read"), [(1, 1), (1, 2.9), (3.1, 1), (1, 1.03), (1.03, 1), (1, 0.51)]
)
@pytest.mark.parametrize("chance", [1, 0.5])
def test_words_cross_between_clocks(write: float, read: float, chance: float) -> None:
    dut = Crossing(12, write="there", read="here")
    words, got = list(range(300)), []
    simulate(
        dut,
        {"there": write, "here": read},
        writer(dut.i, words, chance, seed=1, domain="there"),
        reader(dut.o, len(words), got, chance, seed=2, domain="here"),
        until=6 * max(write, read) * len(words),
    )
    assert [word for _, word in got] == words
    if chance == 1 and write <= read:
        # A reader that is no faster than the writer is never kept waiting.
        assert all(after - before == 1 for (before, _), (after, _) in pairwise(got))


@pytest.mark.parametrize("released", ["here", "there"])
def test_a_word_that_is_offered_early_waits(released: str) -> None:
    """Whichever reset ends first, nothing is lost."""
    m, got = Module(), []
    m.submodules.core = core = Crossing(8, write="there", read="here")
    resets = {}
    for name in ("here", "there"):
        m.domains += (domain := ClockDomain(name))
        resets[name] = domain.rst

    async def release(ctx):
        for reset in resets.values():
            ctx.set(reset, 1)
        for domain in (released, *(set(resets) - {released})):
            for _ in range(30):
                await ctx.tick("here")
            ctx.set(resets[domain], 0)

    async def offer(ctx):
        ctx.set(core.i.payload, 77)
        await ctx.tick("there")
        while ctx.get(resets["there"]):
            await ctx.tick("there")
        ctx.set(core.i.valid, 1)
        await ctx.tick("there").until(core.i.ready)
        ctx.set(core.i.valid, 0)

    async def take(ctx):
        # Ready all the time, in reset too; what comes in reset is lost.
        ctx.set(core.o.ready, 1)
        for _ in range(120):
            _, _, valid, payload = await ctx.tick("here").sample(core.o.valid, core.o.payload)
            if valid and not ctx.get(resets["here"]):
                got.append(payload)

    simulate(m, {"there": 1, "here": 1.3}, release, offer, take, until=400)
    assert got == [77]


def network_of_packets(spec: str):
    """Nodes that take turns, as a module and their endpoints."""
    graph = network(spec)
    fields = WordFormat(graph.nodes, 8)
    made = design(graph, sources="one", width=fields.bits)
    m, nodes = Module(), []
    m.submodules.network = routers = Network(made.fabric, width=made.width)
    m.submodules.turns = turns = Turns(graph.nodes)
    for number, name in enumerate(routers.names):
        node = AxiEndpoint(fields, turns=True)
        m.submodules[f"endpoint_{name}"] = node
        nodes.append(node)
        wiring.connect(m, node.inject, getattr(routers, f"inject_{name}"))
        wiring.connect(m, getattr(routers, f"eject_{name}"), node.eject)
        m.d.comb += [
            node.number.eq(number),
            turns.want[number].eq(node.want),
            turns.ends[number].eq(node.ends),
            node.turn.eq(turns.turn[number]),
        ]
    return m, nodes


@pytest.mark.parametrize("spec", ["hypercube:2", "star:3"])
def test_nodes_take_turns(spec: str) -> None:
    """All nodes send packets at once; each arrives whole, and everywhere in the same order."""
    m, nodes = network_of_packets(spec)
    sent = {number: mixed(1, 5, packets=6, seed=number)[0][0] for number in range(len(nodes))}
    got = {number: [] for number in sent}
    wanted = {n: sum(len(p) for s in sent if s != n for p in sent[s]) for n in sent}

    def send(number, port):
        async def bench(ctx):
            lots = random.Random(number)
            for packet in sent[number]:
                for place, word in enumerate(packet):
                    while lots.random() < 0.3:
                        await ctx.tick()
                    ctx.set(port.tdata, word)
                    ctx.set(port.tlast, place == len(packet) - 1)
                    ctx.set(port.tvalid, 1)
                    await ctx.tick().until(port.tready)
                    ctx.set(port.tvalid, 0)

        return bench

    def take(number, port):
        async def bench(ctx):
            lots, left = random.Random(-number), 20
            while left:
                ready = lots.random() < 0.6 or len(got[number]) >= wanted[number]
                ctx.set(port.tready, ready)
                _, _, valid, *fields = await ctx.tick().sample(
                    port.tvalid, port.tid, port.tlast, port.tdata
                )
                if ready and valid:
                    word = dict(zip(("source", "last", "data"), fields, strict=True))
                    got[number].append((0, word))
                left -= len(got[number]) >= wanted[number]

        return bench

    benches = [send(n, node.s_axis) for n, node in enumerate(nodes)]
    benches += [take(n, node.m_axis) for n, node in enumerate(nodes)]
    simulate(m, {"sync": 1}, *benches, until=4000)
    for number, received in got.items():
        assert packets_of(received) == {s: own for s, own in sent.items() if s != number}
    orders = [[w["source"] for _, w in received if w["last"]] for received in got.values()]
    for number, order in enumerate(orders):
        own = {0, number}
        assert [s for s in order if s not in own] == [s for s in orders[0] if s not in own]


def test_turns_go_round() -> None:
    """Whoever wants one has it again after all others that want one."""
    dut, order = Turns(5), []

    async def bench(ctx):
        ends = 0
        for want in [31] * 7 + [5] * 4 + [18] * 3:
            ctx.set(dut.want, want)
            await ctx.tick().until(dut.turn.any())
            turn = ctx.get(dut.turn)
            assert turn & want
            assert turn.bit_count() == 1
            order.append(turn.bit_length() - 1)
            # It keeps its turn until the packet has ended everywhere.
            for number in range(5):
                ends ^= 1 << number
                ctx.set(dut.ends, ends)
                await ctx.tick()
                assert ctx.get(dut.turn) == turn
            ctx.set(dut.want, 0)
            await ctx.tick().until(~dut.turn.any())

    simulate(dut, {"sync": 1}, bench, until=400)
    assert order == [0, 1, 2, 3, 4, 0, 1, 2, 0, 2, 0, 1, 4, 1]


WRONG = [
    (lambda: Turns(0), "count must be at least 1, not 0"),
    (lambda: AxiEndpoint(WordFormat(4, 8, last=False), turns=True), "format must have an end"),
    (lambda: WordFormat(0, 8), "sources must be at least 1, not 0"),
    (lambda: WordFormat(4, 0), "width must be at least 1, not 0"),
    (lambda: Reassembly(WordFormat(4, 8, last=False), longest=4), "format must have an end"),
    (lambda: Reassembly(WordFormat(4, 8), longest=0), "longest must be at least 1, not 0"),
    (lambda: Crossing(8, write="a", read="b", depth=6), "depth must be a power of two"),
]


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_a_component_refuses(make, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{message}"):
        make()


AXI = ["-o", "out", "--axi-stream"]
REFUSED = [
    (["star:3", "-o", "out", "--packets", "whole"], "--packets: is for --axi-stream only"),
    (["star:3", "-o", "out", "--no-tlast"], "--tlast: is for --axi-stream only"),
    (["star:3", *AXI, "--packet-words", "4"], "--packet-words: is for --packets whole only"),
    (["star:3", *AXI, "--packets", "whole", "--packet-words", "0"], "--packet-words 0: from 1 to"),
    (["star:3", *AXI, "--packets", "whole", "--no-tlast"], "--packets whole needs tlast"),
    (["star:3", *AXI, "--width", "12"], "--width 12: AXI-Stream needs whole bytes"),
    (["star:3", *AXI, "--width", "512"], "a word has 516 bits; at most 512"),
    (["uhc:4", *AXI, "--algorithm", "adst"], "along 2 trees, on which they overtake"),
    (
        ["star:4", *AXI, "--packets", "whole", "--packet-words", "9999"],
        "24 nodes; 67108864 in all are allowed: --packet-words 2048 at most, or --sources one",
    ),
    (["star:3", "-o", "out", "--node-clocks", "some"], "invalid choice: 'some'"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_generate_refuses_and_writes_nothing(
    capsys, tmp_path, monkeypatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["generate", *arguments])
    except SystemExit as stop:
        status = int(stop.code or 0)
    err = capsys.readouterr().err
    assert (status, err.count("\n")) == (2, 1)
    assert message in err
    assert not list(tmp_path.iterdir())


def test_the_folder_is_the_same_every_time() -> None:
    endpoints = Endpoints(AxiStream(packets="whole"), "each")
    made = design(network("hypercube:1"), width=endpoints.payload_bits(2, 8))
    first, second = (contents(made, endpoints, one_file_per_module=True) for _ in range(2))
    assert first == second


def test_nodes_that_take_turns_need_no_memory() -> None:
    endpoints = Endpoints(AxiStream(packets="whole"))
    bits = endpoints.payload_bits(6, 8)
    one, many = (design(network("star:3"), width=bits, sources=s) for s in ("one", "all"))
    assert endpoints.turns(one)
    assert not endpoints.turns(many)
    assert endpoints.memory_bits(one) == 0
    assert endpoints.memory_bits(many) == 6 * 16 * 8


@pytest.mark.slow
def test_noc_verify_takes_the_network_inside(tmp_path) -> None:
    folder = str(tmp_path / "out")
    options = ["--axi-stream", "--node-clocks", "each", "--one-file-per-module"]
    assert main(["generate", "star:3", "-o", folder, *options]) == 0
    assert main(["verify", "--verilog", folder]) == 0
