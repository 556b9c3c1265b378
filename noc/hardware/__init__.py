"""Routers and networks in Amaranth, generated from router tables."""

from noc.hardware.link import LinkSignature
from noc.hardware.network import Network, node_names
from noc.hardware.router import Router

__all__ = ["LinkSignature", "Network", "Router", "node_names"]
