"""A design: a program with its classes and the width of its words, ready for model and hardware."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from noc.errors import InputError
from noc.networks import IntArray, Network, as_network
from noc.programs import Program, program
from noc.programs.classes import FEWEST, METHODS, Classes, assigned, one_class
from noc.programs.form import STANDARD, Form
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.ordered_form import PLAIN, OrderedForm
from noc.programs.table import Fabric, fabric
from noc.programs.waits import find_circle, levels, wait_graph
from noc.trees import Ports

__all__ = [
    "MOST_WIDTH",
    "AnyDesign",
    "Design",
    "FabricName",
    "OrderedDesign",
    "Sources",
    "alike",
    "build_design",
    "build_ordered",
    "check_ordered",
    "check_width",
    "design",
    "fabric_for",
    "sources_told",
    "with_classes",
]

#: Whether all nodes may send at the same time, or one at a time.
Sources = Literal["all", "one"]

#: Up one tree and down another, or trees of each source.
FabricName = Literal["ordered", "direct"]

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

    def __post_init__(self) -> None:
        check_width(self.width)

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
    network: Network | str,
    algorithm: str = "shortest",
    *,
    ports: Ports = "all",
    sources: Sources | Sequence[int | str] = "all",
    classes: str = FEWEST,
    width: int = 32,
    form: Form = STANDARD,
    progress: Callable[[float], None] | None = None,
) -> Design:
    """Compile a network for the direct fabric, where each source has trees of its own.

    Parameters
    ----------
    network : Network or str
        The network, or its name.
    algorithm : str
        How to build the trees.
    ports : "all" or "one"
        Whether a router sends its copies at will, or one after the other.
    sources : "all", "one" or sequence of int or str
        Whether all nodes may send at the same time, or one at a time, or some at the same time;
        a single one gets hardware for one at a time.
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
    network = as_network(network)
    if isinstance(sources, str) and sources not in get_args(Sources):
        raise InputError(f"sources {sources}: all or one are allowed, or some nodes")
    senders = None
    if not isinstance(sources, str):
        senders = sorted({network.node(source, argument="sources") for source in sources})
    compiled = program(network, algorithm, ports=ports, sources=senders, progress=progress)
    if sources == "one" and compiled.trees > 1:
        raise InputError(
            f"--sources one: {algorithm} sends the words of a source along {compiled.trees} "
            "trees, where they can wait for each other in a circle; use --sources all with "
            "--fabric direct"
        )
    # A single node that sends along one tree is one at a time.
    single = senders is not None and len(senders) == 1 and compiled.trees == 1
    if sources == "one" or single:
        if classes not in (FEWEST, "one"):
            raise InputError(f"--classes {classes}: one source at a time needs one class only")
        return Design(fabric(compiled, one_class(compiled), form), width, "one", None)
    return with_classes(compiled, assigned(compiled, classes), width, form)


@dataclass(frozen=True, eq=False)
class OrderedDesign:
    """A design of the ordered fabric: one tree up, another down, for all sources at once.

    Parameters
    ----------
    program : OrderedProgram
        What its nodes do.
    width : int
        Bits of a word's data.
    """

    program: OrderedProgram
    width: int

    def __post_init__(self) -> None:
        check_width(self.width)

    @property
    def network(self) -> Network:
        """The network."""
        return self.program.network

    @property
    def sources(self) -> Sources:
        """All of its sources may send at the same time."""
        return "all"

    @property
    def form(self) -> OrderedForm:
        """How it is built."""
        return self.program.form

    @property
    def digest(self) -> str:
        """Eight letters that tell the hardware from that of other designs."""
        program = self.program
        told = (program.plans, program.source_bits, self.form.queue, self.width)
        registers = (program.up_registers, program.down_registers)
        found = hashlib.sha256(repr((told, registers)).encode())
        for array in (program.plan, program.up_parent, program.down.parent):
            found.update(array.astype("<i8").tobytes())
        return found.hexdigest()[:8]


#: A design of either fabric.
AnyDesign = Design | OrderedDesign


def build_ordered(
    network: Network | str,
    algorithm: str = "even",
    *,
    sources: Sequence[int | str] | None = None,
    root: int | str | None = None,
    width: int = 32,
    form: OrderedForm = PLAIN,
) -> OrderedDesign:
    """Compile a network for the ordered fabric.

    Parameters
    ----------
    network, algorithm, sources, root, form
        As :func:`noc.programs.ordered.compile_ordered` takes them.
    width : int
        Bits of a word's data.
    """
    check_width(width)
    program = compile_ordered(network, algorithm, sources=sources, root=root, form=form)
    return OrderedDesign(program, width)


def build_design(
    network: Network | str,
    algorithm: str | None = None,
    *,
    fabric: FabricName | None = None,
    sources: Sources | Sequence[int | str] = "all",
    width: int = 32,
) -> AnyDesign:
    """Compile a network for hardware, in the usual form.

    Parameters
    ----------
    network : Network or str
        The network, or its name.
    algorithm : str, optional
        How to build trees; without, ``even`` in the ordered fabric and ``shortest`` in the direct.
    fabric : "ordered" or "direct", optional
        Up one tree and down another, or trees of each source; without, ordered where several nodes
        may send at the same time.
    sources : "all", "one" or sequence of int or str
        Whether all nodes may send at the same time, or one at a time, or some at the same time.
    width : int
        Bits of a word's data.
    """
    if fabric is not None and fabric not in get_args(FabricName):
        raise InputError(f"fabric {fabric}: ordered or direct are allowed")
    if (fabric or fabric_for(sources)) == "direct":
        return design(network, algorithm or "shortest", sources=sources, width=width)
    check_ordered(sources)
    senders = None if isinstance(sources, str) else sources
    return build_ordered(network, algorithm or "even", sources=senders, width=width)


def fabric_for(sources: Sources | Sequence[int | str]) -> FabricName:
    """The fabric for some sources: ordered where several nodes may send at the same time."""
    if isinstance(sources, str) and sources not in get_args(Sources):
        raise InputError(f"sources {sources}: all or one are allowed, or some nodes")
    several = sources != "one" if isinstance(sources, str) else len(set(sources)) > 1
    return "ordered" if several else "direct"


def sources_told(made: "AnyDesign") -> Sources | list[str]:
    """Which nodes may send, as users say it: all, one at a time, or the labels of those chosen."""
    if len(made.program.sources) < made.network.nodes:
        return [made.network.label(node) for node in made.program.sources]
    return made.sources


def check_ordered(sources: Sources | Sequence[int | str]) -> None:
    """Refuse sources that the ordered fabric is not for."""
    if sources == "one":
        raise InputError(
            "sources one: the ordered fabric carries the words of all at once and is no smaller "
            "for one at a time; choose sources all, or the direct fabric"
        )


def alike(
    made: AnyDesign, network: Network, *, sources: Sources | None = None, width: int | None = None
) -> AnyDesign:
    """A network designed as another is, but for what is named; all its nodes may send.

    Parameters
    ----------
    made : Design or OrderedDesign
        The other.
    network : Network
        The network.
    sources : "all" or "one", optional
        See :func:`design`.
    width : int, optional
        See :func:`design`.
    """
    algorithm, bits = made.program.algorithm, width or made.width
    if isinstance(made, OrderedDesign):
        if sources == "one":
            return design(network, sources="one", width=bits)
        form = replace(made.form, registers_of={})
        return build_ordered(network, algorithm, width=bits, form=form)
    senders = sources or made.sources
    method = made.classes.method if senders == "all" else FEWEST
    return design(
        *(network, algorithm),
        ports=made.program.ports,
        sources=senders,
        classes=method if method in METHODS else FEWEST,
        width=bits,
        form=made.form,
    )


def check_width(width: int) -> None:
    """Refuse a width that no word can have."""
    if type(width) is not int or not 1 <= width <= MOST_WIDTH:
        raise InputError(f"width={width}: from 1 to {MOST_WIDTH} bits are allowed", "width")


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
