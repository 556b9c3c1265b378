"""The program of the direct fabric, read back from the files of a folder."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from noc.design import Design
from noc.errors import CheckError, InputError
from noc.networks import Network
from noc.programs import Program, check_spanning
from noc.programs.config import RouterConfig
from noc.programs.table import Entry, InPort, RouterTable
from noc.trees import Ports
from noc.verify.documents import Document, told_in
from noc.verify.read_nodes import nodes_in_order, read_sources

__all__ = ["read_direct"]

_CONFIG = tuple(part.name for part in fields(RouterConfig))


def read_direct(manifest: Document, document: Document, network: Network) -> Design:
    """The design that the tables of a folder are, checked: every word reaches every node once."""
    with told_in("manifest.json"):
        nodes = nodes_in_order(manifest, network)
        sources = read_sources(manifest, network)
        if sources == "all" or manifest.get("vcs", 1) != 1:
            raise InputError(
                "the direct fabric is for one sender at a time, and this folder for several; "
                f"verify it with the version that wrote it, {manifest.get('generator')}"
            )
        config = _config(manifest)
    with told_in("program.json"):
        reader = _Reader(document, network, [str(node["router"]) for node in nodes])
        program = reader.program(sources, config, manifest)
    _check_links(program)
    try:
        check_spanning(program)
    except CheckError as error:
        raise InputError(f"program.json: {error}") from None
    return Design(program, manifest["width"])


def _config(manifest: Document) -> RouterConfig:
    """How routers are built."""
    return RouterConfig(**{key: manifest[key] for key in _CONFIG if key in manifest})


class _Reader:
    """Reads the tables of all router modules."""

    def __init__(self, document: Document, network: Network, routers: list[str]) -> None:
        self._network, self._routers = network, document["routers"]
        self._ports: Ports = document["ports"]
        if self._ports not in ("all", "one"):
            raise InputError(f"ports must be all or one, not {self._ports!r}")
        self._states = document.get("states")
        numbers = {name: number for number, name in enumerate(self._routers)}
        for name in routers:
            if name not in numbers:
                raise InputError(f"there is no router {name!r}, which the manifest has at a node")
        for name in set(numbers).difference(routers):
            raise InputError(f"router {name!r} stands at no node")
        self._table = np.array([numbers[name] for name in routers], dtype=np.int32)
        self._bits: list[int] = [
            _whole(router["code_bits"], "code_bits", 0) for router in self._routers.values()
        ]

    def program(
        self, sources: str | list[int], config: RouterConfig, manifest: Document
    ) -> Program:
        """All of them."""
        trees = max(len(router["own_codes"]) for router in self._routers.values())
        everyone = tuple(range(self._network.nodes))
        senders = everyone if isinstance(sources, str) else tuple(sorted(set(sources)))
        config.check(self._ports)
        tables = tuple(
            self._read_table(number, router) for number, router in enumerate(self._routers.values())
        )
        for node in everyone:
            own = tables[int(self._table[node])].trees
            if own != (trees if node in senders else 0):
                raise InputError(
                    f"node {self._network.label(node)} has codes for {own} trees of its own"
                )
        return Program(
            network=self._network,
            algorithm=str(manifest.get("algorithm", "not told")),
            ports=self._ports,
            sources=senders,
            trees=trees,
            tables=tables,
            table=self._table,
            config=config,
            states=self._states,
        )

    def _read_table(self, number: int, router: Document) -> RouterTable:
        most = (1 << self._bits[number]) - 1
        entries = {entry.code: entry for entry in self._entries(router["codes"], most)}
        own = [entries.pop(code) for code in router["own_codes"]]
        arriving = [entries[code] for code in sorted(entries)]
        if len(own) + len(arriving) != len(router["codes"]):
            raise InputError("a code has two rows in one router")
        used = sorted({port for entry in (*arriving, *own) for port, _ in entry.sends})
        return RouterTable(
            one_port=self._ports == "one",
            code_bits=self._bits[number],
            entries=(*arriving, *own),
            trees=len(own),
            in_ports=tuple(self._in_ports(router["in_ports"], entries)),
            out_bits=tuple((port, self._far_bits(number, port)) for port in used),
        )

    def _entries(self, rows: list[Document], most: int) -> Iterator[Entry]:
        for row in rows:
            if type(row["deliver"]) is not bool:
                raise InputError(f"deliver must be true or false, not {row['deliver']!r}")
            yield Entry(
                code=_whole(row["code"], "code", 0, most),
                sends=tuple(
                    (self._network.out_ports.index(send["port"]), _whole(send["code"], "code", 0))
                    for send in row["sends"]
                ),
                deliver=row["deliver"],
            )

    def _in_ports(
        self, codes_of: Mapping[str, list[int]], entries: Mapping[int, Entry]
    ) -> Iterator[InPort]:
        numbered = {self._network.in_ports.index(label): codes for label, codes in codes_of.items()}
        for number in sorted(numbered):
            for code in numbered[number]:
                if code not in entries:
                    raise InputError(f"code {code} comes on an in-port and has no row")
            yield InPort(number, tuple(sorted(numbered[number])))

    def _far_bits(self, number: int, port: int) -> int:
        """The code bits at the far end of a port, which must be the same at all nodes."""
        there = self._network.neighbour[self._table == number, port]
        label = self._network.out_ports[port]
        if (there < 0).any():
            raise InputError(f"a router sends on port {label} at a node that has no such link")
        bits: set[int] = {self._bits[table] for table in self._table[there].tolist()}
        if len(bits) != 1:
            raise InputError(f"port {label} of a router leads to codes of different widths")
        return bits.pop()


def _whole(value: Any, name: str, least: int, most: int | None = None) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        allowed = f"from {least}" + ("" if most is None else f" to {most}")
        raise InputError(f"{name} {value!r}: whole numbers {allowed} are allowed")
    return int(value)


def _check_links(program: Program) -> None:
    """Every code that is sent must be known where it arrives, on the in-port where it does."""
    net = program.network
    known = [{port.number: set(port.codes) for port in table.in_ports} for table in program.tables]
    for node in range(net.nodes):
        for entry in program.table_of(node).entries:
            for port, code in entry.sends:
                there, arrival = int(net.neighbour[node, port]), int(net.arrival[node, port])
                if code not in known[int(program.table[there])].get(arrival, ()):
                    raise InputError(
                        f"program.json: {net.label(node)} sends code {code} on port "
                        f"{net.out_ports[port]}, which {net.label(there)} does not know"
                    )
