"""What a verification needs of its simulator; what is missing is named."""

import hashlib
import importlib.util
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from noc.caches import cache_folder
from noc.errors import InputError
from noc.simulators import SIMULATORS, lacks_library

#: What would change the build or the run if it stood in the caller's environment: the flags of a
#: make from which noc was called, choices of tests meant for another bench.
_MEDDLES = re.compile(r"MAKEFLAGS$|MFLAGS$|MAKELEVEL$|MAKEFILES$|TESTCASE$|COCOTB_|GPI_")


def environment(simulator: str, *, cocotb: bool = True) -> dict[str, str]:
    """The environment in which a simulator runs, driven by cocotb or by a C++ program.

    Refuses if something is missing.
    """
    if cocotb and importlib.util.find_spec("cocotb") is None:
        raise InputError("cocotb is missing: pip install 'cocotb>=2.1,<3'")
    own = {name: text for name, text in os.environ.items() if not _MEDDLES.match(name)}
    # Complaints are looked for in English.
    env = SIMULATORS[simulator].environment(own | {"LC_ALL": "C.UTF-8"})
    if lack := SIMULATORS[simulator].lacks(env) or (lacks_library(env) if cocotb else ""):
        raise InputError(lack)
    return env


def check_waves(simulator: str, waves: Path) -> None:
    """Refuse a waveform format that a simulator cannot write here."""
    if lack := SIMULATORS[simulator].lacks(environment(simulator), waves):
        raise InputError(lack)


def compiled_parts(env: Mapping[str, str]) -> Path | None:
    """The user's folder for what Verilator itself has compiled, by versions; None if there is none.

    Compiling it takes more than half of the time of a small network's build.
    """
    asked = [f"{env.get(name)}" for name in ("VERILATOR_ROOT", "CXXFLAGS", "CPPFLAGS")]
    for program in ("verilator", "g++"):
        command = [program, "--version"]
        done = subprocess.run(
            command, env=dict(env), capture_output=True, text=True, check=False, timeout=60
        )
        asked.append(done.stdout)
    key = hashlib.sha256("\n".join([platform.machine(), *asked]).encode()).hexdigest()[:16]
    return cache_folder("verilator", key, env)
