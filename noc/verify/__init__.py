"""Verification of the emitted Verilog against the cycle model, transfer by transfer."""

from noc.verify.comparing import RunReport
from noc.verify.records import Comparison
from noc.verify.runs import Run, mixture, name_runs, run
from noc.verify.verify import Report, verify, verify_files, written

__all__ = [
    "Comparison",
    "Report",
    "Run",
    "RunReport",
    "mixture",
    "name_runs",
    "run",
    "verify",
    "verify_files",
    "written",
]
