# amaranth: UnusedElaboratable=no
"""The modules of the hardware, and how they are joined."""

from functools import partial

from noc.fabrics.tables import assemble_routers
from noc.fabrics.timetable.design import TimetableDesign
from noc.hardware.assembly import Assembly
from noc.hardware.timetable.router import RoundRouter


def assemble(design: TimetableDesign) -> Assembly:
    """A router at each node, and the links that words use."""
    own_register = design.program.own_register
    return assemble_routers(
        design, partial(RoundRouter, width=design.width, own_register=own_register)
    )
