"""Routers and networks in Amaranth, generated from router tables."""

from noc.hardware.assembly import Assembly, assemble, node_names
from noc.hardware.link import LinkSignature
from noc.hardware.network import Network
from noc.hardware.router import Router

__all__ = ["Assembly", "LinkSignature", "Network", "Router", "assemble", "node_names"]
