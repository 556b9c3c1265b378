"""Registers in which the alarms of a network stay until they are cleared: Verilog beside it."""

from collections.abc import Mapping, Sequence
from typing import Any

from noc.emit.guides import build_instance, instance_file
from noc.emit.module import Port, convert, ports_of
from noc.errors import InputError, option, switch
from noc.hardware.held_alarms import HeldAlarms
from noc.harness import ALARMS

#: Where the files lie in a folder: they are no part of the network.
FOLDER = "alarms"


class HeldFiles:
    """A module with an input for each alarm of a network, which has these ports."""

    def __init__(self, document: Mapping[str, Any], ports: Sequence[Port]) -> None:
        self.name, self._file = f"{document['top']}_alarms", f"{FOLDER}/{document['top']}_alarms.v"
        bits = {port.name: port.bits for port in ports}
        #: Of each alarm the node's label, its kind, and its signal.
        self._told = [
            (node["label"], kind, node[kind]["signal"])
            for node in document["nodes"]
            for kind in ALARMS
            if kind in node
        ]
        if not self._told:
            raise InputError(
                f"{switch('held_alarms', True)}: the network has no alarms; {option('operations')} "
                f"that join words have, {option('sink_timeout')} and {option('protect', 'detect')}"
            )
        self._bits = {signal: bits[signal] for _, _, signal in self._told}
        counted = [signal for _, kind, signal in self._told if kind == "absent"]
        self.component = HeldAlarms(self._bits, counted)

    def describe(self) -> dict[str, Any]:
        """What the manifest says: which bits are whose."""
        rows, first = [], 0
        for label, kind, signal in self._told:
            bits = self._bits[signal]
            rows.append({"node": label, "alarm": kind, "first": first, "bits": bits})
            first += bits
        return {"top": self.name, "file": self._file, "held": rows}

    def files(self) -> dict[str, str]:
        """The module, and an instance to copy."""
        module = convert(self.component, self.name)
        clocked = [Port("clk", False, 1), Port("rst", False, 1)]
        ports = [*clocked, *(port for _, port in ports_of(self.component.signature))]
        labels = {signal: label for label, _, signal in self._told}
        labels |= {count: labels[signal] for signal, count in self.component.counts.items()}
        path = f"{FOLDER}/{instance_file(self.name)}"
        return {self._file: module.text, path: build_instance(self.name, ports, labels)}
