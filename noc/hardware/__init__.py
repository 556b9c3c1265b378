"""Routers and networks in Amaranth, generated from router tables."""

from noc.hardware.assembly import Assembly, assemble, node_names
from noc.hardware.broadcast_network import BroadcastNetwork
from noc.hardware.direct.router import Router

__all__ = ["Assembly", "BroadcastNetwork", "Router", "assemble", "node_names"]
