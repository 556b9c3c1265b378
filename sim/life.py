"""Conway's Life on a torus, a row of cells at each node, in hardware that reports by itself.

    python sim/life.py star:4 [--columns 32] [--generations 20]
    python sim/life.py star:4 --generations 1000 --board ulx3s_85f

In each generation a node sends its row to the two nodes with the rows above and below, takes
theirs, computes its next row, and waits at a barrier. After the last generation all nodes have the
number of living cells, by `all_reduce:sum`, and a check of all rows, by `all_reduce:bxor`. The
hardware compares both with two constants, which are what numpy makes of the same cells, and tells
the outcome as text on a serial line. Without `--board` all of it is simulated.

A design of one's own would begin here: `Row` is what stands at a node, and `Life` the whole, with
the outputs that a board has.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from noc import __version__
from noc.boards import BOARDS, Content, board, clock_of, make_bitstream
from noc.cli.parsers import OneLineParser
from noc.design import OrderedDesign, build_ordered
from noc.emit.replace import SUMS, check_folder, replace_folder
from noc.errors import CheckError, InputError
from noc.hardware import BroadcastNetwork
from noc.hardware.ordered import word_shape
from noc.networks import build_network
from noc.selftest import Settings
from noc.selftest.report import NUMBER_BITS, Reporter, Transmitter

#: By their numbers, which stand in the words.
OPERATIONS = SEND, BARRIER, SUM, XOR = range(4)
NAMES = ("send", "barrier", "all_reduce:sum", "all_reduce:bxor")

#: Cells in a row; the check of all rows is reported as one number.
LEAST_COLUMNS, MOST_COLUMNS = 8, NUMBER_BITS

#: Nodes that Amaranth's simulator is quick with.
MOST_NODES = 64

#: Cycles within which a generation is over, for each node of the network.
LIMIT = 40

#: By what a folder is known that was written here.
MARKER = "build.json"

#: So many that their cycles can be reported.
MOST_GENERATIONS = 10**6


def next_rows(rows: np.ndarray) -> np.ndarray:
    """The next generation of cells on a torus."""
    shifts = [(up, left) for up in (-1, 0, 1) for left in (-1, 0, 1) if (up, left) != (0, 0)]
    around = sum(np.roll(rows, shift, axis=(0, 1)).astype(int) for shift in shifts)
    return (around == 3) | (rows & (around == 2))


def as_words(rows: np.ndarray) -> list[int]:
    """Each row as a word, its first cell the lowest bit."""
    return [sum(int(cell) << place for place, cell in enumerate(row)) for row in rows]


def rotated(word: int, by: int, width: int) -> int:
    """A word with so many of its lowest bits at its top."""
    by %= width
    return (word >> by | word << width - by) & (1 << width) - 1


def living_and_check(rows: np.ndarray) -> tuple[int, int]:
    """What the nodes must have in the end: the check tells rows that are exchanged."""
    check = 0
    for number, word in enumerate(as_words(rows)):
        check ^= rotated(word, number, rows.shape[1])
    return int(rows.sum()), check


class Row(wiring.Component):
    """A row of cells.

    Parameters
    ----------
    design : OrderedDesign
        The network; its operations are :data:`NAMES`.
    number : int
        Its own row.
    cells : int
        The cells in the first generation.

    Members
    -------
    start : In(1)
        Begin with the first generation; the next lines hold until ``done``.
    generations : In(range)
        How many follow.
    living, check : Out(width)
        The results, when it is ``done``.
    done : Out(1)
        Whether both are there.
    inject, eject : Out, In(stream.Signature)
        To the network, and from it.
    """

    def __init__(self, design: OrderedDesign, number: int, cells: int) -> None:
        self._words, self._number, self._cells = design.words, number, cells
        numbers, nodes = design.program.numbers, design.network.nodes
        self._above, self._below = (numbers[(number + by) % nodes] for by in (-1, 1))
        width = design.width
        super().__init__(
            {
                "start": In(1),
                "generations": In(NUMBER_BITS),
                "living": Out(width),
                "check": Out(width),
                "done": Out(1),
                "inject": Out(stream.Signature(word_shape(self._words.inject))),
                "eject": In(stream.Signature(word_shape(self._words.eject))),
            }
        )

    def elaborate(self, platform) -> Module:  # noqa: ARG002
        """The states follow each other as the words that the node gives."""
        m = Module()
        width = self._words.width
        row, above, below = Signal(width, init=self._cells), Signal(width), Signal(width)
        came, left = Signal(2), Signal(NUMBER_BITS)
        m.d.comb += self.eject.ready.eq(1)
        word, comes = self.eject.payload, self.eject.valid
        for place, (source, kept) in enumerate(((self._above, above), (self._below, below))):
            with m.If(comes & (word.operation == SEND) & (word.source == source)):
                m.d.sync += [kept.eq(word.data), came[place].eq(1)]
        with m.FSM():
            with m.State("IDLE"), m.If(self.start):
                m.d.sync += [row.eq(self._cells), left.eq(self.generations), self.done.eq(0)]
                m.next = "ABOVE"
            self._give(m, "ABOVE", "BELOW", SEND, row, self._above)
            self._give(m, "BELOW", "STEP", SEND, row, self._below)
            with m.State("STEP"), m.If(came.all()):
                m.d.sync += [row.eq(self._next(row, above, below)), came.eq(0), left.eq(left - 1)]
                m.next = "ENTER"
            self._give(m, "ENTER", "WAIT", BARRIER, row)
            with m.State("WAIT"), m.If(comes & (word.operation == BARRIER)):
                with m.If(left != 0):
                    m.next = "ABOVE"
                with m.Else():
                    m.next = "COUNT"
            self._give(m, "COUNT", "CHECK", SUM, sum(row))
            by = self._number % width
            self._give(m, "CHECK", "END", XOR, Cat(row[by:], row[:by]))
            with m.State("END"), m.If(comes & (word.operation == XOR)):
                m.d.sync += [self.check.eq(word.data), self.done.eq(1)]
                m.next = "IDLE"
        with m.If(comes & (word.operation == SUM)):
            m.d.sync += self.living.eq(word.data)
        return m

    def _give(self, m: Module, state: str, after: str, operation: int, value, node: int = 0):
        """Offer a word until it is taken."""
        payload = self.inject.payload
        with m.State(state):
            m.d.comb += [
                self.inject.valid.eq(1),
                payload.data.eq(value),
                payload.operation.eq(operation),
                payload.last.eq(1),
                payload.node.eq(node),
            ]
            with m.If(self.inject.ready):
                m.next = after

    def _next(self, row: Signal, above: Signal, below: Signal) -> Cat:
        width, cells = self._words.width, []
        for place in range(width):
            left, right = (place - 1) % width, (place + 1) % width
            around = sum(line[cell] for line in (above, below) for cell in (left, place, right))
            around = around + row[left] + row[right]
            cells.append((around == 3) | (row[place] & (around == 2)))
        return Cat(cells)


class Life(wiring.Component):
    """A network with a row at each node, which begins again and again and tells how it ends.

    Parameters
    ----------
    design : OrderedDesign
        The network; its operations are :data:`NAMES`, its width the number of cells in a row.
    rows : array (nodes, width)
        The cells in the first generation.
    generations : int
        How many follow.
    bit_cycles : int
        Clock cycles of a bit on the serial line.

    Members
    -------
    uart : Out(1)
        The serial line.
    running, passed, failed : Out(1)
        The lights: changes with every run; the last one ended as it must; one did not.
    """

    def __init__(
        self, design: OrderedDesign, rows: np.ndarray, generations: int, bit_cycles: int
    ) -> None:
        self._design, self._generations, self._bit_cycles = design, generations, bit_cycles
        self._rows = [Row(design, number, word) for number, word in enumerate(as_words(rows))]
        for _ in range(generations):
            rows = next_rows(rows)
        self._expected = living_and_check(rows)
        super().__init__({name: Out(1) for name in ("uart", "running", "passed", "failed")})

    def elaborate(self, platform) -> Module:  # noqa: ARG002
        """The network, and the streams of each node connected."""
        m = Module()
        m.submodules.network = noc = BroadcastNetwork(self._design)
        start = Signal()
        for name, row in zip(noc.names, self._rows, strict=True):
            m.submodules[f"row_{name}"] = row
            wiring.connect(m, row.inject, getattr(noc, f"inject_{name}"))
            wiring.connect(m, getattr(noc, f"eject_{name}"), row.eject)
            m.d.comb += [row.start.eq(start), row.generations.eq(self._generations)]
        living, check = self._expected
        right = Cat((row.living == living) & (row.check == check) for row in self._rows).all()
        self._control(m, start, Cat(row.done for row in self._rows).all(), right)
        return m

    def _control(self, m: Module, start: Signal, done, right) -> None:
        """Start, wait, report."""
        net, generations = self._design.network, self._generations
        first = f"life {net.spec} columns {self._design.width} generations {generations}"
        text = f"{first}\r\nrun {{0}} cycles {{1}} living {{2}} check {{3}}\r\n"
        reporter = Reporter((f"{text}FAIL\r\n", f"{text}PASS\r\n"), count=4)
        m.submodules.reporter = reporter
        m.submodules.transmitter = transmitter = Transmitter(self._bit_cycles)
        wiring.connect(m, reporter.bytes, transmitter.bytes)
        run, cycles = (Signal(NUMBER_BITS, name=name) for name in ("run", "cycles"))
        # A run that hangs is told too, and is the last.
        late = cycles == LIMIT * net.nodes * (generations + 1)
        numbers = (run, cycles, self._rows[0].living, self._rows[0].check)
        m.d.comb += [to.eq(of) for to, of in zip(reporter.numbers, numbers, strict=True)]
        m.d.comb += [
            reporter.choice.eq(self.passed),
            self.uart.eq(transmitter.line),
            self.running.eq(run[0]),
        ]
        with m.FSM():
            with m.State("START"):
                m.d.comb += start.eq(1)
                m.d.sync += [run.eq(run + 1), cycles.eq(0)]
                m.next = "RUN"
            with m.State("RUN"):
                with m.If(done | late):
                    passed = Mux(late, 0, right)
                    m.d.sync += [self.passed.eq(passed), self.failed.eq(self.failed | ~passed)]
                    m.next = "REPORT"
                with m.Else():
                    m.d.sync += cycles.eq(cycles + 1)
            with m.State("REPORT"):
                m.d.comb += reporter.start.eq(1)
                m.next = "REPORTING"
            with m.State("REPORTING"), m.If(~reporter.busy & ~late):
                m.next = "START"


def bound_cycles(nodes: int, generations: int) -> int:
    """The words that pass the root, one in a cycle.

    In each generation two of each node and that of the barrier, and two at the end.
    """
    return generations * (2 * nodes + 1) + 2


def simulate(life: Life, runs: int, limit: int) -> str:
    """What comes over the serial line of so many runs; its bits take two cycles."""
    text = ""

    async def read(ctx) -> None:
        nonlocal text
        for _ in range(limit):
            await ctx.tick()
            if ctx.get(life.uart):
                continue
            # The start bit; from its first cycle on to the second one of each bit.
            byte = 0
            await ctx.tick()
            for place in range(8):
                await ctx.tick().repeat(2)
                byte |= ctx.get(life.uart) << place
            await ctx.tick().repeat(2)
            text += chr(byte)
            if text.count("\n") == 3 * runs:
                return

    simulator = Simulator(life)
    simulator.add_clock(1e-6)
    simulator.add_testbench(read)
    simulator.run()
    return text.replace("\r", "")


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = OneLineParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, for instance star:4")
    parser.add_argument("--columns", type=int, default=32, help="cells in a row (default: 32)")
    parser.add_argument("--generations", type=int, default=20, help="default: 20")
    parser.add_argument("--seed", type=int, default=1, help="of the first generation (default: 1)")
    parser.add_argument("--runs", type=int, default=1, help="how many to simulate (default: 1)")
    parser.add_argument("--board", choices=[b.name for b in BOARDS.values() if not b.project])
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path("life"))
    return parser.parse_args(words)


def checked(options: argparse.Namespace) -> OrderedDesign:
    """The network, unless something cannot be had."""
    columns = options.columns
    if not LEAST_COLUMNS <= columns <= MOST_COLUMNS:
        raise InputError(f"--columns {columns}: from {LEAST_COLUMNS} to {MOST_COLUMNS} are allowed")
    if not 1 <= options.generations <= MOST_GENERATIONS:
        most = f"from 1 to {MOST_GENERATIONS} are allowed"
        raise InputError(f"--generations {options.generations}: {most}")
    if options.runs < 1:
        raise InputError(f"--runs {options.runs}: at least 1 is needed")
    if options.seed < 0:
        raise InputError(f"--seed {options.seed}: at least 0 is needed")
    net = build_network(options.spec)
    if not 3 <= net.nodes <= MOST_NODES:
        raise InputError(f"{options.spec}: from 3 to {MOST_NODES} nodes are allowed")
    return build_ordered(net, width=columns, operations=NAMES)


def build(options: argparse.Namespace, design: OrderedDesign, rows: np.ndarray) -> None:
    """Make the bitstream."""
    chosen, began = board(options.board), time.monotonic()
    check_folder(options.output, marker=MARKER, command="sim/life.py")
    clock = clock_of(chosen, None)
    life = Life(design, rows, options.generations, Settings(clock.hz).bit_cycles)
    content = Content("life", f"Life on {options.spec}", life)

    def progress(stage: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {stage}", file=sys.stderr, flush=True)

    with replace_folder(options.output) as staging:
        made = make_bitstream(content, chosen, clock, staging, progress=progress)
        there = sorted(path.name for path in staging.iterdir())
        document = {"generator": f"arbornoc {__version__}", "files": [*there, MARKER, SUMS]}
        (staging / MARKER).write_text(json.dumps(document), encoding="utf-8")
    area = made.area
    assert area is not None
    print(f"area: {area.lut} LUT, {area.ff} FF, {area.bram} block RAM")
    print(f"clock: {clock.hz / 1e6:g} MHz; this bitstream works up to {made.fmax_mhz:.1f} MHz")
    print(f"load it: {chosen.load.replace('FILE', str(options.output / f'life{chosen.ending}'))}")


def run(options: argparse.Namespace) -> int:
    """Build, or simulate and compare."""
    design = checked(options)
    nodes, generations = design.network.nodes, options.generations
    rows = np.random.default_rng(options.seed).random((nodes, options.columns)) < 0.4
    if options.board is not None:
        build(options, design, rows)
        return 0
    life = Life(design, rows, generations, bit_cycles=2)
    text = simulate(life, options.runs, options.runs * (LIMIT * nodes * (generations + 1) + 9999))
    print(text, end="")
    bound = bound_cycles(nodes, generations)
    print(f"at least {bound} cycles, for the words that pass the root one by one")
    passed = text.count("PASS\n") == options.runs
    print("as numpy has it" if passed else "NOT AS NUMPY HAS IT")
    return 0 if passed else 1


def main() -> int:
    """Live, unless the request is refused in one line."""
    options = arguments()
    try:
        return run(options)
    except (InputError, CheckError) as error:
        told = error.for_command_line() if isinstance(error, InputError) else str(error)
        print(f"{Path(__file__).name}: error: {told}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    except KeyboardInterrupt:
        print(f"{Path(__file__).name}: error: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
