"""``program.json``: what every module of the network does, and how trees join the nodes."""

from typing import Any

from noc.design import AnyDesign, Design, OrderedDesign
from noc.emit.verilog import node_module, part_name
from noc.hardware import assemble
from noc.programs.codec import Form
from noc.programs.forms import direct_form, ordered_form
from noc.programs.table import RouterTable

__all__ = ["describe_program", "describe_roms"]


def describe_program(design: AnyDesign, name: str | None = None) -> dict[str, Any]:
    """The tables of a direct fabric, or the trees and merges of an ordered one."""
    net, algorithm = design.network, design.program.algorithm
    form: Form[dict[str, Any]]
    if isinstance(design, OrderedDesign):
        form, tables = ordered_form(net, design.operations), _ordered(design, name)
    else:
        form, tables = direct_form(net), _direct(design, name)
    result: dict[str, Any] = form.write({"network": net.spec, "algorithm": algorithm} | tables)
    return result


def _direct(design: Design, name: str | None) -> dict[str, Any]:
    program = design.program
    routers = dict(zip(_modules(design, name), program.tables, strict=True))
    return {"ports": program.ports, "states": program.states, "routers": routers}


def _ordered(design: OrderedDesign, name: str | None) -> dict[str, Any]:
    program, assembly = design.program, assemble(design)
    rows = [
        {
            "label": node,
            "module": node_module(design, assembly, node, name),
            "up_to": int(program.up_parent[node]),
            "up_from": program.up_children[node],
            "down_from": int(program.down.parent[node]),
            "down_to": program.down_children[node],
            "most_waited": program.most_waited(node) if program.plan_of(node).sends else None,
            "join_from": {j.group: j.children[node] for j in program.joins if j.children[node]},
        }
        for node in range(design.network.nodes)
    ]
    modules = dict(zip(_modules(design, name), program.plans, strict=False))
    return {"root": program.root, "nodes": rows, "modules": modules}


def describe_roms(design: Design, name: str | None = None) -> dict[str, str]:
    """The table of each router module as a person reads it, by the module's name."""
    return {
        router: _rom_text(design, table)
        for router, table in zip(_modules(design, name), design.program.tables, strict=True)
    }


def _modules(design: AnyDesign, name: str | None) -> list[str]:
    """The names of the modules, those at nodes first."""
    return [part_name(design, part.suffix, name) for part in assemble(design).parts]


def _rom_text(design: Design, table: RouterTable) -> str:
    net = design.network
    lines = ["# code  deliver  sends: out-port>code at the neighbour"]
    for place, entry in enumerate(table.entries):
        sends = "  ".join(f"{net.out_ports[port]}>{code}" for port, code in entry.sends) or "-"
        own = "  (own words)" if place >= len(table.arriving) else ""
        lines.append(f"{entry.code:6}  {'yes' if entry.deliver else 'no':7}  {sends}{own}")
    return "\n".join([*lines, ""])
