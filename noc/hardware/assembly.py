# amaranth: UnusedElaboratable=no
"""What a network is made of, whichever its fabric: modules, instances, and what joins them.

The Amaranth component, the Verilog top and the synthesis of a whole network all follow it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatch
from typing import Any

from amaranth.lib import wiring

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.harness import ALARMS, AWAY, PHASE
from noc.networks import Network


@dataclass(frozen=True)
class Part:
    """A module."""

    #: The end of its name.
    suffix: str
    #: Makes the component.
    build: Callable[[], "wiring.Component[Any]"] = field(repr=False)

    @cached_property
    def signature(self) -> wiring.Signature:
        """Its ports."""
        signature: wiring.Signature = self.build().signature
        return signature


@dataclass(frozen=True)
class Instance:
    """An instance of a part."""

    #: Its name in the network.
    name: str
    #: Which of the parts.
    part: int
    #: Inputs that are constants, by :func:`port`.
    constants: Mapping[str, int] = field(default_factory=dict)
    #: What a reader should know of it.
    comment: str = ""


@dataclass(frozen=True)
class Link:
    """A stream from one instance to another."""

    #: Of its wires.
    name: str
    #: An instance and its :func:`port`.
    sender: tuple[int, str]
    receiver: tuple[int, str]
    #: Whether nothing comes to the receiver.
    dead: bool = False


@dataclass(frozen=True)
class Assembly:
    """A network.

    Parameters
    ----------
    parts : tuple of Part
        The modules.
    instances : tuple of Instance
        Those of the nodes come first, in their order; their members ``inject``, if there is one,
        and ``eject``, a stream or several, are those of the node. Buffers of links follow.
    links : tuple of Link
        The streams between them.
    names : tuple of str
        The name of each node in signals.
    idle : bool
        Whether the network has an output ``idle``, which is 1 while it holds no word; each node
        then has an output ``busy``.
    network_ports : mapping of str to (int, str)
        Other ports of the network itself, signals or streams: of each name the instance and its
        port.
    """

    parts: tuple[Part, ...]
    instances: tuple[Instance, ...]
    links: tuple[Link, ...]
    names: tuple[str, ...]
    idle: bool = False
    network_ports: Mapping[str, tuple[int, str]] = field(default_factory=dict)

    def extended(
        self, parts: Iterable[Part], instances: Iterable[Instance], links: Iterable[Link]
    ) -> "Assembly":
        """The same with more of each, behind those that it has."""
        return replace(
            self,
            parts=(*self.parts, *parts),
            instances=(*self.instances, *instances),
            links=(*self.links, *links),
        )

    def part_of(self, instance: int) -> Part:
        """The module of an instance."""
        return self.parts[self.instances[instance].part]

    def outputs(self, node: int) -> list[str]:
        """Which outputs a node has beside streams: its alarms, and its phase."""
        members = self.part_of(node).signature.members
        return [name for name in (*ALARMS, PHASE) if name in members]

    def others(self, node: int) -> list[str]:
        """Which ports a node has beside streams: also the input that says for whom others stand."""
        members = self.part_of(node).signature.members
        return [*([AWAY] if AWAY in members else []), *self.outputs(node)]

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
    """The parts of a design and how they are joined, as its fabric says."""
    if not isinstance(design, AnyDesign):
        raise TypeError(f"design must be one of noc.design, not {design!r}")
    assembly: Assembly = fabrics.module(design.fabric, "assembly").assemble(design)
    return assembly
