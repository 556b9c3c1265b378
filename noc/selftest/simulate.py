"""Simulates the self-test and reads its serial line."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from noc.design import AnyDesign
from noc.emit.verilog import node_module
from noc.errors import CheckError
from noc.hardware import assemble
from noc.harness import BENCH
from noc.selftest.selftest import TOP, Settings, lengths, verilog
from noc.selftest.text import Result, results, template
from noc.selftest.words import words_of
from noc.verify.simulator import Simulation

__all__ = ["SIMULATED", "cycle_limit", "report_lines", "simulate", "simulate_files"]

#: As on a board, but with short rounds, and a serial line as fast as it can be.
SIMULATED = Settings(clock_hz=25e6, cycles=2000, divisor=2)

#: Bits of a line of a report on the serial line, at most.
_LINE_BITS = 2_000

#: Cycles in which all words of a phase arrive, or none moves any more: more than any network that
#: can be simulated takes, however its sinks stall.
_DRAIN = 1_000_000

#: The same of a small network.
_MARGIN = 50_000

#: The bench counts in so many bits.
_MOST_CYCLES = (1 << 31) - 1

#: Wall-clock seconds of a simulation, at most.
_SECONDS = 3600


def simulate(
    design: AnyDesign,
    folder: Path,
    settings: Settings = SIMULATED,
    *,
    rounds: int = 2,
    limit: int | None = None,
) -> tuple[str, list[Result]]:
    """Simulate some rounds of the self-test of a design: its text, and what that says.

    Fewer rounds are told of where the limit was reached before.

    Parameters
    ----------
    design : AnyDesign
        The network.
    folder : Path
        An empty folder for everything that is made.
    settings : Settings
        Clock, length, and seed.
    rounds : int
        How many rounds.
    limit : int, optional
        Cycles after which the simulation ends; without, :func:`cycle_limit`.
    """
    limit = limit or cycle_limit(design, settings, rounds)
    lines = report_lines(design)
    sources = [module.write(folder) for module in verilog(design, settings)]
    assembly = assemble(design)
    nodes = Counter(node_module(design, assembly, node) for node in range(design.network.nodes))
    (text,) = simulate_files(
        sources, folder, settings, rounds=rounds, lines=lines, limit=limit, routers=nodes
    )
    return text, list(results(text))


def report_lines(design: AnyDesign) -> int:
    """Lines of a report, with the verdict."""
    return len(template("", words_of(design).reported)) + 1


def cycle_limit(design: AnyDesign, settings: Settings, rounds: int) -> int:
    """Cycles within which so many rounds have ended and are told, unless something is broken."""
    parts = lengths(design, settings)
    report = report_lines(design) * _LINE_BITS * settings.bit_cycles
    phase = parts.cycles + parts.settle + _DRAIN
    return min(rounds * (report + parts.sweep + parts.phases * phase), _MOST_CYCLES)


def simulate_files(
    sources: Sequence[Path],
    folder: Path,
    settings: Settings = SIMULATED,
    *,
    rounds: int = 2,
    lines: int = 3,
    runs: int = 1,
    limit: int | None = None,
    routers: Counter[str] | None = None,
    **options: Any,
) -> list[str]:
    """Simulate Verilog of the self-test, whoever made it; the text of each run.

    Parameters
    ----------
    sources : sequence of Path
        The Verilog.
    folder, settings, rounds
        As for :func:`simulate`.
    lines : int
        Lines of a report; with operations see :func:`report_lines`.
    runs : int
        How often to begin again; the Verilog may tell by ``noc_bench.run`` which run it is.
    limit : int, optional
        Cycles after which a run ends; without, enough for a small network and rounds of one phase.
    routers, options
        As for :class:`noc.verify.simulator.Simulation`.
    """
    report = lines * _LINE_BITS * settings.bit_cycles
    bench = _BENCH.format(
        bench=BENCH,
        top=TOP,
        divisor=settings.bit_cycles,
        lines=rounds * lines,
        limit=limit or rounds * (settings.cycles + report + _MARGIN),
    )
    simulation = Simulation(folder, tuple(sources), routers or {}, long=False, **options)
    simulation.runs.mkdir()
    simulation.bench.write_text(bench, encoding="utf-8")
    simulation.build()
    trouble = simulation.run([_SECONDS] * runs)
    if trouble is not None:
        raise CheckError(trouble)
    texts = (simulation.runs / f"{run}.text" for run in range(runs))
    return [text.read_text(encoding="ascii", errors="replace") for text in texts]


_BENCH = """\
// Written by noc build. Writes down what the self-test sends on its serial line.
module {bench} (
  input wire clk /* verilator public_flat_rw */,
  input wire rst /* verilator public_flat_rw */,
  input wire [31:0] run /* verilator public_flat_rw */,
  output reg done /* verilator public_flat_rw */
);
  localparam DIVISOR = {divisor}, LINES = {lines}, LIMIT = {limit};

  wire line, running, passed, failed;
  reg [31:0] wait_, bits, lines, cycle, loaded;
  reg [7:0] letter;
  reg [8*32-1:0] name;
  integer text;

  {top} dut (
    .clk(clk), .rst(rst), .uart(line), .running(running), .passed(passed), .failed(failed)
  );

  initial begin
    done = 0;
    loaded = ~0;
  end

  always @(posedge clk)
    if (rst) begin
      if (loaded != run) begin
        $sformat(name, "%0d.text", run);
        text = $fopen(name, "wb");
        loaded <= run;
      end
      {{done, wait_, bits, lines, cycle}} <= 0;
    end else if (!done) begin
      cycle <= cycle + 1;
      if (wait_ != 0) wait_ <= wait_ - 1;
      else if (bits == 0) begin
        // The start bit; the next look is in the middle of the first bit of the letter.
        if (!line) begin
          bits <= 9;
          wait_ <= DIVISOR + DIVISOR / 2 - 1;
        end
      end else begin
        // Eight bits of the letter, then the stop bit.
        bits <= bits - 1;
        wait_ <= bits == 1 ? 0 : DIVISOR - 1;
        letter <= {{line, letter[7:1]}};
        if (bits == 1) begin
          $fwrite(text, "%c", letter);
          if (letter == 10) lines <= lines + 1;
        end
      end
      if (lines == LINES || cycle == LIMIT) begin
        done <= 1;
        $fclose(text);
      end
    end
endmodule
"""
