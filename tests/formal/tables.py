"""The router tables for which the proofs are made."""

from dataclasses import replace
from typing import NamedTuple

from formal.contract import PROMISES, SAFE
from noc.design import Sources, build_direct
from noc.programs.config import RouterConfig
from noc.programs.table import Entry, InPort, RouterTable
from noc.trees import Ports

__all__ = ["CONFIGS", "TABLES", "table"]

#: Rows that no program of today has: some do not deliver, and each source has two trees.
MIXED = RouterTable(
    one_port=False,
    vcs=2,
    one_source=False,
    code_bits=3,
    entries=(
        Entry(1, (), deliver=True, vc=0),
        Entry(3, ((0, 1),), deliver=False, vc=1),
        Entry(4, ((0, 2), (1, 1)), deliver=True, vc=1),
        Entry(6, ((0, 3), (1, 0)), deliver=False, vc=1),
        Entry(0, ((1, 1),), deliver=False, vc=0),
    ),
    trees=2,
    in_ports=(InPort(0, (1, 3)), InPort(1, (1, 3, 4))),
    out_bits=((0, 2), (1, 1)),
)


class _Chosen(NamedTuple):
    """The design whose table of node 0 it is."""

    spec: str
    ports: Ports
    sources: Sources


#: Where each table is from. With round-robin it is as if several nodes could send at a time,
#: though one VC would not do for a network.
TABLES = {
    "star:3": _Chosen("star:3", "all", "one"),
    "star:3 round-robin": _Chosen("star:3", "all", "one"),
    "star:3 one-port": _Chosen("star:3", "one", "one"),
    "star:3 VCs": _Chosen("star:3", "all", "all"),
    "star:3 VCs one-port": _Chosen("star:3", "one", "all"),
    "scc:3 VCs": _Chosen("scc:3", "all", "all"),
    "scc:4": _Chosen("scc:4", "all", "one"),
    "uhc:4": _Chosen("uhc:4", "all", "one"),
    "uhc:4 round-robin": _Chosen("uhc:4", "all", "one"),
    "uhc:4 one-port": _Chosen("uhc:4", "one", "one"),
    "uhc:3 VCs one-port": _Chosen("uhc:3", "one", "all"),
}


#: Other router configurations, each with the tables for which it is proven and what is promised.
CONFIGS = {
    "block": (RouterConfig(rom="block"), ("star:3", "star:3 VCs"), PROMISES),
    "relays": (
        RouterConfig(link_registers=1),
        ("star:3", "star:3 round-robin", "star:3 one-port"),
        SAFE,
    ),
    "queue": (RouterConfig(queue=2), ("star:3", "star:3 VCs", "star:3 one-port"), SAFE),
}


def table(name: str) -> RouterTable:
    """A table by its name in the tests."""
    if name == "mixed":
        return MIXED
    spec, ports, sources = TABLES[name]
    router_table = build_direct(spec, ports=ports, sources=sources, width=2).program.table_of(0)
    return replace(router_table, one_source=False) if name.endswith("round-robin") else router_table
