"""A self-test in hardware: sources, checkers and a report as text, around an emitted network."""

from noc.selftest.report import Result, results, taken
from noc.selftest.selftest import BAUD, TOP, Settings, header, verilog, words_of
from noc.selftest.simulate import SIMULATED, cycle_limit, simulate
from noc.selftest.words import check_bits

__all__ = [
    "BAUD",
    "SIMULATED",
    "TOP",
    "Result",
    "Settings",
    "check_bits",
    "cycle_limit",
    "header",
    "results",
    "simulate",
    "taken",
    "verilog",
    "words_of",
]
