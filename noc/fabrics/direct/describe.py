"""What the files of a folder say of a design."""

from typing import Any

from noc.design import Design
from noc.emit.streams import LOAD_STREAM, Link, LoadWires, name_wires
from noc.fabrics.tables import by_module
from noc.hardware import Assembly, assemble
from noc.harness import IDLE, LOAD, LOADING
from noc.networks import Network
from noc.programs.forms import ROUTER_CONFIG, direct_form
from noc.programs.table import RouterTable

#: The number of the contract in docs/router.md, which it keeps cycle by cycle. It changes where a
#: cycle does: models then verify older Verilog no more.
CONTRACT = 1

#: What lies in ``bench/`` beside the files of every fabric.
BENCH_FILES = ()

#: Counted by docs/router.md: from acceptance at inject to the source's links.
_INJECT_CYCLES = 1

Document = dict[str, Any]


def contracts(_design: Design) -> dict[str, int]:
    """The numbers of the contracts that a design keeps."""
    return {"contract": CONTRACT}


def facts(design: Design) -> Document:
    """What the manifest says of the network."""
    config, slices = ROUTER_CONFIG.write(design.config), design.program.slices
    return {
        "ports": design.program.ports,
        "hop_cycles": 1 + design.config.link_registers,
        "link_registers": config["link_registers"],
        "rom": config["rom"],
        "inject_cycles": _INJECT_CYCLES,
        # Slices wait for each other behind a register of their own.
        "eject_cycles": design.config.eject_cycles + (slices > 1),
        IDLE: IDLE,
        "vcs": 1,
        **config,
        **({"slices": slices, "slice_bits": design.link_width} if slices > 1 else {}),
        **({"dead_links": dead_links(design)} if design.program.dead else {}),
        **_loading(design),
    }


def _loading(design: Design) -> Document:
    """The ports by which rows of tables are written, and the bits of ``sends``."""
    if design.load_format is None:
        return {}
    wires = name_wires(LOAD, design.load_format.fields, always_ready=True)
    load = LoadWires(*wires, tuple(design.network.out_ports))
    return {LOAD: LOAD_STREAM.write(load), LOADING: LOADING}


def dead_links(design: Design) -> list[Document]:
    """The links that carry nothing."""
    net: Network = design.network
    return [
        {
            "from": net.label(node),
            "to": net.label(int(net.neighbour[node, port])),
            "out_port": net.out_ports[port],
        }
        for node, port in sorted(design.program.dead)
    ]


def certificate(_design: Design) -> None:
    """None: one sender at a time needs none."""


def node_facts(_design: Design, _assembly: Assembly, _node: int) -> Document:
    """What the manifest says of a node: nothing but what all fabrics have."""
    return {}


def links(design: Design) -> list[Link]:
    """The streams between nodes, with their fields and signals."""
    program, result = design.program, []
    # Behind the links of the network there may be those by which rows come to tables.
    for ends, link in zip(program.links(), assemble(design).links, strict=False):
        sender, port, receiver, arrival = ends
        bits = program.table_of(receiver).header_bits
        fields = {"code": bits, "data": design.link_width}
        wires = name_wires(link.name, fields, always_ready=design.always_ready)
        result.append(Link(*wires, sender, receiver, port, arrival, code_bits=bits))
    return result


def stops(_design: Design) -> list[Link]:
    """No wires stop anybody."""
    return []


def program(design: Design, name: str | None) -> Document:
    """The tables of the routers, as ``program.json`` has them."""
    net, tables = design.network, design.program
    known: Document = {"network": net.spec, "algorithm": tables.algorithm, "ports": tables.ports}
    result: Document = direct_form(net).write(
        {**known, "states": tables.states, "routers": by_module(design, name)}
    )
    return result


def files(design: Design, name: str | None) -> dict[str, str]:
    """The tables as a person reads them."""
    tables = by_module(design, name).items()
    return {f"rom/{router}.txt": rom_text(design, table) for router, table in tables}


def rom_text(design: Design, table: RouterTable) -> str:
    """A line for each code: whether the node gets the word, and where it goes."""
    net, sliced = design.network, design.program.slices > 1
    lines = [f"# code  deliver  {'slice  ' * sliced}sends: out-port>code at the neighbour"]
    for place, entry in enumerate(table.entries):
        sends = "  ".join(f"{net.out_ports[port]}>{code}" for port, code in entry.sends) or "-"
        own = "  (own words)" if place >= len(table.arriving) else ""
        part = f"{entry.slice:<5}  " if sliced else ""
        lines.append(f"{entry.code:6}  {'yes' if entry.deliver else 'no':7}  {part}{sends}{own}")
    return "\n".join([*lines, ""])
