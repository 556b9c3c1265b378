"""``noc program``: the ROM tables."""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from noc.cli import arguments, output
from noc.networks import network
from noc.programs import Program, Row
from noc.programs import program as compiled

__all__ = ["HELP", "configure", "run"]

HELP = "the forwarding tables of the routers, and what they cost"

# Up to this many rows the tables are printed without being asked for.
SHORT = 80


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_tree_options(parser, root=False)
    arguments.add_sources(parser)
    parser.add_argument(
        "--rows",
        action=argparse.BooleanOptionalAction,
        help=f"print every row (default: in JSON, and in text up to {SHORT} rows)",
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Compile and print."""
    net = network(options.spec)
    sources = arguments.chosen_sources(net, options.sources)
    made = compiled(
        net,
        options.algorithm,
        ports=arguments.ports_of(options.ports, options.algorithm),
        # One at a time or all at once, the rows are the same.
        sources=None if isinstance(sources, str) else sources,
        progress=output.progress_bar("trees of all sources"),
    )
    known = _facts(made)
    if options.json:
        tables = {"tables": _tables(made)} if options.rows is not False else {}
        output.write_json({**known, **tables})
        return 0
    print(output.facts({name.replace("_", " "): value for name, value in known.items()}))
    total = sum(int(made.alphabet[site].sum()) for site in _one_site_each(made))
    if total <= SHORT if options.rows is None else options.rows:
        _print_tables(made)
    return 0


def _facts(made: Program) -> dict[str, object]:
    return {
        "network": made.network.spec,
        "algorithm": made.algorithm,
        "ports": made.ports,
        "symmetric": made.network.symmetric,
        "sources": len(made.sources),
        "trees": made.trees,
        "states": made.states,
        "state_bits": made.state_bits,
        "rows": made.rows_in_router,
        "rom_bits": made.rom_bits,
        "rom_bits_by_address": made.rom_bits_by_address,
        "rom_bits_network": made.rom_bits_network,
        "modules": made.modules,
    }


def _one_site_each(made: Program) -> list[int]:
    """The first site of every module."""
    return [int(site) for site in np.unique(made.module, return_index=True)[1]]


def _nodes_of_module(made: Program, module: int) -> list[str] | None:
    """The nodes that use a module, or None where all do."""
    if made.modules == 1:
        return None
    nodes = np.flatnonzero(made.module[made.site] == module)
    return [made.network.label(int(node)) for node in nodes]


def _tables(made: Program) -> Iterator[dict[str, Any]]:
    for module, site in enumerate(_one_site_each(made)):
        yield {
            "module": module,
            "nodes": _nodes_of_module(made, module) or "all",
            "rows": [_row_document(made, row) for row in made.rows(site)],
        }


def _row_document(made: Program, row: Row) -> dict[str, Any]:
    net = made.network
    return {
        "in_port": None if row.in_port is None else net.in_ports[row.in_port],
        "state": row.state,
        "deliver": row.deliver,
        "sends": [{"port": net.out_ports[send.port], "state": send.state} for send in row.sends],
    }


def _print_tables(made: Program) -> None:
    net = made.network
    for module, site in enumerate(_one_site_each(made)):
        nodes = _nodes_of_module(made, module)
        where = "every router" if nodes is None else f"module {module}: {', '.join(nodes)}"
        print(f"\n{where}")
        rows = []
        for row in made.rows(site):
            arrives = "own word" if row.in_port is None else net.in_ports[row.in_port]
            sends = ", ".join(f"{net.out_ports[s.port]} in state {s.state}" for s in row.sends)
            rows.append((arrives, row.state, row.deliver, sends or "nothing"))
        print(output.table(("arrives on", "in state", "deliver", "sends on"), rows, indent="  "))
