"""What fabrics share whose routers differ by their tables only.

The program of such a design has ``tables``, one for each router module; ``table``, the number of
that of each node; and ``links()``.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from noc.design import AnyDesign
from noc.emit.verilog import module_names
from noc.errors import InputError
from noc.hardware.assembly import Assembly, Instance, Link, Part, node_names
from noc.networks import IntArray


def assemble_routers(
    design: AnyDesign,
    build: Callable[[Any], Any],
    *,
    idle: bool = False,
    dead: Collection[tuple[int, int]] = (),
) -> Assembly:
    """A router at each node, which ``build`` makes of its table, and the links that words use."""
    names, program = tuple(node_names(design.network)), design.program
    many = len(program.tables) > 1
    return Assembly(
        parts=tuple(
            Part(f"router_{number}" if many else "router", partial(build, table))
            for number, table in enumerate(program.tables)
        ),
        instances=tuple(
            Instance(f"node_{name}", int(table), comment=f"node {design.network.label(node)}")
            for node, (name, table) in enumerate(zip(names, program.table, strict=True))
        ),
        links=tuple(
            Link(
                f"link_{names[node]}_{port}",
                (node, f"out_{port}"),
                (there, f"in_{arrival}"),
                dead=(node, port) in dead,
            )
            for node, port, there, arrival in program.links()
        ),
        names=names,
        idle=idle,
    )


def by_module(design: AnyDesign, name: str | None = None) -> dict[str, Any]:
    """The table of each router module, by the module's name."""
    # Behind the routers' there may be others.
    tables = design.program.tables
    return dict(zip(module_names(design, name)[: len(tables)], tables, strict=True))


def number_modules(routers: Mapping[str, object], modules: list[str]) -> IntArray:
    """Which of the routers of a program each node has, by the name of its module."""
    numbers = {name: number for number, name in enumerate(routers)}
    for name in modules:
        if name not in numbers:
            raise InputError(f"there is no router {name!r}, which the manifest has at a node")
    for name in set(numbers).difference(modules):
        raise InputError(f"router {name!r} is at no node")
    return np.array([numbers[name] for name in modules], dtype=np.int32)


def of_nodes(design: AnyDesign, routers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What is known of each router, and the nodes that have it."""
    return {
        name: {"nodes": labels or "all", **router}
        for (name, router), labels in zip(routers.items(), _labels(design), strict=True)
    }


def show_tables(design: AnyDesign, text: Callable[[Any, Any], str]) -> Iterator[str]:
    """Each router's table as a text, and whose it is."""
    for (name, table), labels in zip(by_module(design).items(), _labels(design), strict=True):
        where, lines = ", ".join(labels) or "every router", text(design, table).splitlines()
        yield "\n".join([f"{name}: {where}", *(f"  {line}".rstrip() for line in lines)])


def _labels(design: AnyDesign) -> Iterator[list[str]]:
    """The nodes of each router module; none where all have the same."""
    program, label = design.program, design.network.label
    for number in range(len(program.tables)):
        nodes = np.flatnonzero(program.table == number)
        yield [label(int(node)) for node in nodes] if len(program.tables) > 1 else []
