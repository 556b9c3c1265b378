"""Verilog that was made once in a run of the tests is not made again by any of its processes.

This module stands in for ``subprocess`` where the package runs Yosys.
"""

import hashlib
import os
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

# Names the folder where it is kept, which is gone after the run.
KEPT = "NOC_TESTS_KEPT"


def run(command: Sequence[str], *, input: str, **options) -> subprocess.CompletedProcess[str]:  # noqa: A002
    """Run Yosys as :func:`subprocess.run` does, or say what it wrote of the same text before."""
    key = hashlib.sha256("\0".join([*command, input]).encode()).hexdigest()
    path = Path(os.environ[KEPT]) / f"{key}.v"
    if path.exists():
        return subprocess.CompletedProcess(command, 0, path.read_text(encoding="utf-8"), "")
    done = subprocess.run(command, input=input, **options)
    if done.returncode == 0:
        # Whole at once: another process may be looking.
        fresh = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        fresh.write_text(done.stdout, encoding="utf-8")
        fresh.replace(path)
    return done
