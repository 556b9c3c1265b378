"""A linear model trained at all nodes at once: an all-reduce adds up their gradients.

    python sim/gradients.py hypercube:4 [--round 1] [--features 16] [--epochs 30] [--seed 1]

Each node has samples of its own. In each epoch it takes the gradient of its samples, the network
adds up the gradients of all nodes, and each node makes the same step with the sum that it got. All
numbers are in fixed point, so that the weights must be those of numpy with all samples in one
place, bit by bit.

A vector is cut into rounds: its entry e is in the sum e % sums of the round e // sums. When a
stream takes a word of which sum and round, and when which comes, follows from phase and cycle; a
design of one's own would use them as the address of a memory. Amaranth's simulator runs the
network.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from amaranth.sim import Simulator

from noc.cli.parsers import OneLineParser, run_script
from noc.design import AnyDesign, build_design
from noc.errors import InputError
from noc.hardware import BroadcastNetwork
from noc.networks import build_network
from noc.programs.sums import SumProgram

#: Nodes: Amaranth's simulator compiles each.
MOST_NODES = 64

WIDTH, BITS = 32, 10

#: Samples of a node, and the part of a gradient by which weights move, as a shift.
SAMPLES, SLOW = 8, 6


class Network:
    """A network that adds up vectors, in Amaranth's simulator, cycle by cycle."""

    def __init__(self, design: AnyDesign) -> None:
        self.design, program = design, design.program
        self._hardware = BroadcastNetwork(design)
        assert isinstance(program, SumProgram)
        self.sums = len(program.totals)
        nodes = range(design.network.nodes)
        self._given = [program.given_sums(node) for node in nodes]
        self._ejected = [program.arrivals(node) for node in nodes]
        #: Cycles of the last vector.
        self.cycles = 0

    def add(self, vectors: np.ndarray) -> np.ndarray:
        """What each node gets of the sum of the rows, one of each node."""
        result = np.zeros_like(vectors)
        missing = vectors.size

        async def bench(ctx) -> None:
            nonlocal missing
            self.cycles = 0
            while missing:
                for node, name in enumerate(self._hardware.names):
                    streams = getattr(self._hardware, f"inject_{name}")
                    for to, told in zip(streams, self._given[node], strict=True):
                        entry = self._entry(told, vectors.shape[1])
                        ctx.set(to.valid, entry is not None)
                        if entry is not None:
                            ctx.set(to.payload, int(vectors[node, entry]) % 2**WIDTH)
                            assert ctx.get(to.ready)
                for node, name in enumerate(self._hardware.names):
                    streams = getattr(self._hardware, f"eject_{name}")
                    for of, told in zip(streams, self._ejected[node], strict=True):
                        if ctx.get(of.valid):
                            word = ctx.get(of.payload)
                            result[node, self._entry(told, vectors.shape[1])] = signed(word)
                            missing -= 1
                await ctx.tick()
                self.cycles += 1

        simulator = Simulator(self._hardware)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()
        return result

    def _entry(self, told: tuple[list[int | None], list[int | None]], length: int) -> int | None:
        """The entry of the vector that a stream takes or brings in this cycle, if there is one."""
        number, phase = divmod(self.cycles, self.design.round)
        total, after = told[0][phase], told[1][phase]
        if total is None or after is None or number < after:
            return None
        entry = (number - after) * self.sums + total
        return entry if entry < length else None


def signed(word: int) -> int:
    """A number with a sign."""
    return word - 2**WIDTH * (word >> WIDTH - 1)


def gradient(samples: np.ndarray, right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """That of the squares of the errors, in fixed point."""
    errors = (samples @ weights >> BITS) - right
    result: np.ndarray = samples.T @ errors >> BITS
    return result


def trained(options: argparse.Namespace) -> int:
    """Train at all nodes, and compare with numpy."""
    for name in ("features", "epochs"):
        if getattr(options, name) < 1:
            raise InputError(f"--{name} {getattr(options, name)}: at least 1 is needed")
    if options.seed < 0:
        raise InputError(f"--seed {options.seed}: at least 0 is needed")
    network = build_network(options.spec)
    nodes = network.nodes
    if nodes > MOST_NODES:
        raise InputError(
            f"{options.spec}: {nodes} nodes are too many for this simulation, which takes up to "
            f"{MOST_NODES}; choose a smaller network"
        )
    exchange = {"exchange": "all_reduce:sum", "round": options.round}
    adder = Network(build_design(network, fabric="timetable", width=WIDTH, **exchange))
    random, one = np.random.default_rng(options.seed), 1 << BITS
    samples = random.integers(-one, one, (nodes, SAMPLES, options.features))
    hidden = random.integers(-one, one, options.features)
    right = samples @ hidden >> BITS
    weights = np.zeros((nodes, options.features), dtype=np.int64)
    alone = np.zeros(options.features, dtype=np.int64)
    equal = True
    for _ in range(options.epochs):
        parts = np.stack([gradient(*each) for each in zip(samples, right, weights, strict=True)])
        weights -= adder.add(parts) >> SLOW
        # The same without a network.
        alone -= sum(gradient(*each, alone) for each in zip(samples, right, strict=True)) >> SLOW
        equal &= bool((weights == alone).all())
    error = np.abs(weights[0] - hidden).max() / one
    rate = options.features / adder.cycles
    print(f"{nodes} nodes; in a round cycles: {adder.design.round}, sums: {adder.sums}")
    print(f"{options.features} entries in {adder.cycles} cycles: {rate:.2f} sums a cycle")
    print(f"after {options.epochs} epochs no weight is further off than {error:.3f}")
    print("all nodes have numpy's weights" if equal else "the weights DIFFER from numpy's")
    return 0 if equal else 1


def main() -> int:
    """Train, unless the request is refused in one line."""
    parser = OneLineParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, for instance hypercube:4")
    for name, usual, text in (
        ("round", 1, "cycles of a round of the all-reduce"),
        ("features", 16, "weights of the model"),
        ("epochs", 30, "steps of all weights"),
        ("seed", 1, "of all that is random"),
    ):
        parser.add_argument(f"--{name}", type=int, default=usual, help=f"{text} (default: {usual})")
    options = parser.parse_args()
    return run_script(Path(__file__).name, lambda: trained(options))


if __name__ == "__main__":
    sys.exit(main())
