"""What programs know of the nodes that they run on, from a design or from a manifest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from noc.errors import InputError, option
from noc.programs.operations import ALL, BROADCAST

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
    """

    size: int
    width: int = 32
    groups: Mapping[str, Sequence[int]] = field(default_factory=dict)
    own_words: bool = False


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
    everyone = range(nodes.size)
    for name, members in nodes.groups.items():
        if not members or not {*members} <= {*everyone}:
            asked = option("groups", name, flag="group")
            raise InputError(f"{asked}: nodes from 0 to {nodes.size - 1} are needed")
    groups = {name: tuple(sorted(set(members))) for name, members in nodes.groups.items()}
    return Setup(
        width=nodes.width,
        labels=tuple(map(str, everyone)),
        groups={ALL: tuple(everyone)} | groups,
        senders=frozenset(everyone),
        own_words=nodes.own_words,
    )


def describe_design(design: "AnyDesign") -> Setup:
    """The nodes of a design."""
    if design.fabric != "ordered":
        raise _of_other_fabric(design.network.spec, design.fabric)
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
    if manifest["fabric"] != "ordered":
        raise _of_other_fabric(manifest["network"], manifest["fabric"])
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


def _of_other_fabric(spec: str, fabric: str) -> InputError:
    alone = f" and {option('sources', 'one')}" if fabric == "direct" else ""
    return InputError(
        f"{spec}: programs need the ordered fabric, with its operations and its one order of all "
        f"words; leave out {option('fabric', fabric)}{alone}"
    )
