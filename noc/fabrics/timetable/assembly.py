# amaranth: UnusedElaboratable=no
"""The modules of the hardware, and how they are joined."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from noc.fabrics.tables import assemble_routers
from noc.fabrics.timetable.design import TimetableDesign
from noc.fabrics.timetable.usual import Usual, find_usual
from noc.hardware.assembly import Assembly, Instance, Link, Part
from noc.hardware.timetable.choices import Columns
from noc.hardware.timetable.chooser import Chooser
from noc.hardware.timetable.merge import MergedRouter, Reader
from noc.hardware.timetable.paced_router import FilledRouter, PacedRouter
from noc.hardware.timetable.pacer import Pacer
from noc.hardware.timetable.router import RoundRouter
from noc.hardware.timetable.sum_router import SumRouter
from noc.harness import MOVES, START
from noc.programs.round_table import RoundTable, loop_of


def assemble(design: TimetableDesign) -> Assembly:
    """A router at each node, and the links that words use; and what all of them agree on."""
    program, config = design.program, design.program.config
    build = partial(_plain_router, design, find_usual(program))
    shared = [program.tables[number] for number in program.shared]
    told = {table: build(table).columns for table in shared}
    assembly = assemble_routers(
        design, lambda table: _router(design, build(table, told.get(table)))
    )
    if config.paced or config.complete:
        assembly = _pace(design, assembly)
    if config.merged:
        assembly = _read(design, assembly)
    return _choose(design, told, assembly) if told else assembly


def _pace(design: TimetableDesign, assembly: Assembly) -> Assembly:
    """Routers with what decides when they stand still, and which rounds have words."""
    program, config = design.program, design.program.config
    givers, tellers = (program.givers, program.tellers) if config.complete else ([], [])
    pacer = partial(
        Pacer,
        design.network.nodes,
        queued=config.queued,
        round=program.round,
        pulsed=config.pulsed,
        givers=givers,
        tellers=tellers,
        most=program.told_rounds,
        ahead=program.ahead,
    )
    return _told(assembly, Part("pacer", pacer), givers, tellers)


def _router(design: TimetableDesign, plain: RoundRouter) -> "wiring.Component[Any]":
    """A router, where nodes stand still at times, or rounds have the words of all or none."""
    program, config = design.program, design.config
    router: PacedRouter | MergedRouter | None = None
    if config.paced:
        queue, depth = config.queue, program.queue_depth
        router = PacedRouter(plain, design.words, queue=queue, depth=depth)
    room = program.room_rounds if plain.table.lanes else 0
    if room:
        router = MergedRouter(plain, design.words, rounds=room)
    if config.complete and (room or "inject" in plain.signature.members):
        return FilledRouter(router or plain, rounds=program.kept_rounds, room=room)
    return router or plain


def _plain_router(
    design: TimetableDesign,
    usual: Mapping[RoundTable, Usual],
    table: RoundTable,
    told: Columns | None = None,
) -> RoundRouter:
    """A router that moves on in each cycle, and may be told what it chooses."""
    program, opened = design.program, design.config.complete
    if program.exchange.adds:
        loop, operator = loop_of(design.network), program.exchange.operator
        return SumRouter(
            table, design.width, operator=operator, loop=loop, opened=opened, told=told
        )
    return RoundRouter(
        table,
        design.width,
        own_register=program.own_register,
        usual=usual[table],
        zeros=any(usual.values()),
        opened=opened,
        told=told,
    )


def _choose(
    design: TimetableDesign, told: Mapping[RoundTable, Columns], assembly: Assembly
) -> Assembly:
    """Routers with what chooses for all that have the same table."""
    program, paced = design.program, design.config.paced
    parts, instances, links = list[Part](), list[Instance](), list[Link]()
    for number in program.shared:
        table, name = program.tables[number], "chooser" + f"_{number}" * (len(program.tables) > 1)
        chooser = partial(Chooser, table, told[table], design.width, paced=paced)
        place = len(assembly.instances) + len(instances)
        parts.append(Part(name, chooser))
        instances.append(Instance(name, len(assembly.parts) + len(instances)))
        links += [
            Link(name, (place, "choices"), (int(node), "choices"))
            for node in np.flatnonzero(program.table == number)
        ]
        # It stands still with the first node.
        links += [
            replace(link, receiver=(place, "pace"))
            for link in assembly.links
            if paced and link.receiver == (0, "pace")
        ]
    return assembly.extended(parts, instances, links)


def _read(design: TimetableDesign, assembly: Assembly) -> Assembly:
    """Routers with the readers of their nodes, each of which knows in which order words leave."""
    program, names = design.program, assembly.names
    parts, numbers = list[Part](), dict[Any, int]()
    instances, links = list[Instance](), list[Link]()
    for node in design.receivers:
        order, arrivals = program.order_of(node), program.arrivals(node)
        number = numbers.setdefault(repr((order, arrivals)), len(numbers))
        if number == len(parts):
            reader = partial(Reader, order, arrivals, design.words, rounds=program.room_rounds)
            parts.append(Part(f"reader_{number}", reader))
        place = len(assembly.instances) + len(instances)
        instances.append(Instance(f"reader_{names[node]}", len(assembly.parts) + number))
        links.append(Link(f"seen_{names[node]}", (node, "seen"), (place, "seen")))
        links.append(Link(f"row_{names[node]}", (place, "row"), (node, "row")))
    return assembly.extended(parts, instances, links)


def _told(
    assembly: Assembly, part: Part, givers: Sequence[int], tellers: Sequence[int]
) -> Assembly:
    """Routers with what they all tell, and are told by."""
    pacer, members = len(assembly.instances), part.signature.members
    everybody, links = range(len(assembly.names)), list[Link]()
    told = {"full": everybody, "pace": everybody, "filled": tellers, "open": givers}
    for name in (name for name in told if name in members):
        for place, node in enumerate(told[name]):
            ends = (node, name), (pacer, f"{name}__{place}")
            ends = ends if members[name].flow == In else ends[::-1]
            links.append(Link(f"{name}_{assembly.names[node]}", *ends))
    return replace(
        assembly.extended([part], [Instance("pacer", len(assembly.parts))], links),
        network_ports={name: (pacer, name) for name in (START, MOVES) if name in members},
    )
