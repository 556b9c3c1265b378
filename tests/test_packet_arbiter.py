"""An arbiter that grants packets: whole, in one order, without memory."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from stream_benches import mixed, packets_of, simulate

from noc.design import build_direct
from noc.endpoints import AxiEndpoint, BeatFormat, PacketArbiter
from noc.hardware import BroadcastNetwork
from noc.networks import build_network


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
    simulate(m, {"sync": 1}, *benches, until=4000)
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

    simulate(dut, {"sync": 1}, bench, until=400)
    assert order == [0, 1, 2, 3, 4, 0, 1, 2, 0, 2, 0, 1, 4, 1]
