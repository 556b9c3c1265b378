"""From the automaton to the program: codes and virtual channels for its rows, router by router."""

from collections.abc import Iterator

import numpy as np

from noc.programs.automaton import NOTHING, Automaton
from noc.programs.codes import Codes, choose_codes
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.program import Program
from noc.programs.table import Entry, InPort, RouterTable
from noc.programs.vcs import VcAssignment

__all__ = ["build_program"]


def build_program(
    automaton: Automaton,
    vcs: VcAssignment,
    config: RouterConfig = STANDARD,
    *,
    one_source: bool = False,
    search: bool = True,
) -> Program:
    """The router tables of an automaton.

    Parameters
    ----------
    automaton : Automaton
        What is to be done with each word.
    vcs : VcAssignment
        In which virtual channel each word waits.
    config : RouterConfig
        How the routers are built.
    one_source : bool
        Whether only one node sends at a time.
    search : bool
        Whether to search for codes that need few gates; without, the first that tell all rows
        apart are taken, at once.
    """
    config.check(automaton.ports, vcs.count)
    vcs.check(automaton)
    builder = _Builder(automaton, vcs, choose_codes(automaton, vcs, search=search), one_source)
    numbers: dict[RouterTable, int] = {}
    known: dict[tuple[int, ...], int] = {}
    table = np.empty(automaton.network.nodes, dtype=np.int32)
    for node in range(automaton.network.nodes):
        key = builder.decides(node)
        if key not in known:
            known[key] = numbers.setdefault(builder.table(node), len(numbers))
        table[node] = known[key]
    return Program(
        network=automaton.network,
        algorithm=automaton.algorithm,
        ports=automaton.ports,
        sources=automaton.sources,
        trees=automaton.trees,
        vcs=vcs.count,
        vc_method=vcs.method,
        one_source=one_source,
        tables=tuple(numbers),
        table=table,
        config=config,
        states=automaton.states,
    )


class _Builder:
    def __init__(
        self, automaton: Automaton, vcs: VcAssignment, codes: Codes, one_source: bool
    ) -> None:
        self._automaton, self._vcs, self._codes = automaton, vcs, codes
        self._one_source = one_source

    def decides(self, node: int) -> tuple[int, ...]:
        """What decides the table of a node: its site, its part, and the parts around it."""
        there = self._automaton.network.neighbour[node]
        around = np.where(there < 0, -1, self._vcs.part[there])
        return int(self._automaton.site[node]), int(self._vcs.part[node]), *around.tolist()

    def table(self, node: int) -> RouterTable:
        """The table of a node."""
        automaton = self._automaton
        net, site, part = automaton.network, int(automaton.site[node]), int(self._vcs.part[node])
        begin, own = (int(automaton.first_row[site, p]) for p in (0, automaton.inject))
        trees = int(automaton.alphabet[site, automaton.inject])
        arriving = self._entries(node, range(begin, own), deliver=True)
        injected = self._entries(node, range(own, own + trees), deliver=False)
        entries = [*(arriving[code] for code in sorted(arriving)), *injected.values()]
        used = sorted({port for entry in entries for port, _ in entry.sends})
        bits = self._codes.bits
        return RouterTable(
            one_port=automaton.ports == "one",
            vcs=self._vcs.count,
            one_source=self._one_source,
            code_bits=int(bits[site]),
            entries=tuple(entries),
            trees=trees,
            in_ports=tuple(self._in_ports(site, part)),
            out_bits=tuple(
                (port, int(bits[automaton.site[net.neighbour[node, port]]])) for port in used
            ),
        )

    def _entries(self, node: int, rows: range, *, deliver: bool) -> dict[int, Entry]:
        """Some rows of a node by their codes."""
        part = int(self._vcs.part[node])
        entries = {}
        for row in rows:
            code = int(self._codes.of_row[part, row])
            vc = int(self._vcs.of_row[part, row])
            entries[code] = Entry(code, tuple(self._sends(node, row)), deliver, vc)
        return entries

    def _sends(self, node: int, row: int) -> Iterator[tuple[int, int]]:
        """The sends of a row, each with the code that the router at the far end gives it."""
        ports, far_rows = self._automaton.send_port[row], self._automaton.send_row[row]
        for port, far_row in zip(ports.tolist(), far_rows.tolist(), strict=True):
            if port != NOTHING:
                part = self._vcs.part[self._automaton.network.neighbour[node, port]]
                yield port, int(self._codes.of_row[part, far_row])

    def _in_ports(self, site: int, part: int) -> Iterator[InPort]:
        """The in-ports on which words arrive at a site."""
        automaton = self._automaton
        for port in range(automaton.inject):
            first = int(automaton.first_row[site, port])
            count = int(automaton.alphabet[site, port])
            if count:
                codes = self._codes.of_row[part, first : first + count]
                yield InPort(port, tuple(sorted(set(codes.tolist()))))
