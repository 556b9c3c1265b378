"""Synthesis, placement and routing with open tools: netlists, area and clock."""

from noc.synth.families import FAMILIES, family, target
from noc.synth.family import Area, Device, Family, Program, Target
from noc.synth.measure import Mapping, Measurement, measure, measure_area
from noc.synth.netlist import Mode, Netlist, network_netlist, router_netlists, synthesise

__all__ = [
    "FAMILIES",
    "Area",
    "Device",
    "Family",
    "Mapping",
    "Measurement",
    "Mode",
    "Netlist",
    "Program",
    "Target",
    "family",
    "measure",
    "measure_area",
    "network_netlist",
    "router_netlists",
    "synthesise",
    "target",
]
