"""Verilog, hierarchical: each different router once, and a top that only wires."""

import hashlib
import re
from collections.abc import Iterator

from noc.emit.module import CLOCKED, Module, Port, converted, instance, ports_of
from noc.emit.names import LONGEST
from noc.hardware import Router, node_names
from noc.hardware.router import router_signature
from noc.programs.table import Fabric

__all__ = [
    "Module",
    "Port",
    "link_wire",
    "modules",
    "router_name",
    "top_name",
    "top_ports",
]


# The members of a router that are streams of its node, not links.
SIDES = ("inject", "eject")


def top_name(fabric: Fabric, name: str | None = None) -> str:
    """The name of the top module, with which all others begin: as given, or else from the network.

    Where that is spelled too long for files, it ends in a number instead.
    """
    if name is not None:
        return name
    spec = fabric.program.network.spec
    spelled = "noc_" + re.sub(r"\W+", "_", spec, flags=re.ASCII).strip("_")
    if len(spelled) <= LONGEST:
        return spelled
    return f"{spelled[:LONGEST]}_{hashlib.sha256(spec.encode()).hexdigest()[:8]}"


def router_name(fabric: Fabric, number: int, name: str | None = None) -> str:
    """The name of a router module, where the top has a name, as :func:`top_name` takes it."""
    router = f"{top_name(fabric, name)}_router"
    return f"{router}_{number}" if len(fabric.tables) > 1 else router


def modules(fabric: Fabric, *, width: int, name: str | None = None) -> list[Module]:
    """The top module first, then each different router."""
    return [Module(top_name(fabric, name), _top(fabric, width, name))] + [
        converted(Router(table, width=width, form=fabric.form), router_name(fabric, number, name))
        for number, table in enumerate(fabric.tables)
    ]


def top_ports(fabric: Fabric, *, width: int) -> list[list[Port]]:
    """For each node the ports of its streams, as the top module has them."""
    result: list[list[Port]] = []
    streams = [
        [entry for entry in ports_of(router_signature(table, width=width)) if entry[0] in SIDES]
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


def _top(fabric: Fabric, width: int, name: str | None) -> str:
    """The text of the top module."""
    ports = [port for node in top_ports(fabric, width=width) for port in node]
    lines = [f"module {top_name(fabric, name)} (", "  input clk,", "  input rst,"]
    lines += [f"  {'output' if port.output else 'input'} {port.span}{port.name}," for port in ports]
    lines[-1] = lines[-1].rstrip(",")
    lines.append(");")
    lines += _wires(fabric, width)
    lines += _instances(fabric, width, name)
    return "\n".join([*lines, "endmodule", ""])


def _wires(fabric: Fabric, width: int) -> list[str]:
    names = node_names(fabric.program.network)
    signatures = [router_signature(table, width=width) for table in fabric.tables]
    by_member: list[dict[str, list[Port]]] = []
    for signature in signatures:
        members: dict[str, list[Port]] = {}
        for member, port in ports_of(signature):
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


def _instances(fabric: Fabric, width: int, top: str | None) -> Iterator[str]:
    names = node_names(fabric.program.network)
    driver = {(there, arrival): (node, port) for node, port, there, arrival in fabric.links()}
    listed = [list(ports_of(router_signature(table, width=width))) for table in fabric.tables]
    for node, name in enumerate(names):
        yield ""
        yield f"  // node {fabric.program.network.label(node)}"
        wires = dict(CLOCKED)
        for member, port in listed[fabric.table[node]]:
            side, _, number = member.partition("_")
            signal = port.name.partition("__")[2]
            if side == "in":
                sender, out_port = driver[node, int(number)]
                wires[port.name] = link_wire(names[sender], out_port, signal)
            elif side == "out":
                wires[port.name] = link_wire(name, int(number), signal)
            else:
                wires[port.name] = port.name.replace(side, f"{side}_{name}", 1)
        router = router_name(fabric, int(fabric.table[node]), top)
        yield from instance(router, f"node_{name}", wires)
