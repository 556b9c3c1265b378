"""A node behind Wishbone as a LiteX module, for a CPU."""

from collections.abc import Mapping
from typing import Any

from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from migen import Cat, ClockSignal, Instance, ResetSignal, Signal

from noc.errors import InputError, option
from noc.litex.network import BroadcastNetwork, add_verilog, list_parts

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
        network.claim(label)
        (node,) = (each for each in network.manifest["nodes"] if each["label"] == label)
        add_verilog(platform, network.folder, [end["file"]])
        self.bus = bus = wishbone.Interface(data_width=32, addressing="word")
        self.ev = LiteXModule()
        self.ev.irq = Signal()
        ports = {"i_clk": ClockSignal(), "i_rst": ResetSignal(), "o_irq": self.ev.irq}
        ports["i_bus__adr"] = bus.adr[:_ADDRESS_BITS]
        ports |= {f"i_bus__{name}": getattr(bus, name) for name in ("cyc", "stb", "we", "sel")}
        ports["i_bus__dat_w"] = bus.dat_w
        ports |= {f"o_bus__{name}": getattr(bus, name) for name in ("dat_r", "ack", "err")}
        came = network.eject[label]
        ports["i_eject__valid"], ports["o_eject__ready"] = came.valid, came.ready
        ports["i_eject__payload"] = Cat(*list_parts(came, node["eject"]))
        # A node that may not send takes no word.
        ports["i_inject__ready"] = 0
        if label in network.inject:
            given = network.inject[label]
            ports["o_inject__valid"], ports["i_inject__ready"] = given.valid, given.ready
            payload = Signal(sum(field["bits"] for field in node["inject"]["fields"]))
            ports["o_inject__payload"] = payload
            self.comb += Cat(*list_parts(given, node["inject"])).eq(payload)
        if network.manifest["bus"]["alarm"]:
            ports["i_alarm"] = network.alarm[label]
        self.specials += Instance(end["top"], **ports)


def _find_end(network: BroadcastNetwork) -> Mapping[str, Any]:
    """What the manifest says of the module behind Wishbone."""
    for end in network.manifest.get("bus", {}).get("ends", []):
        if end["bus"] == "wishbone":
            found: Mapping[str, Any] = end
            return found
    raise InputError(
        f"{network.folder}: no ends for CPUs; write it with {option('bus', 'wishbone')}"
    )
