"""What the manifest says of the operations of a network: numbers, groups, latencies, alarms."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from noc.design import OrderedDesign
from noc.hardware import Assembly
from noc.hardware.ordered.node import compared_groups
from noc.programs.operations import Operation

__all__ = [
    "COLLECTIVES_CONTRACT",
    "describe_alarms",
    "describe_group",
    "describe_operations",
    "list_groups",
]

#: The number of the contract in docs/collectives.md.
COLLECTIVES_CONTRACT = 3


def describe_operations(design: OrderedDesign) -> dict[str, Any]:
    """The facts of a design with operations; nothing of one without."""
    program = design.program
    wanted = program.operations
    if wanted is None:
        return {}
    return {
        "collectives_contract": COLLECTIVES_CONTRACT,
        "group_queue": program.config.group_queue,
        "watchdog": program.config.watchdog,
        "operations": {str(operation): n for n, operation in enumerate(wanted.listed)},
        "groups": list_groups(design),
        "joined": {
            wanted.groups[joins.group][0]: program.joined_cycles(joins.group)
            for joins in program.joins
        },
        "latency": {
            str(operation): _latency(design, number, operation)
            for number, operation in enumerate(wanted.listed)
        },
    }


def list_groups(design: OrderedDesign) -> dict[str, list[str]]:
    """The labels of the nodes of each group, by its name; nothing without operations."""
    groups = () if design.operations is None else design.operations.groups
    return {name: [design.network.label(node) for node in nodes] for name, nodes in groups}


def _latency(design: OrderedDesign, number: int, operation: Operation) -> int:
    """Cycles from the words of all that give one to the last result, when nothing else moves.

    Of a word that is sent, and of a result for one node, the longest over all nodes.
    """
    program = design.program
    wanted = program.operations
    assert wanted is not None
    down = program.down_cycles
    members = list(wanted.members(wanted.group_of(number)))
    if operation.joined:
        group = program.joined_cycles(wanted.group_of(number))
        return group + int((down if operation.to_node else down[members]).max())
    to = np.arange(down.size) if operation.to_node else np.array(members)
    dropped = not program.config.own_words and not operation.to_node
    return max(
        (
            int(program.up[source] + down[to[to != source] if dropped else to].max())
            for source in program.sources
            if not dropped or (to != source).any()
        ),
        default=0,
    )


def describe_group(design: OrderedDesign, group: int) -> str:
    """The name of a group."""
    assert design.program.operations is not None
    return design.program.operations.groups[group][0]


def _missing(design: OrderedDesign, node: int) -> Iterator[dict[str, Any]]:
    """For each bit of ``late`` the group, and the members of which one may have given no word."""
    program, net = design.program, design.network
    for plan in program.plan_of(node).joins:
        members = set(program.operations.members(plan.group)) if program.operations else set()
        joins = next(joins for joins in program.joins if joins.group == plan.group)
        streams = [{node}] * plan.own
        streams += [members & program.behind[child] for child in joins.children[node]]
        for join in plan.joins:
            for stream in (join.first, join.second):
                missing = [net.label(member) for member in sorted(streams[stream])]
                yield {"group": describe_group(design, plan.group), "missing": missing}
            streams.append(streams[join.first] | streams[join.second])


def describe_alarms(design: OrderedDesign, assembly: Assembly, node: int) -> dict[str, Any]:
    """The outputs of a node that tell of wrong and missing words, with what each bit says."""
    wanted = design.program.operations
    result: dict[str, Any] = {}
    for alarm in assembly.alarms(node):
        signal = f"{alarm}_{assembly.names[node]}"
        if alarm == "mismatch" and wanted is not None:
            groups = compared_groups(design.program.plan_of(node), design.words)
            result[alarm] = {"signal": signal, "groups": [wanted.groups[g][0] for g in groups]}
        elif alarm == "late":
            result[alarm] = {"signal": signal, "bits": list(_missing(design, node))}
        else:
            result[alarm] = {"signal": signal}
    return result
