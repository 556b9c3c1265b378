"""What the files of a folder say of a design."""

from collections.abc import Sequence
from typing import Any

from noc.emit.streams import Link, name_wires
from noc.fabrics.tables import by_module
from noc.fabrics.timetable.design import TimetableDesign
from noc.hardware import Assembly, assemble
from noc.harness import MOVES, START
from noc.networks import Network
from noc.programs.forms import name_port, rounds_form
from noc.programs.round_table import OWN, Register, RoundTable, terms
from noc.programs.round_words import Told
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram

#: The number of the contract in docs/rounds.md, which it keeps cycle by cycle. It changes where a
#: cycle does: models then verify older Verilog no more.
CONTRACT = 1

#: What lies in ``bench/`` beside the files of every fabric.
BENCH_FILES = ()

Document = dict[str, Any]


def contracts(_design: TimetableDesign) -> dict[str, int]:
    """The numbers of the contracts that a design keeps."""
    return {"contract": CONTRACT}


def facts(design: TimetableDesign) -> Document:
    """What the manifest says of the network."""
    program = design.program
    return {
        "round": program.round,
        **exchange_facts(design),
        "lanes": design.most_lanes,
        "link_registers": 0,
        "sinks": program.config.sinks,
        **({"choices": program.config.choices} if program.config.shared else {}),
        **_pace_facts(program),
    }


def _pace_facts(program: RoundProgram) -> Document:
    """How nodes stand still, and begin."""
    config, facts = program.config, Document()
    if config.queued:
        facts["queue_depth"] = program.queue_depth
    if config.pulsed:
        facts |= {"start": START, "start_cycles": program.start_cycles}
    if config.complete:
        facts |= {"kept_rounds": program.kept_rounds, "open_cycles": program.open_cycles}
    if config.merged:
        facts |= {"ejects": config.ejects, "room_rounds": program.room_rounds}
    return facts | ({"moves": MOVES} if config.paced else {})


def exchange_facts(design: TimetableDesign) -> Document:
    """Who has words for whom, and when nodes give the words of an all-gather."""
    program = design.program
    if program.gathers:
        return {"inject_phase": program.inject_phase}
    exchange, label = program.exchange, design.network.label
    more: Document = {} if exchange.root is None else {"root": label(exchange.root)}
    if exchange.words:
        more["words"] = [{"from": label(a), "to": label(b)} for a, b in exchange.words]
    if isinstance(program, SumProgram):
        more |= {"operator": exchange.operator, "sums": len(program.totals)}
    return {"exchange": exchange.name, **more}


def certificate(_design: TimetableDesign) -> None:
    """None: nothing waits."""


def node_facts(design: TimetableDesign, assembly: Assembly, node: int) -> Document:
    """What the manifest says of a node."""
    program = design.program
    return {
        "phase": {
            "signal": f"phase_{assembly.names[node]}",
            "bits": program.table_of(node).phase_bits,
        },
        **eject_facts(design, node),
        **({} if program.gathers else {"inject_lanes": inject_lanes(design, node)}),
    }


def inject_lanes(design: TimetableDesign, node: int) -> list[Document]:
    """For each inject stream of a node its out-port, and for whom a word is, by the phase.

    Where words are added up: into which sum it goes, and of the round how long ago.
    """
    network, program = design.network, design.program
    lanes = design.inject_lanes(node)
    if isinstance(program, SumProgram):
        return _sums("out_port", network.out_ports, lanes, program.given_sums(node))
    return [
        {
            "out_port": network.out_ports[port],
            "targets": [None if target is None else network.label(target) for target in targets],
        }
        for port, targets in zip(lanes, program.targets_of(node), strict=True)
    ]


def eject_facts(design: TimetableDesign, node: int) -> Document:
    """Of each eject stream of a node what comes by it, or of the only one in which order."""
    if not design.config.merged:
        return {"lanes": lanes(design, node)}
    numbers = [place.number for place in design.program.order_of(node)]
    sums = isinstance(design.program, SumProgram)
    return {"order": numbers if sums else [design.network.label(number) for number in numbers]}


def lanes(design: TimetableDesign, node: int) -> list[Document]:
    """For each eject stream of a node its in-port, and whose words come, by the phase."""
    network, program = design.network, design.program
    if isinstance(program, SumProgram):
        ejected = program.arrivals(node)
        return _sums("in_port", network.in_ports, design.lanes(node), ejected)
    return [
        {
            "in_port": network.in_ports[port],
            "sources": [None if source is None else network.label(source) for source in sources],
        }
        for port, sources in zip(design.lanes(node), program.sources_of(node), strict=True)
    ]


def _sums(
    key: str, labels: Sequence[str], lanes: Sequence[int], told: Sequence[Told]
) -> list[Document]:
    """For each stream its port, and by phase a sum and how many rounds ago that began."""
    return [
        {key: name_port(labels, port), "sums": sums, "after": after}
        for port, (sums, after) in zip(lanes, told, strict=True)
    ]


def links(design: TimetableDesign) -> list[Link]:
    """The streams between nodes, with their fields and signals."""
    used = [*design.program.links()]
    # Behind them are the wires by which all nodes stand still.
    wired = zip(assemble(design).links[: len(used)], used, strict=True)
    return [
        Link(
            *name_wires(link.name, {"data": design.width}, always_ready=True),
            *(sender, receiver, port, arrival),
        )
        for link, (sender, port, receiver, arrival) in wired
    ]


def stops(_design: TimetableDesign) -> list[Link]:
    """None: the wires by which all nodes stand still are on no link."""
    return []


def program(design: TimetableDesign, name: str | None) -> Document:
    """The tables of the routers, as ``program.json`` has them."""
    network, routers = design.network, by_module(design, name)
    result: Document = rounds_form(network).write({"network": network.spec, "routers": routers})
    return result


def files(design: TimetableDesign, name: str | None) -> dict[str, str]:
    """The tables as a person reads them."""
    tables = by_module(design, name).items()
    return {f"rom/{router}.txt": rom_text(design, table) for router, table in tables}


def rom_text(design: TimetableDesign, table: RoundTable) -> str:
    """A line for each phase, and in it for each out-port the in-port whose word leaves.

    Of each in-port it says whether the word that comes is for the node, where not all are.
    """
    net, takes = design.network, table.takes or ()
    heads = ["# phase", *(f"out {name_port(net.out_ports, port)}" for port, _ in table.sends)]
    taken = table.in_ports[: len(takes)]
    rows = [[*heads, *(f"in {name_port(net.in_ports, port)}" for port in taken)]]
    for phase in range(table.round):
        cells = [str(phase)]
        for _, choices in table.sends:
            words = (_register_text(net, register) for register in terms(choices[phase]))
            cells.append(" + ".join(words) or "-")
        rows.append([*cells, *("take" if phases[phase] else "-" for phases in takes)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([*lines, ""])


def _register_text(network: Network, register: Register) -> str:
    """Where a word comes from, and how many cycles ago if it was kept."""
    if register.in_port == OWN:
        return "own"
    kept = f" {register.age} ago" * (register.age > 1)
    return f"in {name_port(network.in_ports, register.in_port)}{kept}"
