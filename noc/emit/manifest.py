"""``manifest.json``: what a script needs to know of the emitted network."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from noc import __version__
from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.emit.streams import Field, Link, Wires, link_form, node_entry_form, place_fields
from noc.emit.verilog import node_module, node_ports, top_name
from noc.hardware import Assembly, assemble
from noc.networks import ABSENT, FAMILIES
from noc.programs.operators import OPERATORS
from noc.trees import ALGORITHMS

Document = dict[str, Any]


def build_manifest(design: AnyDesign, files: list[str], name: str | None = None) -> Document:
    """What lies in the folder, ``files`` and the names of all signals that a test bench touches.

    The top module may have a ``name`` of its own, as :func:`noc.emit.verilog.top_name` takes it.
    """
    describe, assembly = _describe(design), assemble(design)
    return {
        "generator": f"arbornoc {__version__}",
        "contract": describe.CONTRACT,
        "fabric": design.fabric,
        "network": design.network.spec,
        "algorithm": design.program.algorithm,
        "sources": design.named_sources,
        "top": top_name(design, name),
        "clock": "clk",
        "reset": "rst",
        "width": design.width,
        "queue": design.config.queue,
        **({"protect": design.protect} if design.protect != "none" else {}),
        **describe.facts(design),
        **_plugins(design),
        "files": files,
        "program": "program.json",
        "certificate": describe.certificate(design),
        "nodes": _nodes(design, assembly, name),
        "links": list_streams(design),
        "arcs": list_arcs(design),
    }


def _plugins(design: AnyDesign) -> Document:
    """The files of the user's own code without which the names above mean nothing."""
    names = [
        FAMILIES.plugin_of(design.network.family),
        ALGORITHMS.plugin_of(design.program.algorithm),
    ]
    names += [OPERATORS.plugin_of(operator) for operator in sorted(design.operators)]
    files = sorted({Path(name).name for name in names if name is not None})
    return {"plugins": files} if files else {}


def _nodes(design: AnyDesign, assembly: Assembly, name: str | None) -> list[Document]:
    form, result = node_entry_form(design.network), []
    for node, ports in enumerate(node_ports(assemble(design))):
        entry: Document = {"label": node, "router": node_module(design, assembly, node, name)}
        entry |= _describe(design).node_facts(design, assembly, node)
        for side in assembly.sides(node):
            signals: dict[str, dict[str, str]] = {}
            for port in (port for port in ports if port.name.startswith(side)):
                stream, _, signal = port.name.rpartition("__")
                signals.setdefault(stream, {"ready": ""})[signal] = port.name
            fields = list_stream_fields(design, side)
            streams = [Wires(**each, fields=fields) for each in signals.values()]
            lanes = design.lanes(node) if side == "eject" else design.inject_lanes(node)
            entry[side] = tuple(streams) if lanes else streams[0]
        result.append(form.write(entry))
    # In the order of the numbers by which words name them.
    return [result[node] for node in design.in_order]


def owners_of_signals(manifest: Document) -> dict[str, str]:
    """Its node by each signal of one that a manifest names, endpoints' ones too."""
    ends = manifest.get("axis") or manifest.get("node_clocks") or {"nodes": []}
    return {
        name: f"node {node['label']}"
        for node in (*manifest["nodes"], *ends["nodes"])
        for each in node.values()
        for stream in (each if isinstance(each, list) else [each])
        if isinstance(stream, dict)
        for name in stream.values()
        if isinstance(name, str)
    }


def list_stream_fields(design: AnyDesign, side: str) -> tuple[Field, ...]:
    """What lies in the payload of a stream, from the lowest bit up."""
    words = design.words
    return place_fields((words.inject if side == "inject" else words.eject).items())


def list_links(design: AnyDesign) -> list[Link]:
    """The streams between the nodes of the network, with their fields and signals."""
    links: list[Link] = _describe(design).links(design)
    return links


def _describe(design: AnyDesign) -> Any:
    """What its fabric says in the files of a folder."""
    return fabrics.module(design.fabric, "describe")


def list_streams(design: AnyDesign) -> list[Document]:
    """The streams between the nodes of the network, as the manifest has them."""
    return _written(design, list_links(design))


def _written(design: AnyDesign, links: Sequence[Link]) -> list[Document]:
    form = link_form(design.network, design.operations)
    return [form.write(link) for link in links]


def list_arcs(design: AnyDesign) -> list[Document]:
    """Each one-way link of a network, and its streams by the names of their signals.

    Beside those that the manifest lists under ``links`` they are the wires by which queues stop the
    root.
    """
    network, stops = design.network, _describe(design).stops(design)
    laid: dict[tuple[str, str], list[Document]] = {}
    for stream in _written(design, [*list_links(design), *stops]):
        named = {name: stream[name] for name in ("carries", "group", "valid") if name in stream}
        handshake = [name for name in ("valid", "ready") if name in stream]
        wires = len(handshake) + sum(field["bits"] for field in stream["fields"])
        laid.setdefault((stream["from"], stream["out_port"]), []).append(named | {"wires": wires})
    result = []
    for node, port in np.argwhere(network.neighbour != ABSENT).tolist():
        ends = {
            "from": network.label(node),
            "to": network.label(int(network.neighbour[node, port])),
            "out_port": network.out_ports[port],
            "in_port": network.in_ports[int(network.arrival[node, port])],
        }
        result.append({**ends, "streams": laid.get((ends["from"], ends["out_port"]), [])})
    return result


def count_streams(arcs: Sequence[Document]) -> Document:
    """How many streams and wires lie on one-way links, and which links have none."""
    wires = [sum(stream["wires"] for stream in arc["streams"]) for arc in arcs]
    counts = [len(arc["streams"]) for arc in arcs]
    return {
        "one_way_links": len(arcs),
        "streams": sum(counts),
        "most_streams": max(counts, default=0),
        "most_wires": max(wires, default=0),
        "without_streams": [
            {name: arc[name] for name in ("from", "to", "out_port", "in_port")}
            for arc, count in zip(arcs, counts, strict=True)
            if not count
        ],
    }
