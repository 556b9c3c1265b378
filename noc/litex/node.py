"""A node behind Wishbone as a LiteX module, for a CPU."""

from collections.abc import Mapping
from typing import Any

from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from migen import Cat, ClockSignal, Instance, ResetSignal, Signal

from noc.errors import InputError, option
from noc.litex.network import (
    BroadcastNetwork,
    add_verilog,
    as_list,
    list_parts,
    make_endpoint,
)

#: Bits of the number of a register of 4 bytes, and the bytes of all.
_ADDRESS_BITS = 6
SIZE = 4 << _ADDRESS_BITS


class CpuNode(LiteXModule):  # type: ignore[misc]
    """The streams of a node as registers on Wishbone.

    Parameters
    ----------
    platform : GenericPlatform
        That of the SoC, which is given the Verilog.
    network : BroadcastNetwork
        A network whose folder was written with ``--bus wishbone``.
    label : str
        The node. Nothing else may use its streams.

    Attributes
    ----------
    bus : wishbone.Interface
        The bus, on which there are ``SIZE`` bytes of registers.
    ev : LiteXModule
        Its ``irq`` is the interrupt, as a SoC looks for it; a register of the node enables it.
    """

    def __init__(self, platform: Any, network: BroadcastNetwork, label: str) -> None:
        end = _find_end(network)
        network.claim(label, gives=True)
        add_verilog(platform, network.folder, [end["file"]])
        self.bus = bus = wishbone.Interface(data_width=32, addressing="word")
        self.ev = LiteXModule()
        self.ev.irq = Signal()
        ports = {"i_clk": ClockSignal(), "i_rst": ResetSignal(), "o_irq": self.ev.irq}
        ports["i_bus__adr"] = bus.adr[:_ADDRESS_BITS]
        ports |= {f"i_bus__{name}": getattr(bus, name) for name in ("cyc", "stb", "we", "sel")}
        ports["i_bus__dat_w"] = bus.dat_w
        ports |= {f"o_bus__{name}": getattr(bus, name) for name in ("dat_r", "ack", "err")}
        ports |= self._give(network, label) | self._take(network, label)
        if network.manifest["bus"]["alarm"]:
            ports["i_alarm"] = network.alarm[label]
        self.specials += Instance(end["top"], **ports)

    def _take(self, network: BroadcastNetwork, label: str) -> dict[str, Any]:
        """Lead what comes to the node to the end; to one that gets nothing no word comes."""
        told = next(each["eject"] for each in network.manifest["nodes"] if "eject" in each)
        came = network.eject[label] if label in network.eject else make_endpoint(told)
        payload = Cat(*list_parts(came, told))
        ports = {"i_eject__valid": came.valid, "o_eject__ready": came.ready}
        return ports | {"i_eject__payload": payload}

    def _give(self, network: BroadcastNetwork, label: str) -> dict[str, Any]:
        """Lead what the end gives to the node's endpoints."""
        nodes, ports = network.manifest["nodes"], dict[str, Any]()
        most = max(len(as_list(streams)) for streams in network.inject.values())
        told = next(each for node in nodes for each in as_list(node.get("inject", [])))
        given = as_list(network.inject.get(label, []))
        for number in range(most):
            # One that the node has not takes no word.
            endpoint = given[number] if number < len(given) else make_endpoint(told)
            payload = Signal(sum(field["bits"] for field in told["fields"]))
            self.comb += Cat(*list_parts(endpoint, told)).eq(payload)
            port = f"inject__{number}" if most > 1 else "inject"
            ports |= {f"o_{port}__valid": endpoint.valid, f"i_{port}__ready": endpoint.ready}
            ports[f"o_{port}__payload"] = payload
        return ports


def _find_end(network: BroadcastNetwork) -> Mapping[str, Any]:
    """What the manifest says of the module behind Wishbone."""
    for end in network.manifest.get("bus", {}).get("ends", []):
        if end["bus"] == "wishbone":
            found: Mapping[str, Any] = end
            return found
    raise InputError(
        f"{network.folder}: no ends for CPUs; write it with {option('bus', 'wishbone')}"
    )
