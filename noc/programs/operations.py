"""What a word wants done: the operations of a network, its groups, and the operators.

An operation is written ``KIND``, ``KIND:OPERATOR``, ``KIND@GROUP`` or ``KIND:OPERATOR@GROUP``, such
as ``broadcast``, ``all_reduce:sum`` and ``barrier@left``. Without a group it concerns all nodes.

The words of some kinds move one by one: they are *sent*. Those of others are *joined*: the words of
all members of the group become one on the way up.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from noc.errors import InputError, option
from noc.networks import Network
from noc.programs.operators import OPERATORS, check_operator

__all__ = ["ALL", "BROADCAST", "KINDS", "Kind", "Operation", "Operations", "read_operations"]

#: The group of all nodes.
ALL = "all"


@dataclass(frozen=True)
class Kind:
    """What operations have in common.

    Parameters
    ----------
    joined : bool
        Whether the words of a group's members become one on the way up.
    to : "group" or "node"
        Where a word comes down to: to all nodes of its group, or to the node that it names.
    operator : bool
        Whether words that are joined have data, and an operator that combines them.
    """

    joined: bool
    to: str
    operator: bool = False


#: What each kind of operation does, by its name.
KINDS = {
    "broadcast": Kind(joined=False, to="group"),
    "multicast": Kind(joined=False, to="group"),
    "all_gather": Kind(joined=False, to="group"),
    "send": Kind(joined=False, to="node"),
    "scatter": Kind(joined=False, to="node"),
    "gather": Kind(joined=False, to="node"),
    "reduce": Kind(joined=True, to="node", operator=True),
    "all_reduce": Kind(joined=True, to="group", operator=True),
    "barrier": Kind(joined=True, to="group"),
}

_NAME = re.compile(r"(?P<kind>\w+)(:(?P<operator>[\w-]+))?(@(?P<group>[A-Za-z]\w*))?")


@dataclass(frozen=True)
class Operation:
    """One operation.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    operator : str
        One of :data:`noc.programs.operators.OPERATORS` where its kind has one, otherwise empty.
    group : str
        The name of the nodes that it concerns.
    """

    kind: str
    operator: str = ""
    group: str = ALL

    def __str__(self) -> str:
        operator = f":{self.operator}" if self.operator else ""
        return f"{self.kind}{operator}" + (f"@{self.group}" if self.group != ALL else "")

    @property
    def joined(self) -> bool:
        """Whether the words of the group's members become one."""
        return KINDS[self.kind].joined

    @property
    def to_node(self) -> bool:
        """Whether a word names the node that it is for."""
        return KINDS[self.kind].to == "node"


#: What every word asks for where nothing else is named.
BROADCAST = Operation("broadcast")


@dataclass(frozen=True)
class Operations:
    """All operations of a network; the number of each is its place.

    Parameters
    ----------
    listed : tuple of Operation
        The operations.
    groups : tuple of (str, tuple of int)
        The name of each group and its nodes, ascending; :data:`ALL` is the first.
    """

    listed: tuple[Operation, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def only_broadcast(self) -> bool:
        """Whether every word is broadcast to all nodes, so that no word says what it asks for."""
        return self.listed == (BROADCAST,)

    @property
    def bits(self) -> int:
        """Bits of the number of an operation; 0 where there is one only."""
        return (len(self.listed) - 1).bit_length()

    @cached_property
    def sent(self) -> tuple[int, ...]:
        """The numbers of the operations whose words move one by one."""
        return tuple(n for n, operation in enumerate(self.listed) if not operation.joined)

    @cached_property
    def joined_groups(self) -> tuple[int, ...]:
        """The groups whose words are joined, by number."""
        names = [operation.group for operation in self.listed if operation.joined]
        return tuple(n for n, (name, _) in enumerate(self.groups) if name in names)

    def joined_in(self, group: int) -> tuple[int, ...]:
        """The numbers of the operations that join the words of a group."""
        name = self.groups[group][0]
        return tuple(n for n, o in enumerate(self.listed) if o.joined and o.group == name)

    def operators_in(self, group: int) -> tuple[str, ...]:
        """By their order in :meth:`joined_in`, what combines data; none where there are no data.

        Whatever data a barrier has is combined as by the first operation that has an operator.
        """
        operators = [self.listed[number].operator for number in self.joined_in(group)]
        usual = next(filter(None, operators), "")
        return tuple(operator or usual for operator in operators) if usual else ()

    def latency_in(self, group: int) -> int:
        """Cycles that a join of the group takes longer than one, for the slowest operator."""
        return max((OPERATORS[name].latency for name in self.operators_in(group)), default=0)

    def group_of(self, operation: int) -> int:
        """The number of an operation's group."""
        return [name for name, _ in self.groups].index(self.listed[operation].group)

    def members(self, group: int) -> tuple[int, ...]:
        """The nodes of a group."""
        return self.groups[group][1]

    @property
    def names_nodes(self) -> bool:
        """Whether words name nodes that they are for."""
        return any(operation.to_node for operation in self.listed)

    @property
    def marks_last(self) -> bool:
        """Whether words say which is the last of a message.

        Broadcasts and barriers alone need no such mark.
        """
        return any(operation.kind not in ("broadcast", "barrier") for operation in self.listed)

    @cached_property
    def routed_groups(self) -> tuple[int, ...]:
        """The groups, other than that of all nodes, to which words come down."""
        names = [operation.group for operation in self.listed if not operation.to_node]
        return tuple(n for n, (name, _) in enumerate(self.groups) if n and name in names)

    @property
    def routed(self) -> bool:
        """Whether some words do not come down to every node."""
        return self.names_nodes or bool(self.routed_groups)


def read_operations(
    network: Network,
    names: Iterable[str] = (str(BROADCAST),),
    groups: Mapping[str, Sequence[int | str]] | None = None,
) -> Operations:
    """The operations that a user names.

    Parameters
    ----------
    network : Network
        Whose nodes the groups are of.
    names : iterable of str
        The operations; without, broadcast only.
    groups : mapping of str to sequence of int or str, optional
        The nodes of each group, by number or label.

    >>> from noc.networks import build_network
    >>> some = read_operations(build_network("ring:4"), ["broadcast", "all_reduce:sum@pair"],
    ...                        {"pair": [1, 3]})
    >>> [str(operation) for operation in some.listed], some.groups[1]
    (['broadcast', 'all_reduce:sum@pair'], ('pair', (1, 3)))
    """
    known = {ALL: tuple(range(network.nodes))}
    for name, nodes in (groups or {}).items():
        if name == ALL or not re.fullmatch(r"[A-Za-z]\w*", name):
            raise InputError(
                f"{option('groups', name, flag='group')}: a letter and then letters, digits and _ "
                f"are a name, except {ALL!r}, which all nodes have"
            )
        known[name] = tuple(sorted({network.node(node, argument="groups") for node in nodes}))
        if not known[name]:
            raise InputError(f"{option('groups', name, flag='group')}: at least one node is needed")
    listed = tuple(_read_operation(name, known) for name in names)
    if not listed:
        raise InputError(f"{option('operations')}: at least one is needed")
    for place, operation in enumerate(listed):
        if operation in listed[:place]:
            raise InputError(f"{option('operations')}: {operation} is named twice")
    return Operations(listed, tuple(known.items()))


def _read_operation(name: str, groups: Mapping[str, object]) -> Operation:
    parts = _NAME.fullmatch(name)
    if parts is None or parts["kind"] not in KINDS:
        raise InputError(
            f"{option('operations', name)}: KIND, KIND:OPERATOR or KIND:OPERATOR@GROUP are "
            f"allowed, with these kinds: {', '.join(KINDS)}"
        )
    operation = Operation(parts["kind"], parts["operator"] or "", parts["group"] or ALL)
    if KINDS[operation.kind].operator:
        check_operator(option("operations", name), operation.kind, operation.operator)
    elif operation.operator:
        raise InputError(f"{option('operations', name)}: {operation.kind} has no operator")
    if operation.group not in groups:
        raise InputError(
            f"{option('operations', name)}: there is no group {operation.group!r}; "
            f"the groups are {', '.join(groups)}"
        )
    if operation.kind == "multicast" and operation.group == ALL:
        raise InputError(f"{option('operations', name)}: needs a group: multicast@GROUP")
    return operation
