# amaranth: UnusedElaboratable=no
"""The modules of the hardware, and how they are joined."""

from functools import partial

from noc.design import Design
from noc.fabrics.tables import assemble_routers
from noc.hardware.assembly import Assembly
from noc.hardware.direct.router import Router


def assemble(design: Design) -> Assembly:
    """A router at each node, and the links that words use."""
    build = partial(Router, width=design.width, config=design.program.config)
    return assemble_routers(design, build, idle=True)
