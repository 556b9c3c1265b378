"""Verilog, hierarchical: each different module once, and a top that only wires."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from noc.design import AnyDesign
from noc.emit.module import CLOCKED, Module, Port, convert, ports_of, write_instance, write_module
from noc.emit.names import LONGEST
from noc.hardware import Assembly, assemble
from noc.harness import IDLE
from noc.programs.compile import Progress

#: A bit for each node that holds words, and the gate behind them.
_BUSY, _IDLE_GATE = "[{}:0] busy", f"  assign {IDLE} = ~|busy;"


def top_name(design: AnyDesign, name: str | None = None) -> str:
    """The name of the top module, with which all others begin: as given, or else from the network.

    Of a user's file it is the name without folder and ending. Where the whole is too long for
    files, it ends in a number instead.
    """
    if name is not None:
        return name
    spec, family = design.network.spec, design.network.family
    own = Path(spec.removeprefix("file:")).stem if family == "file" else spec
    plain = re.sub(r"\W+", "_", own, flags=re.ASCII).strip("_")
    spelled = f"noc_{plain or family}"
    if len(spelled) <= LONGEST:
        return spelled
    return f"{spelled[:LONGEST]}_{hashlib.sha256(spec.encode()).hexdigest()[:8]}"


def part_name(design: AnyDesign, suffix: str, name: str | None = None) -> str:
    """The name of a module within the network, where the top has a name as given."""
    return f"{top_name(design, name)}_{suffix}"


def module_names(design: AnyDesign, name: str | None = None) -> list[str]:
    """The names of the modules within the network, those of nodes first."""
    return [part_name(design, part.suffix, name) for part in assemble(design).parts]


def node_module(design: AnyDesign, assembly: Assembly, node: int, name: str | None = None) -> str:
    """The name of the module of a node."""
    return part_name(design, assembly.part_of(node).suffix, name)


def modules(
    design: AnyDesign, *, name: str | None = None, progress: Progress | None = None
) -> list[Module]:
    """The top module first, then each different part."""
    return [top_module(design, name=name), *part_modules(design, name=name, progress=progress)]


def top_module(design: AnyDesign, *, name: str | None = None) -> Module:
    """The top module alone, which is soon written."""
    top = top_name(design, name)
    return joining_module(assemble(design), top, top)


def joining_module(assembly: Assembly, top: str, prefix: str) -> Module:
    """A module that only joins its parts, whose names begin with ``prefix``."""
    return Module.of(top, _top(assembly, top, prefix))


def part_modules(
    design: AnyDesign, *, name: str | None = None, progress: Progress | None = None
) -> list[Module]:
    """Each different part, which Yosys writes; ``progress`` is told how much is done, 0 to 1."""
    parts, result = assemble(design).parts, []
    for number, part in enumerate(parts, 1):
        result.append(
            convert(part.build(), part_name(design, part.suffix, name), protect=design.protect)
        )
        if progress is not None:
            progress(number / len(parts))
    return result


def idle_module(design: AnyDesign) -> Module | None:
    """All that is in the top module beside parts and wires, by itself: the gate of ``idle``."""
    assembly, name = assemble(design), f"{top_name(design)}_{IDLE}"
    if not assembly.idle:
        return None
    busy = _BUSY.format(len(assembly.names) - 1)
    head = f"module {name} (input {busy}, output {IDLE});"
    return Module.of(name, [head, _IDLE_GATE, "endmodule"])


def node_ports(assembly: Assembly) -> list[list[Port]]:
    """For each node the ports of its streams, and others, as the top module has them."""
    listed = _listed(assembly)
    return [
        [
            Port(_outer(assembly, node, member, port), port.output, port.bits)
            for member, port in listed[assembly.instances[node].part]
            if member.partition("__")[0] in (*assembly.sides(node), *assembly.others(node))
        ]
        for node in range(len(assembly.names))
    ]


def common_ports(assembly: Assembly) -> list[Port]:
    """The ports of the network as a whole, beside clock and reset, as the top module has them."""
    ports = []
    if assembly.idle:
        ports.append(Port(IDLE, True, 1))
    for name, (number, member) in assembly.network_ports.items():
        listed = ports_of(assembly.part_of(number).signature)
        ports += [_renamed(port, owner, name) for owner, port in listed if owner == member]
    return ports


def _renamed(port: Port, member: str, name: str) -> Port:
    """A port of a part as one of the network, under another name."""
    return replace(port, name=port.name.replace(member, name, 1))


def all_ports(assembly: Assembly) -> list[Port]:
    """Every port of the top module, clock and reset too, in the order of its head."""
    clocked = (Port(name, False, 1) for name in CLOCKED)
    return [*clocked, *chain.from_iterable(node_ports(assembly)), *common_ports(assembly)]


def _listed(assembly: Assembly) -> list[list[tuple[str, Port]]]:
    """For each part its ports, with the member that each belongs to."""
    return [list(ports_of(part.signature)) for part in assembly.parts]


def _outer(assembly: Assembly, node: int, side: str, port: Port) -> str:
    """The name of a port of a node's stream at the top."""
    member = side.partition("__")[0]
    return port.name.replace(member, f"{member}_{assembly.names[node]}", 1)


def _top(assembly: Assembly, top: str, prefix: str) -> Iterator[str]:
    """The lines of a module that joins parts."""
    listed = _listed(assembly)
    yield from write_module(top, (port.declared for port in all_ports(assembly)))
    if assembly.idle:
        yield "  // Which nodes hold words; registers, or few gates behind them."
        yield f"  wire {_BUSY.format(len(assembly.names) - 1)};"
        yield _IDLE_GATE
    joined: dict[tuple[int, str], str] = {}
    for link in assembly.links:
        # Several receivers share the wires of one sender.
        told = link.sender in joined
        joined[link.sender] = joined[link.receiver] = link.name
        sender, member = link.sender
        for owner, port in listed[assembly.instances[sender].part]:
            if owner == member and not told:
                nothing = f" = {port.bits}'d0" if link.dead else ""
                yield f"  wire {port.span}{link.name}__{port.field}{nothing};"
    ends = {link.sender for link in assembly.links if link.dead}
    outer = {end: name for name, end in assembly.network_ports.items()}
    for number, instance in enumerate(assembly.instances):
        yield ""
        if instance.comment:
            yield f"  // {instance.comment}"
        wires = dict(CLOCKED)
        for member, port in listed[instance.part]:
            if member in instance.constants:
                wires[port.name] = f"{port.bits}'d{instance.constants[member]}"
            elif member == "busy":
                wires[port.name] = f"busy[{number}]"
            elif (number, member) in ends:
                wires[port.name] = ""
            elif (number, member) in outer:
                wires[port.name] = _renamed(port, member, outer[number, member]).name
            elif (number, member) in joined:
                wires[port.name] = f"{joined[number, member]}__{port.field}"
            else:
                wires[port.name] = _outer(assembly, number, member, port)
        part = assembly.parts[instance.part]
        yield from write_instance(f"{prefix}_{part.suffix}", instance.name, wires)
    yield "endmodule"
