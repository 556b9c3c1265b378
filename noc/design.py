"""A design: a program with its classes and the width of its words, ready for model and hardware."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from noc.errors import InputError
from noc.networks import IntArray, Network
from noc.programs import Program, program
from noc.programs.classes import FEWEST, METHODS, Classes, assigned, one_class
from noc.programs.form import STANDARD, Form
from noc.programs.table import Fabric, fabric
from noc.programs.waits import find_circle, levels, wait_graph
from noc.trees import Ports

__all__ = ["MOST_WIDTH", "Design", "Sources", "alike", "check_width", "design", "with_classes"]

#: Whether all nodes may send at the same time, or one at a time.
Sources = Literal["all", "one"]

MOST_WIDTH = 512


@dataclass(frozen=True, eq=False)
class Design:
    """Everything that decides what the hardware is and does.

    Parameters
    ----------
    fabric : Fabric
        The routers' tables.
    width : int
        Bits of the payload.
    sources : "all" or "one"
        Whether all nodes may send at the same time. With one source at a time, the words of one
        must have drained before another begins.
    level : array (nodes * classes) or None
        The certificate that no circle of waits can close: a number for each place that falls
        along every wait. None with one source at a time, where none is needed.
    """

    fabric: Fabric
    width: int
    sources: Sources
    level: IntArray | None = field(repr=False)

    @property
    def network(self) -> Network:
        """The network."""
        return self.fabric.program.network

    @property
    def program(self) -> Program:
        """The program."""
        return self.fabric.program

    @property
    def form(self) -> Form:
        """How its routers are built."""
        return self.fabric.form

    @property
    def classes(self) -> Classes:
        """The classes."""
        return self.fabric.classes

    @property
    def digest(self) -> str:
        """Eight letters that tell the hardware from that of other designs."""
        told = (self.fabric.tables, self.form, self.width, self.network.out_ports)
        found = hashlib.sha256(repr(told).encode())
        for array in (self.network.neighbour, self.network.arrival, self.fabric.table):
            found.update(array.astype("<i8").tobytes())
        return found.hexdigest()[:8]


def design(
    network: Network,
    algorithm: str = "shortest",
    *,
    ports: Ports = "all",
    sources: Sources = "all",
    classes: str = FEWEST,
    width: int = 32,
    form: Form = STANDARD,
    progress: Callable[[float], None] | None = None,
) -> Design:
    """Compile a network for hardware.

    Parameters
    ----------
    network : Network
        The network.
    algorithm : str
        How to build the trees.
    ports : "all" or "one"
        Whether a router sends its copies at will, or one after the other.
    sources : "all" or "one"
        Whether all nodes may send at the same time, or one at a time.
    classes : str
        How words are given classes, one of :data:`noc.programs.classes.METHODS`; without, as few
        as any of them finds. Refused where words could wait in a circle.
    width : int
        Bits of the payload.
    form : Form
        How the routers are built.
    progress : callable, optional
        Told how much of the trees is done, 0 to 1.
    """
    check_width(width)
    if sources not in get_args(Sources):
        raise InputError(f"--sources {sources}: all or one are allowed")
    if sources == "one" and classes not in (FEWEST, "one"):
        raise InputError(f"--classes {classes}: one source at a time needs one class only")
    compiled = program(network, algorithm, ports=ports, progress=progress)
    if sources == "one":
        if compiled.trees > 1:
            raise InputError(
                f"--sources one: {algorithm} sends the words of a source along {compiled.trees} "
                "trees, where they can wait for each other in a circle; use --sources all"
            )
        return Design(fabric(compiled, one_class(compiled), form), width, sources, None)
    return with_classes(compiled, assigned(compiled, classes), width, form)


def alike(
    made: Design, network: Network, *, sources: Sources | None = None, width: int | None = None
) -> Design:
    """A network designed as another is, but for what is named.

    Parameters
    ----------
    made : Design
        The other.
    network : Network
        The network.
    sources : "all" or "one", optional
        See :func:`design`.
    width : int, optional
        See :func:`design`.
    """
    senders = sources or made.sources
    method = made.classes.method if senders == "all" else FEWEST
    return design(
        *(network, made.program.algorithm),
        ports=made.program.ports,
        sources=senders,
        classes=method if method in METHODS else FEWEST,
        width=width or made.width,
        form=made.form,
    )


def check_width(width: int) -> None:
    """Refuse a width that no word can have."""
    if not 1 <= width <= MOST_WIDTH:
        raise InputError(f"--width {width}: from 1 to {MOST_WIDTH} bits are allowed")


def with_classes(compiled: Program, classes: Classes, width: int, form: Form = STANDARD) -> Design:
    """A design for all sources at once, if the classes let no circle of waits close."""
    waits = wait_graph(compiled, classes)
    level = levels(waits)
    if level is None:
        circle = find_circle(waits) or []
        shown = " waits for ".join(
            f"{compiled.network.label(node)} class {class_}" for node, class_ in circle
        )
        raise InputError(
            f"{compiled.network.spec} with {classes.count} classes can lock up: {shown} waits "
            "for the first; use more classes or --sources one"
        )
    return Design(fabric(compiled, classes, form), width, "all", level)
