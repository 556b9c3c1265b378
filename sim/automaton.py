"""A cellular automaton in a ring, its cells spread over the nodes, generation by generation.

    python sim/automaton.py star:3 [--rule 110] [--verilog]

Each node has some neighbouring cells. For a new generation it needs the cells beyond both its ends,
which two other nodes send it; a barrier then keeps all nodes in the same generation. `grow` is what
a node does; `main` runs it on the cycle model, or on the Verilog, and compares all generations with
those of plain numpy.
"""

import argparse
import sys

import numpy as np

from noc.comm import Comm, run
from noc.comm.setup import describe_design
from noc.design import OrderedDesign, build_design
from noc.errors import InputError

#: Cells at each node.
CELLS = 8

OPERATIONS = ("send", "barrier")


def step(rule: int, cells: np.ndarray) -> np.ndarray:
    """The next generation of all cells but those at both ends."""
    around = 4 * cells[:-2] + 2 * cells[1:-1] + cells[2:]
    return rule >> around & 1


async def grow(comm: Comm, rule: int, cells: np.ndarray, generations: int) -> np.ndarray:
    """One node's cells in each generation."""
    own = cells[comm.rank * CELLS :][:CELLS]
    left, right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
    grown = [own]
    for _ in range(generations):
        await comm.send([int(own[0])], left)
        await comm.send([int(own[-1])], right)
        # Of two messages from one node, the first is that from its first cell.
        behind = (await comm.recv(right)).values
        before = (await comm.recv(left)).values
        own = step(rule, np.concatenate([before, own, behind]).astype(np.int64))
        grown.append(own)
        await comm.barrier()
    return np.array(grown)


def grow_alone(rule: int, cells: np.ndarray, generations: int) -> np.ndarray:
    """The same in one place."""
    grown = [cells]
    for _ in range(generations):
        grown.append(step(rule, np.concatenate([grown[-1][-1:], grown[-1], grown[-1][:1]])))
    return np.array(grown)


def bound_cycles(design: OrderedDesign, generations: int) -> int:
    """A generation sends two words of each node past the root, one in a cycle, and joins one.

    Programs go on a cycle after a word has come.
    """
    program = design.program
    down = int(program.down_cycles.max())
    sends = 2 * design.network.nodes + int(program.up.max()) + down + 1
    return generations * (sends + program.joined_cycles(0) + down + 1)


def main() -> int:
    """Grow, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, such as star:3")
    parser.add_argument("--rule", type=int, default=110, help="Wolfram's number of the rule")
    parser.add_argument("--generations", type=int, default=12, help="how many come")
    parser.add_argument("--verilog", action="store_true", help="on the Verilog, not the model")
    options = parser.parse_args()
    try:
        if not 0 <= options.rule < 256:
            raise InputError(f"--rule {options.rule}: from 0 to 255 are allowed")
        design = build_design(options.spec, operations=OPERATIONS)
        nodes = describe_design(design).size
        cells = np.zeros(nodes * CELLS, dtype=np.int64)
        cells[-1] = 1
        given = (options.rule, cells, options.generations)
        done = run(grow, design, *given, verilog=options.verilog)
    except InputError as error:
        print(f"automaton.py: error: {error}", file=sys.stderr)
        return 2
    grown, bound = np.hstack(done.results), bound_cycles(design, options.generations)
    for row in grown:
        print("".join(".#"[cell] for cell in row[-64:]))
    same = bool((grown == grow_alone(*given)).all())
    print(f"{len(cells)} cells on {nodes} nodes: {done.cycles} cycles")
    print(f"{bound} cycles at most, by the latencies of the network")
    print(f"{'the same cells as' if same else 'OTHER CELLS THAN'} those of numpy")
    return 0 if same and done.cycles <= bound else 1


if __name__ == "__main__":
    sys.exit(main())
