"""The ordered fabric in Amaranth's own simulator; with operations, as events of the model."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Cat, ClockDomain, Module, Value
from amaranth.lib import wiring
from amaranth.sim import Simulator
from readable_runs import as_given

from noc.design import OrderedDesign
from noc.hardware import BroadcastNetwork
from noc.hardware.assembly import port
from noc.model import Traffic
from noc.model.ordered import (
    CollectiveTraffic,
    Mixture,
    OrderedRun,
    mixed_operations,
    ordered_streams,
    pack,
    simulate_ordered,
)
from noc.model.sinks import random

#: A word in the cycle in which it is transferred.
Moves = list[tuple[int, int]]


def run_bench(dut: wiring.Component, testbench) -> None:
    m = Module()
    # Not all parts are clocked.
    m.domains.sync = ClockDomain()
    m.submodules.dut = dut
    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


def run_benches(dut: Any, clocks: dict[str, float], *benches: Any, until: float) -> None:
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


def moved(
    dut: wiring.Component,
    offered: dict[str, list[int | None]],
    ready: dict[str, list[int]],
    cycles: int,
    constants: dict[str, int] | None = None,
    seen: Callable[[Any], None] = lambda _: None,
) -> dict[str, Moves]:
    """The transfers at some entries and exits; a word that an exit shows has to stay.

    Words are offered one after the other, None is a cycle without; ``ready`` is gone through over
    and over, or empty for an exit that is always ready, and ``seen`` called in each cycle with the
    simulator's context.
    """
    results: dict[str, Moves] = {name: [] for name in (*offered, *ready)}
    left = {name: list(words) for name, words in offered.items()}

    async def use(ctx):
        for name, value in (constants or {}).items():
            ctx.set(getattr(dut, name), value)
        waits: dict[str, int] = {}
        for cycle in range(cycles):
            for name, words in left.items():
                word = words[0] if words else None
                ctx.set(port(dut, name).valid, word is not None)
                ctx.set(Cat(port(dut, name).payload), word or 0)
            for name, pattern in ready.items():
                if not pattern:
                    continue
                ctx.set(port(dut, name).ready, pattern[cycle % len(pattern)])
            for name, moves in results.items():
                stream = port(dut, name)
                valid, taken = ctx.get(stream.valid), ctx.get(stream.valid & stream.ready)
                word = ctx.get(Cat(stream.payload))
                if taken:
                    moves.append((cycle, word))
                if name in left:
                    if left[name] and (taken or not valid):
                        left[name].pop(0)
                    continue
                assert name not in waits or (valid, word) == (1, waits.pop(name))
                if valid and not taken:
                    waits[name] = word
            seen(ctx)
            await ctx.tick()

    run_bench(dut, use)
    return results


Event = tuple[int, int, int]


def simulate(
    network: BroadcastNetwork, design: OrderedDesign, traffic: CollectiveTraffic, cycles: int
) -> list[Event]:
    """The transfers at all streams of the network's nodes, and the alarms, in so many cycles."""
    program = design.program
    number = {(s.kind, s.node, s.group): n for n, s in enumerate(ordered_streams(program))}
    inject = design.words.inject
    offers = [
        [
            (int(traffic.release[w]), pack(traffic.word(w), inject))
            for w in range(traffic.words)
            if traffic.source[w] == node
        ]
        for node in range(program.network.nodes)
    ]
    events: list[Event] = []

    async def bench(ctx) -> None:
        for cycle in range(cycles):
            ready = traffic.ready[cycle % len(traffic.ready)]
            for place, (node, group) in enumerate(program.stand_ins):
                groups = [g for n, g in program.stand_ins if n == node]
                away = getattr(network, f"away_{network.names[node]}")
                row = () if traffic.away is None else traffic.away[cycle % len(traffic.away)]
                ctx.set(away[groups.index(group)], int(bool(len(row)) and row[place]))
            for node, name in enumerate(network.names):
                ctx.set(getattr(network, f"eject_{name}").ready, int(ready[node]))
                if ("inject", node, 0) in number:
                    stream = getattr(network, f"inject_{name}")
                    due = bool(offers[node]) and offers[node][0][0] <= cycle
                    ctx.set(stream.valid, due)
                    if due:
                        ctx.set(Value.cast(stream.payload), offers[node][0][1])
            for node, name in enumerate(network.names):
                for kind in ("inject", "eject"):
                    stream = getattr(network, f"{kind}_{name}", None)
                    if stream is not None and ctx.get(stream.valid & stream.ready):
                        bits = ctx.get(Value.cast(stream.payload))
                        events.append((cycle, number[kind, node, 0], bits))
                        if kind == "inject":
                            offers[node].pop(0)
                if ("dropped", node, 0) in number and ctx.get(getattr(network, f"dropped_{name}")):
                    events.append((cycle, number["dropped", node, 0], 0))
                if ("absent", node, 0) in number and (
                    bits := ctx.get(getattr(network, f"absent_{name}"))
                ):
                    events.append((cycle, number["absent", node, 0], bits))
                groups = [g for kind, n, g in number if (kind, n) == ("mismatch", node)]
                for place, group in enumerate(groups):
                    if ctx.get(getattr(network, f"mismatch_{name}")) >> place & 1:
                        events.append((cycle, number["mismatch", node, group], 0))
                if late := {
                    g: s for (kind, n, g), s in number.items() if (kind, n) == ("late", node)
                }:
                    bits = ctx.get(getattr(network, f"late_{name}"))
                    for plan in (p for p in program.plan_of(node).joins if p.joins):
                        if mine := bits & ((1 << 2 * len(plan.joins)) - 1):
                            events.append((cycle, late[plan.group], mine))
                        bits >>= 2 * len(plan.joins)
            await ctx.tick()

    run_bench(network, bench)
    return sorted(events)


def at_nodes(program, events: list[Event]) -> list[Event]:
    """Those at the streams of nodes, and alarms."""
    inner = {n for n, s in enumerate(ordered_streams(program)) if s.kind in ("up", "down", "join")}
    return [event for event in events if event[1] not in inner]


def side_by_side(
    design: OrderedDesign,
    traffic: Traffic | CollectiveTraffic,
    network: type[BroadcastNetwork] = BroadcastNetwork,
    cycles: int | None = None,
) -> tuple[OrderedRun, bool]:
    """A run of the model, and whether the hardware does the same with the same words."""
    if isinstance(traffic, Traffic):
        traffic = as_given(design.width, traffic)
    run = simulate_ordered(design.program, traffic, width=design.width, cycles=cycles)
    got = simulate(network(design), design, traffic, cycles or run.cycles)
    return run, got == at_nodes(design.program, run.bits)


def mixed(
    design: OrderedDesign,
    seed: int,
    messages: int,
    stall: float,
    *,
    wrong: bool = False,
    disordered: bool = False,
) -> CollectiveTraffic:
    """Messages of all operations; those of a group in one order at all its members.

    With ``wrong`` there are words in between that are dropped; with ``disordered`` each member
    gives its words in an order of its own.
    """
    mixture = Mixture(messages, longest=2, gap=1, wrong=25 * wrong, shuffled=disordered)
    ready = random(design.network.nodes, percent=round(100 * (1 - stall)), period=37, seed=seed)
    return mixed_operations(design.program, design.width, mixture, ready=ready, seed=seed).whole
