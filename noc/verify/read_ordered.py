"""The program of the ordered fabric, read back from the files of a folder."""

from collections.abc import Iterator

import numpy as np

from noc.design import OrderedDesign
from noc.errors import CheckError, InputError
from noc.networks import IntArray, Network
from noc.programs.joins import JoinPlan
from noc.programs.operations import Operations
from noc.programs.ordered import Merge, NodePlan, OrderedProgram
from noc.programs.ordered_config import PLAIN, OrderedConfig
from noc.trees import Tree
from noc.trees.tree import NO_PARENT, depths
from noc.verify.documents import Document, told_in
from noc.verify.read_joins import (
    read_join_plans,
    read_joins,
    read_numbers,
    read_operations_of,
)
from noc.verify.read_nodes import nodes_in_order, read_sources

__all__ = ["read_ordered"]


def read_ordered(manifest: Document, document: Document, network: Network) -> OrderedDesign:
    """The design that the trees and merges of a folder are, checked."""
    with told_in("manifest.json"):
        sources = read_sources(manifest, network)
        if sources == "one":
            raise InputError("the ordered fabric is not for one source at a time")
        nodes_in_order(manifest, network)
        config = _config(manifest, network)
        config.check(network)
        registers = _registers(manifest, network)
        operations = read_operations_of(manifest, network)
    with told_in("program.json"):
        numbers = tuple(read_numbers(manifest, network))
        program = _Reader(document, network, registers, config, operations, numbers).program()
        _check(program)
    everyone = tuple(range(network.nodes))
    senders = everyone if isinstance(sources, str) else tuple(sorted(set(sources)))
    if not operations.sent:
        senders = ()
    if program.sources != senders:
        raise InputError("program.json: the nodes that inject are not the sources of the manifest")
    return OrderedDesign(program, manifest["width"])


def _config(manifest: Document, network: Network) -> OrderedConfig:
    return OrderedConfig(
        link_registers=manifest["link_registers"],
        registers_of={
            (network.node(link["from"]), network.node(link["to"])): link["registers"]
            for link in manifest.get("registers_of_links", [])
        },
        queue=manifest["queue"],
        source_numbers=manifest["source_numbers"],
        own_words=manifest["own_words"] == "returned",
        group_queue=manifest.get("group_queue", PLAIN.group_queue),
        watchdog=manifest.get("watchdog", PLAIN.watchdog),
    )


def _registers(manifest: Document, network: Network) -> dict[tuple[str, int, int], int]:
    """The registers in the links that the manifest lists: by what they carry, from, and to."""
    return {
        (link["carries"], network.node(link["from"]), network.node(link["to"])): link["registers"]
        for link in manifest.get("links", [])
    }


class _Reader:
    def __init__(
        self,
        document: Document,
        network: Network,
        registers: dict[tuple[str, int, int], int],
        config: OrderedConfig,
        operations: Operations,
        numbers: tuple[int, ...],
    ) -> None:
        self._document, self._network = document, network
        self._operations, self._numbers = operations, numbers
        self._registers, self._config = registers, config
        self._root = network.node(document["root"])
        self._nodes = nodes_in_order(document, network)

    def program(self) -> OrderedProgram:
        """All of it."""
        modules, net = self._document["modules"], self._network
        numbers = {name: number for number, name in enumerate(modules)}
        plan = np.array([numbers[node["module"]] for node in self._nodes], dtype=np.int64)
        at_root = int(plan[self._root])
        plans = tuple(
            _plan(module, number == at_root, read_join_plans(module, self._operations))
            for number, module in enumerate(modules.values())
        )
        up_parent, down_parent = self._parents("up_to"), self._parents("down_from")
        up_registers = self._in_links("up", np.arange(net.nodes), up_parent)
        joins = read_joins(
            self._operations,
            [plans[int(number)] for number in plan],
            [self._join_children(node) for node in self._nodes],
            up_parent,
            up_registers,
        )
        return OrderedProgram(
            network=net,
            down=self._tree(down_parent),
            up_parent=up_parent,
            up_port=self._ports(np.arange(net.nodes), up_parent),
            sources=tuple(node for node in range(net.nodes) if plans[int(plan[node])].sends),
            plans=plans,
            plan=plan,
            up_children=self._children("up_from"),
            down_children=self._children("down_to"),
            up_registers=up_registers,
            down_registers=self._in_links("down", down_parent, np.arange(net.nodes)),
            config=self._config,
            operations=self._operations,
            joins=joins,
            numbers=self._numbers,
        )

    def _join_children(self, node: Document) -> dict[str, tuple[int, ...]]:
        listed = node.get("join_from", {})
        return {g: tuple(self._network.node(c) for c in each) for g, each in listed.items()}

    def _parents(self, key: str) -> IntArray:
        above = [node[key] for node in self._nodes]
        numbers = [NO_PARENT if label is None else self._network.node(label) for label in above]
        if [node for node, number in enumerate(numbers) if number == NO_PARENT] != [self._root]:
            raise InputError(f"{key} must be null at the root, and there alone")
        return np.array(numbers, dtype=np.int32)

    def _children(self, key: str) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(self._network.node(c) for c in node[key]) for node in self._nodes)

    def _tree(self, parent: IntArray) -> Tree:
        """The out-tree; what a step is does not matter in this fabric."""
        depth = depths(parent, self._root)
        if depth is None:
            raise InputError("not every node is reached from the root on the way down")
        port = self._ports(parent, np.arange(parent.size))
        algorithm = str(self._document["algorithm"])
        tree = Tree(self._network, algorithm, "all", self._root, parent, port, depth)
        try:
            return tree.check()
        except CheckError as error:
            raise InputError(str(error)) from None

    def _ports(self, sender: IntArray, receiver: IntArray) -> IntArray:
        """The first out-port of each sender that leads to its receiver, where there is one."""
        port = np.full(sender.size, NO_PARENT, dtype=np.int32)
        for place, (here, there) in enumerate(zip(sender.tolist(), receiver.tolist(), strict=True)):
            if NO_PARENT not in (here, there):
                links = np.flatnonzero(self._network.neighbour[here] == there)
                if not links.size:
                    ends = self._network.label(here), self._network.label(there)
                    raise InputError(f"there is no link from {ends[0]} to {ends[1]}")
                port[place] = links[0]
        return port

    def _in_links(self, carries: str, sender: IntArray, receiver: IntArray) -> tuple[int, ...]:
        """The registers in the links between some nodes, as listed or else as configured."""
        usual = self._config.registers(sender, receiver)
        links = zip(sender.tolist(), receiver.tolist(), usual, strict=True)
        return tuple(
            self._registers.get((carries, here, there), count) for here, there, count in links
        )


def _plan(module: Document, root: bool, joins: tuple[JoinPlan, ...]) -> NodePlan:
    inputs, outputs = module["inputs"], module["outputs"]
    sends = "inject" in inputs
    results = len(joins) if root else 0
    plan = NodePlan(
        sends=sends,
        up=len(inputs) - sends - results,
        merges=tuple(_merges(module, len(inputs))),
        stored=bool(module["stored"]),
        root=root,
        down=len(outputs) - 1,
        down_slots=module["down_slots"],
        drops=bool(module["drops_own_words"]),
        joins=joins,
    )
    if plan.down_slots not in ((0,) if root else (1, 2)):
        raise InputError(f"down_slots {plan.down_slots!r}: 0 at the root, else 1 or 2 are allowed")
    return plan


def _merges(module: Document, inputs: int) -> Iterator[Merge]:
    """The merges of a module, which must join all inputs to one stream."""
    left = set(range(inputs))
    for place, merge in enumerate(module["merges"]):
        first, second = merge["streams"]
        light, heavy = merge["weights"]
        if not {first, second} <= left or first == second:
            raise InputError(f"merge {place}: streams {first} and {second} are not both to be had")
        if merge["slots"] not in (1, 2) or min(light, heavy) < 1:
            raise InputError(f"merge {place}: 1 or 2 slots, and weights from 1, are allowed")
        left = left - {first, second} | {inputs + place}
        yield Merge(first, second, (light, heavy), merge["slots"])
    if len(left) > 1:
        raise InputError(f"{len(left)} streams are left where one must go on")


def _check(program: OrderedProgram) -> None:
    """Every word must come to the root, and from there to every node once."""
    net = program.network
    if depths(program.up_parent, program.root) is None:
        raise InputError("not every node leads up to the root")
    for node in range(net.nodes):
        plan, label = program.plan_of(node), net.label(node)
        up, down = program.up_children[node], program.down_children[node]
        if (len(up), len(down)) != (plan.up, plan.down):
            raise InputError(f"{label} has not as many children as its module")
        for child in up:
            if program.up_parent[child] != node or not program.plan_of(child).climbs:
                raise InputError(f"{net.label(child)} does not lead up to {label}")
        for child in down:
            if program.down.parent[child] != node:
                raise InputError(
                    f"{net.label(child)} is served by {label}, which is not its parent"
                )
    _check_once(program, "up", [node for node in range(net.nodes) if program.plan_of(node).climbs])
    below = [node for node in range(net.nodes) if node != program.root]
    _check_once(program, "down", below)


def _check_once(program: OrderedProgram, way: str, wanted: list[int]) -> None:
    children = program.up_children if way == "up" else program.down_children
    listed = sorted(child for group in children for child in group)
    for node in range(program.network.nodes):
        count, right = listed.count(node), int(node in wanted)
        if count != right:
            label = program.network.label(node)
            raise InputError(f"{label} is served {count} times on the way {way}, not {right}")
