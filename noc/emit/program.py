"""``program.json``: what every module of the network does, and how trees join the nodes."""

from typing import Any

from noc.design import AnyDesign, Design, OrderedDesign
from noc.emit.verilog import node_module, part_name
from noc.hardware import assemble
from noc.programs.ordered import NodePlan
from noc.programs.table import RouterTable
from noc.trees.tree import NO_PARENT

__all__ = ["describe_program", "describe_roms"]


def describe_program(design: AnyDesign, name: str | None = None) -> dict[str, Any]:
    """The tables of a direct fabric, or the trees and merges of an ordered one."""
    if isinstance(design, OrderedDesign):
        return _ordered(design, name)
    return {
        "network": design.network.spec,
        "algorithm": design.program.algorithm,
        "ports": design.program.ports,
        "states": design.program.states,
        "routers": {
            router: _table(design, table)
            for router, table in zip(_routers(design, name), design.program.tables, strict=True)
        },
    }


def describe_roms(design: Design, name: str | None = None) -> dict[str, str]:
    """The table of each router module as a person reads it, by the module's name."""
    return {
        router: _rom_text(design, table)
        for router, table in zip(_routers(design, name), design.program.tables, strict=True)
    }


def _routers(design: Design, name: str | None) -> list[str]:
    """The names of the router modules."""
    return [part_name(design, part.suffix, name) for part in assemble(design).parts]


def _rom_text(design: Design, table: RouterTable) -> str:
    net = design.network
    lines = ["# code  deliver  sends: out-port>code at the neighbour"]
    for place, entry in enumerate(table.entries):
        sends = "  ".join(f"{net.out_ports[port]}>{code}" for port, code in entry.sends) or "-"
        own = "  (own words)" if place >= len(table.arriving) else ""
        lines.append(f"{entry.code:6}  {'yes' if entry.deliver else 'no':7}  {sends}{own}")
    return "\n".join([*lines, ""])


def _ordered(design: OrderedDesign, name: str | None) -> dict[str, Any]:
    program, net = design.program, design.network
    assembly = assemble(design)

    def label(node: int) -> str | None:
        return None if node == NO_PARENT else net.label(node)

    return {
        "network": net.spec,
        "algorithm": program.algorithm,
        "root": net.label(program.root),
        "nodes": [
            {
                "label": net.label(node),
                "module": node_module(design, assembly, node, name),
                "up_to": label(int(program.up_parent[node])),
                "up_from": [net.label(child) for child in program.up_children[node]],
                "down_from": label(int(program.down.parent[node])),
                "down_to": [net.label(child) for child in program.down_children[node]],
                "most_waited": program.most_waited(node) if program.plan_of(node).sends else None,
                **_join_children(design, node),
            }
            for node in range(net.nodes)
        ],
        "modules": {
            part_name(design, part.suffix, name): _plan(design, plan)
            for part, plan in zip(assembly.parts, program.plans, strict=False)
        },
    }


def _join_children(design: OrderedDesign, node: int) -> dict[str, Any]:
    """From where words that are joined come, by group."""
    program, net = design.program, design.network
    names = [name for name, _ in program.operations.groups]
    children = {
        names[joins.group]: [net.label(child) for child in joins.children[node]]
        for joins in program.joins
        if joins.children[node]
    }
    return {"join_from": children} if children else {}


def _plan(design: OrderedDesign, plan: NodePlan) -> dict[str, Any]:
    return {
        "inputs": _inputs(design, plan),
        "merges": [
            {"streams": [m.first, m.second], "weights": list(m.weights), "slots": m.slots}
            for m in plan.merges
        ],
        "stored": plan.stored,
        "down_slots": plan.down_slots,
        "outputs": [*(f"down_out_{n}" for n in range(plan.down)), "eject"],
        "drops_own_words": plan.drops,
        **_joins(design, plan),
    }


def _inputs(design: OrderedDesign, plan: NodePlan) -> list[str]:
    """What is merged: at the root results of joins too."""
    own = ["inject"] if plan.sends else []
    groups, results = design.operations.groups, plan.joins if plan.root else ()
    joined = [f"joined {groups[p.group][0]}" for p in results]
    return [*own, *(f"up_in_{n}" for n in range(plan.up)), *joined]


def _joins(design: OrderedDesign, plan: NodePlan) -> dict[str, Any]:
    wanted = design.program.operations
    if wanted.only_broadcast:
        return {}
    return {
        "joins": {
            wanted.groups[p.group][0]: {
                "operands": [*(["inject"] if p.own else []), *range(p.up)],
                "waiting": p.waiting,
                "joins": [
                    {"streams": [join.first, join.second], "slots": join.slots}
                    | ({"latency": join.latency} if join.latency else {})
                    for join in p.joins
                ],
            }
            for p in plan.joins
        }
    }


def _table(design: Design, table: RouterTable) -> dict[str, Any]:
    net = design.network
    return {
        "code_bits": table.code_bits,
        "own_codes": [entry.code for entry in table.own],
        "in_ports": {net.in_ports[port.number]: list(port.codes) for port in table.in_ports},
        "codes": [
            {
                "code": entry.code,
                "deliver": entry.deliver,
                "sends": [
                    {"port": net.out_ports[port], "code": code} for port, code in entry.sends
                ],
            }
            for entry in table.entries
        ],
    }
