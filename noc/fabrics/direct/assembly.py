# amaranth: UnusedElaboratable=no
"""The modules of the hardware, and how they are joined."""

from dataclasses import replace
from functools import partial
from typing import Any

from noc.design import Design
from noc.fabrics.tables import assemble_routers
from noc.hardware.assembly import Assembly, Instance, Link, Part
from noc.hardware.direct.loading import Loader
from noc.hardware.direct.router import Router
from noc.hardware.direct.slice_router import SliceRouter
from noc.harness import LOAD, LOADING
from noc.programs.load_words import LoadFormat
from noc.programs.table import RouterTable


def assemble(design: Design) -> Assembly:
    """A router at each node, and the links that words use."""
    build = partial(_router, design)
    assembly = assemble_routers(design, build, idle=True, dead=design.program.dead)
    load = design.load_format
    return assembly if load is None else _with_loader(load, assembly)


def _with_loader(load: LoadFormat, assembly: Assembly) -> Assembly:
    """Routers on a ring by which rows come to their tables, in the order of the nodes."""
    nodes, loader = len(assembly.names), len(assembly.instances)
    build = partial(Loader, load, nodes)
    ring = [(loader, "first"), *((node, "load_out") for node in range(nodes))]
    ends = [*((node, "load_in") for node in range(nodes)), (loader, "last")]
    links = [
        Link(f"load_{number}", sender, receiver)
        for number, (sender, receiver) in enumerate(zip(ring, ends, strict=True))
    ]
    return replace(
        assembly.extended(
            [Part("loader", build)], [Instance("loader", len(assembly.parts))], links
        ),
        network_ports={name: (loader, name) for name in (LOAD, LOADING)},
    )


def _router(design: Design, table: RouterTable) -> Any:
    """The router of a table."""
    width, config = design.width, design.program.config
    if design.program.slices == 1:
        return Router(table, width=width, config=config, load=design.load_format)
    parts, link_registers = design.program.parts, config.link_registers
    return SliceRouter(table, parts=parts, width=width, link_registers=link_registers)
