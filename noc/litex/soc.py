"""A network in a SoC: its registers of alarms, and CPUs at its nodes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from litex.soc.integration.soc import SoCRegion

from noc.errors import InputError
from noc.litex.network import BroadcastNetwork
from noc.litex.node import SIZE, CpuNode


def add_network(
    soc: Any, folder: Path | str, cpus: Sequence[str] = (), *, name: str = "network"
) -> BroadcastNetwork:
    """Add the network of a folder to a SoC, with some nodes on its bus.

    The network becomes the module ``name`` of the SoC. Each node of ``cpus`` becomes a module and a
    region whose name is that and its own, with an interrupt where the SoC's CPU has interrupts;
    ``mem.h`` says where its registers are: where the SoC's ``mem_map`` puts them, if it does.

    Parameters
    ----------
    soc : LiteXSoC
        The system-on-chip.
    folder : path
        A folder that ``noc generate`` wrote, for ``cpus`` with ``--bus wishbone``.
    cpus : sequence of str
        The labels of the nodes at which the SoC's masters take part.
    name : str
        The name of the network in the SoC. With ``noc``, constants of the SoC would have names that
        the driver in C has.
    """
    if isinstance(cpus, str):
        raise InputError(f"cpus={cpus!r}: is a list of labels, [{cpus!r}] for one node")
    if hasattr(soc, name):
        raise InputError(f"name={name!r}: the SoC has something of this name")
    network = BroadcastNetwork(soc.platform, folder)
    soc.add_module(name, network)
    if network.alarms and soc.irq.enabled:
        soc.irq.add(name, use_loc_if_exists=True)
    for label in cpus:
        node, plain = CpuNode(soc.platform, network, label), f"{name}_{network.names[label]}"
        soc.add_module(plain, node)
        region = SoCRegion(origin=soc.mem_map.get(plain), size=SIZE, cached=False)
        soc.bus.add_slave(plain, node.bus, region)
        if soc.irq.enabled:
            soc.irq.add(plain, use_loc_if_exists=True)
    return network
