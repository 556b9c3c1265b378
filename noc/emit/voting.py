"""Flip-flops in three copies each, with a vote: of a module in the format of Yosys."""

import re
from collections.abc import Iterator

from noc.errors import InputError, option

#: A register in three copies, as Verilog. Where it takes something, all take the same, so that one
#: that has changed its value is right again. Tools must not merge the copies: Yosys and Vivado
#: leave their modules apart, and the attributes of the register are for others.
_VOTED = """
module {name} (clk, take, d, q);
  parameter WIDTH = 1;
  parameter [WIDTH - 1:0] INIT = 0;
  input clk;
  input take;
  input [WIDTH - 1:0] d;
  output [WIDTH - 1:0] q;
  wire [WIDTH - 1:0] a, b, c;
  {name}_copy #(.WIDTH(WIDTH), .INIT(INIT)) copy_0 (.clk(clk), .take(take), .d(d), .q(a));
  {name}_copy #(.WIDTH(WIDTH), .INIT(INIT)) copy_1 (.clk(clk), .take(take), .d(d), .q(b));
  {name}_copy #(.WIDTH(WIDTH), .INIT(INIT)) copy_2 (.clk(clk), .take(take), .d(d), .q(c));
  assign q = (a & b) | (a & c) | (b & c);
endmodule

(* keep_hierarchy = "yes" *)
module {name}_copy (clk, take, d, q);
  parameter WIDTH = 1;
  parameter [WIDTH - 1:0] INIT = 0;
  input clk;
  input take;
  input [WIDTH - 1:0] d;
  output [WIDTH - 1:0] q;
  (* dont_touch = "true", preserve = 1, syn_preserve = 1 *)
  reg [WIDTH - 1:0] q = INIT;
  always @(posedge clk) if (take) q <= d;
endmodule
"""

#: Wider registers hold what they have by themselves, with the clock enable that flip-flops have: to
#: take again what was voted for would be a table a bit. Others heal with every clock edge.
_NARROW = 8

_ALWAYS = "1'1"

_CELL = re.compile(r"  cell \$dff \S+\n((?:    .*\n)*)  end\n")

_INIT = re.compile(r"  attribute \\init (\S+)\n(?=  wire width \d+ (?:\w+ +)*(\\?\S+)\n)")

#: What holds words, or a row of a table, and is no flip-flop.
_MEMORY = re.compile(r"^  cell \$memwr|^    parameter \\CLK_ENABLE 1", re.MULTILINE)

#: Registers that Amaranth writes only for parts of a user's own: with another reset or clock edge.
_OTHER = re.compile(r"^  cell \$(?:adff|\w*latch)|^    parameter \\CLK_POLARITY 0", re.MULTILINE)

_PROCESS = re.compile(r"  process \S+\n(?:    .*\n)*  end\n")


def voted_module(name: str) -> str:
    """The Verilog of a register in three copies."""
    return _VOTED.format(name=name)


def triple(rtlil: str, name: str) -> str:
    """A design in the format of Yosys with each register an instance of the module of this name."""
    head, *modules = re.split(r"^(?=module )", rtlil, flags=re.MULTILINE)
    return head + "".join(_triple_module(module, name) for module in modules)


def _triple_module(module: str, name: str) -> str:
    if _MEMORY.search(module):
        raise InputError(
            f"{option('protect', 'tmr')}: what lies in memories has no copies: no queues, groups "
            f"whose words wait, slices of words, {option('rom', 'block')} "
            f"and {option('rom', 'writable')}"
        )
    if _OTHER.search(module):
        raise InputError(
            f"{option('protect', 'tmr')}: a register with an asynchronous reset, or that waits for "
            "the falling edge of its clock, has no copies"
        )
    registers = [_pins(match[1]) for match in _CELL.finditer(module)]
    known = {pins["Q"] for pins in registers}
    begins = {match[2]: match[1] for match in _INIT.finditer(module)}
    module = _INIT.sub(lambda match: "" if match[2] in known else match[0], module)
    take = {}
    for pins in registers:
        if int(pins["WIDTH"]) >= _NARROW:
            module, take[pins["Q"]] = _watch(module, pins)

    def instance(match: "re.Match[str]") -> str:
        pins = _pins(match[1])
        own = pins["Q"]
        return "".join(_instance(pins, name, begins[own], take.get(own, _ALWAYS)))

    return _CELL.sub(instance, module)


def _pins(lines: str) -> dict[str, str]:
    """The parameters and connections of a cell."""
    parts = (line.split(maxsplit=2) for line in lines.splitlines())
    return {pin.removeprefix("\\"): value for _, pin, value in parts}


def _watch(module: str, pins: dict[str, str]) -> tuple[str, str]:
    """A module with a wire that says when a register takes something, and that wire.

    What a register takes is assigned in one process, which begins with what it has.
    """
    last = int(pins["WIDTH"]) - 1
    target, own = pins["D"], f"{pins['Q']} [{last}:0]"
    take = f"{pins['Q']}$take"
    for match in _PROCESS.finditer(module):
        process = match[0]
        if f"\n    assign {target} {own}\n" not in process:
            continue
        assigned = re.findall(r"assign (\S+ \[\S+\]) ", process)
        if set(assigned) != {target}:
            break

        def beside(line: "re.Match[str]") -> str:
            if line[2] != own:
                return f"{line[0]}{line[1]}assign {take} 1'1\n"
            # What is not taken may be anything.
            nothing = f"{line[1]}assign {target} {last + 1}'{'x' * (last + 1)}\n"
            return f"{nothing}{line[1]}assign {take} 1'0\n"

        pattern = rf"^( +)assign {re.escape(target)} (.*)\n"
        told = re.sub(pattern, beside, process, flags=re.MULTILINE)
        return module.replace(process, f"  wire width 1 {take}\n\n{told}"), take
    return module, _ALWAYS


def _instance(pins: dict[str, str], name: str, begins: str, take: str) -> Iterator[str]:
    """The lines of an instance in place of a flip-flop."""
    yield f"  cell \\{name} {pins['Q']}$voted\n"
    yield f"    parameter \\WIDTH {pins['WIDTH']}\n"
    yield f"    parameter \\INIT {begins}\n"
    yield f"    connect \\clk {pins['CLK']}\n"
    yield f"    connect \\take {take}\n"
    yield f"    connect \\d {pins['D']}\n"
    yield f"    connect \\q {pins['Q']}\n"
    yield "  end\n"
