# amaranth: UnusedElaboratable=no
"""The modules of the hardware, and how they are joined."""

from functools import partial

from noc.fabrics.timetable.design import TimetableDesign
from noc.hardware.assembly import Assembly, Instance, Link, Part, node_names
from noc.hardware.timetable.router import RoundRouter


def assemble(design: TimetableDesign) -> Assembly:
    """A router at each node, and the links that words use."""
    names, program = tuple(node_names(design.network)), design.program
    many = len(program.tables) > 1
    return Assembly(
        parts=tuple(
            Part(
                f"router_{number}" if many else "router",
                partial(RoundRouter, table, design.width, own_register=program.own_register),
            )
            for number, table in enumerate(program.tables)
        ),
        instances=tuple(
            Instance(f"node_{name}", int(table), comment=f"node {design.network.label(node)}")
            for node, (name, table) in enumerate(zip(names, program.table, strict=True))
        ),
        links=tuple(
            Link(f"link_{names[node]}_{port}", (node, f"out_{port}"), (there, f"in_{arrival}"))
            for node, port, there, arrival in program.links()
        ),
        names=names,
    )
