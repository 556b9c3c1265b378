"""What the commands print of a design."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from noc.design import Design
from noc.errors import CheckError, InputError, option
from noc.fabrics.direct import describe
from noc.fabrics.measured import latency_row
from noc.fabrics.tables import of_nodes, show_tables
from noc.model import back_to_back, simulate
from noc.networks import found_ports
from noc.programs.execute import alive, lacking

#: How it is mapped to gates where nothing else is asked for.
MAPPING = "best"

#: Larger networks are not searched for other port labels: the search would take longer than what
#: the user asked for.
_LARGEST = 64

Row = dict[str, Any]

#: What is not told where it is so.
_RARE: Row = {"slices": 1, "survive": 0, "dead_links": []}


def facts(design: Design) -> Row:
    """What a reader of results must know beside what all designs have."""
    program = design.program
    config = vars(design.config) | {"slices": program.slices}
    dead = [f"{link['from']}/{link['to']}" for link in describe.dead_links(design)]
    known = {"ports": program.ports, **config, "dead_links": dead}
    return {name: known[name] for name in known if name not in _RARE or known[name] != _RARE[name]}


def summary(design: Design, _manifest: Row) -> Row:
    """What is said of a folder that was written."""
    program = design.program
    known: Row = {"router modules": len(program.tables), "code bits": program.code_bits}
    if program.slices > 1:
        known["slices"] = f"{program.slices} of {design.link_width} bits, each along its own tree"
    if program.config.survive:
        known["dead links survived"] = program.config.survive
    if program.dead:
        known["dead links"] = len(program.dead)
    return known


def hints(design: Design) -> Iterator[str]:
    """A line for each choice that another would better."""
    network = design.network
    lost = lacking(design.program)
    if lost:
        source, node = map(network.label, lost[0])
        yield (
            f"behind the dead links words are lost: {len(lost)} nodes lack those of some source, "
            f"such as {node} those of {source}"
        )
    if not network.symmetric and network.nodes <= _LARGEST and found_ports.exist(network):
        yield (
            "with other port labels all nodes would look alike, and one router module would do; a "
            "graph without labels gets such labels ('noc info' says more)"
        )


def program_facts(design: Design) -> Row:
    """The sizes of its tables."""
    program = design.program
    return {
        "trees": program.slices,
        "states": program.states,
        "code_bits": program.code_bits,
        "rows": max(len(table.entries) for table in program.tables),
        "rom_bits": program.rom_bits,
        "rom_bits_by_address": program.rom_bits_by_address,
        "rom_bits_network": program.rom_bits_network,
        "modules": len(program.tables),
    }


def count_rows(design: Design) -> int:
    """The lines of its tables."""
    return sum(len(table.entries) for table in design.program.tables)


def tables(design: Design) -> Row:
    """The routers' tables, and whose they are."""
    return {"routers": of_nodes(design, describe.program(design, None)["routers"])}


def tables_text(design: Design) -> Iterator[str]:
    """Each table, and whose it is."""
    return show_tables(design, describe.rom_text)


def latencies(
    design: Design,
    _operations: Sequence[str] | None,
    words: Sequence[int],
    source: str | None,
    _to: str | None,
) -> Iterator[Row]:
    """The cycles of each number of words of one node, with the lower bound."""
    net, chosen = design.network, _chosen(design, source)
    for count in words:
        cycles = _play(design, chosen, count)
        bound = net.eccentricity(chosen) * (1 + design.config.link_registers) + count - 1
        yield latency_row("broadcast", count, (net.label(chosen), None), cycles, bound)


def _chosen(design: Design, label: str | None) -> int:
    """The node of a label; without, the one whose words take longest."""
    net, sources = design.network, alive(design.program)
    if label is not None:
        source = net.node(label, argument="from")
        if source not in design.program.sources:
            raise InputError(f"{option('from', label)}: is none of {option('sources')}")
        return source
    if not sources:
        raise InputError(f"{option('dead')}: no source has a link that is not dead")
    # On a symmetric network all see the same, where all may send.
    alike = net.symmetric and len(sources) == net.nodes
    return max(sources[: 1 if alike else None], key=lambda node: _play(design, node, 1))


def _play(design: Design, source: int, words: int) -> int:
    """The cycle in which the last word is taken, from the cycle model."""
    traffic = back_to_back(design.program, source, words)
    arrival = simulate(design.program, traffic, events=False, arrival=True).arrival
    assert arrival is not None
    lacks = np.flatnonzero((arrival < 0).any(axis=0))
    for node in lacks[lacks != source][:1].tolist():
        net = design.network
        problem = f"{net.label(node)} lacks words of {net.label(source)}, behind dead links"
        raise CheckError(f"{net.spec}: {problem}")
    return max(0, int(arrival.max()))
