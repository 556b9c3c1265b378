"""A self-test in hardware: sources, checkers and a report as text, around an emitted network."""

from noc.selftest.simulate import SIMULATED, simulate
from noc.selftest.text import Result, results, taken
from noc.selftest.top import BAUD, SelfTest, Settings, header, surroundings

__all__ = [
    "BAUD",
    "SIMULATED",
    "Result",
    "SelfTest",
    "Settings",
    "header",
    "results",
    "simulate",
    "surroundings",
    "taken",
]
