"""The streams of the ordered fabric at which transfers are events, its alarms, their numbers."""

from dataclasses import dataclass
from typing import Literal

from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import Fields, WordFormat

__all__ = [
    "ALARMS",
    "KINDS",
    "Kind",
    "OrderedStream",
    "fields_of",
    "ordered_streams",
]

Kind = Literal["inject", "eject", "up", "down", "join", "dropped", "mismatch", "late"]

#: In the order in which streams are numbered; the last three are alarms.
KINDS: tuple[Kind, ...] = (
    "inject",
    "eject",
    "up",
    "down",
    "join",
    "dropped",
    "mismatch",
    "late",
)
ALARMS: tuple[Kind, ...] = KINDS[-3:]

#: More than any node has of ``late``.
_LATE_BITS = 1 << 16


@dataclass(frozen=True)
class OrderedStream:
    """One stream, or an alarm.

    Parameters
    ----------
    kind : str
        ``inject`` and ``eject`` are those of the node itself; ``up`` and ``join`` lead from the
        node into the link to its parent in the in-tree, ``down`` from its parent in the out-tree
        into the link to the node. ``dropped``, ``mismatch`` and ``late`` are alarms of the node.
    node : int
        The node.
    group : int
        The number of the group whose words are joined; 0 of other streams.
    """

    kind: Kind
    node: int
    group: int = 0


def fields_of(stream: OrderedStream, words: WordFormat) -> Fields:
    """The fields of the words on a stream."""
    if stream.kind == "inject":
        return words.inject
    if stream.kind == "eject":
        return words.eject
    if stream.kind in ("up", "down"):
        return words.inside
    if stream.kind == "late":
        return {"late": _LATE_BITS}
    return words.join(stream.group) if stream.kind == "join" else {}


def ordered_streams(program: OrderedProgram) -> tuple[OrderedStream, ...]:
    """All streams and alarms; the number of one is its place.

    First ``inject`` of every node that has one, then ``eject`` of every node, ``up`` of every node
    that has words for a parent, ``down`` of every node but the root, ``join`` of every node but the
    root and every group that has words there, ``dropped`` of every node at which words can be
    wrong, ``mismatch`` of every node and group with joins and a header, and with a watchdog
    ``late`` of every node and group with joins; each by ascending node, then group.

    >>> from noc.networks import build_network
    >>> from noc.programs.ordered import compile_ordered
    >>> program = compile_ordered(build_network("star:3"), sources=[2, 4])
    >>> [stream.node for stream in ordered_streams(program) if stream.kind == "inject"]
    [2, 4]
    >>> program = compile_ordered("ring:3", operations=["all_reduce:sum"])
    >>> [stream.node for stream in ordered_streams(program) if stream.kind == "join"]
    [1, 2]
    """
    nodes, root = range(program.network.nodes), program.root
    plans = [program.plan_of(node) for node in nodes]
    joins = [(node, join) for node in nodes for join in plans[node].joins]
    found: dict[Kind, list[tuple[int, int]]] = {
        "inject": [(node, 0) for node in nodes if plans[node].injects],
        "eject": [(node, 0) for node in nodes],
        "up": [(node, 0) for node in nodes if plans[node].climbs],
        "down": [(node, 0) for node in nodes if node != root],
        "join": [(node, join.group) for node, join in joins if node != root],
        "dropped": [(node, 0) for node in nodes if _can_be_wrong(program, node)],
        "mismatch": [
            (node, join.group)
            for node, join in joins
            if join.joins and _has_header(program, join.group)
        ],
        "late": [
            (node, join.group) for node, join in joins if join.joins and program.config.watchdog
        ],
    }
    return tuple(OrderedStream(kind, *at) for kind in KINDS for at in found[kind])


def _has_header(program: OrderedProgram, group: int) -> bool:
    """Whether words that are joined have any field but data."""
    return bool(program.words(1).join(group).keys() - {"data"})


def _can_be_wrong(program: OrderedProgram, node: int) -> bool:
    """Whether a node can give a word that is dropped."""
    operations, plan = program.operations, program.plan_of(node)
    if not plan.injects:
        return False
    own = {join.group for join in plan.joins if join.own}
    return (
        len(operations.listed) < 1 << operations.bits
        or (operations.names_nodes and program.network.nodes & (program.network.nodes - 1) != 0)
        or (bool(operations.sent) and not plan.sends)
        or not own.issuperset(operations.joined_groups)
    )
