"""Registers in which the alarms of a network stay until they are cleared: Verilog beside it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from noc.emit.guides import build_instance, instance_file
from noc.emit.module import Port, convert, ports_of
from noc.errors import InputError, option, switch
from noc.hardware.held_alarms import HeldAlarms
from noc.harness import ALARMS

#: Where the files lie in a folder: they are no part of the network.
FOLDER = "alarms"


class HeldFiles:
    """A module with an input for each alarm of a network, or of a chip, with these ports.

    ``links`` are the other chips with the alarms of the links to them, by kinds.
    """

    def __init__(
        self,
        top: str,
        nodes: Iterable[Mapping[str, Any]],
        ports: Sequence[Port],
        links: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.name, self._file = f"{top}_alarms", f"{FOLDER}/{top}_alarms.v"
        bits = {port.name: port.bits for port in ports}
        #: Of each alarm what it is of, its name, its kind, and its signal.
        self._told = [
            ("node", node["label"], kind, node[kind]["signal"])
            for node in nodes
            for kind in ALARMS
            if kind in node
        ]
        for other, alarms in (links or {}).items():
            self._told += [("link", other, kind, signal) for kind, signal in alarms.items()]
        if not self._told:
            some = option("protect", "detect") if links is None else "links between chips"
            raise InputError(
                f"{switch('held_alarms', True)}: the network has no alarms; {option('operations')} "
                f"that join words have, {option('sink_timeout')} and {some}"
            )
        self._bits = {signal: bits[signal] for *_, signal in self._told}

    @cached_property
    def component(self) -> HeldAlarms:
        """The module in Amaranth."""
        counted = [signal for _, _, kind, signal in self._told if kind == "absent"]
        return HeldAlarms(self._bits, counted)

    def describe(self) -> dict[str, Any]:
        """What the manifest says: which bits are whose."""
        rows, first = [], 0
        for owner, label, kind, signal in self._told:
            bits = self._bits[signal]
            rows.append({owner: label, "alarm": kind, "first": first, "bits": bits})
            first += bits
        return {"top": self.name, "file": self._file, "held": rows}

    def files(self) -> dict[str, str]:
        """The module, and an instance to copy."""
        module = convert(self.component, self.name)
        clocked = [Port("clk", False, 1), Port("rst", False, 1)]
        ports = [*clocked, *(port for _, port in ports_of(self.component.signature))]
        called = {"node": "node", "link": "link to"}
        owners = {signal: f"{called[kind]} {label}" for kind, label, _, signal in self._told}
        owners |= {count: owners[signal] for signal, count in self.component.counts.items()}
        path = f"{FOLDER}/{instance_file(self.name)}"
        return {self._file: module.text, path: build_instance(self.name, ports, owners)}
