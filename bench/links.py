"""What an end of a link between chips takes, and how fast it is: the table of docs/chips.md.

    python bench/links.py

The second table is that of links with DDR. ECP5-85F, -6, one stream of 37 bits each way, three
seeds, the median.
"""

import statistics
import tempfile
from pathlib import Path

from noc.emit.module import CLOCKED, Module, Port, convert, ports_of, write_instance
from noc.links import ChipLink
from noc.synth import nextpnr
from noc.synth.families import target
from noc.synth.netlist import synthesise

#: Bits of a word, the numbers of pins, and the pins of the chip that are clocks.
WIDTH, PINS, CLOCKS = 37, (1, 2, 4, 8, 16), (*CLOCKED, "rx__clock")

SEEDS = (1, 2, 3)


def surround(ports: list[Port]) -> Module:
    """The end of a link with a register at each port, so that paths end where they do on a chip."""
    others = [port for port in ports if port.name not in CLOCKS]
    lines = [f"module link_io (input {', input '.join(CLOCKS)},"]
    lines.append(
        ", ".join(f"{'output reg' if p.output else 'input'} {p.span}{p.name}" for p in others)
    )
    lines.append(");")
    lines += [
        f"wire {p.span}of_{p.name};" if p.output else f"reg {p.span}of_{p.name};" for p in others
    ]
    lines.append("always @(posedge clk) begin")
    lines += [
        f"{p.name} <= of_{p.name};" if p.output else f"of_{p.name} <= {p.name};" for p in others
    ]
    wires = {name: name for name in CLOCKS} | {p.name: f"of_{p.name}" for p in others}
    return Module.of(
        "link_io", [*lines, "end", *write_instance("link", "inner", wires), "endmodule"]
    )


def measure(pins: int, *, ddr: bool) -> list[object]:
    """A row of the table."""
    chip, link = target("ecp5", speed="6"), ChipLink([WIDTH], [WIDTH], pins=pins, ddr=ddr)
    with tempfile.TemporaryDirectory() as name:
        inner = synthesise(convert(link, "link"), chip.family, Path(name))
        outer = surround([port for _, port in ports_of(link.signature)])
        netlist = synthesise(outer, chip.family, Path(name), parts=[inner], pins=CLOCKS)
        clocks = [
            nextpnr.place_and_route(netlist, chip, seed=seed, clock="clk").mhz for seed in SEEDS
        ]
    area, rate = inner.area, link.sends.rate
    row = [pins, 2 * (pins + 1), area.lut, area.ff, area.bram, round(statistics.median(clocks))]
    return [*row, f"{rate:.4f}", f"{rate * WIDTH / (2 * pins if ddr else pins):.2f}"]


def main() -> None:
    """Print the table."""
    heads = ["pins for data", "all pins of a link", "LUT", "FF", "block RAM", "MHz"]
    heads += ["words a cycle", "of what pins carry"]
    for ddr in (False, True):
        print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
        for pins in PINS:
            if not ddr or 2 * pins <= PINS[-1]:
                print(f"| {' | '.join(map(str, measure(pins, ddr=ddr)))} |", flush=True)


if __name__ == "__main__":
    main()
