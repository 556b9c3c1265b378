"""What the manifest says of the operations of a network: numbers, groups, latencies, alarms."""

from collections.abc import Iterator
from typing import Any

from noc.design import OrderedDesign
from noc.hardware import Assembly
from noc.hardware.ordered.node import compared_groups
from noc.programs.joins import count_waiting
from noc.programs.latency import Parties, count_cycles, find_parties
from noc.programs.operations import KINDS, Operation
from noc.programs.ordered import OrderedProgram

__all__ = [
    "COLLECTIVES_CONTRACT",
    "describe_alarms",
    "describe_operations",
    "describe_waits",
    "list_groups",
]

#: The number of the contract in docs/collectives.md.
COLLECTIVES_CONTRACT = 3

#: Kinds of which one operation consists of words that follow each other.
_IN_TURN = frozenset({"gather", "scatter"})


def describe_operations(design: OrderedDesign) -> dict[str, Any]:
    """The facts of a design with operations; nothing where every word is broadcast."""
    program = design.program
    wanted = program.operations
    if wanted.only_broadcast:
        return {}
    turns = [each for each in wanted.listed if each.kind in _IN_TURN]
    whole = {str(each): _whole_latency(program, each) for each in turns}
    return {
        "collectives_contract": COLLECTIVES_CONTRACT,
        "group_queue": program.config.group_queue,
        "watchdog": program.config.watchdog,
        "operations": {str(operation): n for n, operation in enumerate(wanted.listed)},
        "operation_facts": {str(operation): _facts(operation) for operation in wanted.listed},
        "groups": list_groups(design),
        "leaves": {
            wanted.groups[joins.group][0]: [
                program.network.label(node)
                for node, plan in enumerate(joins.plans)
                if plan is not None and not plan.up
            ]
            for joins in program.joins
        },
        "joined": {
            wanted.groups[joins.group][0]: program.joined_cycles(joins.group)
            for joins in program.joins
        },
        "latency": {str(each): _latency(program, each) for each in wanted.listed},
        **({"whole_latency": whole} if whole else {}),
    }


def _facts(operation: Operation) -> dict[str, Any]:
    """What the name of an operation says."""
    operator = {"operator": operation.operator} if operation.operator else {}
    facts = {"kind": operation.kind, **operator, "group": operation.group}
    return facts | {"joined": operation.joined, "to": KINDS[operation.kind].to}


def describe_waits(program: OrderedProgram, node: int) -> dict[str, Any]:
    """How long words of a node wait for others at most, and how many can wait to be joined."""
    result: dict[str, Any] = {}
    if program.plan_of(node).sends:
        result["most_waited"] = program.most_waited(node)
    waiting = {
        program.operations.groups[joins.group][0]: count_waiting(
            joins, node, program.up_parent, program.up_registers
        )
        for joins in program.joins
        if node in program.operations.members(joins.group)
    }
    return result | ({"waiting": waiting} if waiting else {})


def list_groups(design: OrderedDesign) -> dict[str, list[str]]:
    """The labels of the nodes of each group, by its name; nothing where all words are broadcast."""
    groups = () if design.operations.only_broadcast else design.operations.groups
    return {name: [design.network.label(node) for node in nodes] for name, nodes in groups}


def _latency(program: OrderedProgram, operation: Operation) -> int:
    """Cycles from the words of all that give one, in one same cycle, to the last result.

    The longest over the nodes that an operation names. Of kinds in which words of one node, or for
    one node, follow each other, that of one word.
    """
    named = Operation("send") if operation.kind in _IN_TURN else operation
    return _cycles(program, named, find_parties(program, named))


def _whole_latency(program: OrderedProgram, operation: Operation) -> dict[str, Any]:
    """The cycles of a whole one with one word for, or from, each other node."""
    parties, label = find_parties(program, operation), program.network.label
    ends = {"from": parties.source, "to": parties.to}
    named = {name: label(node) for name, node in ends.items() if node is not None}
    return {**named, "cycles": _cycles(program, operation, parties)}


def _cycles(program: OrderedProgram, operation: Operation, parties: Parties) -> int:
    """Those of an operation with one word."""
    cycles = count_cycles(program, operation, parties, 1)
    if cycles is not None:
        return cycles
    # Seldom needed, and slow to load.
    from noc.model.ordered.latency import measure_cycles

    return measure_cycles(program, operation, parties, 1)


def _missing(design: OrderedDesign, node: int) -> Iterator[dict[str, Any]]:
    """For each bit of ``late`` the group, and the members of which one may have given no word."""
    program, net = design.program, design.network
    for plan in program.plan_of(node).joins:
        members = set(program.operations.members(plan.group))
        joins = next(joins for joins in program.joins if joins.group == plan.group)
        streams = [{node}] * plan.own
        streams += [members & program.behind[child] for child in joins.children[node]]
        for join in plan.joins:
            for stream in (join.first, join.second):
                missing = [net.label(member) for member in sorted(streams[stream])]
                yield {"group": program.operations.groups[plan.group][0], "missing": missing}
            streams.append(streams[join.first] | streams[join.second])


def describe_alarms(design: OrderedDesign, assembly: Assembly, node: int) -> dict[str, Any]:
    """The outputs of a node that tell of wrong and missing words, with what each bit says."""
    wanted = design.program.operations
    result: dict[str, Any] = {}
    for alarm in assembly.alarms(node):
        signal = f"{alarm}_{assembly.names[node]}"
        if alarm == "mismatch":
            groups = compared_groups(design.program.plan_of(node), design.words)
            result[alarm] = {"signal": signal, "groups": [wanted.groups[g][0] for g in groups]}
        elif alarm == "late":
            result[alarm] = {"signal": signal, "bits": list(_missing(design, node))}
        else:
            result[alarm] = {"signal": signal}
    return result
