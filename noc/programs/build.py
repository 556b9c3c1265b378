"""From the automaton to the program: codes for its rows, router by router."""

from collections.abc import Iterator

import numpy as np

from noc.programs.automaton import NOTHING, Automaton
from noc.programs.codes import Codes, choose_codes
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.program import Program
from noc.programs.table import Entry, InPort, RouterTable

__all__ = ["build_program"]


def build_program(
    automaton: Automaton, config: RouterConfig = STANDARD, *, search: bool = True
) -> Program:
    """The router tables of an automaton.

    Parameters
    ----------
    automaton : Automaton
        What is to be done with each word.
    config : RouterConfig
        How the routers are built.
    search : bool
        Whether to search for codes that need few gates; without, the first that tell all rows
        apart are taken, at once.
    """
    config.check(automaton.ports)
    builder = _Builder(automaton, choose_codes(automaton, search=search))
    numbers: dict[RouterTable, int] = {}
    of_site = [
        numbers.setdefault(builder.table(node), len(numbers))
        for node in np.unique(automaton.site, return_index=True)[1].tolist()
    ]
    return Program(
        network=automaton.network,
        algorithm=automaton.algorithm,
        ports=automaton.ports,
        sources=automaton.sources,
        trees=automaton.trees,
        tables=tuple(numbers),
        table=np.array(of_site, dtype=np.int32)[automaton.site],
        config=config,
        states=automaton.states,
    )


class _Builder:
    def __init__(self, automaton: Automaton, codes: Codes) -> None:
        self._automaton, self._codes = automaton, codes

    def table(self, node: int) -> RouterTable:
        """The table of a node."""
        automaton = self._automaton
        net, site = automaton.network, int(automaton.site[node])
        begin, own = (int(automaton.first_row[site, p]) for p in (0, automaton.inject))
        trees = int(automaton.alphabet[site, automaton.inject])
        arriving = self._entries(range(begin, own), deliver=True)
        injected = self._entries(range(own, own + trees), deliver=False)
        entries = [*(arriving[code] for code in sorted(arriving)), *injected.values()]
        used = sorted({port for entry in entries for port, _ in entry.sends})
        bits = self._codes.bits
        return RouterTable(
            one_port=automaton.ports == "one",
            code_bits=int(bits[site]),
            entries=tuple(entries),
            trees=trees,
            in_ports=tuple(self._in_ports(site)),
            out_bits=tuple(
                (port, int(bits[automaton.site[net.neighbour[node, port]]])) for port in used
            ),
        )

    def _entries(self, rows: range, *, deliver: bool) -> dict[int, Entry]:
        """Some rows by their codes."""
        entries = {}
        for row in rows:
            code = int(self._codes.of_row[row])
            entries[code] = Entry(code, tuple(self._sends(row)), deliver)
        return entries

    def _sends(self, row: int) -> Iterator[tuple[int, int]]:
        """The sends of a row, each with the code that the router at the far end gives it."""
        ports, far_rows = self._automaton.send_port[row], self._automaton.send_row[row]
        for port, far_row in zip(ports.tolist(), far_rows.tolist(), strict=True):
            if port != NOTHING:
                yield port, int(self._codes.of_row[far_row])

    def _in_ports(self, site: int) -> Iterator[InPort]:
        """The in-ports on which words arrive at a site."""
        automaton = self._automaton
        for port in range(automaton.inject):
            first = int(automaton.first_row[site, port])
            count = int(automaton.alphabet[site, port])
            if count:
                codes = self._codes.of_row[first : first + count]
                yield InPort(port, tuple(sorted(set(codes.tolist()))))
