"""LiteX: networks as modules of a system-on-chip, whose CPUs take part.

It needs the package litex and a folder that ``noc generate`` wrote, here or elsewhere.
"""

from noc.litex.network import BroadcastNetwork
from noc.litex.node import CpuNode
from noc.litex.soc import add_network

__all__ = ["BroadcastNetwork", "CpuNode", "add_network"]
