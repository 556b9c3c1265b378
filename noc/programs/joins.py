"""Where words of several nodes become one: the joins on the way up, for each group.

Each group has joins and links of its own, so that a word that waits for others holds up no other
group's. A join takes one word of each of its two streams at once. At a node the two streams whose
words are there first are joined first: when all members of the group give their words in the same
cycle, the result is at the root as early as joins of two allow.

What comes over a link is stored there in two slots: so synthesis sees an operator, the buffers
before it, and the multiplexer of their slots as one.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from noc.networks import IntArray
from noc.programs.operations import Operations
from noc.trees.tree import NO_PARENT

#: Slots in which what comes over a link is stored.
_ARRIVING = 2

#: The longest chain of one-slot buffers, with combinational ``ready``, between two-slot buffers.
_LONGEST_CHAIN = 1


@dataclass(frozen=True)
class Join:
    """Two streams into one."""

    #: The streams: the node's operands are numbered from 0, its joins behind them. An operator has
    #: the data of the first on its left.
    first: int
    second: int
    #: 0, 1 or 2. How many words the buffer behind it holds. Behind the last join of a node there is
    #: none, but at the root.
    slots: int
    #: Cycles of its operators: the number of stages before the buffer.
    latency: int = 0


@dataclass(frozen=True)
class JoinPlan:
    """What one node does for one group."""

    #: The group.
    group: int
    #: Whether the node is a member; its own words are operand 0.
    own: bool
    #: How many of them can wait at the node; with 0 they go on as they come, to where they are
    #: stored and can wait.
    waiting: int
    #: How many children have members below them; they are the operands after its own.
    up: int
    #: In this order; the last one's words go on. Without joins the only operand goes on.
    joins: tuple[Join, ...]

    @property
    def operands(self) -> int:
        """Streams that come together here."""
        return self.own + self.up


@dataclass(frozen=True)
class GroupJoins:
    """The joins of a group, for all nodes."""

    #: The group.
    group: int
    #: For each node what it does; None where no member is at or below it.
    plans: tuple[JoinPlan | None, ...]
    #: For each node the children that have members below, in the order of its operands.
    children: tuple[tuple[int, ...], ...]
    #: From the cycle in which all members give a word to that in which the root has the result,
    #: when nothing else moves.
    cycles: int


def build_joins(
    operations: Operations,
    up_parent: IntArray,
    registers: tuple[int, ...],
    order: list[int],
    *,
    waiting: int,
) -> tuple[GroupJoins, ...]:
    """The joins of all groups whose words are joined.

    Parameters
    ----------
    operations : Operations
        Those of the network.
    up_parent : array (nodes)
        The in-tree.
    registers : tuple of int
        For each node the buffers in its link to its parent.
    order : list of int
        The nodes, each after its children.
    waiting : int
        How many words of its own can wait at each member of a group.
    """

    def joins_of(group: int) -> GroupJoins:
        members, latency = frozenset(operations.members(group)), operations.latency_in(group)
        children: list[tuple[int, ...]] = [()] * up_parent.size
        below: list[list[int]] = [[] for _ in range(up_parent.size)]
        plans: list[JoinPlan | None] = [None] * up_parent.size
        cycles: dict[int, int] = {}
        for node in order:
            own, children[node] = node in members, tuple(sorted(below[node]))
            above = int(up_parent[node])
            if own or children[node]:
                root, ready = above == NO_PARENT, [cycles[n] + registers[n] for n in children[node]]
                # Of a leaf the buffer at the parent has room already.
                room = waiting if ready or root else max(0, waiting - _ARRIVING)
                plan = _plan(group, own, room * own, ready, root=root, latency=latency)
                plans[node], cycles[node] = plan, count_cycles(plan, ready)
                if not root:
                    below[above].append(node)
        return GroupJoins(group, tuple(plans), tuple(children), cycles[order[-1]])

    return tuple(map(joins_of, operations.joined_groups))


def count_cycles(plan: JoinPlan, ready: list[int]) -> int:
    """When a node gives a word, from when its children do, if nothing waits."""
    done = [int(plan.waiting > 0)] * plan.own + [cycle + 1 for cycle in ready]
    for join in plan.joins:
        done.append(join.latency + max(done[join.first], done[join.second]) + (join.slots > 0))
    return done[-1]


def count_waiting(
    joins: GroupJoins, node: int, up_parent: IntArray, registers: tuple[int, ...]
) -> int | None:
    """How many words a member can give before any other member gives one; None for no bound.

    They wait before the first join on their way, and a member alone meets none.

    Parameters
    ----------
    joins : GroupJoins
        Those of the group.
    node : int
        The member.
    up_parent, registers
        As :func:`build_joins` takes them.
    """
    plan = joins.plans[node]
    assert plan is not None
    words = plan.waiting
    while plan is not None and not plan.joins:
        words += 2 * registers[node] + _ARRIVING
        node = int(up_parent[node])
        plan = None if node == NO_PARENT else joins.plans[node]
    return words if plan is not None else None


def _plan(
    group: int, own: bool, waiting: int, ready: list[int], *, root: bool, latency: int
) -> JoinPlan:
    """What a node does whose children give a word in the cycles ``ready``."""
    streams = [(int(waiting > 0), 0)] * own
    streams += [(cycle + 1, own + child) for child, cycle in enumerate(ready)]
    # The two that are there first are joined first.
    joined = pair_least(streams, len(streams), lambda _, later: later + 1 + latency)
    pairs = [(min(one, other), max(one, other)) for (_, one), (_, other) in joined]
    slots = _slots(len(streams), pairs, root=root)
    joins = [Join(*pair, count, latency) for pair, count in zip(pairs, slots, strict=True)]
    return JoinPlan(group, own, waiting, len(ready), tuple(joins))


def pair_least(
    streams: list[tuple[int, int]], free: int, combined: Callable[[int, int], int]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Pair the two least streams, each a (key, number), over and over.

    The key of a pair is ``combined`` from theirs, and pairs are numbered from ``free`` on.
    """
    heap, pairs = sorted(streams), list[tuple[tuple[int, int], tuple[int, int]]]()
    while len(heap) > 1:
        least, second = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (combined(least[0], second[0]), free + len(pairs)))
        pairs.append((least, second))
    return pairs


def _slots(operands: int, pairs: list[tuple[int, int]], *, root: bool) -> list[int]:
    """The slots of the buffers behind a node's joins."""
    # How many buffers of one slot follow; at the root a merge, which may have one.
    chain = [int(root)] * (operands + len(pairs))
    slots = [0] * len(pairs)
    for index, pair in reversed(list(enumerate(pairs))):
        after = chain[operands + index]
        if root or index < len(pairs) - 1:
            slots[index] = 1 if after < _LONGEST_CHAIN else 2
            after = after + 1 if slots[index] == 1 else 0
        for stream in pair:
            chain[stream] = after
    return slots
