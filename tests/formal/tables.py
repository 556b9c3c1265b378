"""The router tables for which the proofs are made."""

from formal.contract import PROMISES, SAFE
from noc.design import build_direct
from noc.programs.config import RouterConfig
from noc.programs.table import Entry, InPort, RouterTable
from noc.trees import Ports

#: Rows that no program of today has: some do not deliver.
MIXED = RouterTable(
    one_port=False,
    code_bits=3,
    entries=(
        Entry(1, (), deliver=True),
        Entry(3, ((0, 1),), deliver=False),
        Entry(4, ((0, 2), (1, 1)), deliver=True),
        Entry(6, ((0, 3), (1, 0)), deliver=False),
        Entry(0, ((1, 1),), deliver=False),
    ),
    trees=1,
    in_ports=(InPort(0, (1, 3)), InPort(1, (1, 3, 4, 6))),
    out_bits=((0, 2), (1, 1)),
)


#: Where each table is from: the design whose table of node 0 it is.
TABLES: dict[str, tuple[str, Ports]] = {
    "star:3": ("star:3", "all"),
    "star:3 one-port": ("star:3", "one"),
    "scc:4": ("scc:4", "all"),
    "uhc:4": ("uhc:4", "all"),
    "uhc:4 one-port": ("uhc:4", "one"),
}


#: Other router configurations, each with the tables for which it is proven and what is promised.
CONFIGS = {
    "block": (RouterConfig(rom="block"), ("star:3",), PROMISES),
    "relays": (RouterConfig(link_registers=1), ("star:3", "star:3 one-port"), SAFE),
    "queue": (RouterConfig(queue=2), ("star:3", "star:3 one-port"), SAFE),
}


def table(name: str) -> RouterTable:
    """A table by its name in the tests."""
    if name == "mixed":
        return MIXED
    spec, ports = TABLES[name]
    return build_direct(spec, ports=ports, width=2).program.table_of(0)
