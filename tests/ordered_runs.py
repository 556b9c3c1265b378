"""Runs of the ordered fabric in Amaranth's own simulator."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Cat, ClockDomain, Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from noc.design import OrderedDesign
from noc.hardware.assembly import port
from noc.model import Traffic
from noc.model.ordered import simulate_ordered

__all__ = ["expected", "moved", "transfers"]

#: A word in the cycle in which it is transferred.
Moves = list[tuple[int, int]]


def simulate(dut: wiring.Component, testbench) -> None:
    m = Module()
    # Not all parts are clocked.
    m.domains.sync = ClockDomain()
    m.submodules.dut = dut
    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


def moved(
    dut: wiring.Component,
    offered: dict[str, list[int | None]],
    ready: dict[str, list[int]],
    cycles: int,
    constants: dict[str, int] | None = None,
    seen: Callable[[Any], None] = lambda _: None,
) -> dict[str, Moves]:
    """The transfers at some entries and exits; a word that an exit shows has to stay.

    Parameters
    ----------
    dut : wiring.Component
        A part.
    offered : dict
        The words for each entry, one after the other; None is a cycle without an offer.
    ready : dict
        When each exit is ready, over and over; nothing for one that is always ready.
    cycles : int
        How many to run.
    constants : dict, optional
        Other inputs.
    seen : callable
        Called in each cycle with the simulator's context.
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

    simulate(dut, use)
    return results


def transfers(
    design: OrderedDesign, dut: wiring.Component, traffic: Traffic, cycles: int
) -> list[tuple[int, str, int, int]]:
    """(cycle, stream, node, bits of the word) at the nodes of a network, sorted."""
    results = []
    words = {source: [] for source in design.program.sources}
    for word, source in enumerate(traffic.source.tolist()):
        words[source].append((int(traffic.release[word]), traffic.payload(word, design.width)))

    async def use(ctx):
        injects = {source: getattr(dut, f"inject_{dut.names[source]}") for source in words}
        ejects = [getattr(dut, f"eject_{name}") for name in dut.names]
        for cycle in range(cycles):
            for source, stream in injects.items():
                release, payload = words[source][0] if words[source] else (cycles, 0)
                ctx.set(stream.valid, release <= cycle)
                ctx.set(stream.payload, payload)
            for node, stream in enumerate(ejects):
                ready = traffic.ready[cycle % traffic.ready.shape[0], node]
                ctx.set(stream.ready, int(ready))
            for source, stream in injects.items():
                if ctx.get(stream.valid & stream.ready):
                    results.append((cycle, "inject", source, words[source].pop(0)[1]))
            results.extend(
                (cycle, "eject", node, ctx.get(Cat(stream.payload)))
                for node, stream in enumerate(ejects)
                if ctx.get(stream.valid & stream.ready)
            )
            await ctx.tick()

    simulate(dut, use)
    return sorted(results)


def expected(
    design: OrderedDesign, traffic: Traffic, cycles: int
) -> list[tuple[int, str, int, int]]:
    """The same from the model."""
    program = design.program
    events = simulate_ordered(program, traffic, cycles=cycles).events
    result = []
    for cycle, number, word in events.tuples():
        stream = events.streams[number]
        bits = traffic.payload(word, design.width)
        if stream.kind == "eject" and program.source_bits:
            bits |= int(traffic.source[word]) << design.width
        if stream.kind in ("inject", "eject"):
            result.append((cycle, stream.kind, stream.node, bits))
    return sorted(result)
