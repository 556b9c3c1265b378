"""The streams of the ordered fabric at which transfers are events, its alarms, and their words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import Fields, WordFormat

Kind = Literal["inject", "eject", "up", "down", "join", "dropped", "mismatch", "absent", "late"]

#: In the order in which streams are numbered; the last four are alarms.
KINDS: tuple[Kind, ...] = (
    *("inject", "eject", "up", "down", "join"),
    *("dropped", "mismatch", "absent", "late"),
)
ALARMS: tuple[Kind, ...] = KINDS[-4:]

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
        into the link to the node. ``dropped``, ``mismatch``, ``late`` and ``absent`` are alarms of
        the node.
    node : int
        The node.
    group : int
        The number of the group whose words are joined; 0 of other streams.
    """

    kind: Kind
    node: int
    group: int = 0


def ordered_streams(program: OrderedProgram) -> tuple[OrderedStream, ...]:
    """All streams and alarms; the number of one is its position.

    First ``inject`` of every node that has one, then ``eject`` of every node, ``up`` of every node
    that has words for a parent, ``down`` of every node but the root, ``join`` of every node but the
    root and every group that has words there, ``dropped`` of every node at which words can be
    wrong, ``mismatch`` of every node and group with joins and a header, and with a watchdog
    ``late`` of every node and group with joins; with a time-out of sinks ``absent`` of every node
    comes before that; each by ascending node, then group.

    >>> from noc.networks import build_network
    >>> from noc.programs.ordered import compile_ordered
    >>> program = compile_ordered(build_network("star:3"), sources=[2, 4])
    >>> [stream.node for stream in ordered_streams(program) if stream.kind == "inject"]
    [2, 4]
    >>> program = compile_ordered("ring:3", operations=["all_reduce:sum"])
    >>> [stream.node for stream in ordered_streams(program) if stream.kind == "join"]
    [1, 2]
    """
    nodes, root, words = range(program.network.nodes), program.root, program.words(1)
    plans = [program.plan_of(node) for node in nodes]
    joining = [(node, plan.group) for node in nodes for plan in plans[node].joins]
    joins = [(node, plan.group) for node in nodes for plan in plans[node].joins if plan.joins]
    at: dict[Kind, list[tuple[int, int]]] = {
        "inject": [(node, 0) for node in nodes if plans[node].injects],
        "eject": [(node, 0) for node in nodes],
        "up": [(node, 0) for node in nodes if plans[node].climbs],
        "down": [(node, 0) for node in nodes if node != root],
        "join": [(node, group) for node, group in joining if node != root],
        "dropped": [(node, 0) for node in nodes if _can_drop(program, node)],
        "mismatch": [(node, group) for node, group in joins if words.header(group)],
        "absent": [(node, 0) for node in nodes if program.config.sink_timeout],
        "late": joins if program.config.watchdog else [],
    }
    return tuple(OrderedStream(kind, *each) for kind in KINDS for each in at[kind])


def _can_drop(program: OrderedProgram, node: int) -> bool:
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


def fields_of(stream: OrderedStream, words: WordFormat) -> Fields:
    """The fields of the words on a stream."""
    if stream.kind in ("up", "down"):
        return words.inside
    if stream.kind == "join":
        return words.join(stream.group)
    alarms = {"late": {"late": _LATE_BITS}, "absent": {"absent": 2}}
    return {"inject": words.inject, "eject": words.eject, **alarms}.get(stream.kind, {})


@dataclass(frozen=True)
class Word:
    """The fields of a word, as ``docs/collectives.md`` names them; 0 where it has none."""

    data: int = 0
    source: int = 0
    operation: int = 0
    choice: int = 0
    last: int = 0
    node: int = 0
    void: int = 0


def pack(word: Word | Mapping[str, int], fields: Fields) -> int:
    """The bits of a word.

    >>> pack(Word(data=3, last=1), {"data": 8, "last": 1})
    259
    """
    values, bits, first = word if isinstance(word, Mapping) else vars(word), 0, 0
    for name, width in fields.items():
        bits |= int(values[name]) << first
        first += width
    return bits


def unpack(bits: int, fields: Fields) -> dict[str, int]:
    """The fields of a word.

    >>> unpack(259, {"data": 8, "last": 1})
    {'data': 3, 'last': 1}
    """
    result = {}
    for name, width in fields.items():
        result[name] = bits & ((1 << width) - 1)
        bits >>= width
    return result


def cut(word: Word, fields: Fields) -> Word:
    """A word without the fields that are not there."""
    return Word(**{name: getattr(word, name) for name in fields})
