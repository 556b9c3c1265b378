# amaranth: UnusedElaboratable=no
"""The modules of the hardware, and how they are joined."""

from dataclasses import replace
from functools import partial

from noc.fabrics.tables import assemble_routers
from noc.fabrics.timetable.design import TimetableDesign
from noc.hardware.assembly import Assembly, Instance, Link, Part
from noc.hardware.timetable.paced_router import PacedRouter
from noc.hardware.timetable.pacer import Pacer
from noc.hardware.timetable.router import RoundRouter
from noc.hardware.timetable.sum_router import SumRouter
from noc.harness import MOVES, START
from noc.programs.round_table import RoundTable, loop_of


def assemble(design: TimetableDesign) -> Assembly:
    """A router at each node, and the links that words use; and what lets all stand still."""
    program, config = design.program, design.program.config
    if not config.paced:
        return assemble_routers(design, partial(_router, design))
    pacer = partial(
        Pacer,
        design.network.nodes,
        queued=config.queued,
        round=program.round if config.pulsed else 0,
    )
    return _paced(assemble_routers(design, partial(_paced_router, design)), Part("pacer", pacer))


def _router(design: TimetableDesign, table: RoundTable) -> RoundRouter:
    """A router that moves on in each cycle."""
    program = design.program
    if program.exchange.adds:
        loop = loop_of(design.network)
        return SumRouter(table, design.width, operator=program.exchange.operator, loop=loop)
    return RoundRouter(table, design.width, own_register=program.own_register)


def _paced_router(design: TimetableDesign, table: RoundTable) -> PacedRouter:
    """The same, where nodes stand still at times."""
    queue, depth = design.config.queue, design.program.queue_depth
    return PacedRouter(_router(design, table), design.words, queue=queue, depth=depth)


def _paced(assembly: Assembly, part: Part) -> Assembly:
    """Routers with what they all tell, and are told by."""
    pacer, members, names = len(assembly.instances), part.signature.members, assembly.names
    links = [Link(f"pace_{n}", (pacer, f"pace__{i}"), (i, "pace")) for i, n in enumerate(names)]
    if "full" in members:
        ends = (((node, "full"), (pacer, f"full__{node}")) for node in range(len(names)))
        links[:0] = [Link(f"full_{n}", *pair) for n, pair in zip(names, ends, strict=True)]
    return replace(
        assembly,
        parts=(*assembly.parts, part),
        instances=(*assembly.instances, Instance("pacer", len(assembly.parts))),
        links=(*assembly.links, *links),
        network_ports={name: (pacer, name) for name in (START, MOVES) if name in members},
    )
