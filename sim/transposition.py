"""A matrix that is spread over the nodes by rows, transposed by an all-to-all.

    python sim/transposition.py star:4 [--width 16] [--seed 1] [--waves FILE.vcd]

Node i has row i of a matrix, and gets column i: entry (i, j) goes from node i to node j. That is
the exchange in which each node has a word for each other one, as in a Fourier transform of two
dimensions, in a sort, or between the layers of a neural network.

No word names a node. Each inject stream of a node has a memory in front of it and each eject stream
one behind it, and the address of all of them is the phase of the round: where an entry must lie,
and where one arrives, follows from the timetable.

A design of one's own would begin here: `Element` is what stands at a node, `Array` puts one at each
node of the network, and `main` runs it in Amaranth's simulator.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from amaranth.hdl import Module, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from noc.cli.parsers import OneLineParser, run_script
from noc.design import AnyDesign, build_design
from noc.errors import InputError
from noc.hardware import BroadcastNetwork
from noc.networks import build_network

#: Nodes: Amaranth's simulator compiles each, and each has an entry for each other.
MOST_NODES = 128


class Element(wiring.Component):
    """Gives the entries of its row, and keeps those of its column.

    Parameters
    ----------
    width : int
        Bits of an entry.
    given : list of list of int
        For each inject stream the entry of each phase.
    lanes : int
        How many eject streams there are.

    Members
    -------
    runs : In(1)
        Whether words are given in this cycle.
    phase : In
        The phase of the network's round.
    inject, eject : Out(stream.Signature).array, In(stream.Signature).array
        To and from the network.
    """

    def __init__(self, width: int, given: list[list[int]], lanes: int) -> None:
        length, arriving = len(given[0]), stream.Signature(width, always_ready=True)
        super().__init__(
            {
                "runs": In(1),
                "phase": In(range(length)),
                "inject": Out(stream.Signature(width)).array(len(given)),
                "eject": In(arriving).array(lanes),
            }
        )
        self.given = [memory.Memory(shape=width, depth=length, init=each) for each in given]
        #: For each eject stream the entry that came in each phase.
        self.kept = [memory.Memory(shape=width, depth=length, init=[]) for _ in range(lanes)]

    def elaborate(self, platform) -> Module:  # noqa: ARG002
        """A memory for each stream, all with one address."""
        m = Module()
        for number, (row, to) in enumerate(zip(self.given, self.inject, strict=True)):
            m.submodules[f"given_{number}"] = row
            entry = row.read_port(domain="comb")
            m.d.comb += [
                entry.addr.eq(self.phase),
                to.payload.eq(entry.data),
                to.valid.eq(self.runs),
            ]
        for number, (column, of) in enumerate(zip(self.kept, self.eject, strict=True)):
            m.submodules[f"kept_{number}"] = column
            entry = column.write_port()
            m.d.comb += [
                entry.addr.eq(self.phase),
                entry.data.eq(of.payload),
                entry.en.eq(of.valid),
            ]
        return m


class Array(wiring.Component):
    """An element at every node of a network, which does one exchange.

    Parameters
    ----------
    design : AnyDesign
        An all-to-all in the timetable fabric, as wide as an entry.
    matrix : list of list of int
        A row for each node.

    Members
    -------
    done : Out(1)
        Whether all entries have come.
    """

    def __init__(self, design: AnyDesign, matrix: list[list[int]]) -> None:
        super().__init__({"done": Out(1)})
        self._design = design
        self.elements = [
            Element(design.width, self._given(node, row), len(design.lanes(node)))
            for node, row in enumerate(matrix)
        ]

    def _given(self, node: int, row: list[int]) -> list[list[int]]:
        """For each inject stream of a node the entries of its row, by the phase."""
        return [
            [0 if target is None else row[target] for target in targets]
            for targets in self._design.program.targets_of(node)
        ]

    def elaborate(self, platform) -> Module:  # noqa: ARG002
        """The network, the streams of each node connected, and a round that is counted."""
        m = Module()
        m.submodules.network = noc = BroadcastNetwork(self._design)
        cycle = Signal(range(self._design.round + 2))
        with m.If(~self.done):
            m.d.sync += cycle.eq(cycle + 1)
        # What is on links in the last phase comes in the next cycle.
        m.d.comb += self.done.eq(cycle == self._design.round + 1)
        for name, element in zip(noc.names, self.elements, strict=True):
            m.submodules[f"element_{name}"] = element
            m.d.comb += [
                element.runs.eq(cycle < self._design.round),
                element.phase.eq(getattr(noc, f"phase_{name}")),
            ]
            for one, other in zip(element.inject, getattr(noc, f"inject_{name}"), strict=True):
                wiring.connect(m, one, other)
            for one, other in zip(getattr(noc, f"eject_{name}"), element.eject, strict=True):
                wiring.connect(m, one, other)
        return m


def transpose(design: AnyDesign, matrix, waves: str | None = None):
    """The columns that the nodes have got, and the cycles that it took."""
    array, cycles = Array(design, matrix.tolist()), 0
    # Its own entry a node has.
    columns = np.diag(np.diag(matrix))

    async def bench(ctx) -> None:
        nonlocal cycles
        while not ctx.get(array.done):
            await ctx.tick()
            cycles += 1
        for node, element in enumerate(array.elements):
            for kept, sources in zip(element.kept, design.program.sources_of(node), strict=True):
                for phase, source in enumerate(sources):
                    if source is not None:
                        columns[node, source] = ctx.get(kept.data[phase])

    simulator = Simulator(array)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    if waves is None:
        simulator.run()
    else:
        with simulator.write_vcd(waves):
            simulator.run()
    return columns, cycles


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = OneLineParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, for instance star:4")
    parser.add_argument("--width", type=int, default=16, help="bits of an entry (default: 16)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--waves", metavar="FILE.vcd")
    return parser.parse_args()


def transposed(options: argparse.Namespace) -> int:
    """Transpose a random matrix, and compare with numpy."""
    if options.seed < 0:
        raise InputError(f"--seed {options.seed}: at least 0 is needed")
    network = build_network(options.spec)
    if network.nodes > MOST_NODES:
        raise InputError(
            f"{options.spec}: {network.nodes} nodes are too many for this simulation, which takes "
            f"up to {MOST_NODES}; choose a smaller network"
        )
    design = build_design(network, fabric="timetable", exchange="all_to_all", width=options.width)
    if options.width > 63:
        raise InputError(f"--width {options.width}: up to 63 bits are allowed here")
    if options.waves is not None:
        try:
            # Before anything is simulated.
            open(options.waves, "w", encoding="utf-8").close()
        except OSError as error:
            raise InputError(f"--waves {options.waves}: {error.strerror}") from error
    nodes = network.nodes
    matrix = np.random.default_rng(options.seed).integers(0, 2**options.width, (nodes, nodes))
    columns, cycles = transpose(design, matrix, options.waves)
    equal = np.array_equal(columns, matrix.T)
    words = nodes * (nodes - 1)
    print(f"{nodes} x {nodes} entries in {cycles} cycles: {words / cycles:.1f} words a cycle")
    print("the matrix is transposed" if equal else "the result DIFFERS from numpy's")
    return 0 if equal else 1


def main() -> int:
    """Transpose, unless the request is refused in one line."""
    options = arguments()
    return run_script(Path(__file__).name, lambda: transposed(options))


if __name__ == "__main__":
    sys.exit(main())
