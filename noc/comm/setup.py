"""What programs know of the nodes that they run on, from a design or from a manifest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from noc.errors import InputError, option
from noc.programs.operations import ALL, BROADCAST
from noc.trees.timetables import LISTED

if TYPE_CHECKING:
    from noc.design import AnyDesign


@dataclass(frozen=True)
class Nodes:
    """Nodes without a network, for the reference in numpy.

    Parameters
    ----------
    size : int
        Their number.
    width : int
        Bits of a word.
    groups : mapping of str to sequence of int
        The nodes of each group.
    own_words : bool
        Whether nodes get their own broadcasts back.
    root : int, optional
        The root of operations for which none is named; without, the first node.
    labels : sequence of str
        What they are called; their numbers, where it is empty.
    """

    size: int
    width: int = 32
    groups: Mapping[str, Sequence[int]] = field(default_factory=dict)
    own_words: bool = False
    root: int | None = None
    labels: Sequence[str] = ()


class Slot(NamedTuple):
    """When a node gives a word of a round: by a stream, in a phase, so many rounds later."""

    stream: int
    phase: int
    after: int = 0


@dataclass(frozen=True)
class Rounds:
    """How the nodes of the timetable fabric send."""

    #: The cycles of a round, and the sums of one; 0 where no words are added up.
    length: int
    sums: int
    #: By rank when it gives the words for a node, or for a sum; for None those that are for all.
    gives: tuple[dict[int | None, Slot], ...]
    #: Whether a round has the words of all nodes, or none.
    complete: bool = False


@dataclass(frozen=True)
class Setup:
    """The nodes of a network by their ranks: their numbers in words, and in the manifest."""

    width: int
    labels: tuple[str, ...]
    #: The nodes of each group, ascending.
    groups: dict[str, tuple[int, ...]]
    senders: frozenset[int]
    own_words: bool
    #: The number of each operation; None where all are there.
    operations: dict[str, int] | None = None
    marks_last: bool = True
    source_numbers: bool = True
    #: A network whose words can move takes or gives a word within this number of cycles, if its
    #: sinks are always ready.
    quiet: int = 0
    #: The root of operations for which none is named; None for the first of the group.
    root: int | None = None
    #: How nodes send in the timetable fabric.
    rounds: Rounds | None = None

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.labels)

    def name(self, rank: int) -> str:
        """A node in a message of an error."""
        label = self.labels[rank]
        return f"node {rank}" if label == str(rank) else f"node {rank} ({label})"


def describe_nodes(nodes: Nodes) -> Setup:
    """Nodes without a network, which can do everything."""
    from noc.design import check_width

    check_width(nodes.width)
    if nodes.size < 1:
        raise InputError(f"{option('size', nodes.size)}: at least one node is needed")
    everyone, labels = range(nodes.size), tuple(nodes.labels)
    if labels and len({*labels}) != nodes.size:
        raise InputError(f"{option('labels')}: one for each of {nodes.size} nodes is needed")
    for name, members in nodes.groups.items():
        if not members or not {*members} <= {*everyone}:
            asked = option("groups", name, flag="group")
            raise InputError(f"{asked}: nodes from 0 to {nodes.size - 1} are needed")
    groups = {name: tuple(sorted(set(members))) for name, members in nodes.groups.items()}
    return Setup(
        width=nodes.width,
        labels=labels or tuple(map(str, everyone)),
        groups={ALL: tuple(everyone)} | groups,
        senders=frozenset(everyone),
        own_words=nodes.own_words,
        root=nodes.root,
    )


def describe_design(design: "AnyDesign") -> Setup:
    """The nodes of a design."""
    if design.fabric != "ordered":
        from noc.emit.manifest import build_manifest

        return describe_manifest(build_manifest(design, []))
    program, operations, number = design.program, design.operations, design.numbers
    joined = [program.joined_cycles(joins.group) for joins in program.joins]
    return Setup(
        width=design.width,
        labels=tuple(map(design.network.label, design.in_order)),
        groups={name: tuple(sorted(number[n] for n in nodes)) for name, nodes in operations.groups},
        senders=frozenset(number[node] for node in program.sources),
        own_words=design.config.own_words,
        operations={str(operation): index for index, operation in enumerate(operations.listed)},
        marks_last=operations.marks_last,
        source_numbers=design.config.source_numbers,
        quiet=_quiet(program.up.tolist(), program.down_cycles.tolist(), joined),
    )


def describe_manifest(manifest: Mapping[str, Any]) -> Setup:
    """The nodes of a folder that ``noc generate`` wrote."""
    if manifest["fabric"] == "timetable":
        return _describe_rounds(manifest)
    if manifest["fabric"] != "ordered":
        raise InputError(
            f"{manifest['network']}: programs need the ordered fabric, with its operations, or the "
            f"timetable fabric; leave out {option('fabric', manifest['fabric'])} and "
            f"{option('sources', 'one')}"
        )
    nodes = manifest["nodes"]
    labels = [node["label"] for node in nodes]
    up = {rank: node["up"] for rank, node in enumerate(nodes) if "up" in node}
    return Setup(
        width=manifest["width"],
        labels=tuple(labels),
        groups={
            name: tuple(sorted(labels.index(label) for label in members))
            for name, members in (manifest.get("groups") or {ALL: labels}).items()
        },
        senders=frozenset(up),
        own_words=manifest["own_words"] == "returned",
        # Where the manifest lists none, words are broadcast.
        operations=manifest.get("operations", {str(BROADCAST): 0}),
        marks_last=any(f["name"] == "last" for f in nodes[0]["eject"]["fields"]),
        source_numbers=manifest["source_numbers"],
        quiet=_quiet(
            up.values(), [node["down"] for node in nodes], manifest.get("joined", {}).values()
        ),
    )


def _quiet(*latencies: Iterable[int]) -> int:
    """Far more cycles than a word takes alone: some word never waits for another that can move."""
    return 64 + 4 * sum(max(cycles, default=0) for cycles in latencies)


#: What programs can ask of a network for each exchange; where words are listed, to send them.
_EXCHANGES = {
    "all_gather": "all_gather",
    "all_to_all": "send",
    "scatter": "scatter",
    "gather": "gather",
    "all_reduce": "all_reduce:{}",
    "reduce_scatter": "reduce:{}",
}


def exchange_for(kind: str) -> str:
    """The exchange of a network that has operations of a kind; empty if none has."""
    named = {name.partition(":")[0]: exchange for exchange, name in _EXCHANGES.items()}
    return named.get(kind, "")


def _describe_rounds(manifest: Mapping[str, Any]) -> Setup:
    """The nodes of the timetable fabric: each can do what the exchange does."""
    labels = [node["label"] for node in manifest["nodes"]]
    everyone, root = tuple(range(len(labels))), manifest.get("root")
    name = {LISTED: "send", **_EXCHANGES}[manifest.get("exchange", "all_gather")]
    gives = tuple(_read_slots(manifest, node, labels) for node in manifest["nodes"])
    longest = max((slot.after for slots in gives for slot in slots.values()), default=0)
    return Setup(
        width=manifest["width"],
        labels=tuple(labels),
        groups={ALL: everyone},
        senders=frozenset(everyone),
        own_words=False,
        operations={name.format(manifest.get("operator")): 0},
        # A word waits for its turn, and goes its way.
        quiet=64 + 4 * manifest["round"] * (longest + 2) + manifest.get("open_cycles", 0),
        root=None if root is None else labels.index(root),
        rounds=Rounds(manifest["round"], manifest.get("sums", 0), gives, "kept_rounds" in manifest),
    )


def _read_slots(
    manifest: Mapping[str, Any], node: Mapping[str, Any], labels: list[str]
) -> dict[int | None, Slot]:
    """When a node gives words, and for whom."""
    if "inject_phase" in manifest:
        return {None: Slot(0, manifest["inject_phase"])}
    slots: dict[int | None, Slot] = {}
    for stream, lane in enumerate(node["inject_lanes"]):
        after = lane.get("after", [0] * manifest["round"])
        for phase, key in enumerate(lane.get("sums") or lane["targets"]):
            if key is not None:
                number = key if "sums" in lane else labels.index(key)
                slots[number] = Slot(stream, phase, after[phase])
    return slots
