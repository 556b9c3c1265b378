# amaranth: UnusedElaboratable=no
"""What a network is made of, whichever its fabric: modules, instances, and what joins them.

The Amaranth component, the Verilog top and the synthesis of a whole network all follow it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial, singledispatch
from typing import Any

from amaranth.lib import data, wiring

from noc.design import AnyDesign, Design, OrderedDesign
from noc.hardware.ordered import Node, word_shape
from noc.hardware.ordered.operators import check_operator
from noc.hardware.router import Router
from noc.networks import Network
from noc.programs.ordered import Lane
from noc.streams import TwoSlots

__all__ = [
    "Assembly",
    "Instance",
    "Link",
    "Part",
    "assemble",
    "node_names",
    "port",
]


@dataclass(frozen=True)
class Part:
    """A module.

    Parameters
    ----------
    suffix : str
        The end of its name.
    build : callable
        Makes the component.
    """

    suffix: str
    build: Callable[[], "wiring.Component[Any]"] = field(repr=False)

    @cached_property
    def signature(self) -> wiring.Signature:
        """Its ports."""
        signature: wiring.Signature = self.build().signature
        return signature


@dataclass(frozen=True)
class Instance:
    """An instance of a part.

    Parameters
    ----------
    name : str
        Its name in the network.
    part : int
        Which of the parts.
    constants : mapping of str to int
        Inputs that are constants, by :func:`port`.
    comment : str
        What a reader should know of it.
    """

    name: str
    part: int
    constants: Mapping[str, int] = field(default_factory=dict)
    comment: str = ""


@dataclass(frozen=True)
class Link:
    """A stream from one instance to another.

    Parameters
    ----------
    name : str
        Of its wires.
    sender, receiver : (int, str)
        An instance and its :func:`port`.
    """

    name: str
    sender: tuple[int, str]
    receiver: tuple[int, str]


@dataclass(frozen=True)
class Assembly:
    """A network.

    Parameters
    ----------
    parts : tuple of Part
        The modules.
    instances : tuple of Instance
        Those of the nodes come first, in their order; their members ``inject``, if there is one,
        and ``eject`` are the streams of the node. Buffers of links follow.
    links : tuple of Link
        The streams between them.
    names : tuple of str
        The name of each node in signals.
    idle : bool
        Whether the network has an output ``idle``, which is 1 while it holds no word; each node
        then has an output ``busy``.
    """

    parts: tuple[Part, ...]
    instances: tuple[Instance, ...]
    links: tuple[Link, ...]
    names: tuple[str, ...]
    idle: bool = False

    def part_of(self, instance: int) -> Part:
        """The module of an instance."""
        return self.parts[self.instances[instance].part]

    def alarms(self, node: int) -> list[str]:
        """Which outputs a node has that report wrong and missing words."""
        members = self.part_of(node).signature.members
        return [name for name in ("dropped", "mismatch", "late") if name in members]

    def sides(self, node: int) -> list[str]:
        """Which streams a node has: ``inject`` if it may send, and ``eject``."""
        members = self.part_of(node).signature.members
        return [side for side in ("inject", "eject") if side in members]


def node_names(network: Network) -> list[str]:
    """A name for every node that is an identifier: its label, made unique where need be."""
    names = [
        re.sub(r"\W+", "_", network.label(node), flags=re.ASCII) for node in range(network.nodes)
    ]
    if len(set(names)) < len(names):
        names = [f"{name}_n{node}" for node, name in enumerate(names)]
    return names


def port(component: "wiring.Component[Any]", name: str) -> Any:
    """A stream or another port of a component, by the beginning of its name in Verilog.

    That of array members is ``MEMBER__INDEX``.
    """
    member, *indices = name.split("__")
    result = getattr(component, member)
    for index in indices:
        result = result[int(index)]
    return result


@singledispatch
def assemble(design: AnyDesign) -> Assembly:
    """The parts of a design and how they are joined; further kinds of designs are registered."""
    raise TypeError(f"design must be one of noc.design, not {design!r}")


@assemble.register
def _(design: OrderedDesign) -> Assembly:
    return _Ordered(design, tuple(node_names(design.network))).assembly()


@assemble.register
def _(design: Design) -> Assembly:
    names = tuple(node_names(design.network))
    program, width = design.program, design.width
    many = len(program.tables) > 1
    return Assembly(
        parts=tuple(
            Part(
                f"router_{number}" if many else "router",
                partial(Router, table, width=width, config=program.config),
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
        idle=True,
    )


class _Ordered:
    """Nodes of the ordered fabric, with the buffers in their links."""

    def __init__(self, design: OrderedDesign, names: tuple[str, ...]) -> None:
        self._design, self._program, self._names = design, design.program, names
        self._buffers: list[Instance] = []
        # Of the words in links with buffers: the group whose words are joined, or None.
        self._kinds: list[int | None] = []
        self._links: list[Link] = []

    def assembly(self) -> Assembly:
        program, names = self._program, self._names
        self._check_operators()
        nodes = tuple(self._node(node) for node in range(program.network.nodes))
        for lane in program.lanes:
            self._add(lane)
        parts = [self._part(number) for number in range(len(program.plans))]
        parts += [self._buffer(kind) for kind in self._kinds]
        return Assembly(tuple(parts), (*nodes, *self._buffers), tuple(self._links), names)

    def _check_operators(self) -> None:
        """Refuse a user's operator with wrong ports before anything is built of it."""
        operators = {each.operator for each in self._program.operations.listed} - {""}
        for name in sorted(operators):
            check_operator(name, self._design.width)

    def _node(self, node: int) -> Instance:
        program = self._program
        numbered = program.plan_of(node).sends and program.source_bits
        return Instance(
            f"node_{self._names[node]}",
            int(program.plan[node]),
            ({"number": program.numbers[node]} if numbered else {}) | self._ways_down(node),
            f"node {program.network.label(node)}",
        )

    def _ways_down(self, node: int) -> dict[str, int]:
        """Which nodes each output leads to, where words are for some nodes only."""
        program, wanted = self._program, self._program.operations
        children = program.down_children[node]
        result = {}
        if wanted.routed_groups:
            for output, child in enumerate((*children, None)):
                below = {node} if child is None else program.below[child]
                reached = [bool(below & set(wanted.members(g))) for g in wanted.routed_groups]
                result[f"groups__{output}"] = sum(bit << n for n, bit in enumerate(reached))
        if wanted.names_nodes:
            result |= {f"first__{n}": program.numbers[child] for n, child in enumerate(children)}
        return result

    def _add(self, lane: Lane) -> None:
        """The links of a lane, with its buffers between them; the first has the lane's name."""
        if lane.registers and lane.group not in self._kinds:
            self._kinds.append(lane.group)
        sender, receiver = self._ends(lane)
        # Names of buffers and of the wires behind them are names that no node can lead to.
        name = lane.name(self._names)
        wires = name
        for stage in range(lane.registers):
            buffer = self._program.network.nodes + len(self._buffers)
            part = len(self._program.plans) + self._kinds.index(lane.group)
            self._buffers.append(Instance(f"buffer_{stage}_{name}", part))
            self._links.append(Link(wires, sender, (buffer, "i")))
            wires = f"after_{stage}_{name}"
            sender = buffer, "o"
        self._links.append(Link(wires, sender, receiver))

    def _ends(self, lane: Lane) -> tuple[tuple[int, str], tuple[int, str]]:
        """The instance and port that a lane leaves, and those that it leads to."""
        program, sender, receiver = self._program, lane.sender, lane.receiver
        if lane.carries == "down":
            number = program.down_children[sender].index(receiver)
            return (sender, f"down_out__{number}"), (receiver, "down_in")
        if lane.carries == "up":
            number = program.up_children[receiver].index(sender)
            return (sender, "up_out"), (receiver, f"up_in__{number}")
        (joins,) = (each for each in program.joins if each.group == lane.group)
        number = joins.children[receiver].index(sender)
        return (sender, f"join_{lane.group}_out"), (receiver, f"join_{lane.group}_in__{number}")

    def _part(self, number: int) -> Part:
        program, words = self._program, self._design.words
        plan, config = program.plans[number], program.config
        return Part(
            f"node_{number}" if len(program.plans) > 1 else "node",
            partial(Node, plan, words, queue=config.queue, watchdog=config.watchdog),
        )

    def _buffer(self, group: int | None) -> Part:
        words = self._design.words
        if group is None:
            shape, suffix = word_shape(words.inside), "link_register"
        else:
            shape, suffix = data.StructLayout(words.join(group)), f"join_{group}_register"
        return Part(suffix, partial(TwoSlots, shape))
