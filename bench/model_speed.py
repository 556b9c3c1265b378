"""Router-cycles per second of the cycle models over N: python bench/model_speed.py [-o FILE].

Words move all the time: on the direct fabric one source sends back to back, on the ordered one
every source does, from a list of words or without end. Time is that of the processor, on one core;
numba has compiled before it starts.
"""

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

from noc.model import SINKS, all_sources, back_to_back, simulate
from noc.model.ordered import Stalls, run_load, simulate_ordered
from noc.networks import build_network
from noc.programs import Automaton, build_automaton, build_program
from noc.programs.ordered import OrderedProgram, compile_ordered

# About so many deliveries for each figure.
DELIVERIES = 10_000_000

NETWORKS = ["star:4", "star:5", "star:6", "star:7", "star:8", "star:9", "scc:6", "uhc:10"]

# Every source at once: only where that many words are of use.
MOST_NODES_ALL_SOURCES = 6000


def measure(automaton: Automaton, sinks: str, events: bool) -> dict[str, Any]:
    """One run of about ``DELIVERIES`` deliveries."""
    nodes = automaton.network.nodes
    # Codes that need few gates make no difference to a model.
    program = build_program(automaton, search=False)
    traffic = back_to_back(program, 0, max(20, DELIVERIES // nodes))
    traffic = traffic.taken_by(SINKS[sinks](nodes, 1))
    begin = time.process_time()
    run = simulate(program, traffic, events=events)
    seconds = time.process_time() - begin
    return {
        "fabric": "direct",
        "network": program.network.spec,
        "routers": nodes,
        "sources": "one",
        "sinks": sinks,
        "events_listed": events,
        "end": run.end,
        "cycles": run.cycles,
        "transfers": run.injected + run.hops + run.delivered,
        "seconds": round(seconds, 3),
        "router_cycles_per_second": round(run.cycles * nodes / seconds),
    }


def measure_ordered(program: OrderedProgram, sinks: str, events: bool) -> dict[str, Any]:
    """One run of the ordered fabric of about ``DELIVERIES`` deliveries."""
    nodes = program.network.nodes
    traffic = all_sources(program, max(1, DELIVERIES // nodes**2))
    traffic = traffic.taken_by(SINKS[sinks](nodes, 1))
    begin = time.process_time()
    run = simulate_ordered(program, traffic, events=events)
    seconds = time.process_time() - begin
    return {
        "fabric": "ordered",
        "network": program.network.spec,
        "routers": nodes,
        "sources": "all",
        "sinks": sinks,
        "events_listed": events,
        "end": run.end,
        "cycles": run.cycles,
        "transfers": run.injected + run.hops + run.delivered,
        "seconds": round(seconds, 3),
        "router_cycles_per_second": round(run.cycles * nodes / seconds),
    }


def measure_load(program: OrderedProgram, sinks: Stalls | None) -> dict[str, Any]:
    """The ordered fabric with sources that always send, for about as long."""
    nodes = program.network.nodes
    cycles = max(1, DELIVERIES // nodes)
    begin = time.process_time()
    run_load(program, 1, cycles, sinks=sinks)
    seconds = time.process_time() - begin
    return {
        "fabric": "ordered",
        "network": program.network.spec,
        "routers": nodes,
        "sources": "without end",
        "sinks": "stall" if sinks else "always",
        "cycles": cycles,
        "seconds": round(seconds, 3),
        "router_cycles_per_second": round(cycles * nodes / seconds),
    }


def measure_all(spec: str) -> list[dict[str, Any]]:
    """Every case of a network."""
    automaton = build_automaton(build_network(spec))
    pairs = (("always", False), ("always", True), ("half", False))
    cases = [measure(automaton, sinks, events) for sinks, events in pairs]
    if automaton.network.nodes > MOST_NODES_ALL_SOURCES:
        return cases
    ordered = compile_ordered(build_network(spec))
    for sinks, events in pairs:
        cases.append(measure_ordered(ordered, sinks, events))
    return cases + [measure_load(ordered, sinks) for sinks in (None, Stalls())]


def main() -> None:
    """Run every case and print, or write, JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", metavar="FILE", type=Path, help="write here instead of printing")
    parser.add_argument("networks", nargs="*", default=NETWORKS, help="only these")
    options = parser.parse_args()
    automaton = build_automaton(build_network("star:3"))
    program = build_program(automaton)
    simulate(program, back_to_back(program, 0, 1))
    ordered = compile_ordered(build_network("star:3"))
    simulate_ordered(ordered, back_to_back(ordered, 0, 1))
    run_load(ordered, 1, 1)
    cases = [case for spec in options.networks for case in measure_all(spec)]
    text = json.dumps({"machine": platform.machine(), "cases": cases}, indent=1)
    if options.o:
        options.o.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
