# amaranth: UnusedElaboratable=no
"""The modules of the hardware, and how they are joined."""

from functools import partial
from typing import Any

from noc.design import Design
from noc.fabrics.tables import assemble_routers
from noc.hardware.assembly import Assembly
from noc.hardware.direct.router import Router
from noc.hardware.direct.slice_router import SliceRouter
from noc.programs.table import RouterTable


def assemble(design: Design) -> Assembly:
    """A router at each node, and the links that words use."""
    return assemble_routers(design, partial(_router, design), idle=True)


def _router(design: Design, table: RouterTable) -> Any:
    """The router of a table."""
    width, config = design.width, design.program.config
    if design.program.slices == 1:
        return Router(table, width=width, config=config)
    waits = design.waits[table]
    return SliceRouter(table, waits, width=width, link_registers=config.link_registers)
