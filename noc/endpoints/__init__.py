"""What is between a node and its router: AXI-Stream, whole packets, a clock of its own."""

from noc.endpoints.axis import BESIDE_SIGNALS, AxiEndpoint, AxiStreamSignature
from noc.endpoints.crossing import Crossing, CrossingEndpoint
from noc.endpoints.options import AxiStream, BeatFormat, Clocks, Endpoints, Packets
from noc.endpoints.packets import PacketArbiter, Reassembly

__all__ = [
    "BESIDE_SIGNALS",
    "AxiEndpoint",
    "AxiStream",
    "AxiStreamSignature",
    "BeatFormat",
    "Clocks",
    "Crossing",
    "CrossingEndpoint",
    "Endpoints",
    "PacketArbiter",
    "Packets",
    "Reassembly",
]
