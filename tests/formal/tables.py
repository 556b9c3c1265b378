"""The router tables for which the proofs are made."""

from noc.design import design
from noc.networks import network
from noc.programs.table import Entry, InPort, RouterTable

__all__ = ["TABLES", "table"]

#: Rows that no program of today has: some do not deliver, and each source has two trees.
MIXED = RouterTable(
    one_port=False,
    classes=2,
    entries=(
        Entry((), deliver=True, class_=0),
        Entry(((0, 1),), deliver=False, class_=1),
        Entry(((0, 0), (1, 1)), deliver=True, class_=1),
        Entry(((0, 1), (1, 0)), deliver=False, class_=1),
        Entry(((1, 1),), deliver=False, class_=0),
    ),
    trees=2,
    in_ports=(InPort(0, (0, 1)), InPort(1, (0, 1, 2))),
    out_bits=((0, 2), (1, 1)),
)

#: Network, ports and sources of each table; the table is that of node 0.
TABLES = {
    "star:3": ("star:3", "all", "one"),
    "star:3 one-port": ("star:3", "one", "one"),
    "star:3 classes": ("star:3", "all", "all"),
    "star:3 classes one-port": ("star:3", "one", "all"),
    "scc:3 classes": ("scc:3", "all", "all"),
    "scc:4": ("scc:4", "all", "one"),
    "uhc:4": ("uhc:4", "all", "one"),
    "uhc:4 one-port": ("uhc:4", "one", "one"),
    "uhc:3 classes one-port": ("uhc:3", "one", "all"),
}


def table(name: str) -> RouterTable:
    """A table by its name in the tests."""
    if name == "mixed":
        return MIXED
    spec, ports, sources = TABLES[name]
    return design(network(spec), ports=ports, sources=sources, width=2).fabric.table_of(0)
