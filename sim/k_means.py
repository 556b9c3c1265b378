"""K-means: points spread over the nodes of a network, and centres that all nodes know.

    python sim/k_means.py star:3 [--points 60] [--verilog]

In a step each node assigns its points to the nearest centres, and one all-reduce adds up, for each
centre, the coordinates and the number of its points at all nodes. Then every node moves the centres
by itself, all alike, until none moves. `cluster` is what a node does; `main` runs it on the cycle
model, or on the Verilog, and compares the centres with those of plain numpy.
"""

import argparse
import sys

import numpy as np

from noc.comm import Comm, run
from noc.comm.setup import describe_design
from noc.design import OrderedDesign, build_design
from noc.errors import InputError

#: Coordinates of a point; they are below this number.
DIMENSIONS, MOST = 2, 1000

OPERATIONS = ("all_reduce:sum",)


def assign(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """For each centre the sum of the points that are nearest to it, and their number."""
    away = ((points[:, None] - centres) ** 2).sum(axis=2)
    mine = away.argmin(axis=1)[:, None] == np.arange(len(centres))
    return np.column_stack([mine.T @ points, mine.sum(axis=0)])


def move(sums: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The centres in the middle of their points; one without points stays."""
    count = sums[:, -1:]
    return np.where(count, sums[:, :-1] // np.maximum(count, 1), centres)


async def cluster(comm: Comm, points: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, int]:
    """The centres in the end, and how many steps it took."""
    own = np.array_split(points, comm.size)[comm.rank]
    steps = 0
    while True:
        steps += 1
        total = await comm.all_reduce(assign(own, centres).ravel())
        moved = move(np.array(total, dtype=np.int64).reshape(len(centres), -1), centres)
        if (moved == centres).all():
            return centres, steps
        centres = moved


def cluster_alone(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The same in one place."""
    while (moved := move(assign(points, centres), centres)).tolist() != centres.tolist():
        centres = moved
    return centres


def scatter_points(points: int, centres: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around some places, and the first of them as centres to begin with."""
    lots = np.random.RandomState(points)
    places = lots.randint(0, MOST, (centres, DIMENSIONS))
    around = lots.randint(-MOST // 8, MOST // 8, (points, DIMENSIONS))
    every = np.clip(places[np.arange(points) % centres] + around, 0, MOST - 1).astype(np.int64)
    return every, every[:centres]


def count_cycles(design: OrderedDesign, centres: int) -> int:
    """Of a step: a word a cycle, and the programs go on a cycle after the last has come."""
    program = design.program
    words = centres * (DIMENSIONS + 1)
    return words - 1 + program.joined_cycles(0) + int(program.down_cycles.max()) + 1


def main() -> int:
    """Cluster, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, such as star:3")
    parser.add_argument("--points", type=int, default=60, help="how many points there are")
    parser.add_argument("--centres", type=int, default=4, help="how many centres there are")
    parser.add_argument("--verilog", action="store_true", help="on the Verilog, not the model")
    options = parser.parse_args()
    try:
        if not 1 <= options.centres <= options.points:
            raise InputError(f"--centres {options.centres}: from 1 to {options.points} are allowed")
        design = build_design(options.spec, operations=OPERATIONS)
        points, centres = scatter_points(options.points, options.centres)
        done = run(cluster, design, points, centres, verilog=options.verilog)
    except InputError as error:
        print(f"k_means.py: error: {error}", file=sys.stderr)
        return 2
    wanted = cluster_alone(points, centres)
    same = all((found == wanted).all() for found, _ in done.results)
    steps = done.results[0][1]
    bound = steps * count_cycles(design, options.centres)
    nodes = describe_design(design).size
    print(f"{options.points} points on {nodes} nodes: {steps} steps, {done.cycles} cycles")
    print(f"{bound} cycles at most, by the latencies of the network")
    print(f"{'the same centres as' if same else 'OTHER CENTRES THAN'} those of numpy")
    return 0 if same and done.cycles <= bound else 1


if __name__ == "__main__":
    sys.exit(main())
