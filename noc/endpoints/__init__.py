"""What stands between a node and its router: AXI-Stream, whole packets, a clock of its own."""

from noc.endpoints.axis import AxiEndpoint, AxiStreamSignature, axi_signature
from noc.endpoints.choice import AxiStream, Clocks, Endpoints, Packets
from noc.endpoints.crossing import Crossing, CrossingEndpoint, crossing_signature
from noc.endpoints.reassembly import Reassembly
from noc.endpoints.turns import Turns
from noc.endpoints.words import WordFormat

__all__ = [
    "AxiEndpoint",
    "AxiStream",
    "AxiStreamSignature",
    "Clocks",
    "Crossing",
    "CrossingEndpoint",
    "Endpoints",
    "Packets",
    "Reassembly",
    "Turns",
    "WordFormat",
    "axi_signature",
    "crossing_signature",
]
