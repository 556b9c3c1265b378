"""``manifest.json``: what a script needs to know of the emitted network."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from noc import __version__
from noc.design import AnyDesign, Design, OrderedDesign, sources_told
from noc.emit.arcs import list_arcs
from noc.emit.operations import describe_alarms, describe_operations, describe_waits
from noc.emit.streams import Field, Link, Wires, link_form, node_entry_form, place_fields
from noc.emit.verilog import network_ports, node_module, top_name, top_ports
from noc.hardware import Assembly, assemble
from noc.hardware.router import inject_fields
from noc.networks import FAMILIES
from noc.programs.forms import ROUTER_CONFIG, ordered_config_form
from noc.programs.operators import OPERATORS
from noc.trees import ALGORITHMS

__all__ = [
    "CONTRACTS",
    "INJECT_CYCLES",
    "build_manifest",
    "in_order",
    "labels_of_signals",
    "list_links",
    "list_stream_fields",
    "list_streams",
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
    config = ROUTER_CONFIG.write(design.config)
    return {
        "ports": design.program.ports,
        "hop_cycles": 1 + design.config.link_registers,
        "link_registers": config["link_registers"],
        "rom": config["rom"],
        "inject_cycles": INJECT_CYCLES,
        "eject_cycles": design.config.eject_cycles,
        **{port.name: port.name for port in network_ports(design)},
        "vcs": 1,
        **config,
    }


def _ordered_facts(design: OrderedDesign) -> Document:
    program, net = design.program, design.network
    config = ordered_config_form(net, program.operations).write(design.config)
    # What else the configuration says comes last.
    return {
        "root": net.label(program.root),
        "hop_cycles": 1 + design.config.link_registers,
        "link_registers": config["link_registers"],
        "vcs": 1,
        "source_numbers": config["source_numbers"],
        "own_words": config["own_words"],
        **describe_operations(design),
        **config,
    }


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
    return [[height + 1 + up[node], height - down[node]] for node in in_order(design)]


def _nodes(design: AnyDesign, assembly: Assembly, name: str | None) -> list[Document]:
    form, result = node_entry_form(design.network), []
    for node, ports in enumerate(top_ports(design)):
        entry: Document = {"label": node, "router": node_module(design, assembly, node, name)}
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
            names = [port.name for port in ports if port.name.startswith(side)]
            signals = {name.rpartition("__")[2]: name for name in names}
            entry[side] = Wires(**signals, fields=list_stream_fields(design, node, side))
        result.append(form.write(entry))
    # In the order of the numbers by which words name them.
    return [result[node] for node in in_order(design)]


def in_order(design: AnyDesign) -> list[int]:
    """The nodes by the numbers by which words name them."""
    if isinstance(design, OrderedDesign):
        return [*np.argsort(design.program.numbers).tolist()]
    return [*range(design.network.nodes)]


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


def list_stream_fields(design: AnyDesign, node: int, side: str) -> tuple[Field, ...]:
    """What lies in the payload of a stream, from the lowest bit up."""
    if isinstance(design, OrderedDesign):
        words = design.words
        return place_fields((words.inject if side == "inject" else words.eject).items())
    if side == "inject":
        return place_fields(inject_fields(design.program.table_of(node).trees, design.width))
    return place_fields([("data", design.width)])


def list_links(design: AnyDesign) -> list[Link]:
    """The streams between the nodes of the network, with their fields and signals."""
    names = assemble(design).names
    if not isinstance(design, OrderedDesign):
        return [*_direct_links(design)]
    words, result = design.words, []
    for lane in design.program.lanes:
        fields = words.inside if lane.group is None else words.join(lane.group)
        wires = _wires(lane.name(names), fields)
        result.append(Link(*wires, **vars(lane)))
    return result


def _direct_links(design: Design) -> Iterator[Link]:
    program = design.program
    for link, ends in zip(assemble(design).links, program.links(), strict=True):
        sender, port, receiver, arrival = ends
        bits = program.table_of(receiver).header_bits
        wires = _wires(link.name, {"code": bits, "data": design.width})
        yield Link(*wires, sender, receiver, port, arrival, code_bits=bits)


def _wires(name: str, fields: Mapping[str, int]) -> tuple[str, str, str, tuple[Field, ...]]:
    """The signals of a stream and its fields; without a field there is no payload."""
    placed = place_fields(fields.items())
    return f"{name}__valid", f"{name}__ready", f"{name}__payload" if placed else "", placed


def list_streams(design: AnyDesign) -> list[Document]:
    """The streams between the nodes of the network, as the manifest has them."""
    form = link_form(design.network, design.operations)
    return [form.write(link) for link in list_links(design)]
