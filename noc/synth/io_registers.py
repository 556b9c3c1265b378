"""IO registers: one at every port, so that the paths to and from the ports count."""

from collections.abc import Sequence

from noc.emit.module import CLOCKED, Module, Port, write_instance

__all__ = ["PINS", "with_io_registers"]

#: The ports that stay: all others are ports of registers, and those may be left open.
PINS = ("clk", "rst")


def with_io_registers(name: str, ports: Sequence[Port]) -> Module:
    """A module around another, with a register between each of its ports and the outside."""
    inside = {port.name: f"inner_{port.name}" for port in ports}
    lines = [f"module {name}_io (", "  input clk,", "  input rst,"]
    lines += [
        f"  {'output reg' if port.output else 'input'} {port.span}{port.name}," for port in ports
    ]
    lines[-1] = lines[-1].rstrip(",")
    lines.append(");")
    lines += [
        f"  {'wire' if port.output else 'reg'} {port.span}{inside[port.name]};" for port in ports
    ]
    lines.append("  always @(posedge clk) begin")
    for port in ports:
        to, source = port.name, inside[port.name]
        if not port.output:
            to, source = source, to
        lines.append(f"    {to} <= {source};")
    lines += ["  end", *write_instance(name, "inner", CLOCKED | inside), "endmodule", ""]
    return Module(f"{name}_io", "\n".join(lines))
