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
    build = partial(_router, design)
    return assemble_routers(design, build, idle=True, dead=design.program.dead)


def _router(design: Design, table: RouterTable) -> Any:
    """The router of a table."""
    width, config = design.width, design.program.config
    if design.program.slices == 1:
        return Router(table, width=width, config=config)
    parts, link_registers = design.program.parts, config.link_registers
    return SliceRouter(table, parts=parts, width=width, link_registers=link_registers)
