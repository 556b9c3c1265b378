"""Synthesis, placement and routing with open tools: netlists, area and clock."""

from noc.synth.netlist import Mode, Netlist, network_netlist, router_netlists, synthesise
from noc.synth.targets import FAMILIES, Family, family

__all__ = [
    "FAMILIES",
    "Family",
    "Mode",
    "Netlist",
    "family",
    "network_netlist",
    "router_netlists",
    "synthesise",
]
