"""Router-cycles per second of the cycle models over N: python bench/model_speed.py [-o FILE].

Words move all the time: one source sends back to back, or every source does, and then classes by
the height of what is left of the tree keep them from waiting in circles. On the ordered fabric
every source sends, from a list of words or without end. Time is that of the processor, on one core;
numba has compiled before it starts.
"""

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np

from noc.model import SINKS, all_sources, back_to_back, simulate
from noc.model.ordered import Stalls, run_load, simulate_ordered
from noc.networks import network
from noc.programs import Program, program
from noc.programs.classes import Classes, one_class
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.program import NOTHING

# About so many deliveries for each figure.
DELIVERIES = 10_000_000

NETWORKS = ["star:4", "star:5", "star:6", "star:7", "star:8", "star:9", "scc:6", "uhc:10"]

# Every source at once: only where that many classes and words are of use.
MOST_NODES_ALL_SOURCES = 6000


def classes_by_height(made: Program) -> Classes:
    """A class for each number of hops that a word still has before it, on a symmetric network."""
    row, slot = np.nonzero(made.send_port != NOTHING)
    arrival = made.network.arrival[0, made.send_port[row, slot]]
    far_row = made.first_row[0, arrival] + made.send_state[row, slot]
    height = np.zeros(made.total_rows, dtype=np.int32)
    for _ in range(made.total_rows):
        before = height.copy()
        np.maximum.at(height, row, 1 + height[far_row])
        if np.array_equal(height, before):
            break
    colour = np.zeros(made.network.nodes, dtype=np.int32)
    return Classes(int(height.max()) + 1, colour, height[None, :])


def measure(made: Program, sources: str, sinks: str, events: bool) -> dict[str, Any]:
    """One run of about ``DELIVERIES`` deliveries."""
    nodes = made.network.nodes
    words = max(20, DELIVERIES // nodes)
    if sources == "one":
        classes, traffic = one_class(made), back_to_back(made, 0, words)
    else:
        classes, traffic = classes_by_height(made), all_sources(made, max(1, words // nodes))
    traffic = traffic.taken_by(SINKS[sinks](nodes, 1))
    begin = time.process_time()
    run = simulate(made, classes, traffic, events=events)
    seconds = time.process_time() - begin
    return {
        "fabric": "direct",
        "network": made.network.spec,
        "routers": nodes,
        "sources": sources,
        "sinks": sinks,
        "events_listed": events,
        "classes": classes.count,
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
    made = program(network(spec))
    cases = [measure(made, "one", "always", events) for events in (False, True)]
    if made.network.nodes > MOST_NODES_ALL_SOURCES:
        return cases
    cases += [measure(made, "all", sinks, False) for sinks in ("always", "half")]
    ordered = compile_ordered(network(spec))
    for sinks, events in (("always", False), ("always", True), ("half", False)):
        cases.append(measure_ordered(ordered, sinks, events))
    return cases + [measure_load(ordered, sinks) for sinks in (None, Stalls())]


def main() -> None:
    """Run every case and print, or write, JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", metavar="FILE", type=Path, help="write here instead of printing")
    parser.add_argument("networks", nargs="*", default=NETWORKS, help="only these")
    options = parser.parse_args()
    warm = program(network("star:3"))
    simulate(warm, one_class(warm), back_to_back(warm, 0, 1))
    ordered = compile_ordered(network("star:3"))
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
