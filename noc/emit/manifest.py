"""``manifest.json``: what a script needs to know of the emitted network."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from noc import __version__
from noc.design import AnyDesign, Design, OrderedDesign, sources_told
from noc.emit.arcs import list_arcs
from noc.emit.operations import describe_alarms, describe_group, describe_operations, describe_waits
from noc.emit.verilog import Port, network_ports, node_module, top_name, top_ports
from noc.hardware import Assembly, assemble
from noc.hardware.assembly import tree_link_name
from noc.hardware.router import inject_fields
from noc.networks import FAMILIES
from noc.programs.operators import OPERATORS
from noc.trees import ALGORITHMS
from noc.trees.tree import NO_PARENT

__all__ = [
    "CONTRACTS",
    "INJECT_CYCLES",
    "build_manifest",
    "labels_of_signals",
    "list_stream_fields",
    "list_streams",
    "place_fields",
]

#: The number of the contract that each fabric keeps cycle by cycle, docs/router.md and
#: docs/ordered.md. It changes where a cycle does: models then verify older Verilog no more.
CONTRACTS = {"direct": 1, "ordered": 1}

# Counted by docs/router.md: acceptance at inject to the source's links.
INJECT_CYCLES = 1

Document = dict[str, Any]


def build_manifest(design: AnyDesign, files: list[str], name: str | None = None) -> Document:
    """What lies in the folder, and the names of all signals that a test bench touches.

    Parameters
    ----------
    design : Design or OrderedDesign
        The network.
    files : list of str
        The files of the folder.
    name : str, optional
        The name of the top module, as :func:`noc.emit.verilog.top_name` takes it.
    """
    fabric = "ordered" if isinstance(design, OrderedDesign) else "direct"
    assembly = assemble(design)
    streams = list_streams(design)
    return {
        "generator": f"arbornoc {__version__}",
        "contract": CONTRACTS[fabric],
        "fabric": fabric,
        "network": design.network.spec,
        "algorithm": design.program.algorithm,
        "sources": sources_told(design),
        "top": top_name(design, name),
        "clock": "clk",
        "reset": "rst",
        "width": design.width,
        "queue": design.config.queue,
        **(_ordered_facts(design) if isinstance(design, OrderedDesign) else _direct_facts(design)),
        **_plugins(design),
        "files": files,
        "program": "program.json",
        "certificate": _certificate(design),
        "nodes": _nodes(design, assembly, name),
        "links": streams,
        "arcs": list_arcs(design.network, streams),
    }


def list_streams(design: AnyDesign) -> list[Document]:
    """The streams between the nodes of the network."""
    return _ordered_links(design) if isinstance(design, OrderedDesign) else _links(design)


def _plugins(design: AnyDesign) -> Document:
    """The files of the user's own code without which the names above mean nothing."""
    names = [
        FAMILIES.plugin_of(design.network.family),
        ALGORITHMS.plugin_of(design.program.algorithm),
    ]
    names += [OPERATORS.plugin_of(each.operator) for each in design.operations.listed]
    files = sorted({Path(name).name for name in names if name is not None})
    return {"plugins": files} if files else {}


def _direct_facts(design: Design) -> Document:
    config = design.config
    return {
        "ports": design.program.ports,
        "hop_cycles": 1 + config.link_registers,
        "link_registers": config.link_registers,
        "rom": config.rom,
        "inject_cycles": INJECT_CYCLES,
        "eject_cycles": config.eject_cycles,
        **{port.name: port.name for port in network_ports(design)},
        "vcs": 1,
    }


def _ordered_facts(design: OrderedDesign) -> Document:
    program, config = design.program, design.config
    net = program.network
    facts: Document = {
        "root": net.label(program.root),
        "hop_cycles": 1 + config.link_registers,
        "link_registers": config.link_registers,
        "vcs": 1,
        "source_numbers": config.source_numbers,
        "own_words": "returned" if config.own_words else "dropped",
    }
    facts |= describe_operations(design)
    if config.registers_of:
        facts["registers_of_links"] = [
            {"from": net.label(sender), "to": net.label(receiver), "registers": count}
            for (sender, receiver), count in sorted(config.registers_of.items())
        ]
    return facts


def _certificate(design: AnyDesign) -> list[list[int]] | None:
    """For each node a rank for each of its buffers that falls along every dependency.

    For the way up and for the way down; one sender at a time needs none.
    """
    if not isinstance(design, OrderedDesign):
        return None
    program = design.program
    height = program.down.height
    up = program.up_depth.tolist()
    down = program.down.depth.tolist()
    order = np.argsort(program.numbers)
    return [[height + 1 + up[node], height - down[node]] for node in order]


def _nodes(design: AnyDesign, assembly: Assembly, name: str | None) -> list[Document]:
    result = []
    for node, ports in enumerate(top_ports(design)):
        entry: Document = {
            "label": design.network.label(node),
            "router": node_module(design, assembly, node, name),
        }
        if isinstance(design, OrderedDesign):
            up = int(design.program.up[node])
            entry |= {"up": up} if up >= 0 else {}
            entry["down"] = int(design.program.down_cycles[node])
            entry |= describe_waits(design.program, node)
            entry |= describe_alarms(design, assembly, node)
        else:
            trees = design.program.table_of(node).trees
            entry |= {"trees": trees, "tree_bits": max(0, trees - 1).bit_length()}
        for side in assembly.sides(node):
            signals = _signals([port for port in ports if port.name.startswith(side)])
            entry[side] = signals | {"fields": list_stream_fields(design, node, side)}
        result.append(entry)
    if isinstance(design, OrderedDesign):
        # In the order of the numbers by which words name them.
        return [result[node] for node in np.argsort(design.program.numbers)]
    return result


def labels_of_signals(manifest: Document) -> dict[str, str]:
    """The label of its node by each signal of one that a manifest names, endpoints' ones too."""
    ends = manifest.get("axis") or manifest.get("node_clocks") or {"nodes": []}
    return {
        name: node["label"]
        for node in (*manifest["nodes"], *ends["nodes"])
        for stream in node.values()
        if isinstance(stream, dict)
        for name in stream.values()
        if isinstance(name, str)
    }


def list_stream_fields(design: AnyDesign, node: int, side: str) -> list[Document]:
    """What lies in the payload of a stream, from the lowest bit up."""
    if isinstance(design, OrderedDesign):
        words = design.words
        fields = [*(words.inject if side == "inject" else words.eject).items()]
    elif side == "inject":
        fields = inject_fields(design.program.table_of(node).trees, design.width)
    else:
        fields = [("data", design.width)]
    return place_fields(fields)


def place_fields(fields: list[tuple[str, int]]) -> list[Document]:
    """Fields one above the other; those of no bits are left out."""
    first, result = 0, []
    for name, bits in fields:
        if bits:
            result.append({"name": name, "first": first, "bits": bits})
        first += bits
    return result


def _signals(ports: list[Port]) -> dict[str, Any]:
    """The names of a stream's signals by what they are."""
    return {port.name.rpartition("__")[2]: port.name for port in ports}


def _wires(name: str) -> dict[str, str]:
    return {signal: f"{name}__{signal}" for signal in ("valid", "ready", "payload")}


def _links(design: Design) -> list[Document]:
    program, net = design.program, design.network
    joined = assemble(design).links
    return [
        {
            "from": net.label(node),
            "to": net.label(there),
            "out_port": net.out_ports[port],
            "in_port": net.in_ports[arrival],
            "code_bits": program.table_of(there).header_bits,
            **_wires(link.name),
            "fields": place_fields(
                [("code", program.table_of(there).header_bits), ("data", design.width)]
            ),
        }
        for link, (node, port, there, arrival) in zip(joined, program.links(), strict=True)
    ]


def _ordered_links(design: OrderedDesign) -> list[Document]:
    """The links by which words climb, and come down; one link may stand for both."""
    program, net = design.program, design.network
    names = assemble(design).names
    result = []
    for node, name in enumerate(names):
        if program.plan_of(node).climbs:
            above, port = int(program.up_parent[node]), int(program.up_port[node])
            carries, registers = "up", program.up_registers[node]
            result.append((node, port, above, carries, registers, tree_link_name("up", name)))
        above = int(program.down.parent[node])
        if above != NO_PARENT:
            port, registers = int(program.down.port[node]), program.down_registers[node]
            result.append((above, port, node, "down", registers, tree_link_name("down", name)))
    words = design.words
    return [
        {
            "from": net.label(sender),
            "to": net.label(receiver),
            "out_port": net.out_ports[port],
            "in_port": net.in_ports[int(net.arrival[sender, port])],
            "carries": carries,
            "registers": registers,
            **_wires(name),
            "fields": place_fields([*words.inside.items()]),
        }
        for sender, port, receiver, carries, registers, name in result
    ] + [*_join_links(design, names)]


def _join_links(design: OrderedDesign, names: Sequence[str]) -> Iterator[Document]:
    """The links by which words climb that are joined."""
    program, net = design.program, design.network
    for joins in program.joins:
        fields = place_fields([*design.words.join(joins.group).items()])
        for node in (child for children in joins.children for child in children):
            above, port = int(program.up_parent[node]), int(program.up_port[node])
            wires = _wires(tree_link_name(f"join_{joins.group}", names[node]))
            if not fields:
                # A word without any field is nothing but a transfer.
                del wires["payload"]
            yield {
                "from": net.label(node),
                "to": net.label(above),
                "out_port": net.out_ports[port],
                "in_port": net.in_ports[int(net.arrival[node, port])],
                "carries": "join",
                "group": describe_group(design, joins.group),
                "registers": program.up_registers[node],
                **wires,
                "fields": fields,
            }
