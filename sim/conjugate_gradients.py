"""Conjugate gradients on a sparse matrix, its rows spread over the nodes of a network.

    python sim/conjugate_gradients.py star:3 [--side 6] [--verilog]

The matrix is the Laplace operator of a square grid. Each node keeps some rows of it and the same
part of each vector, in fixed point. A step gathers a vector at all nodes, and adds up two scalar
products over all nodes. `solve` is what a node does; `main` runs it on the cycle model, or on the
Verilog, and on numpy without a network, where every bit must be the same.
"""

import argparse
import sys

import numpy as np

from noc.comm import Comm, Nodes, run
from noc.comm.setup import describe_design
from noc.design import OrderedDesign, build_design
from noc.errors import InputError

#: Bits after the point, of numbers of 64 bits with a sign.
FRACTION, WIDTH = 20, 64

OPERATIONS = ("all_gather", "all_reduce:sum")


async def solve(comm: Comm, matrix: np.ndarray, right: np.ndarray, steps: int) -> np.ndarray:
    """One node's part of the solution x of ``matrix @ x = right``."""
    comm = comm.signed
    own = np.array_split(np.arange(len(right)), comm.size)[comm.rank]
    rows = matrix[own]
    x = np.zeros(len(own), dtype=np.int64)
    residual = direction = right[own] << FRACTION
    length = await multiply(comm, residual, residual)
    for _ in range(steps):
        if not length:
            break
        changed = rows @ np.concatenate(await comm.all_gather(direction))
        step = (length << FRACTION) // await multiply(comm, direction, changed)
        x = x + (step * direction >> FRACTION)
        residual = residual - (step * changed >> FRACTION)
        before, length = length, await multiply(comm, residual, residual)
        direction = residual + ((length << FRACTION) // before * direction >> FRACTION)
    return x


async def multiply(comm: Comm, left: np.ndarray, right: np.ndarray) -> int:
    """The scalar product of two vectors, at all nodes, with twice the bits after the point."""
    (total,) = await comm.all_reduce(int(left @ right))
    return int(total)


def build_grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """The Laplace operator of a square grid, and some right-hand side."""
    line = 2 * np.eye(side, dtype=np.int64) - np.eye(side, k=1, dtype=np.int64)
    line -= np.eye(side, k=-1, dtype=np.int64)
    one = np.eye(side, dtype=np.int64)
    right = np.arange(side * side) % 5 - 2
    return np.kron(line, one) + np.kron(one, line), right


def bound_cycles(design: OrderedDesign, words: int, steps: int) -> int:
    """A step moves each word of a vector past the root, one in a cycle, and joins two words.

    Programs go on a cycle after the last word has come.
    """
    program = design.program
    down = int(program.down_cycles.max())
    gather = words + int(program.up.max()) + down + 1
    join = program.joined_cycles(0) + down + 1
    return steps * (gather + 2 * join) + join


def main() -> int:
    """Solve, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, such as star:3")
    parser.add_argument("--side", type=int, default=6, help="nodes of the grid on a side")
    parser.add_argument("--steps", type=int, default=16, help="steps of the method at most")
    parser.add_argument("--verilog", action="store_true", help="on the Verilog, not the model")
    options = parser.parse_args()
    try:
        design = build_design(options.spec, operations=OPERATIONS, width=WIDTH)
        nodes = describe_design(design).size
        if options.side**2 < nodes:
            raise InputError(f"--side {options.side}: each of {nodes} nodes needs a row")
        matrix, right = build_grid(options.side)
        given = (matrix, right, options.steps)
        done = run(solve, design, *given, verilog=options.verilog)
        plain = run(solve, Nodes(nodes, WIDTH), *given)
    except InputError as error:
        print(f"conjugate_gradients.py: error: {error}", file=sys.stderr)
        return 2
    found = np.concatenate(done.results)
    error = np.abs(found / 2**FRACTION - np.linalg.solve(matrix, right)).max()
    same = bool((found == np.concatenate(plain.results)).all())
    bound = bound_cycles(design, len(right), options.steps)
    print(f"{len(right)} unknowns on {nodes} nodes: {done.cycles} cycles")
    print(f"{bound} at most for {options.steps} steps, by the latencies of the network")
    print(f"{'the same bits as' if same else 'OTHER BITS THAN'} without a network")
    print(f"{error:.1e} away from the solution")
    return 0 if same and done.cycles <= bound else 1


if __name__ == "__main__":
    sys.exit(main())
