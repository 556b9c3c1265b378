"""Synthesis, placement and routing with open tools: netlists, area and clock."""

from noc.synth.devices import DEVICES, Device, Target, target
from noc.synth.measure import Measurement, measure
from noc.synth.netlist import Mode, Netlist, network_netlist, router_netlists, synthesise
from noc.synth.targets import FAMILIES, Area, Family, family

__all__ = [
    "DEVICES",
    "FAMILIES",
    "Area",
    "Device",
    "Family",
    "Measurement",
    "Mode",
    "Netlist",
    "Target",
    "family",
    "measure",
    "network_netlist",
    "router_netlists",
    "synthesise",
    "target",
]
