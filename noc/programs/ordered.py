"""The program of the ordered fabric: which words each node merges on the way up, and forks down.

Words climb an in-tree to its root and come down an out-tree from it. On the way up a node merges
the words of its children and its own, two streams at a time; each merge serves its two inputs in
proportion to the numbers of sources behind them, so that every source that always sends has the
same share of the root. On the way down a node forks each word to its children and to its own sink.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from noc.errors import CheckError, InputError, option, switch
from noc.networks import IntArray, Network, as_network
from noc.programs.joins import GroupJoins, JoinPlan, Merge, build_joins, plan_merges, widened
from noc.programs.operations import BROADCAST, Operations, read_operations
from noc.programs.ordered_config import PLAIN, OrderedConfig
from noc.programs.word_format import WordFormat
from noc.trees import Tree, build_trees, find_algorithm
from noc.trees.even import Ways
from noc.trees.tree import NO_PARENT, depths

__all__ = ["Lane", "Merge", "NodePlan", "OrderedProgram", "central_node", "compile_ordered"]

#: Where no word waits on its way down, a parity is of so many bits at most: to find one of more
#: would take longer than all else.
_PARITY_PART = 16

#: In networks of more nodes a center is sought among some candidates only.
_SEARCHED_NODES, _CANDIDATES = 1_000, 64


@dataclass(frozen=True)
class NodePlan:
    """What one node does; nodes with equal plans are one module.

    Parameters
    ----------
    sends : bool
        Whether the node may send; its own words are input 0 then.
    up : int
        How many children have words that come up; they are the inputs after its own.
    merges : tuple of Merge
        In this order; the last one's words go on. Without merges a single input goes on.
    stored : bool
        Whether a single input is stored in a buffer of two slots before it goes on.
    root : bool
        Whether words turn round here.
    down : int
        How many children words go down to.
    down_slots : int
        Slots of the buffer in which words from the parent wait: 1 where only the node's own sink
        follows, otherwise 2; 0 at the root, where the last merge has them.
    drops : bool
        Whether the node's own words are not ejected at it.
    joins : tuple of JoinPlan
        What it does for each group whose words are joined here. At the root the results are
        inputs of the merges, after the others.
    stop_inputs : int
        How many children say whether the root is to be stopped.
    depth : int
        Of the queue for its sink, if that stops the root; otherwise 0.
    turn_slots : int
        With look-ahead 1 at the root, where words pass a register more before they come down.
    """

    sends: bool
    up: int
    merges: tuple[Merge, ...]
    stored: bool
    root: bool
    down: int
    down_slots: int
    drops: bool
    # Not shown, so that a plan without them has the digest it always had; designs add them.
    joins: tuple[JoinPlan, ...] = field(default=(), repr=False)
    stop_inputs: int = field(default=0, repr=False)
    depth: int = field(default=0, repr=False)
    turn_slots: int = field(default=0, repr=False)

    @property
    def inputs(self) -> int:
        """Streams that are merged, from below, its own, and at the root the results of joins."""
        return self.sends + self.up + (len(self.joins) if self.root else 0)

    @property
    def injects(self) -> bool:
        """Whether the node has an inject stream."""
        return self.sends or any(join.own for join in self.joins)

    @property
    def buffers(self) -> tuple[int, ...]:
        """The slots of each of its buffers."""
        slots = *(merge.slots for merge in self.merges), 2 * self.stored, self.down_slots
        return tuple(count for count in slots if count)

    @property
    def climbs(self) -> bool:
        """Whether words go on to a parent."""
        return self.sends + self.up > 0 and not self.root

    @property
    def last_merges(self) -> frozenset[int]:
        """The merges, by their places, behind which there is no buffer but that of the last."""
        result: set[int] = set()
        for place in reversed(range(len(self.merges))):
            number = self.inputs + place
            follows = any(number in (self.merges[n].first, self.merges[n].second) for n in result)
            if place == len(self.merges) - 1 or (follows and not self.merges[place].slots):
                result.add(place)
        return frozenset(result)

    def cycles(self, number: int) -> int:
        """Cycles of an input's words through the node on their way up, when nothing else moves."""
        path = self.passed(number)
        return sum(merge.slots > 0 for merge, _ in path) if path else int(self.stored)

    def passed(self, number: int) -> tuple[tuple[Merge, bool], ...]:
        """The merges that the words of an input pass, and whether they are the first stream."""
        path = []
        for index, merge in enumerate(self.merges):
            if number in (merge.first, merge.second):
                path.append((merge, number == merge.first))
                number = self.inputs + index
        return tuple(path)


@dataclass(frozen=True)
class Lane:
    """A stream from one node to another; several can lie on one link of the network.

    Parameters
    ----------
    carries : "up", "down", "join" or "stop"
        Whether words climb, come down, or climb to be joined; or that the root is to stop.
    sender, receiver : int
        The nodes at its ends.
    out_port, in_port : int
        The ports of the network's link that it lies on.
    registers : int
        How many buffers of two slots lie in it.
    group : int or None
        The group whose words are joined.
    """

    carries: Literal["up", "down", "join", "stop"]
    sender: int
    receiver: int
    out_port: int
    in_port: int
    registers: int
    group: int | None = None

    @property
    def node(self) -> int:
        """The node that it is named after: the one that is farther from the root."""
        return self.receiver if self.carries == "down" else self.sender

    @property
    def kind(self) -> str:
        """What it carries, and of which group, as names of signals say it."""
        return self.carries if self.group is None else f"{self.carries}_{self.group}"

    def name(self, nodes: Sequence[str]) -> str:
        """Its name in signals, from the names of the nodes there."""
        return f"{self.kind}_{nodes[self.node]}"


@dataclass(frozen=True, eq=False)
class OrderedProgram:
    """The whole network's.

    Parameters
    ----------
    network : Network
        The network.
    down : Tree
        The out-tree.
    up_parent, up_port : array (nodes)
        The in-tree: where the words of each node go, and by which of its out-ports;
        ``NO_PARENT`` at the root.
    sources : tuple of int
        The nodes that may send, ascending.
    plans : tuple of NodePlan
        The different nodes.
    plan : array (nodes)
        Which of them is at each node.
    up_children, down_children : tuple of tuple of int
        For each node its children by input and by output, in the order of its plan.
    up_registers, down_registers : tuple of int
        For each node how many buffers of two slots lie in the link from it up, and down to it.
    config : OrderedConfig
        How it is built.
    operations : Operations
        What words can ask for.
    joins : tuple of GroupJoins
        For each group whose words are joined, where that happens.
    numbers : tuple of int
        For each node the number by which words name it. Where words are for some nodes only, the
        nodes of each subtree of the out-tree have consecutive numbers, the lowest its root.
    """

    network: Network
    down: Tree = field(repr=False)
    up_parent: IntArray = field(repr=False)
    up_port: IntArray = field(repr=False)
    sources: tuple[int, ...]
    plans: tuple[NodePlan, ...] = field(repr=False)
    plan: IntArray = field(repr=False)
    up_children: tuple[tuple[int, ...], ...] = field(repr=False)
    down_children: tuple[tuple[int, ...], ...] = field(repr=False)
    up_registers: tuple[int, ...] = field(repr=False)
    down_registers: tuple[int, ...] = field(repr=False)
    config: OrderedConfig
    operations: Operations
    joins: tuple[GroupJoins, ...] = field(default=(), repr=False)
    numbers: tuple[int, ...] = field(default=(), repr=False)

    @property
    def trees(self) -> int:
        """Among how many trees a source can choose for a word."""
        return 1

    def words(self, width: int) -> WordFormat:
        """The fields of words whose data have ``width`` bits."""
        return WordFormat(
            width,
            self.network.nodes,
            self.config.source_numbers,
            self.operations,
            parity_part=_PARITY_PART if self.config.falls_freely else 0,
            voids=self.config.void_words,
        )

    @property
    def source_bits(self) -> int:
        """Bits of the number of the node that sent a word; 0 where words carry none."""
        return (self.network.nodes - 1).bit_length() if self.config.source_numbers else 0

    @cached_property
    def stand_ins(self) -> tuple[tuple[int, int], ...]:
        """The member and group of each bit of the inputs ``away``, by node, then group."""
        nodes = range(self.network.nodes) if self.config.stand_ins else ()
        return tuple((node, p.group) for node in nodes for p in self.plan_of(node).joins if p.own)

    @cached_property
    def lanes(self) -> tuple[Lane, ...]:
        """All streams between nodes: by node those up and down, then those of each group."""
        result = []
        for node in range(self.network.nodes):
            if self.plan_of(node).climbs:
                result.append(self._lane_up("up", node))
            above, port = int(self.down.parent[node]), int(self.down.port[node])
            if above != NO_PARENT:
                arrival = int(self.network.arrival[above, port])
                registers = self.down_registers[node]
                result.append(Lane("down", above, node, port, arrival, registers))
        for joins in self.joins:
            for children in joins.children:
                result += [self._lane_up("join", child, joins.group) for child in children]
        return tuple(result)

    def waits(self, lane: Lane) -> bool:
        """Whether words may have to wait on a lane: if not, it has no ``ready``."""
        return lane.carries in ("up", "join") or not self.config.falls_freely

    def announces(self, lane: Lane) -> bool:
        """Whether words follow on a lane in the cycle after they were passed on."""
        return lane.carries == "up" and self.config.lookahead

    @cached_property
    def stop_lanes(self) -> tuple[Lane, ...]:
        """The wires by which queues of sinks stop the root: from each node to its parent."""
        nodes = range(self.network.nodes if self.config.stops else 0)
        return tuple(self._lane_up("stop", node) for node in nodes if node != self.root)

    @cached_property
    def stop_children(self) -> tuple[tuple[int, ...], ...]:
        """For each node its children in the in-tree, in the order of its inputs of stops."""
        return _children(self.up_parent)

    def _lane_up(
        self, carries: Literal["up", "join", "stop"], node: int, group: int | None = None
    ) -> Lane:
        above, port = int(self.up_parent[node]), int(self.up_port[node])
        arrival = int(self.network.arrival[node, port])
        return Lane(carries, node, above, port, arrival, self.up_registers[node], group)

    @cached_property
    def up(self) -> IntArray:
        """Cycles from a word's acceptance at each source to the root, when nothing else moves.

        -1 where a node may not send.
        """
        cycles = np.full(self.network.nodes, -1, dtype=np.int64)
        for source in self.sources:
            registers = sum(self.up_registers[node] for node in self._nodes_up(source))
            nodes = sum(plan.cycles(number) for plan, number in self._way_up(source))
            cycles[source] = nodes + registers
        return cycles

    @cached_property
    def up_depth(self) -> IntArray:
        """Hops from each node to the root."""
        return _up_depth(self.network, self.up_parent, self.root)

    @cached_property
    def down_cycles(self) -> IntArray:
        """Cycles from the root to the eject stream of each node, when nothing else moves.

        With look-ahead words pass a register more at the root.
        """
        cycles = _cycles_away(self.down.parent, self.down.depth, self.down_registers)
        return cycles + self.plan_of(self.root).turn_slots + (1 if self.config.queue else 0)

    @cached_property
    def below(self) -> tuple[frozenset[int], ...]:
        """For each node those of its subtree of the out-tree, itself among them."""
        return _subtrees(self.down.parent, self.down.depth)

    @cached_property
    def behind(self) -> tuple[frozenset[int], ...]:
        """For each node those whose words climb through it, itself among them."""
        return _subtrees(self.up_parent, self.up_depth)

    def joined_cycles(self, group: int) -> int:
        """Cycles from the words of all members, given in one cycle, to the root.

        That is up to the eject stream of a node with ``down_cycles`` 0, when nothing else moves.
        """
        plan, index = self.plan_of(self.root), self.operations.joined_groups.index(group)
        return self.joins[index].cycles + plan.cycles(plan.sends + plan.up + index)

    def cycles_to_all(self, source: int) -> int:
        """Cycles from a word's acceptance to the last eject stream, when nothing else moves."""
        dropped = [source] if self.plan_of(source).drops else []
        return int(self.up[source] + np.delete(self.down_cycles, dropped).max())

    def most_waited(self, source: int) -> int:
        """Words that can pass the root, at most, between the offer of a word and its own passing.

        Of k words of one stream in a row, a merge lets at most ``w * ceil(k / v)`` words of the
        other in between, where v and w are the weights of the stream and of the other; and each
        buffer on the way may hold words already.
        """
        before = 1
        nodes = self._nodes_up(source)
        for node, (plan, number) in zip(nodes, self._way_up(source), strict=True):
            for merge, first in plan.passed(number):
                own, other = merge.weights if first else merge.weights[::-1]
                before += other * -(-before // own) + merge.slots
            before += 2 * plan.stored
            before += 2 * self.up_registers[node]
        # What has passed all merges may be there, too.
        return before + self.plan_of(self.root).turn_slots

    def _nodes_up(self, source: int) -> list[int]:
        nodes = [source]
        while nodes[-1] != self.root:
            nodes.append(int(self.up_parent[nodes[-1]]))
        return nodes

    def _way_up(self, source: int) -> list[tuple[NodePlan, int]]:
        """For each node on the way to the root its plan, and the input by which words come."""
        result = []
        number, below = 0, source
        for node in self._nodes_up(source):
            plan = self.plan_of(node)
            if node != source:
                number = plan.sends + self.up_children[node].index(below)
            result.append((plan, number))
            below = node
        return result

    @property
    def buffers(self) -> tuple[int, int]:
        """The buffers of the whole network with one slot, and those with two, of its links too."""
        slots = [slot for plan in self.plan.tolist() for slot in self.plans[plan].buffers]
        links = sum(self.up_registers) + sum(self.down_registers)
        return slots.count(1), slots.count(2) + links

    @property
    def root(self) -> int:
        """Where words turn round."""
        return self.down.root

    @property
    def algorithm(self) -> str:
        """How the out-tree was built."""
        return self.down.algorithm

    def plan_of(self, node: int) -> NodePlan:
        """What a node does."""
        return self.plans[int(self.plan[node])]


def compile_ordered(
    network: Network | str,
    algorithm: str | Ways = "even",
    *,
    sources: Sequence[int | str] | None = None,
    root: int | str | None = None,
    config: OrderedConfig = PLAIN,
    operations: Iterable[str] | None = None,
    groups: Mapping[str, Sequence[int | str]] | None = None,
) -> OrderedProgram:
    """Compile a network for the ordered fabric.

    Parameters
    ----------
    network : Network or str
        The network, or its name; links may be one-way.
    algorithm : str or Ways
        How to build the trees, as :func:`noc.trees.build_tree` takes it; or the trees themselves,
        whose root is that of the fabric.
    sources : sequence of int or str, optional
        The nodes that may send, by number or label; without, all.
    root : int or str, optional
        Where words turn round; without, a center of the network.
    config : OrderedConfig
        How the fabric is built.
    operations : iterable of str, optional
        What words can ask for, as :func:`noc.programs.operations.read_operations` takes them;
        without, every word is broadcast.
    groups : mapping of str to sequence of int or str, optional
        The nodes of the groups that operations name.
    """
    network = as_network(network)
    config.check(network)
    if operations is None and groups:
        raise InputError(f"{option('groups', flag='group')}: no operation names a group")
    names = [str(BROADCAST)] if operations is None else operations
    known = read_operations(network, names, groups)
    senders = tuple(range(network.nodes))
    if sources is not None:
        senders = tuple(sorted({network.node(s, argument="sources") for s in sources}))
    if not senders:
        raise InputError(f"{option('sources')}: at least one source is needed")
    _check_members(network, known, senders)
    if config.void_words and not known.joined_groups:
        raise InputError(f"{switch('void_words', True)}: no operation joins words")
    senders = senders if known.sent else ()
    if isinstance(algorithm, Ways):
        return _compile(algorithm, senders, config, known)
    return _compile(_build_ways(network, algorithm, root), senders, config, known)


def _build_ways(network: Network, algorithm: str, root: int | str | None) -> Ways:
    """The trees of an algorithm."""
    top = central_node(network) if root is None else network.node(root, argument="root")
    ports = find_algorithm(network, algorithm).models[0]
    trees = build_trees(network, algorithm, root=top, ports=ports).trees
    if len(trees) != 1:
        raise InputError(
            f"algorithm {algorithm!r} gives {len(trees)} trees, where the ordered fabric "
            "needs one; choose another algorithm, or the direct fabric"
        )
    return Ways(trees[0])


def _check_members(network: Network, operations: Operations, senders: tuple[int, ...]) -> None:
    """Refuse groups whose nodes would have to give words and may not."""
    for group in operations.joined_groups:
        for node in operations.members(group):
            if node not in senders:
                raise InputError(
                    f"{option('sources')}: {network.label(node)} is in the group "
                    f"{operations.groups[group][0]!r}, whose words are joined, and may not send"
                )


def central_node(network: Network) -> int:
    """The node from which the farthest ways there and back are shortest; the first of several.

    >>> from noc.networks import build_network
    >>> central_node(build_network("star:4"))
    0
    """
    if network.symmetric:
        return 0
    back = network.reversed()
    candidates = range(network.nodes)
    if network.nodes > _SEARCHED_NODES:
        # Those about halfway between two nodes that are far apart.
        first = int(back.distances(0).argmax())
        far = network.distances(first)
        off = np.abs(far - back.distances(int(far.argmax())))
        candidates = np.argsort(off, kind="stable")[:_CANDIDATES].tolist()

    def ways(node: int) -> tuple[int, int]:
        away, home = network.distances(node), back.distances(node)
        return int(away.max() + home.max()), int(away.sum() + home.sum())

    return min(candidates, key=ways)


def _compile(
    ways: Ways, sources: tuple[int, ...], config: OrderedConfig, operations: Operations
) -> OrderedProgram:
    down = ways.down
    network, nodes, senders = down.network, np.arange(down.network.nodes), frozenset(sources)
    up_parent, up_port = ways.climbing
    order = np.argsort(-_up_depth(network, up_parent, down.root), kind="stable").tolist()
    below, rising = _rising(up_parent, order, sources)
    falling, up_registers = _children(down.parent), config.registers(nodes, up_parent)
    joins = build_joins(operations, up_parent, up_registers, order, waiting=config.group_queue)
    down_registers, stopping = config.registers(down.parent, nodes), _children(up_parent)
    turn_slots = int(config.lookahead)
    depth = queue_depths(down, up_parent, up_registers, down_registers, config, turn_slots)

    def plan_of(node: int) -> NodePlan:
        sends, root = node in senders, node == down.root
        joined = tuple(plan for group in joins if (plan := group.plans[node]) is not None)
        weights = [1] * sends + [below[child] for child in rising[node]]
        results = len(joined) if root else 0
        merges = plan_merges(weights, results)
        if config.falls_freely:
            chained = any(passes[child] and not up_registers[child] for child in rising[node])
            # From the root on words wait for nothing.
            slots = 1 if root or (len(merges) == 1 and not chained) else 2
            merges = widened(merges, len(weights) + results, slots)
            passes[node] = slots == 1
        return NodePlan(
            sends=sends,
            up=len(rising[node]),
            merges=merges,
            # A leaf's own words are stored by the merge that they meet first.
            stored=len(weights) + results == 1 and (root or not sends),
            root=root,
            down=len(falling[node]),
            down_slots=0 if root else 2 if falling[node] and not config.falls_freely else 1,
            drops=sends and not config.own_words,
            joins=joined,
            stop_inputs=len(stopping[node]) if config.stops else 0,
            depth=depth[node],
            turn_slots=turn_slots * root,
        )

    # Whether the last buffer of a node passes on ``ready``.
    passes = [False] * network.nodes
    planned = {node: plan_of(node) for node in order}
    plans: dict[NodePlan, int] = {}
    plan = [plans.setdefault(planned[node], len(plans)) for node in range(network.nodes)]
    numbers = tuple(range(network.nodes))
    return OrderedProgram(
        network=network,
        down=down,
        up_parent=up_parent,
        up_port=up_port,
        sources=sources,
        plans=tuple(plans),
        plan=np.array(plan, dtype=np.int64),
        up_children=rising,
        down_children=falling,
        up_registers=up_registers,
        down_registers=down_registers,
        config=config,
        operations=operations,
        joins=joins,
        numbers=_number_depth_first(falling, down.root) if operations.routed else numbers,
    )


def _rising(
    up_parent: IntArray, order: list[int], sources: tuple[int, ...]
) -> tuple[list[int], tuple[tuple[int, ...], ...]]:
    """How many sources have words that climb through each node, and its children that have some.

    Light children come first; ``order`` has each node before its parent.
    """
    below = np.isin(np.arange(up_parent.size), sources).astype(int).tolist()
    for node in order[:-1]:
        below[up_parent[node]] += below[node]
    return below, tuple(
        tuple(sorted((child for child in children if below[child]), key=below.__getitem__))
        for children in _children(up_parent)
    )


def queue_depths(
    down: Tree,
    up_parent: IntArray,
    up_registers: tuple[int, ...],
    down_registers: tuple[int, ...],
    config: OrderedConfig,
    turn_slots: int,
) -> list[int]:
    """For each node the depth of the queue that stops the root, if that is so, and otherwise 0.

    A queue holds what was asked for before it stops the root, and then what still comes until the
    last word that had passed the root is there: for as many cycles as the way up has, a word a
    cycle, and as the way down has, one in each register at the root, and one that enters.
    """
    if not config.stops:
        return [0] * up_parent.size
    up_depth = _up_depth(down.network, up_parent, down.root)
    up = _cycles_away(up_parent, up_depth, up_registers)
    cycles = up + _cycles_away(down.parent, down.depth, down_registers)
    result: list[int] = (config.queue + cycles + 2 + turn_slots).tolist()
    return result


def _cycles_away(parent: IntArray, depth: IntArray, registers: tuple[int, ...]) -> IntArray:
    """Cycles between each node and the root: one a hop, and one for each register there."""
    cycles = np.zeros(parent.size, dtype=np.int64)
    for node in np.argsort(depth, kind="stable")[1:].tolist():
        cycles[node] = cycles[parent[node]] + 1 + registers[node]
    return cycles


def _number_depth_first(children: tuple[tuple[int, ...], ...], root: int) -> tuple[int, ...]:
    """A number for each node, such that those of a subtree follow the number of its root."""
    numbers, left = [0] * len(children), [root]
    for number in range(len(children)):
        node = left.pop()
        numbers[node] = number
        left += reversed(children[node])
    return tuple(numbers)


def _children(parent: IntArray) -> tuple[tuple[int, ...], ...]:
    result: list[list[int]] = [[] for _ in range(parent.size)]
    for node, above in enumerate(parent.tolist()):
        if above != NO_PARENT:
            result[above].append(node)
    return tuple(map(tuple, result))


def _up_depth(network: Network, up_parent: IntArray, root: int) -> IntArray:
    """Hops from each node to the root."""
    depth = depths(up_parent, root)
    if depth is None:
        raise CheckError(f"{network.spec}: not every node leads up to the root")
    return depth


def _subtrees(parent: IntArray, depth: IntArray) -> tuple[frozenset[int], ...]:
    """For each node of a tree those of its subtree."""
    result = [frozenset([node]) for node in range(parent.size)]
    for node in np.argsort(-depth, kind="stable")[:-1].tolist():
        result[parent[node]] |= result[node]
    return tuple(result)
