"""Verilog that was made once in a run of the tests is not made again by any of its processes.

:func:`run_yosys` stands in for that of the package.
"""

import hashlib
import os
import threading
from pathlib import Path

from noc.emit import module

#: That of the package, in whose place this one is put.
own_run_yosys = module.run_yosys

# Names the folder where it is kept, which is gone after the run.
KEPT = "NOC_TESTS_KEPT"


def run_yosys(script: str) -> tuple[int, str, str]:
    """What Yosys writes, or wrote of the same text before."""
    path = Path(os.environ[KEPT]) / f"{hashlib.sha256(script.encode()).hexdigest()}.v"
    if path.exists():
        return 0, path.read_text(encoding="utf-8"), ""
    status, written, complaint = own_run_yosys(script)
    if status == 0:
        # Whole at once: another process may be looking.
        fresh = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        fresh.write_text(written, encoding="utf-8")
        fresh.replace(path)
    return status, written, complaint
