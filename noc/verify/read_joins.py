"""The operations of a folder, and the joins of its nodes."""

from collections.abc import Mapping, Sequence

import numpy as np

from noc.errors import InputError
from noc.networks import IntArray, Network
from noc.programs.joins import GroupJoins, Join, JoinPlan, count_cycles
from noc.programs.operations import ALL, Operations, read_operations
from noc.programs.ordered import NodePlan
from noc.trees.tree import NO_PARENT, depths
from noc.verify.documents import Document

__all__ = ["read_join_plans", "read_joins", "read_numbers", "read_operations_of"]

#: The contract that models keep, docs/collectives.md.
_CONTRACT = 3


def read_operations_of(manifest: Document, network: Network) -> Operations:
    """The operations that a manifest lists; one that lists none is of broadcasts only."""
    if "operations" not in manifest:
        return read_operations(network)
    if manifest["collectives_contract"] != _CONTRACT:
        raise InputError(
            f"collectives_contract is {manifest['collectives_contract']!r}; this version verifies "
            f"{_CONTRACT}"
        )
    numbers = manifest["operations"]
    if sorted(numbers.values()) != list(range(len(numbers))):
        raise InputError("operations must be numbered from 0")
    groups = {name: nodes for name, nodes in manifest["groups"].items() if name != ALL}
    return read_operations(network, sorted(numbers, key=numbers.__getitem__), groups)


def read_numbers(manifest: Document, network: Network) -> list[int]:
    """The number of each node: its place in the manifest."""
    numbers = [0] * network.nodes
    for number, entry in enumerate(manifest["nodes"]):
        numbers[network.node(str(entry["label"]))] = number
    return numbers


def read_join_plans(module: Document, operations: Operations) -> tuple[JoinPlan, ...]:
    """What a module does for each group."""
    names = [name for name, _ in operations.groups]
    joins = module.get("joins", {})
    return tuple(_read_join_plan(names.index(name), each) for name, each in joins.items())


def _read_join_plan(group: int, entry: Document) -> JoinPlan:
    operands = entry["operands"]
    own, waiting = "inject" in operands, int(entry["waiting"])
    if waiting < 0 or (waiting and not own):
        raise InputError(f"waiting is {waiting}; it must be 0 where no own words are joined")
    left, joins = set(range(len(operands))), []
    for place, join in enumerate(entry["joins"]):
        first, second = join["streams"]
        if not {first, second} <= left or first == second or join["slots"] not in (0, 1, 2):
            raise InputError(f"join {place}: two free streams and 0 to 2 slots are needed")
        left = left - {first, second} | {len(operands) + place}
        joins.append(Join(first, second, join["slots"], int(join.get("latency", 0))))
    if len(left) != 1:
        raise InputError(f"{len(left)} operands are left where one must go on")
    return JoinPlan(group, own, waiting, len(operands) - own, tuple(joins))


def read_joins(
    operations: Operations,
    plans: Sequence[NodePlan],
    children: Sequence[Mapping[str, tuple[int, ...]]],
    up_parent: IntArray,
    up_registers: tuple[int, ...],
) -> tuple[GroupJoins, ...]:
    """The joins of all groups, checked: a word of each member comes to the root, once."""
    depth = depths(up_parent, int(np.argmin(up_parent)))
    if depth is None:
        return ()
    order = np.argsort(-depth, kind="stable").tolist()
    result = []
    for group in operations.joined_groups:
        name = operations.groups[group][0]
        lists = tuple(each.get(name, ()) for each in children)
        at = [next((p for p in plan.joins if p.group == group), None) for plan in plans]
        done: dict[int, int] = {}
        for node in order:
            plan = at[node]
            if (0 if plan is None else plan.up) != len(lists[node]):
                raise InputError(f"group {name}: a node has not as many children as its module")
            if (plan is not None and plan.own) != (node in operations.members(group)):
                raise InputError(f"group {name}: the nodes that join own words are not its members")
            if plan is None:
                continue
            # Behind the last one lies the link to the parent, which the root has not.
            last = len(plan.joins) - (up_parent[node] != NO_PARENT)
            if any((join.slots == 0) != (n == last) for n, join in enumerate(plan.joins)):
                raise InputError(f"group {name}: only the last join below the root has no slots")
            if any(child not in done or up_parent[child] != node for child in lists[node]):
                raise InputError(f"group {name}: a child has no words for its parent")
            ready = [done[c] + up_registers[c] for c in lists[node]]
            done[node] = count_cycles(plan, ready)
        served = [child for each in lists for child in each]
        if sorted(served) != sorted(node for node in done if up_parent[node] != NO_PARENT):
            raise InputError(f"group {name}: not every node with words has a place at its parent")
        result.append(GroupJoins(group, tuple(at), lists, done[order[-1]]))
    return tuple(result)
