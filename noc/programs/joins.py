"""Where words of several nodes become one: the joins on the way up, for each group.

Each group has joins and links of its own, so that a word that waits for others holds up no other
group's. A join takes one word of each of its two streams at once. At a node the two streams whose
words are there first are joined first: when all members of the group give their words in the same
cycle, the result is at the root as early as joins of two allow.
"""

from dataclasses import dataclass

from noc.networks import IntArray
from noc.programs.operations import Operations
from noc.trees.tree import NO_PARENT

__all__ = ["GroupJoins", "Join", "JoinPlan", "build_joins", "count_cycles"]

#: So many joins of one slot, which pass on ``ready`` at once, lie between two of two slots at most.
_LONGEST_CHAIN = 1


@dataclass(frozen=True)
class Join:
    """Two streams into one.

    Parameters
    ----------
    first, second : int
        The streams: the node's operands are numbered from 0, its joins from there on. An operator
        has the data of the first on its left.
    slots : 1 or 2
        How many words its buffer holds.
    """

    first: int
    second: int
    slots: int


@dataclass(frozen=True)
class JoinPlan:
    """What one node does for one group.

    Parameters
    ----------
    group : int
        The group.
    own : bool
        Whether the node is a member: its own words are operand 0 then.
    up : int
        How many children have members below them; they are the operands after its own.
    joins : tuple of Join
        In this order; the last one's words go on. Without joins the only operand goes on.
    stored : bool
        Whether the only operand is stored in a buffer of two slots before it goes on.
    """

    group: int
    own: bool
    up: int
    joins: tuple[Join, ...]
    stored: bool

    @property
    def operands(self) -> int:
        """Streams that come together here."""
        return self.own + self.up


@dataclass(frozen=True)
class GroupJoins:
    """The joins of a group, for all nodes.

    Parameters
    ----------
    group : int
        The group.
    plans : tuple of (JoinPlan or None)
        For each node what it does; None where no member is at or below it.
    children : tuple of tuple of int
        For each node the children that have members below, in the order of its operands.
    cycles : int
        From the cycle in which all members give a word to that in which the root has the result,
        when nothing else moves.
    """

    group: int
    plans: tuple[JoinPlan | None, ...]
    children: tuple[tuple[int, ...], ...]
    cycles: int


def build_joins(
    operations: Operations, up_parent: IntArray, registers: tuple[int, ...], order: list[int]
) -> tuple[GroupJoins, ...]:
    """The joins of all groups whose words are joined.

    Parameters
    ----------
    operations : Operations
        What is wanted.
    up_parent : array (nodes)
        The in-tree.
    registers : tuple of int
        For each node the buffers in its link to its parent.
    order : list of int
        The nodes, each after its children.
    """
    return tuple(
        _join_group(group, frozenset(operations.members(group)), up_parent, registers, order)
        for group in operations.joined_groups
    )


def _join_group(
    group: int,
    members: frozenset[int],
    up_parent: IntArray,
    registers: tuple[int, ...],
    order: list[int],
) -> GroupJoins:
    children: list[tuple[int, ...]] = [()] * up_parent.size
    below: list[list[int]] = [[] for _ in range(up_parent.size)]
    shapes: dict[int, _Shape] = {}
    for node in order:
        own, children[node] = node in members, tuple(sorted(below[node]))
        above = int(up_parent[node])
        ready = [shapes[child].cycles + registers[child] for child in children[node]]
        if own or ready:
            shapes[node] = _shape(own, ready, root=above == NO_PARENT)
            if above != NO_PARENT:
                below[above].append(node)
    plans: list[JoinPlan | None] = [None] * up_parent.size
    # At the root a merge follows, which may have one slot too.
    following = {order[-1]: 1}
    for node in reversed(order):
        if node in shapes:
            shape = shapes[node]
            slots, chains = _slots(shape, following[node])
            joins = tuple(
                Join(*pair, count) for pair, count in zip(shape.pairs, slots, strict=True)
            )
            plans[node] = JoinPlan(group, shape.own, shape.up, joins, shape.stored)
            for child, chain in zip(children[node], chains[shape.own :], strict=True):
                following[child] = 0 if registers[child] else chain
    return GroupJoins(group, tuple(plans), tuple(children), shapes[order[-1]].cycles)


def count_cycles(plan: JoinPlan, ready: list[int]) -> int:
    """When a node's last join is done, from when the words of its operands are there."""
    done = list(ready)
    for join in plan.joins:
        done.append(1 + max(done[join.first], done[join.second]))
    return done[-1] + plan.stored


@dataclass(frozen=True)
class _Shape:
    """The joins of a node, but for their slots, and when the last one is done."""

    own: bool
    up: int
    pairs: tuple[tuple[int, int], ...]
    stored: bool
    cycles: int


def _shape(own: bool, ready: list[int], *, root: bool) -> _Shape:
    """Join the two that are there first, over and over."""
    operands = own + len(ready)
    streams = [(cycle, number) for number, cycle in enumerate([0] * own + ready)]
    pairs: list[tuple[int, int]] = []
    while len(streams) > 1:
        streams.sort()
        (_, one), (cycle, other), *others = streams
        pairs.append((min(one, other), max(one, other)))
        streams = [*others, (cycle + 1, operands + len(pairs) - 1)]
    stored = not pairs and (root or not own)
    return _Shape(own, len(ready), tuple(pairs), stored, streams[0][0] + stored)


def _slots(shape: _Shape, following: int) -> tuple[list[int], list[int]]:
    """The slots of a node's joins; and for each operand how many joins of one slot follow it."""
    operands = shape.own + shape.up
    chain = [0 if shape.stored else following] * (operands + len(shape.pairs))
    slots = [0] * len(shape.pairs)
    for place in reversed(range(len(shape.pairs))):
        after = chain[operands + place]
        slots[place] = 1 if after < _LONGEST_CHAIN else 2
        for stream in shape.pairs[place]:
            chain[stream] = after + 1 if slots[place] == 1 else 0
    return slots, chain[:operands]
