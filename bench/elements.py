"""Networks of rounds with something to do at each node, whose clock bench/extra.py measures."""

from collections.abc import Sequence

from noc.emit.module import CLOCKED, Module, Port, write_instance

#: An element at a node in rounds of words of 32 bits: what it has of the node, of each stream of
#: that, and what it gives. Words of a stream are turned in some phases, and added up in halves, so
#: that their bits have to do with each other.
ELEMENT = """  reg [2:0] now{n}; wire [2:0] phase{n}; wire ready{n};
  reg [31:0] give{n} = {n};
  always @(posedge clk) begin
    now{n} <= phase{n};
    if (ready{n}) give{n} <= {sums};
    told[{n}] <= ^give{n};
  end"""
ADDS = """  wire [31:0] word{s}; wire valid{s};
  reg [31:0] came{s}, turned{s}, sum{s} = 0; reg there{s} = 0, adds{s} = 0;
  always @(posedge clk) begin
    came{s} <= word{s}; there{s} <= valid{s}; adds{s} <= there{s};
    turned{s} <= now{n}[{lane}] ? {{came{s}[{low}:0], came{s}[31:{low} + 1]}} : came{s};
    if (adds{s}) begin
      sum{s}[15:0] <= sum{s}[15:0] + turned{s}[15:0];
      sum{s}[31:16] <= sum{s}[31:16] + turned{s}[31:16];
    end
  end"""


def with_elements(name: str, ports: Sequence[Port]) -> Module:
    """A network of rounds with an element at each node, in place of registers at its ports."""
    nodes = [port.name.removeprefix("phase_") for port in ports if port.name.startswith("phase_")]
    lines, wires = [], dict(CLOCKED)
    for n, node in enumerate(nodes):
        lanes = sum(port.name.startswith(f"eject_{node}__") for port in ports) // 2
        streams = [f"{n}_{lane}" for lane in range(lanes)]
        sums = " ^ ".join(f"sum{s}" for s in streams)
        lines.append(ELEMENT.format(n=n, sums=sums))
        for lane, s in enumerate(streams):
            lines.append(ADDS.format(n=n, s=s, lane=lane, low=5 + 8 * lane))
            wires[f"eject_{node}__{lane}__payload"] = f"word{s}"
            wires[f"eject_{node}__{lane}__valid"] = f"valid{s}"
        wires |= {
            f"phase_{node}": f"phase{n}",
            f"inject_{node}__payload": f"give{n}",
            f"inject_{node}__valid": "1'b1",
            f"inject_{node}__ready": f"ready{n}",
        }
    head = f"module {name}_io (input clk, input rst, output reg [{len(nodes) - 1}:0] told);"
    inner = write_instance(name, "inner", wires)
    return Module.of(f"{name}_io", [head, *lines, *inner, "endmodule"])
