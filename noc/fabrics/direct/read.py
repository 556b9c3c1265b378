"""The program of the direct fabric, read back from the files of a folder."""

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

import numpy as np

from noc.design import Design
from noc.errors import CheckError, InputError
from noc.fabrics.direct import describe
from noc.fabrics.tables import number_modules
from noc.networks import ABSENT, IntArray, Network
from noc.programs import Program, check_spanning
from noc.programs.codec import Form, Key, listed, record, row
from noc.programs.forms import ROUTER_CONFIG, direct_form, node_form, port_form
from noc.programs.table import RouterTable
from noc.verify.documents import Document, read_nodes, read_sources, told_in


def read(manifest: Document, document: Document, network: Network) -> Design:
    """The design that the tables of a folder are, checked: every word reaches every node once."""
    with told_in("manifest.json"):
        nodes = sorted(read_nodes(manifest, network), key=itemgetter("label"))
        modules = [node["router"] for node in nodes]
        sources = read_sources(manifest, network)
        if sources == "all" or manifest.get("vcs", 1) != 1:
            raise InputError(
                "the direct fabric is for one sender at a time, and this folder for several; "
                f"verify it with the version that wrote it, {manifest.get('generator')}"
            )
        config = ROUTER_CONFIG.read(manifest)
        dead = _dead_links(network).read(manifest)
    with told_in("program.json"):
        known = direct_form(network).read(document)
        table = number_modules(known["routers"], modules)
        writable = config.rom == "writable"
        tables = tuple(_complete(known, table, network, writable=writable))
        slices = max(each.trees for each in tables)
    with told_in("manifest.json"):
        config.check(known["ports"], slices)
    with told_in("program.json"):
        everyone = tuple(range(network.nodes))
        program = Program(
            network=network,
            algorithm=known["algorithm"],
            ports=known["ports"],
            sources=everyone if isinstance(sources, str) else tuple(sorted(set(sources))),
            slices=slices,
            tables=tables,
            table=table,
            config=config,
            dead=frozenset(link[:2] for link in dead["dead_links"]),
            states=known["states"],
        )
        _check_own(program)
        _check_links(program)
        try:
            check_spanning(program)
        except CheckError as error:
            raise InputError(error.message) from None
    design = Design(program, manifest["width"])
    with told_in("manifest.json"):
        _check_slices(manifest, describe.facts(design))
    return design


def _dead_links(network: Network) -> Form[Document]:
    """The links of a manifest that carry nothing."""
    port = port_form(network.out_ports)
    links = listed(row({"from": node_form(network), "out_port": port, "to": node_form(network)}))
    return record(dict, {"dead_links": Key(links, usual=())})


def _check_slices(manifest: Document, known: Document) -> None:
    """Refuse a manifest that cuts words in another way than the tables do."""
    for key in ("slices", "slice_bits", "dead_links"):
        told, value = manifest.get(key), known.get(key)
        if told != value:
            raise InputError(f"{key}: {told!r} is not {value!r}, as the tables have it")


def _complete(
    known: Document, number: IntArray, network: Network, *, writable: bool
) -> Iterator[RouterTable]:
    """The tables, with the code bits at the far ends of the ports on which they send."""
    tables = [*known["routers"].values()]
    bits = np.array([table.code_bits for table in tables])
    for place, table in enumerate(tables):
        out_bits = []
        ports = {port for entry in table.entries for port, _ in entry.sends}
        if writable:
            # Each link is there, whichever are used.
            ports = {*np.flatnonzero((network.neighbour[number == place] != ABSENT).all(axis=0))}
        for port in sorted(map(int, ports)):
            far, label = network.neighbour[number == place, port], network.out_ports[port]
            if (far < 0).any():
                raise InputError(f"a router sends on port {label} at a node that has no such link")
            widths = set(bits[number[far]].tolist())
            if len(widths) != 1:
                raise InputError(f"port {label} of a router leads to codes of different widths")
            out_bits.append((port, widths.pop()))
        yield replace(table, one_port=known["ports"] == "one", out_bits=tuple(out_bits))


def _check_own(program: Program) -> None:
    """Every node that may send has a code of its own for each slice, and no other node has any."""
    for node in range(program.network.nodes):
        own = [entry.slice for entry in program.table_of(node).own]
        if own != [*range(program.slices if node in program.sources else 0)]:
            label = program.network.label(node)
            raise InputError(f"node {label} has codes of its own for slices {own}")


def _check_links(program: Program) -> None:
    """Every code that is sent must be known where it arrives, on the in-port where it does."""
    net = program.network
    known = [{port.number: set(port.codes) for port in table.in_ports} for table in program.tables]
    for node in range(net.nodes):
        for entry in program.table_of(node).entries:
            for port, code in entry.sends:
                there, arrival = int(net.neighbour[node, port]), int(net.arrival[node, port])
                if code not in known[int(program.table[there])].get(arrival, ()):
                    raise InputError(
                        f"{net.label(node)} sends code {code} on port {net.out_ports[port]}, "
                        f"which {net.label(there)} does not know"
                    )
