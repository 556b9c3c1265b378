"""Verilog, hierarchical: each different router once, and a top that only wires."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

from amaranth.back import verilog
from amaranth.hdl import Shape
from amaranth.lib import wiring

from noc.hardware import Router, node_names
from noc.hardware.router import router_signature
from noc.programs.table import Fabric

__all__ = [
    "Module",
    "Port",
    "convert",
    "link_wire",
    "modules",
    "router_name",
    "router_ports",
    "top_name",
    "top_ports",
]


# The members of a router that are streams of its node, not links.
SIDES = ("inject", "eject")

# Names that Amaranth and Yosys made up begin with a dollar sign.
UNNAMED = re.compile(r"\\\$(\S+) ")

# Yosys wakes each ``always @*`` at the start with a register that gets its value then. To
# SystemVerilog an initial value in the declaration is no event: blocks of which no input ever
# changes would stay undefined in Icarus.
WAKE = "auto$verilog_backend.cc:"
TRIGGER = re.compile(r"( reg (_wake_\d+_)) = 0;")


@dataclass(frozen=True)
class Module:
    """One Verilog module: its name and its text."""

    name: str
    text: str


@dataclass(frozen=True)
class Port:
    """One port of a module: name, direction, bits; a port of 0 bits is left out."""

    name: str
    output: bool
    bits: int

    @property
    def span(self) -> str:
        """The range, as it stands before a name."""
        return f"[{self.bits - 1}:0] " if self.bits > 1 else ""


def top_name(fabric: Fabric) -> str:
    """The name of the top module, from the spelling of the network."""
    return "noc_" + re.sub(r"\W+", "_", fabric.program.network.spec, flags=re.ASCII).strip("_")


def router_name(fabric: Fabric, number: int) -> str:
    """The name of a router module."""
    name = f"{top_name(fabric)}_router"
    return f"{name}_{number}" if len(fabric.tables) > 1 else name


def modules(fabric: Fabric, *, width: int) -> list[Module]:
    """The top module first, then each different router."""
    return [Module(top_name(fabric), _top(fabric, width))] + [
        convert(Router(table, width=width), router_name(fabric, number))
        for number, table in enumerate(fabric.tables)
    ]


def convert(component: Any, name: str) -> Module:
    """The Verilog of a component, the same whatever tools are installed."""
    # The Yosys that comes with Amaranth: the text must not depend on what is installed.
    with mock.patch.dict(os.environ, {"AMARANTH_USE_YOSYS": "builtin"}):
        text = verilog.convert(component, name=name, emit_src=False)
    # The first line names the tool version.
    text = UNNAMED.sub(_plain, text.partition("\n")[2])
    return Module(name, TRIGGER.sub(r"\1; initial \2 = 0;", text))


def _plain(unnamed: re.Match[str]) -> str:
    """A name that needs no escape; simulators leave out what begins with an underscore."""
    made_up = unnamed[1]
    if made_up.startswith(WAKE):
        return f"_wake_{made_up.rpartition('$')[2]}_"
    return f"_{re.sub(r'[^A-Za-z0-9]+', '_', made_up)}_"


def router_ports(signature: wiring.Signature) -> Iterator[tuple[str, Port]]:
    """Every port of a router but clock and reset, with the member that it belongs to."""
    for path, found, _ in signature.flatten(signature.create()):
        # The stubs call it a flow; it is a member.
        member: Any = found
        bits = Shape.cast(member.shape).width
        if bits:
            yield str(path[0]), Port("__".join(map(str, path)), member.flow == wiring.Out, bits)


def top_ports(fabric: Fabric, *, width: int) -> list[list[Port]]:
    """For each node the ports of its streams, as the top module has them."""
    result: list[list[Port]] = []
    streams = [
        [entry for entry in router_ports(router_signature(table, width=width)) if entry[0] in SIDES]
        for table in fabric.tables
    ]
    for node, name in enumerate(node_names(fabric.program.network)):
        result.append(
            [
                Port(port.name.replace(side, f"{side}_{name}", 1), port.output, port.bits)
                for side, port in streams[fabric.table[node]]
            ]
        )
    return result


def _top(fabric: Fabric, width: int) -> str:
    """The text of the top module."""
    ports = [port for node in top_ports(fabric, width=width) for port in node]
    lines = [f"module {top_name(fabric)} (", "  input clk,", "  input rst,"]
    lines += [f"  {'output' if port.output else 'input'} {port.span}{port.name}," for port in ports]
    lines[-1] = lines[-1].rstrip(",")
    lines.append(");")
    lines += _wires(fabric, width)
    lines += _instances(fabric, width)
    return "\n".join([*lines, "endmodule", ""])


def _wires(fabric: Fabric, width: int) -> list[str]:
    names = node_names(fabric.program.network)
    signatures = [router_signature(table, width=width) for table in fabric.tables]
    by_member: list[dict[str, list[Port]]] = []
    for signature in signatures:
        members: dict[str, list[Port]] = {}
        for member, port in router_ports(signature):
            members.setdefault(member, []).append(port)
        by_member.append(members)
    return [
        f"  wire {port.span}{link_wire(names[node], out_port, port.name.partition('__')[2])};"
        for node, out_port, _, _ in fabric.links()
        for port in by_member[fabric.table[node]][f"out_{out_port}"]
    ]


def link_wire(name: str, out_port: int, signal: str) -> str:
    """The wire of a link: named after the node and the out-port that drive it."""
    return f"link_{name}_{out_port}__{signal}"


def _instances(fabric: Fabric, width: int) -> Iterator[str]:
    names = node_names(fabric.program.network)
    driver = {(there, arrival): (node, port) for node, port, there, arrival in fabric.links()}
    listed = [list(router_ports(router_signature(table, width=width))) for table in fabric.tables]
    for node, name in enumerate(names):
        yield ""
        yield f"  // node {fabric.program.network.label(node)}"
        yield f"  {router_name(fabric, int(fabric.table[node]))} node_{name} ("
        yield "    .clk(clk),"
        connections = []
        for member, port in listed[fabric.table[node]]:
            side, _, number = member.partition("_")
            signal = port.name.partition("__")[2]
            if side == "in":
                sender, out_port = driver[node, int(number)]
                wire = link_wire(names[sender], out_port, signal)
            elif side == "out":
                wire = link_wire(name, int(number), signal)
            else:
                wire = port.name.replace(side, f"{side}_{name}", 1)
            connections.append(f"    .{port.name}({wire}),")
        yield from connections
        yield "    .rst(rst)"
        yield "  );"
