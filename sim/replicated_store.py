"""Counters of which every node has a copy, kept the same by the total order of broadcasts.

    python sim/replicated_store.py star:3 [--times 4] [--verilog]

A node adds one to a counter by publishing a command: if the counter still has the value that I have
seen, set it to one more. Nodes carry out all commands in the order in which they come, which the
network makes the same everywhere; so they agree on which of two commands was first without ever
asking each other. A command that came too late is tried again. `count` is what a node does.
"""

import argparse
import random
import sys
from collections import Counter

from noc.comm import Comm, Nodes, Run, run
from noc.comm.setup import describe_design
from noc.design import OrderedDesign, build_design
from noc.errors import InputError

#: Counters, and words of a command: which counter, the value seen, and the new one.
COUNTERS, WORDS = 3, 3

Log = list[tuple[int, int]]


async def count(comm: Comm, times: int) -> tuple[list[int], Log]:
    """The counters in the end, and which node counted where, in this order."""
    lots, counters, log = random.Random(comm.rank), [0] * COUNTERS, Log()
    todo, waiting = [lots.randrange(COUNTERS) for _ in range(times)], False
    while sum(counters) < comm.size * times:
        if todo and not waiting:
            await comm.publish([todo[0], counters[todo[0]], counters[todo[0]] + 1])
            waiting = True
        source, (counter, seen, value) = await comm.published()
        waiting = waiting and source != comm.rank
        if counters[counter] == seen:
            counters[counter] = int(value)
            log.append((source, int(counter)))
            if source == comm.rank:
                del todo[0]
    return counters, log


def check(done: Run, times: int) -> bool:
    """All copies are the same, and every node has counted as often as it was to."""
    size = len(done.results)
    counters, log = done.results[0]
    lots = [random.Random(rank) for rank in range(size)]
    wanted = [(rank, lots[rank].randrange(COUNTERS)) for rank in range(size) for _ in range(times)]
    same = all(result == (counters, log) for result in done.results)
    return same and Counter(log) == Counter(wanted) and sum(counters) == size * times


def bound_cycles(design: OrderedDesign, times: int) -> int:
    """A command fails only if another node's has succeeded since.

    So each success has at most one command of every node, and the network is without any word for
    as long as one takes that travels alone.
    """
    program, size = design.program, design.network.nodes
    alone = int(program.up.max() + program.down_cycles.max()) + 1
    return size * times * (WORDS * size + alone)


def main() -> int:
    """Count, and compare the copies."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, such as star:3")
    parser.add_argument("--times", type=int, default=4, help="how often each node counts")
    parser.add_argument("--verilog", action="store_true", help="on the Verilog, not the model")
    options = parser.parse_args()
    try:
        # The field that tells the last word of a message comes with `send`.
        operations = ["broadcast", "send"]
        design = build_design(options.spec, operations=operations, own_words="return")
        done = run(count, design, options.times, verilog=options.verilog)
    except InputError as error:
        print(f"replicated_store.py: error: {error}", file=sys.stderr)
        return 2
    size, bound = describe_design(design).size, bound_cycles(design, options.times)
    plain = run(count, Nodes(size, own_words=True), options.times)
    right = check(done, options.times) and check(plain, options.times)
    counters, _ = done.results[0]
    print(f"{size} nodes counted {options.times} times each in {done.cycles} cycles: {counters}")
    print(f"{bound} cycles at most, by the latencies of the network")
    print("all copies are the same" if right else "COPIES DIFFER")
    return 0 if right and done.cycles <= bound else 1


if __name__ == "__main__":
    sys.exit(main())
