"""A network on several chips: the Verilog of each, and of all of them side by side, to simulate."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from posixpath import normpath
from typing import Any

from noc.chips.cut import DOWN, FAULTY, PINS_IN, PINS_OUT, Cut, chip_name
from noc.emit.held import HeldFiles
from noc.emit.manifest import Document
from noc.emit.module import CLOCKED, Module, Port, convert, write_instance, write_module
from noc.emit.verilog import (
    all_ports,
    common_ports,
    joining_module,
    node_ports,
    part_modules,
    part_name,
    top_name,
)
from noc.hardware import assemble
from noc.harness import AWAY

#: Where the files lie in a folder.
FOLDER = "chips"

#: In simulations: the chance that a bit is wrong between two chips, in parts of 2 ** 32; cycles of
#: the sender for which bits are under way; and how often a chip is a cycle behind the network's
#: clock, in parts of 2 ** 16: 400 ppm.
WRONG_BITS, DELAY, SLOWER = 429_497, 3, 26

#: For so many of the longest frames, at most, nothing passes a link in simulations.
SILENT_FRAMES = 100

# Both modules to simulate have these.
_WIRES = f"parameter WRONG_BITS = {WRONG_BITS}, parameter DELAY = {DELAY}"

# Random numbers without an effort: xorshift of 32 bits.
_LOTS = """\
  function [31:0] draw(input [31:0] last);
    reg [31:0] x;
    begin
      x = last ^ (last << 13);
      x = x ^ (x >> 17);
      draw = x ^ (x << 5);
    end
  endfunction
"""

_WIRE = """\
// Pins between two chips, to simulate: late, and with wrong bits.
module {name} #(
  parameter PINS = 1,
  parameter WRONG_BITS = 0,
  parameter DELAY = 0,
  parameter SEED = 1
) (
  input clk,
  input i_clock,
  input [PINS-1:0] i_data,
  output o_clock,
  output [PINS-1:0] o_data
);
{lots}  reg [31:0] lots = SEED;
  reg [PINS-1:0] wrong = 0;
  reg [DELAY:0] clocks;
  reg [PINS*(DELAY+1)-1:0] bits;
  wire [63:0] chance = 64'd0 + WRONG_BITS * PINS;
  integer n;
  always @(posedge clk) begin
    lots <= draw(lots);
    wrong <= {{32'd0, lots}} < chance ? 1 << lots % PINS : 0;
    for (n = DELAY; n > 0; n = n - 1)
      bits[n*PINS +: PINS] <= bits[(n-1)*PINS +: PINS];
    bits[0 +: PINS] <= i_data ^ wrong;
  end
  // The clock pin changes in between.
  always @(negedge clk) begin
    for (n = DELAY; n > 0; n = n - 1)
      clocks[n] <= clocks[n-1];
    clocks[0] <= i_clock;
  end
  assign o_clock = clocks[DELAY];
  assign o_data = bits[DELAY*PINS +: PINS];
endmodule
"""

# The cells of the sender take both bits of a pin at a rising edge: a pin is the difference of what
# changes at that edge and what changes at the other. Cells of the receiver take a pin in the midst
# of a bit; here they do when the next one comes, as registers take what was there before.
_DDR_WIRE = """\
// Pins between two chips, and the DDR cells at both ends, to simulate: late, and with wrong bits.
module {name} #(
  parameter PINS = 1,
  parameter WRONG_BITS = 0,
  parameter DELAY = 0,
  parameter SEED = 1,
  // Whether the receiver's cells give the first bit of a cycle with the second of that before.
  parameter APART = 0
) (
  input clk,
  input [2*PINS-1:0] i_data,
  output o_clock,
  output [2*PINS-1:0] o_data
);
{lots}  reg [31:0] lots = SEED;
  reg [PINS-1:0] wrong = 0;
  wire [63:0] chance = 64'd0 + WRONG_BITS * PINS * 2;
  reg [PINS-1:0] second = 0, at_rise = 0, at_fall = 0;
  wire [PINS-1:0] pin = at_rise ^ at_fall;
  reg [PINS-1:0] first, last;
  reg [2*PINS*(DELAY+1)-1:0] bits;
  integer n;
  always @(posedge clk) begin
    lots <= draw(lots);
    wrong <= {{32'd0, lots}} < chance ? 1 << lots % PINS : 0;
    at_rise <= at_fall ^ i_data[PINS +: PINS] ^ (wrong & {{PINS{{lots[31]}}}});
    second <= i_data[0 +: PINS] ^ (wrong & {{PINS{{!lots[31]}}}});
    last <= pin;
    for (n = DELAY; n > 0; n = n - 1)
      bits[2*n*PINS +: 2*PINS] <= bits[2*(n-1)*PINS +: 2*PINS];
    bits[0 +: 2*PINS] <= APART ? {{last, first}} : {{first, pin}};
  end
  always @(negedge clk) begin
    at_fall <= at_rise ^ second;
    first <= pin;
  end
  assign o_clock = ~clk;
  assign o_data = bits[2*DELAY*PINS +: 2*PINS];
endmodule
"""

_CLOCKS = """\
  // Chips lose a cycle now and then, each at other times; outside nothing happens in it.
  // With STEADY every second one loses none, so that it is always faster.
{lots}  reg [31:0] lots [0:{last}];
  reg [{last}:0] on;
  integer n;
  initial for (n = 0; n < {chips}; n = n + 1) lots[n] = 32'h9e3779b9 * (n + 1);
  always @(negedge clk)
    for (n = 0; n < {chips}; n = n + 1) begin
      lots[n] <= draw(lots[n]);
      on[n] <= rst || (STEADY && n % 2 == 0) || lots[n][15:0] >= SLOWER;
    end
  wire [{last}:0] clocks = {{{chips}{{clk}}}} & on;
"""


# Of delays between clocks: what is in a queue, and how far it is written, must not arrive further
# apart than a period of the clock that it comes from.
_SDC_HEAD = """\
# Timing of {top}, where its ports are pins of the chip: to adapt, in Tcl.
# Periods in ns: of this chip's clock, and of the clocks of those that it is linked to.
set own_period 10.0
set other_period 10.0
create_clock -name clk -period $own_period [get_ports clk]
"""

_SDC_LINK = """\
# Bits come in each cycle of {other}, whose clock pin has both edges in the midst of them: between
# half a cycle before an edge and half a cycle after it, less what board and cable take away.
create_clock -name {pins} -period [expr {{2 * $other_period}}] [get_ports {pins}__clock]
set_max_delay $other_period -from [get_clocks {pins}] -to [get_clocks clk]
"""


_SDC_DDR_LINK = """\
# Two bits come in each cycle of {other}, through DDR cells that take a pin at both edges of the
# clock pin, a quarter of a cycle after a bit begins and before it ends.
create_clock -name {pins} -period $other_period [get_ports {pins}__clock]
set_max_delay $other_period -from [get_clocks {pins}] -to [get_clocks clk]
# In which half cycle a beat begins: it stays for thousands of cycles.
set_false_path -from [get_clocks clk] -to [get_clocks {pins}]
"""


class ChipFiles:
    """The Verilog of a network on several chips."""

    def __init__(self, cut: Cut, name: str | None = None, *, held_alarms: bool = False) -> None:
        self._cut, self._given, self._holds = cut, name, held_alarms
        self._top = top_name(cut.design, name)
        self._assemblies = [cut.assembly(chip) for chip in range(cut.division.chips)]

    @property
    def chips_top(self) -> str:
        """The module with all chips, each with a clock of its own."""
        return f"{self._top}_chips"

    @property
    def bench_top(self) -> str:
        """The same with the ports of the network."""
        return f"{self._top}_chips_bench"

    def chip_top(self, chip: int) -> str:
        """The module of a chip."""
        return f"{self._top}_{chip_name(chip)}"

    @cached_property
    def links(self) -> list[Module]:
        """The ends of links, each different one once."""
        return [
            convert(part.build(), part_name(self._cut.design, part.suffix, self._given))
            for part in self._cut.link_parts
        ]

    def modules(self, chip: int) -> list[Module]:
        """All Verilog of a chip, its own module first."""
        made = {module.name: module for module in (*self._parts, *self.links)}
        names = (
            part_name(self._cut.design, part.suffix, self._given)
            for part in self._assemblies[chip].parts
        )
        return [self._joining(chip), *(made[name] for name in names)]

    @cached_property
    def _parts(self) -> list[Module]:
        return part_modules(self._cut.design, name=self._given)

    def _joining(self, chip: int) -> Module:
        return joining_module(self._assemblies[chip], self.chip_top(chip), self._top)

    def files(self, document: Mapping[str, Any]) -> dict[str, str]:
        """All files by their paths, of a network with this manifest."""
        modules = [self._joining(chip) for chip in range(len(self._assemblies))]
        side = [
            Module.of(self.chips_top, self._write_chips()),
            wire_module(self._wire, ddr=self._cut.ddr),
        ]
        side.append(Module.of(self.bench_top, self._write_bench()))
        result = {f"{FOLDER}/{each.name}.v": each.text for each in (*modules, *self.links, *side)}
        for chip in range(len(self._assemblies)):
            result[f"{FOLDER}/{self.chip_top(chip)}.sdc"] = self._constraints(chip)
            result[f"{FOLDER}/{self.chip_top(chip)}.f"] = "".join(
                f"{path}\n" for path in self._paths(chip)
            )
            if self._holds:
                result |= self._held(chip, document).files()
        return result

    def _held(self, chip: int, document: Mapping[str, Any]) -> HeldFiles:
        """The module in which the alarms of a chip stay: those of its nodes, and of its links."""
        label = self._cut.design.network.label
        own = {label(node) for node in self._cut.division.members[chip]}
        nodes = [node for node in document["nodes"] if node["label"] in own]
        others = [chip_name(each.chips[1]) for each in self._cut.channels_of(chip)]
        links = {
            other: {"down": DOWN.format(other), "faulty": FAULTY.format(other)} for other in others
        }
        return HeldFiles(self.chip_top(chip), nodes, all_ports(self._assemblies[chip]), links)

    def _constraints(self, chip: int) -> str:
        """The clocks of a chip, for tools that read SDC."""
        others = [chip_name(each.chips[1]) for each in self._cut.channels_of(chip)]
        text = _SDC_DDR_LINK if self._cut.ddr else _SDC_LINK
        links = (text.format(other=name, pins=PINS_IN.format(name)) for name in others)
        return _SDC_HEAD.format(top=self.chip_top(chip)) + "".join(links)

    def _paths(self, chip: int) -> Iterator[str]:
        """The Verilog of a chip, from the folder that it lies in."""
        yield f"{self.chip_top(chip)}.v"
        links = {module.name for module in self.links}
        for part in self._assemblies[chip].parts:
            name = part_name(self._cut.design, part.suffix, self._given)
            yield f"{name}.v" if name in links else f"../{name}.v"

    @property
    def _silent(self) -> int:
        """Cycles after which words that wait have surely gone on, even if some came in vain.

        With DDR a link may look for beats first, in four half cycles.
        """
        cut = self._cut
        both = (way for channel in cut.channels for way in channel.both)
        most = max((cut.frames(way).most_beats for way in both), default=0)
        return 2 * SILENT_FRAMES * most * (2 if cut.ddr else 1)

    @property
    def _wire(self) -> str:
        return f"{self._top}_chip_wire"

    def _write_chips(self) -> Iterator[str]:
        """All chips, and what is between them."""
        chips, cut = range(len(self._assemblies)), self._cut
        outer = [
            Port(f"{chip_name(chip)}_{clock}", False, 1) for chip in chips for clock in CLOCKED
        ]
        outer += [port for port in all_ports(assemble(cut.design)) if port.name not in CLOCKED]
        outer += [port for chip in chips for port in self._alarms(chip)]
        yield from _with_parameters(self.chips_top, _WIRES, outer)
        for chip in chips:
            for port in map(partial(_of_chip, chip), filter(is_pin, self._of_links(chip))):
                yield f"  wire {port.span}{port.name};"
        for chip in chips:
            own = chip_name(chip)
            wires = {clock: f"{own}_{clock}" for clock in CLOCKED}
            for port in all_ports(self._assemblies[chip]):
                wires.setdefault(port.name, port.name)
            wires |= {port.name: _of_chip(chip, port).name for port in self._of_links(chip)}
            yield ""
            yield from write_instance(self.chip_top(chip), own, wires)
        yield from write_wires(cut, self._wire, lambda chip: f"{chip_name(chip)}_clk")
        yield "endmodule"

    def _of_links(self, chip: int) -> list[Port]:
        """The ports of a chip's links: pins and alarms."""
        return common_ports(self._assemblies[chip])

    def _alarms(self, chip: int) -> list[Port]:
        """The alarms of its links, as they are called beside those of other chips."""
        return [_of_chip(chip, port) for port in self._of_links(chip) if not is_pin(port)]

    def _write_bench(self) -> Iterator[str]:
        """All chips behind the ports of the network, with one clock that each sometimes misses."""
        chips, design = len(self._assemblies), self._cut.design
        ports = all_ports(assemble(design))
        own = f"{_WIRES}, parameter SLOWER = {SLOWER}, parameter STEADY = 0"
        yield from _with_parameters(self.bench_top, own, ports)
        yield clocks_that_differ(chips)
        wires: dict[str, str] = {}
        down: list[str] = []
        for chip, assembly in enumerate(self._assemblies):
            own = chip_name(chip)
            wires |= {f"{own}_clk": f"clocks[{chip}]", f"{own}_rst": "rst"}
            for port in chain.from_iterable(node_ports(assembly)):
                wires[port.name] = port.name
                if port.output and port.field != "payload":
                    wires[port.name] = f"of_{port.name}"
                    yield f"  wire {port.span}of_{port.name};"
                    yield f"  assign {port.name} = on[{chip}] ? of_{port.name} : 0;"
            for port in self._alarms(chip):
                wires[port.name] = port.name
                yield f"  wire {port.name};"
                down += [port.name] * port.name.endswith("_down")
        yield ""
        chosen = ".WRONG_BITS(WRONG_BITS), .DELAY(DELAY)"
        yield from write_instance(f"{self.chips_top} #({chosen})", "chips", wires)
        if down:
            yield "  // Once all are there, no link may be missing."
            yield f"  wire [{len(down) - 1}:0] down = {{{', '.join(down)}}};"
            yield "  reg there;"
            yield "  always @(posedge clk) begin"
            yield "    there <= !rst && (there || down == 0);"
            yield "    if (!rst && there && down != 0) begin"
            yield '      $fdisplay(32\'h80000002, "a link between chips is down: %b", down);'
            yield "      $finish;"
            yield "    end"
            yield "  end"
        yield "endmodule"

    def describe(self, document: Mapping[str, Any]) -> Document:
        """The section of the manifest: the module of all chips, and each of them by itself."""
        cut, chips = self._cut, range(len(self._assemblies))
        chip_of = {
            cut.design.network.label(node): chip_name(chip)
            for node, chip in enumerate(cut.division.chip)
        }
        nodes = [
            {
                "label": node["label"],
                "clock": f"{chip_of[node['label']]}_clk",
                "reset": f"{chip_of[node['label']]}_rst",
                **{name: node[name] for name in ("inject", "eject", AWAY) if name in node},
            }
            for node in document["nodes"]
        ]
        return {
            "top": self.chips_top,
            "clock": "chip_0_clk",
            "reset": "chip_0_rst",
            "bench_top": self.bench_top,
            "pins": cut.pins,
            "ddr": cut.ddr,
            "wrong_bits": WRONG_BITS,
            "delay": DELAY,
            "slower": SLOWER,
            "silent": self._silent,
            "chips": [self._describe_chip(chip, document) for chip in chips],
            "nodes": nodes,
        }

    @property
    def _pins_out(self) -> tuple[str, ...]:
        """The signals of a link's pins that a chip's module has: with DDR cells make the clock."""
        return ("data",) if self._cut.ddr else ("clock", "data")

    def _describe_chip(self, chip: int, document: Mapping[str, Any]) -> Document:
        cut, label = self._cut, self._cut.design.network.label
        return {
            "name": chip_name(chip),
            "top": self.chip_top(chip),
            "clock": "clk",
            "reset": "rst",
            "nodes": [label(node) for node in cut.division.members[chip]],
            "files": [normpath(f"{FOLDER}/{path}") for path in self._paths(chip)],
            "links": [
                {
                    "to": (other := chip_name(channel.chips[1])),
                    "sends": [link.name for link in channel.goes],
                    "takes": [link.name for link in channel.comes],
                    **{
                        way: {pin: f"{name.format(other)}__{pin}" for pin in pins}
                        for way, name, pins in (
                            ("tx", PINS_OUT, self._pins_out),
                            ("rx", PINS_IN, ("clock", "data")),
                        )
                    },
                    "down": DOWN.format(other),
                    "faulty": FAULTY.format(other),
                }
                for channel in cut.channels_of(chip)
            ],
            **({"alarms": self._held(chip, document).describe()} if self._holds else {}),
        }


def wire_module(name: str, *, ddr: bool) -> Module:
    """Pins of one direction between two chips, to simulate."""
    return Module(name, (_DDR_WIRE if ddr else _WIRE).format(name=name, lots=_LOTS))


def clocks_that_differ(chips: int) -> str:
    """Declares ``clocks``, one for each chip, which misses ``SLOWER`` cycles of ``clk``.

    With ``STEADY`` every second chip misses none.
    """
    return _CLOCKS.format(chips=chips, last=chips - 1, lots=_LOTS)


def write_wires(cut: Cut, wire: str, clock: Callable[[int], str]) -> Iterator[str]:
    """An instance of a wire for each direction between two chips, of which the clocks are given.

    The module around them says what ``WRONG_BITS`` and ``DELAY`` are.
    """
    ways = [way.chips for channel in cut.channels for way in channel.both]
    for number, way in enumerate(ways, start=1):
        here, there = map(chip_name, way)
        given = {
            "PINS": str(cut.pins),
            "WRONG_BITS": "WRONG_BITS",
            "DELAY": "DELAY",
            "SEED": f"{number * 2_654_435_761 % 2**32}",
        }
        ends = {
            "clk": clock(way[0]),
            "i_clock": f"{here}__{PINS_OUT.format(there)}__clock",
            "i_data": f"{here}__{PINS_OUT.format(there)}__data",
            "o_clock": f"{there}__{PINS_IN.format(here)}__clock",
            "o_data": f"{there}__{PINS_IN.format(here)}__data",
        }
        if cut.ddr:
            # Both ways in which cells can give bits.
            given["APART"] = str(number % 2)
            del ends["i_clock"]
        chosen = ", ".join(f".{name}({value})" for name, value in given.items())
        yield ""
        yield from write_instance(f"{wire} #({chosen})", f"wire_{here}_{there}", ends)


def is_pin(port: Port) -> bool:
    """Whether a port of a link is one of its pins, each a signal of several."""
    return port.field != port.name


def _of_chip(chip: int, port: Port) -> Port:
    """A port of a chip's link, as it is called beside those of other chips."""
    return replace(port, name=f"{chip_name(chip)}__{port.name}")


def _with_parameters(name: str, parameters: str, ports: Sequence[Port]) -> Iterator[str]:
    """The head of a module with parameters."""
    yield from write_module(f"{name} #({parameters})", (port.declared for port in ports))
