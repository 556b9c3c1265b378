"""The streams of the ordered fabric at which transfers are events, and their numbers."""

from dataclasses import dataclass
from typing import Literal

from noc.programs.ordered import OrderedProgram

__all__ = ["KINDS", "Kind", "OrderedStream", "ordered_streams"]

Kind = Literal["inject", "eject", "up", "down", "join", "dropped", "mismatch", "late"]

#: Those of a network that only broadcasts, in the order in which streams are numbered.
KINDS: tuple[Kind, ...] = ("inject", "eject", "up", "down")


@dataclass(frozen=True)
class OrderedStream:
    """One stream.

    Parameters
    ----------
    kind : str
        ``inject`` and ``eject`` are those of the node itself; ``up`` leads from the node into the
        link to its parent in the in-tree, ``down`` from its parent in the out-tree into the link
        to the node. Networks with operations have more: see :mod:`noc.model.collective`.
    node : int
        The node.
    group : int
        The group whose words are joined, by number; 0 where that is not the matter.
    """

    kind: Kind
    node: int
    group: int = 0


def ordered_streams(program: OrderedProgram) -> tuple[OrderedStream, ...]:
    """All streams; the number of a stream is its place.

    First ``inject`` of every source, then ``eject`` of every node, then ``up`` of every node that
    has words for a parent, then ``down`` of every node but the root; each by ascending node.

    >>> from noc.networks import build_network
    >>> from noc.programs.ordered import compile_ordered
    >>> program = compile_ordered(build_network("star:3"), sources=[2, 4])
    >>> [stream.node for stream in ordered_streams(program) if stream.kind == "inject"]
    [2, 4]
    """
    nodes = range(program.network.nodes)
    of_kind: dict[Kind, list[int]] = {
        "inject": list(program.sources),
        "eject": list(nodes),
        "up": [node for node in nodes if program.plan_of(node).climbs],
        "down": [node for node in nodes if node != program.root],
    }
    return tuple(OrderedStream(kind, node) for kind in KINDS for node in of_kind[kind])
