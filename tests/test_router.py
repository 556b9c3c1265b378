"""Routers in Amaranth's own simulator: the exact cycle of every delivery."""

import pytest
from ordered_runs import run_benches

from noc.design import build_direct
from noc.hardware import BroadcastNetwork, node_names
from noc.networks import build_network
from noc.programs import execute

CASES = [
    ("star:4", "balanced", "all"),
    ("star:4", "balanced", "one"),
    ("star:4", "shortest", "all"),
    ("scc:3", "shortest", "all"),
    ("uhc:3", "shortest", "one"),
    ("uhc:4", "bt2", "all"),
    ("nk-star:4,2", "greedy", "one"),
    ("arrangement:4,2", "distributed", "one"),
]


@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize(("spec", "algorithm", "ports"), CASES)
def test_a_word_takes_one_cycle_a_hop(spec: str, algorithm: str, ports) -> None:
    built = build_direct(build_network(spec), algorithm, ports=ports, width=12)
    dut = BroadcastNetwork(built)
    source = built.network.nodes // 2
    expected = execute(built.program, source).step
    arrived = {}

    async def testbench(ctx):
        inject = getattr(dut, f"inject_{dut.names[source]}")
        ejects = [getattr(dut, f"eject_{name}") for name in dut.names]
        for eject in ejects:
            ctx.set(eject.ready, 1)
        ctx.set(inject.payload, 0xABC)
        ctx.set(inject.valid, 1)
        await ctx.tick().until(inject.ready)
        ctx.set(inject.valid, 0)
        for cycle in range(int(expected.max()) + 4):
            for node, eject in enumerate(ejects):
                if ctx.get(eject.valid):
                    assert ctx.get(eject.payload) == 0xABC
                    assert node not in arrived
                    arrived[node] = cycle
            await ctx.tick()

    run_benches(dut, {"sync": 1}, testbench, until=int(expected.max()) + 20)
    assert arrived == {node: step for node, step in enumerate(expected.tolist()) if node != source}


@pytest.mark.cases(3)
@pytest.mark.parametrize("pattern", [[1], [1, 0], [0, 1, 1], [0, 0, 0, 1]])
def test_back_to_back_words_keep_their_order_through_stalls(pattern: list[int]) -> None:
    built = build_direct(build_network("star:3"), width=8)
    dut = BroadcastNetwork(built)
    words, got = list(range(20)), {name: [] for name in dut.names[1:]}

    async def testbench(ctx):
        inject, sent = getattr(dut, f"inject_{dut.names[0]}"), 0
        for cycle in range(200):
            ctx.set(inject.valid, sent < len(words))
            ctx.set(inject.payload, words[min(sent, len(words) - 1)])
            for number, name in enumerate(got):
                eject = getattr(dut, f"eject_{name}")
                ready = pattern[(cycle + number) % len(pattern)]
                ctx.set(eject.ready, ready)
                if ready and ctx.get(eject.valid):
                    got[name].append(ctx.get(eject.payload))
            sent += ctx.get(inject.ready) and sent < len(words)
            await ctx.tick()

    run_benches(dut, {"sync": 1}, testbench, until=300)
    assert all(received == words for received in got.values())


@pytest.mark.parametrize("ports", ["all", "one"])
def test_one_word_a_cycle_is_sustained(ports) -> None:
    built = build_direct(build_network("hypercube:1"), ports=ports, width=8)
    dut = BroadcastNetwork(built)
    cycles = []

    async def testbench(ctx):
        inject, eject = dut.inject_0, dut.eject_1
        ctx.set(inject.valid, 1)
        ctx.set(eject.ready, 1)
        for cycle in range(30):
            if ctx.get(eject.valid):
                cycles.append(cycle)
            await ctx.tick()

    run_benches(dut, {"sync": 1}, testbench, until=40)
    assert cycles == list(range(2, 30))


def test_node_names_are_identifiers() -> None:
    assert node_names(build_network("scc:3"))[:2] == ["2_123", "3_123"]
    assert all(
        name.isidentifier() or name[0].isdigit() for name in node_names(build_network("uhc:3"))
    )
