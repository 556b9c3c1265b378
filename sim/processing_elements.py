"""A matrix-vector product on an array of processing elements that are fed by broadcast.

    python sim/processing_elements.py star:4 [--fabric timetable] [--width 16] [--seed 1]
                                             [--waves FILE.vcd]

Node i keeps row i of the matrix and entry i of the vector. It broadcasts its entry; whatever comes
from node j it multiplies by its matrix entry (i, j) and adds up. After one word from everyone each
node has its entry of the product: no node ever asks for anything, and no memory is shared.

In the ordered fabric a node gets a word a cycle, with the number of its source, and has one
multiplier. In the timetable fabric it gets one from each neighbour in every cycle, with a
multiplier for each; which entry is the factor follows from the cycle.

A design of one's own would begin here: `ProcessingElement` is what a node computes, `Array` puts
one at every node of the network, and `main` runs it in Amaranth's simulator.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from noc.cli.parsers import OneLineParser, run_script
from noc.design import AnyDesign, build_design
from noc.errors import InputError
from noc.hardware import BroadcastNetwork
from noc.networks import build_network
from noc.options import FabricName

#: Cycles within which the product must be there, for each node of the network.
LIMIT = 40

#: Bits of an entry, so that numpy's sums are exact.
MOST_WIDTH = 24

#: Nodes: each is a multiplier with a row of its own for Amaranth's simulator to compile. The size
#: grows with the square, and star:5 with 120 nodes takes minutes already.
MOST_NODES = 128


class ProcessingElement(wiring.Component):
    """Multiplies what comes from each node by an entry of its row, and adds up.

    Parameters
    ----------
    width : int
        Bits of an entry.
    own : int
        The entry of the row by which its own entry of the vector is multiplied.
    factors : list of list of int
        For each stream from the network those of the others, by the number of the source that the
        network puts beside each word, or by the phase in which it comes.
    by_phase : bool
        Which of the two.

    Members
    -------
    start : In(1)
        Begin with the next vector: send the own entry.
    entry : In(signed)
        The own entry of the vector.
    total : Out(signed)
        The entry of the product.
    done : Out(1)
        Whether something came from every node since the last start.
    inject : Out(stream.Signature)
        To the network.
    eject : In(stream.Signature).array
        From the network: one stream, or one for each in-port.
    phase : In
        The phase of the network's round, if there is one.
    """

    def __init__(
        self, width: int, nodes: int, own: int, factors: list[list[int]], *, by_phase: bool
    ) -> None:
        self._width, self._nodes, self._own = width, nodes, own
        self._factors, self._by_phase = factors, by_phase
        source_bits = (nodes - 1).bit_length()
        known = {} if by_phase else {"source": source_bits}
        arriving = data.StructLayout({"data": signed(width)} | known)
        super().__init__(
            {
                "start": In(1),
                "entry": In(signed(width)),
                "total": Out(signed(2 * width + source_bits)),
                "done": Out(1),
                "inject": Out(stream.Signature(signed(width))),
                "eject": In(stream.Signature(arriving, always_ready=True)).array(len(factors)),
                "phase": In(range(len(factors[0]))),
            }
        )

    def elaborate(self, platform) -> Module:  # noqa: ARG002
        """A multiplier for each stream, which takes a word in every cycle."""
        m = Module()
        came = Signal(range(self._nodes))
        products = [self._product(m, *each) for each in enumerate(self.eject)]
        m.d.comb += [
            self.inject.payload.eq(self.entry),
            self.done.eq(came == self._nodes - 1),
        ]
        with m.If(self.start):
            m.d.sync += [
                self.inject.valid.eq(1),
                self.total.eq(self.entry * self._own),
                came.eq(0),
            ]
        with m.Else():
            m.d.sync += [
                self.total.eq(self.total + sum(products)),
                came.eq(came + sum(each.valid for each in self.eject)),
            ]
        with m.If(self.inject.valid & self.inject.ready):
            m.d.sync += self.inject.valid.eq(0)
        return m

    def _product(self, m: Module, number: int, arriving) -> Value:
        """What comes on a stream, if anything does, times its factor."""
        init, shape = self._factors[number], signed(self._width)
        m.submodules[f"row_{number}"] = row = memory.Memory(shape=shape, depth=len(init), init=init)
        factor, word = row.read_port(domain="comb"), arriving.payload
        m.d.comb += factor.addr.eq(self.phase if self._by_phase else word.source)
        return Mux(arriving.valid, word.data * factor.data, 0)


class Array(wiring.Component):
    """A processing element at every node of a network.

    Parameters
    ----------
    design : AnyDesign
        The network, as wide as an entry; of sinks that are always ready, which these are.
    matrix : list of list of int
        A row for each node.

    Members
    -------
    start : In(1)
        Begin.
    done : Out(1)
        Whether the product is there.
    """

    def __init__(self, design: AnyDesign, matrix: list[list[int]]) -> None:
        super().__init__({"start": In(1), "done": Out(1)})
        self._design, nodes = design, len(matrix)
        self._by_phase = design.fabric == "timetable"
        self.elements = [
            ProcessingElement(
                *(design.width, nodes, row[number], self._factors(number, row)),
                by_phase=self._by_phase,
            )
            for number, row in enumerate(matrix)
        ]

    def _factors(self, number: int, row: list[int]) -> list[list[int]]:
        """The entries of a row as the words of a node come."""
        if not self._by_phase:
            return [row]
        # No word comes where there is no source.
        return [
            [0 if source is None else row[source] for source in sources]
            for sources in self._design.program.sources_of(number)
        ]

    def elaborate(self, platform) -> Module:  # noqa: ARG002
        """The network, and the streams of each node connected."""
        m = Module()
        m.submodules.network = noc = BroadcastNetwork(self._design)
        for name, element in zip(noc.names, self.elements, strict=True):
            m.submodules[f"element_{name}"] = element
            wiring.connect(m, element.inject, getattr(noc, f"inject_{name}"))
            eject = getattr(noc, f"eject_{name}")
            for one, other in zip(eject if self._by_phase else [eject], element.eject, strict=True):
                m.d.comb += [other.valid.eq(one.valid), other.payload.eq(one.payload)]
            m.d.comb += element.start.eq(self.start)
            if self._by_phase:
                m.d.comb += element.phase.eq(getattr(noc, f"phase_{name}"))
        done = [element.done for element in self.elements]
        m.d.comb += self.done.eq(Cat(done).all())
        return m


def multiply(
    spec: str, width: int, matrix, vectors, waves: str | None = None, fabric: FabricName = "ordered"
):
    """The products of a matrix and some vectors, and the cycles that each took."""
    net = build_network(spec)
    design = build_design(net, fabric=fabric, width=width, sinks="always-ready")
    array = Array(design, matrix.tolist())
    products, cycles = [], []

    async def bench(ctx) -> None:
        for vector in vectors.tolist():
            for element, entry in zip(array.elements, vector, strict=True):
                ctx.set(element.entry, entry)
            ctx.set(array.start, 1)
            await ctx.tick()
            ctx.set(array.start, 0)
            cycles.append(0)
            while not ctx.get(array.done):
                await ctx.tick()
                cycles[-1] += 1
                assert cycles[-1] < LIMIT * net.nodes, "the product does not come"
            products.append([ctx.get(element.total) for element in array.elements])

    simulator = Simulator(array)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    if waves is None:
        simulator.run()
    else:
        with simulator.write_vcd(waves):
            simulator.run()
    return np.array(products), cycles


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = OneLineParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, for instance star:4")
    parser.add_argument(
        "--fabric", choices=("ordered", "timetable"), default="ordered", help="default: ordered"
    )
    parser.add_argument("--width", type=int, default=16, help="bits of an entry (default: 16)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--waves", metavar="FILE.vcd")
    return parser.parse_args()


def checked(options: argparse.Namespace) -> int:
    """Refuse what cannot be had; the number of nodes."""
    if not 2 <= options.width <= MOST_WIDTH:
        raise InputError(f"--width {options.width}: from 2 to {MOST_WIDTH} bits are allowed")
    if options.seed < 0:
        raise InputError(f"--seed {options.seed}: at least 0 is needed")
    nodes = build_network(options.spec).nodes
    if nodes > MOST_NODES:
        raise InputError(
            f"{options.spec}: {nodes} nodes are too many for this simulation, which takes up to "
            f"{MOST_NODES}; choose a smaller network"
        )
    if options.waves is not None:
        try:
            # Before anything is simulated.
            open(options.waves, "w", encoding="utf-8").close()
        except OSError as error:
            raise InputError(f"--waves {options.waves}: {error.strerror}") from error
    return nodes


def main() -> int:
    """Multiply, unless the request is refused in one line."""
    options = arguments()
    return run_script(Path(__file__).name, lambda: compared(options, checked(options)))


def compared(options: argparse.Namespace, nodes: int) -> int:
    """Multiply a random matrix by three random vectors, and compare with numpy."""
    draw = np.random.default_rng(options.seed)
    most = 2 ** (options.width - 1)
    matrix = draw.integers(-most, most, (nodes, nodes))
    vectors = draw.integers(-most, most, (3, nodes))
    products, cycles = multiply(
        *(options.spec, options.width, matrix, vectors, options.waves, options.fabric)
    )
    equal = np.array_equal(products, vectors @ matrix.T)
    for number, took in enumerate(cycles):
        print(f"vector {number}: {nodes} x {nodes} entries in {took} cycles")
    print("every product equals numpy's" if equal else "the products DIFFER from numpy's")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
