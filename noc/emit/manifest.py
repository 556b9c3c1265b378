"""``manifest.json`` and ``program.json``: what a script needs to know of the emitted network."""

from typing import Any

from noc import __version__
from noc.design import Design
from noc.emit.verilog import Port, link_wire, router_name, top_name, top_ports
from noc.hardware import node_names
from noc.programs.table import RouterTable

__all__ = ["INJECT_CYCLES", "manifest", "program_document"]

# Counted by docs/router.md: acceptance at inject to the source's links.
INJECT_CYCLES = 1


def manifest(design: Design, files: list[str], name: str | None = None) -> dict[str, Any]:
    """What lies in the folder, and the names of all signals that a test bench touches.

    Parameters
    ----------
    design : Design
        The network.
    files : list of str
        The files of the folder.
    name : str, optional
        The name of the top module, as :func:`noc.emit.verilog.top_name` takes it.
    """
    fabric, net = design.fabric, design.network
    return {
        "generator": f"arbornoc {__version__}",
        "network": net.spec,
        "algorithm": fabric.program.algorithm,
        "ports": fabric.program.ports,
        "sources": design.sources,
        "top": top_name(fabric, name),
        "clock": "clk",
        "reset": "rst",
        "width": design.width,
        "hop_cycles": fabric.form.hop_cycles,
        "rom": fabric.form.rom,
        "queue": fabric.form.queue,
        "inject_cycles": INJECT_CYCLES,
        "eject_cycles": fabric.form.eject_cycles,
        "classes": fabric.classes.count,
        "class_method": fabric.classes.method,
        "files": files,
        "program": "program.json",
        "certificate": _certificate(design),
        "nodes": _nodes(design, name),
        "links": _links(design),
    }


def _certificate(design: Design) -> list[list[int]] | None:
    """The level of each place: a row for each node, an entry for each class."""
    if design.level is None:
        return None
    table: list[list[int]] = design.level.reshape(design.network.nodes, -1).tolist()
    return table


def _nodes(design: Design, name: str | None) -> list[dict[str, Any]]:
    fabric = design.fabric
    result = []
    for node, ports in enumerate(top_ports(fabric, width=design.width)):
        entry: dict[str, Any] = {
            "label": fabric.program.network.label(node),
            "router": router_name(fabric, int(fabric.table[node]), name),
            "trees": fabric.table_of(node).trees,
            "tree_bits": max(0, fabric.table_of(node).trees - 1).bit_length(),
        }
        for side in ("inject", "eject"):
            entry[side] = _stream([port for port in ports if port.name.startswith(side)])
        result.append(entry)
    return result


def _stream(ports: list[Port]) -> dict[str, str] | None:
    """The names of a stream's signals by what they are, or None where there is no stream."""
    return {port.name.rpartition("__")[2]: port.name for port in ports} or None


def _links(design: Design) -> list[dict[str, Any]]:
    fabric, net = design.fabric, design.network
    names = node_names(net)
    return [
        {
            "from": net.label(node),
            "to": net.label(there),
            "out_port": net.out_ports[port],
            "in_port": net.in_ports[arrival],
            "code_bits": fabric.table_of(there).header_bits,
            **{
                signal: link_wire(names[node], port, signal)
                for signal in ("valid", "ready", "payload")
            },
        }
        for node, port, there, arrival in fabric.links()
    ]


def program_document(design: Design, name: str | None = None) -> dict[str, Any]:
    """The tables of every router module, as the hardware has them."""
    fabric = design.fabric
    return {
        "network": design.network.spec,
        "algorithm": fabric.program.algorithm,
        "ports": fabric.program.ports,
        "classes": fabric.classes.count,
        "routers": {
            router_name(fabric, number, name): _table(design, table)
            for number, table in enumerate(fabric.tables)
        },
    }


def _table(design: Design, table: RouterTable) -> dict[str, Any]:
    net = design.network
    return {
        "code_bits": table.code_bits,
        "own_codes": [entry.code for entry in table.own],
        "in_ports": {net.in_ports[port.number]: list(port.codes) for port in table.in_ports},
        "codes": [
            {
                "code": entry.code,
                "deliver": entry.deliver,
                "class": entry.class_,
                "sends": [{"port": net.out_ports[port], "code": far} for port, far in entry.sends],
            }
            for entry in table.entries
        ],
    }
