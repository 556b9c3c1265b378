"""Where streams meet at nodes of the ordered fabric: merges, and the joins of each group.

Each group whose words become one has joins and links of its own, so that a word that waits for
others holds up no other group's. A join takes one word of each of its two streams at once. At a
node the two streams whose words are there first are joined first: when all members of the group
give their words in the same cycle, the result is at the root as early as joins of two allow.

What comes over a link is stored there in two slots: so synthesis sees an operator, the buffers
before it, and the multiplexer of their slots as one.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import gcd
from operator import add

from noc.networks import IntArray
from noc.programs.operations import Operations
from noc.trees.tree import NO_PARENT

#: How many merges without a buffer words pass in a cycle, at most.
_MOST_BARE = 2


@dataclass(frozen=True)
class Merge:
    """Two streams into one.

    Parameters
    ----------
    first, second : int
        The streams: the node's inputs are numbered from 0, its merges behind them.
    weights : (int, int)
        The numbers of sources behind the two, in lowest terms.
    slots : 0, 1 or 2
        How many words its buffer holds. With two its ``ready`` is a register; with one, which is
        smaller, it passes on that of the next merge, which then has two. Without a buffer its words
        go on in the same cycle, to another merge of the node.
    """

    first: int
    second: int
    weights: tuple[int, int]
    slots: int


def plan_merges(weights: list[int], results: int = 0) -> tuple[Merge, ...]:
    """The two lightest streams first, over and over: most words pass the fewest merges.

    Results of joins are inputs behind those with weights, alike among each other; in the end words
    that are sent and results take turns.
    """
    inputs = len(weights) + results
    pairs = _pair(list(enumerate(weights)), inputs)
    joined = _pair([(number, 1) for number in range(len(weights), inputs)], inputs + len(pairs))
    if weights and results:
        ends = (
            inputs + len(pairs) - 1 if pairs else 0,
            inputs + len(pairs) + len(joined) - 1 if joined else inputs - 1,
        )
        joined.append((*ends, (1, 1)))
    pairs += joined
    # From the last merge back: what enters a merge of two slots needs one only.
    slots = [2] * len(pairs)
    for index in reversed(range(len(pairs))):
        for stream in pairs[index][:2]:
            if stream >= inputs:
                slots[stream - inputs] = 3 - slots[index]
    return tuple(Merge(*pair, count) for pair, count in zip(pairs, slots, strict=True))


def widened(merges: tuple[Merge, ...], inputs: int, slots: int) -> tuple[Merge, ...]:
    """The merges of a node with a buffer only where a word has passed several without one.

    That of the last has these ``slots``, any other two.
    """
    result: list[Merge] = []
    # How many merges a word of each stream has passed in the same cycle.
    bare = [0] * inputs
    for merge in merges[:-1]:
        before = max(bare[merge.first], bare[merge.second])
        result.append(replace(merge, slots=2 if before == _MOST_BARE else 0))
        bare.append(0 if before == _MOST_BARE else before + 1)
    return *result, *(replace(last, slots=slots) for last in merges[-1:])


def _pair(inputs: list[tuple[int, int]], free: int) -> list[tuple[int, int, tuple[int, int]]]:
    """Merges of streams, each a (number, weight); their results are numbered from ``free`` on."""
    streams = [(weight, number) for number, weight in inputs]
    return [
        (first, second, (light // gcd(light, heavy), heavy // gcd(light, heavy)))
        for (light, first), (heavy, second) in pair_least(streams, free, add)
    ]


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

    ``registers`` has for each node the buffers in its link to its parent, ``order`` the nodes, each
    after its children; ``waiting`` words of its own can wait at each member of a group.
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
