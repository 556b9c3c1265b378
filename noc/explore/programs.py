"""What the nodes of a design are built to do, as the page shows it."""

from typing import Any

import numpy as np

from noc.design import AnyDesign, Design, OrderedDesign
from noc.programs.ordered import NodePlan
from noc.programs.table import RouterTable

__all__ = ["describe_program"]


def describe_program(design: AnyDesign) -> dict[str, Any]:
    """The tables of routers, or the trees and plans of nodes."""
    return _ordered(design) if isinstance(design, OrderedDesign) else _direct(design)


def _direct(design: Design) -> dict[str, Any]:
    program = design.program
    return {
        "fabric": "direct",
        "sources": list(program.sources),
        "trees": program.trees,
        "ports": program.ports,
        "linkRegisters": program.config.link_registers,
        "queue": program.config.queue,
        "tables": [_table(table) for table in program.tables],
        "table": program.table.tolist(),
    }


def _table(table: RouterTable) -> dict[str, Any]:
    """Its rows, of which the last are for the node's own words, one for each tree."""
    return {
        "own": table.trees,
        "rows": [
            {"code": row.code, "deliver": row.deliver, "sends": row.sends} for row in table.entries
        ],
    }


def _ordered(design: OrderedDesign) -> dict[str, Any]:
    program = design.program
    nodes = np.arange(program.network.nodes)
    return {
        "fabric": "ordered",
        "sources": list(program.sources),
        "root": program.root,
        "upParent": program.up_parent.tolist(),
        "upPort": program.up_port.tolist(),
        "downParent": program.down.parent.tolist(),
        "downPort": program.down.port.tolist(),
        "upCycles": program.up.tolist(),
        "downCycles": program.down_cycles.tolist(),
        "upRegisters": list(program.up_registers),
        "downRegisters": list(program.down_registers),
        "mostWaited": [
            program.most_waited(node) if program.plan_of(node).sends else None
            for node in nodes.tolist()
        ],
        "upChildren": [list(children) for children in program.up_children],
        "downChildren": [list(children) for children in program.down_children],
        "queue": program.config.queue,
        "ownWords": program.config.own_words,
        "plans": [_plan(plan) for plan in program.plans],
        "plan": program.plan.tolist(),
        **_operations(design),
    }


def _plan(plan: NodePlan) -> dict[str, Any]:
    return {
        "sends": plan.sends,
        "merges": [
            {"streams": [m.first, m.second], "weights": m.weights, "slots": m.slots}
            for m in plan.merges
        ],
        "stored": plan.stored,
        "downSlots": plan.down_slots,
        "drops": plan.drops,
        "joins": [
            {
                "group": join.group,
                "own": join.own,
                "joins": [{"streams": [j.first, j.second], "slots": j.slots} for j in join.joins],
            }
            for join in plan.joins
        ],
    }


def _operations(design: OrderedDesign) -> dict[str, Any]:
    program, wanted = design.program, design.program.operations
    if wanted.only_broadcast:
        return {}
    return {
        "operations": [
            {"name": str(each), "joined": each.joined, "group": wanted.group_of(number)}
            for number, each in enumerate(wanted.listed)
        ],
        "groups": [{"name": name, "nodes": list(nodes)} for name, nodes in wanted.groups],
        "joinChildren": {
            str(joins.group): [list(children) for children in joins.children]
            for joins in program.joins
        },
    }
