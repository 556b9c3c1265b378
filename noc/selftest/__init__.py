"""A self-test in hardware: sources, checkers and a report as text, around an emitted network."""

from noc.selftest.selftest import BAUD, SelfTest, Settings, header, surroundings
from noc.selftest.simulate import SIMULATED, cycle_limit, simulate
from noc.selftest.stations import stations
from noc.selftest.text import Result, results, taken
from noc.selftest.words import check_bits

__all__ = [
    "BAUD",
    "SIMULATED",
    "Result",
    "SelfTest",
    "Settings",
    "check_bits",
    "cycle_limit",
    "header",
    "results",
    "simulate",
    "stations",
    "surroundings",
    "taken",
]
