"""Endpoints in Amaranth's own simulator: whole packets, other clocks, and their limits."""

import json
import random
import re
from itertools import pairwise, product

import pytest
from amaranth.back import verilog
from amaranth.hdl import ClockDomain, Module, ResetInserter, Shape, Signal, signed
from amaranth.lib import data, enum, wiring
from folders import generated
from ordered_runs import run_benches

from noc.cli import main
from noc.design import build_design, build_direct, build_ordered
from noc.emit.folder import build_files
from noc.endpoints import (
    AxiEndpoint,
    AxiStream,
    BeatFormat,
    Crossing,
    Endpoints,
    PacketArbiter,
    Reassembly,
)
from noc.hardware import BroadcastNetwork
from noc.networks import build_network


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
        lots, left, cycle, waiting = random.Random(seed), spare, 0, None
        while left:
            ready = lots.random() < chance or len(got) >= count
            ctx.set(port.ready, ready)
            _, _, valid, payload = await ctx.tick(domain).sample(port.valid, port.payload)
            assert waiting is None or (valid and payload == waiting), "a word was taken back"
            waiting = payload if valid and not ready else None
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


@pytest.mark.cases(4)
@pytest.mark.parametrize("longest", [1, 2, 5, 8])
@pytest.mark.parametrize(("fast_in", "fast_out"), [(1, 1), (0.4, 1), (1, 0.4), (0.5, 0.5)])
def test_packets_of_many_sources_are_put_together(longest, fast_in, fast_out) -> None:
    dut = Reassembly(BeatFormat(5, 8), longest=longest)
    sent, words = mixed(5, longest, packets=12, seed=longest)
    got = []
    run_benches(
        dut,
        {"sync": 1},
        writer(dut.i, words, fast_in, seed=1),
        reader(dut.o, len(words), got, fast_out, seed=2),
        until=20 * len(words) + 100,
    )
    assert packets_of(got) == sent


def test_a_reset_empties_the_rings() -> None:
    dut, reset, got = Reassembly(BeatFormat(3, 8), longest=4), Signal(), []
    word = {"source": 1, "last": 0, "data": 7}

    async def bench(ctx):
        await writer(dut.i, [word] * 3, 1, seed=1)(ctx)
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)
        await writer(dut.i, [word, {**word, "last": 1, "data": 8}], 1, seed=1)(ctx)

    run_benches(
        ResetInserter(reset)(dut), {"sync": 1}, bench, reader(dut.o, 2, got, 1, 1), until=99
    )
    assert packets_of(got) == {1: [[7, 8]]}


def test_long_packets_of_one_source_pass_without_gaps() -> None:
    """A ring of one packet is enough: the next one enters while the first leaves."""
    dut, longest, count = Reassembly(BeatFormat(4, 8), longest=16), 16, 6
    words = [
        {"source": 2, "last": place % longest == longest - 1, "data": place}
        for place in range(longest * count)
    ]
    got = []
    run_benches(
        dut,
        {"sync": 1},
        writer(dut.i, words, 1, seed=1),
        reader(dut.o, len(words), got, 1, seed=1),
        until=300,
    )
    cycles = [cycle for cycle, _ in got]
    assert cycles[-1] - cycles[0] < len(words) + 2 * count


def ends_inside(longest: int, ends: list[int], *, crossing: bool = False, reset_at: int = -1):
    """Which words end a packet at the router, of those that end one or not at the node."""
    fields, reset, got = BeatFormat(4, 8), Signal(), []
    dut = AxiEndpoint(fields, longest=longest, crossing=crossing)
    domain, lots = "node" if crossing else "sync", random.Random(longest)

    async def send(ctx):
        for place, end in enumerate(ends):
            ctx.set(reset, place == reset_at)
            for _ in range(1 if place == reset_at else lots.choice((0, 0, 1))):
                await ctx.tick(domain)
            ctx.set(reset, 0)
            ctx.set(dut.s_axis.tlast, end)
            ctx.set(dut.s_axis.tvalid, 1)
            await ctx.tick(domain).until(dut.s_axis.tready)
            ctx.set(dut.s_axis.tvalid, 0)

    clocks = {"sync": 1, domain: 1.3 if crossing else 1}
    take = reader(dut.inject, len(ends), got, 0.6, seed=longest)
    run_benches(ResetInserter(reset)(dut), clocks, send, take, until=99 + 8 * len(ends))
    return [fields.injected.from_bits(word).last for _, word in got]


@pytest.mark.parametrize("crossing", [False, True])
@pytest.mark.parametrize("longest", [1, 3, 4, 6])
def test_a_packet_is_cut_after_exactly_so_many_words(longest: int, crossing: bool) -> None:
    """Each is counted from its own first word, whatever was before it."""
    ends, inside = [], []
    for words in (1, longest, longest + 1, 2, 3 * longest, longest + 2, 2 * longest + 1, 1):
        ends += [place == words for place in range(1, words + 1)]
        inside += [place == words or place % longest == 0 for place in range(1, words + 1)]
    assert ends_inside(longest, ends, crossing=crossing) == inside


def test_a_packet_that_a_reset_broke_off_is_not_counted_on() -> None:
    assert ends_inside(4, [0] * 8 + [1], reset_at=3) == [0] * 6 + [1, 0, 1]


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("write", "read"), [(1, 1), (1, 2.9), (3.1, 1), (1, 1.03), (1.03, 1), (1, 0.51)]
)
@pytest.mark.parametrize("chance", [1, 0.5])
def test_words_cross_between_clocks(write: float, read: float, chance: float) -> None:
    dut = Crossing(12, write="there", read="here")
    words, got = list(range(300)), []
    run_benches(
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


class Colour(enum.Enum, shape=2):
    RED = 0


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "shape", [3, signed(3), range(10), Colour, data.StructLayout({"a": 3, "b": signed(2)})]
)
def test_whatever_has_a_shape_crosses(shape) -> None:
    text = verilog.convert(Crossing(shape, write="sync", read="node"))
    assert f"[{Shape.cast(shape).width - 1}:0] o__payload" in text


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

    run_benches(m, {"there": 1, "here": 1.3}, release, offer, take, until=400)
    assert got == [77]


def test_packet_arbitration_needs_no_memory() -> None:
    endpoints = Endpoints(AxiStream(packets="whole"))
    one, many = (
        endpoints.widened(build_design("star:3", width=8, fabric=fabric))
        for fabric in ("direct", "ordered")
    )
    assert endpoints.arbitrated(one)
    assert not endpoints.arbitrated(many)
    assert endpoints.memory_bits(one) == 0
    assert endpoints.memory_bits(many) == 6 * 16 * 8


def test_the_source_is_carried_once() -> None:
    """In the payload of the direct fabric; the ordered one puts it there itself."""
    endpoints = Endpoints(AxiStream(packets="whole"))
    for built, bits in ((build_ordered(build_network("star:3"), width=8), 9), (small_direct(), 12)):
        wide = endpoints.widened(built)
        known = json.loads(build_files(wide, endpoints)["manifest.json"])
        assert (wide.width, known["width"], known["axis"]["width"]) == (bits, bits, 8)
        assert known["axis"]["tid_bits"] == 3
        names = [field["name"] for field in known["axis"]["fields_of_data"]]
        assert names == (["last", "data"] if bits == 9 else ["source", "last", "data"])
        # In the ordered fabric a node's packets are put together from 8 bits of each word.
        assert known["axis"].get("memory_bits", 0) == (6 * 16 * 8 if bits == 9 else 0)


def small_direct():
    return build_direct(build_network("star:3"), width=8)


def test_the_payloads_of_crossings_are_told() -> None:
    endpoints = Endpoints(clocks="each")
    known = json.loads(
        build_files(build_ordered(build_network("star:3"), width=8), endpoints)["manifest.json"]
    )
    for inner, outer in zip(known["nodes"], known["node_clocks"]["nodes"], strict=True):
        for side in ("inject", "eject"):
            assert outer[side]["fields"] == inner[side]["fields"]
    assert [field["bits"] for field in known["node_clocks"]["nodes"][0]["eject"]["fields"]] == [
        8,
        3,
    ]


@pytest.mark.cases(1)
@pytest.mark.parametrize("operations", [None, ["broadcast", "send", "all_reduce:sum"]])
def test_every_signal_of_an_axi_stream_is_handshake_or_a_field(operations) -> None:
    """Of the width that its port has in Verilog."""
    endpoints = Endpoints(AxiStream())
    design = endpoints.widened(build_ordered("star:3", width=8, operations=operations))
    files = build_files(design, endpoints)
    axis = json.loads(files["manifest.json"])["axis"]
    ports = re.findall(r"put (?:\[(\d+):0\] )?(\w+)", files[f"{axis['top']}.v"])
    width = {name: int(high or 0) + 1 for high, name in ports}
    for node, side in product(axis["nodes"], ("s_axis", "m_axis")):
        bits = {field["signal"]: field["bits"] for field in axis["fields"][side]}
        assert {*node[side]} == {"tvalid", "tready", *bits}
        assert bits == {signal: width[node[side][signal]] for signal in bits}


@pytest.mark.slow
def test_noc_verify_takes_the_network_inside(tmp_path) -> None:
    options = ("--axi-stream", "--node-clocks", "each", "--one-file-per-module")
    folder = generated(tmp_path / "out", "star:3", *options)
    assert main(["verify", "--verilog", str(folder)]) == 0


def network_of_packets(spec: str):
    """Nodes around a packet arbiter, as a module and their endpoints."""
    graph = build_network(spec)
    fields = BeatFormat(graph.nodes, 8)
    built = build_direct(graph, sources="one", width=fields.bits)
    m, nodes = Module(), []
    m.submodules.network = routers = BroadcastNetwork(built)
    m.submodules.arbiter = arbiter = PacketArbiter(graph.nodes)
    for number, name in enumerate(routers.names):
        node = AxiEndpoint(fields, arbitrated=True)
        m.submodules[f"endpoint_{name}"] = node
        nodes.append(node)
        wiring.connect(m, node.inject, getattr(routers, f"inject_{name}"))
        wiring.connect(m, getattr(routers, f"eject_{name}"), node.eject)
        m.d.comb += [
            node.number.eq(number),
            arbiter.request[number].eq(node.request),
            arbiter.ends[number].eq(node.ends),
            node.grant.eq(arbiter.grant[number]),
        ]
    return m, nodes


@pytest.mark.cases(1)
@pytest.mark.parametrize("spec", ["hypercube:2", "star:3"])
def test_one_packet_at_a_time(spec: str) -> None:
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
    run_benches(m, {"sync": 1}, *benches, until=4000)
    for number, received in got.items():
        assert packets_of(received) == {s: own for s, own in sent.items() if s != number}
    orders = [[w["source"] for _, w in received if w["last"]] for received in got.values()]
    for number, order in enumerate(orders):
        own = {0, number}
        assert [s for s in order if s not in own] == [s for s in orders[0] if s not in own]


def test_grants_go_round() -> None:
    """Whoever wants one has it again after all others that request one."""
    dut, order = PacketArbiter(5), []

    async def bench(ctx):
        ends = 0
        for request in [31] * 7 + [5] * 4 + [18] * 3:
            ctx.set(dut.request, request)
            await ctx.tick().until(dut.grant.any())
            grant = ctx.get(dut.grant)
            assert grant & request
            assert grant.bit_count() == 1
            order.append(grant.bit_length() - 1)
            # It keeps its grant until the packet has ended everywhere.
            for number in range(5):
                ends ^= 1 << number
                ctx.set(dut.ends, ends)
                await ctx.tick()
                assert ctx.get(dut.grant) == grant
            ctx.set(dut.request, 0)
            await ctx.tick().until(~dut.grant.any())

    run_benches(dut, {"sync": 1}, bench, until=400)
    assert order == [0, 1, 2, 3, 4, 0, 1, 2, 0, 2, 0, 1, 4, 1]
