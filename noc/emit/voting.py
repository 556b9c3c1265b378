"""Flip-flops in three copies each, with a vote: of a module in the format of Yosys."""

from noc.emit.registers import (
    CELL,
    COPY,
    find_registers,
    lead_pins,
    refuse,
    split,
    without_values,
)

#: A register in three copies, as Verilog. Where it takes something, all take the same, so that one
#: that has changed its value is right again. Tools must not merge the copies: Yosys and Vivado
#: leave their modules apart, and the attributes of the register are for others.
_VOTED = """
module {name} (clk, rst, take, d, q);
  parameter WIDTH = 1;
  parameter [WIDTH - 1:0] INIT = 0;
  input clk;
  input rst;
  input take;
  input [WIDTH - 1:0] d;
  output [WIDTH - 1:0] q;
  wire [WIDTH - 1:0] a, b, c;
  {name}_copy #(.WIDTH(WIDTH), .INIT(INIT)) copy_0 (
    .clk(clk), .rst(rst), .take(take), .d(d), .q(a)
  );
  {name}_copy #(.WIDTH(WIDTH), .INIT(INIT)) copy_1 (
    .clk(clk), .rst(rst), .take(take), .d(d), .q(b)
  );
  {name}_copy #(.WIDTH(WIDTH), .INIT(INIT)) copy_2 (
    .clk(clk), .rst(rst), .take(take), .d(d), .q(c)
  );
  assign q = (a & b) | (a & c) | (b & c);
endmodule
"""


def voted_module(name: str) -> str:
    """The Verilog of a register in three copies."""
    return (_VOTED + COPY).format(name=name)


def triple(rtlil: str, name: str) -> str:
    """A design in the format of Yosys with each register an instance of the module of this name."""
    head, modules = split(rtlil)
    return head + "".join(_triple_module(module, name) for module in modules)


def _triple_module(module: str, name: str) -> str:
    refuse(module, "tmr")
    registers = find_registers(module)
    module = without_values(module, registers)
    instances = []
    for register in registers:
        module, pins = lead_pins(module, register, holds=register.wide)
        instances.append(register.instance(name, "voted", **pins))
    written = iter(instances)
    return CELL.sub(lambda _: next(written), module)
