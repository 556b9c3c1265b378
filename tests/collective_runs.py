"""Networks with operations in Amaranth's simulator, as lists of events like the model's."""

from amaranth.hdl import Value
from amaranth.sim import Simulator

from noc.design import OrderedDesign
from noc.hardware import BroadcastNetwork
from noc.model.ordered import (
    CollectiveTraffic,
    Mixture,
    mixed_operations,
    ordered_streams,
    pack,
)
from noc.model.sinks import random

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

    simulator = Simulator(network)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return sorted(events)


def at_nodes(program, events: list[Event]) -> list[Event]:
    """Those at the streams of nodes, and alarms."""
    inner = {n for n, s in enumerate(ordered_streams(program)) if s.kind in ("up", "down", "join")}
    return [event for event in events if event[1] not in inner]


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
