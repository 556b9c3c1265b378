"""Output folders of ``noc generate``: written, read, spoilt, and their benches run."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers import started

from noc.cli import main
from noc.verify.tools import environment

Done = subprocess.CompletedProcess[str]

#: What the stress program of a folder says last.
EVERY_WORD_ONCE = "every node got every word once, unchanged and in order\n"
EVERY_SUM_ONCE = "every node got every sum of what was given, once\n"


def generated(folder: Path, *words: object) -> Path:
    """A folder that the command has written."""
    assert main(["generate", *map(str, words), "-o", str(folder)]) == 0
    return folder


def core_of(folder: Path, *words: object) -> str:
    """The name of the core in a folder that the command has written."""
    (core,) = generated(folder, *words).glob("*.core")
    return core.stem


def fusesoc(folder: Path, *words: str, **more: str) -> Done:
    """FuseSoC with the cores of a folder, run beside it as the page on integration says."""
    work, here = folder.parent / "work", str(Path(sys.executable).parent)
    work.mkdir(exist_ok=True)
    # As in an activated environment: cores call python3.
    env = environment("verilator") | {"HOME": str(work), "XDG_CONFIG_HOME": str(work)} | more
    env["PATH"] = os.pathsep.join([here, env["PATH"]])
    return started(f"{here}/fusesoc", "--cores-root", folder, "run", *words, cwd=work, env=env)


def manifest_of(folder: Path) -> dict[str, Any]:
    return _read(folder / "manifest.json")


def _read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def change(folder: Path, name: str, how: Callable[[dict[str, Any]], object]) -> None:
    """Let a function change the manifest or the program of a folder."""
    path = folder / f"{name}.json"
    document = _read(path)
    how(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def copied(whole: Path, folder: Path) -> None:
    """Copy an output folder, without what its benches have built."""
    for path in whole.rglob("*"):
        if path.is_file() and "build" not in path.parts:
            there = folder / path.relative_to(whole)
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(path.read_bytes())


def spoilt(whole: Path, folder: Path, spoil: Callable[[dict, dict], object]) -> None:
    """Copy an output folder, with what a function makes of its manifest and its program."""
    copied(whole, folder)
    program = _read(folder / "program.json")
    change(folder, "manifest", lambda manifest: spoil(manifest, program))
    (folder / "program.json").write_text(json.dumps(program), encoding="utf-8")


def shift_rounds(manifest: dict[str, Any]) -> None:
    """Let some word of a sum be given for a round before."""
    lanes = (lane for node in manifest["nodes"] for lane in node["inject_lanes"])
    lane = next(lane for lane in lanes if any(lane["after"]))
    lane["after"] = [after and after - 1 for after in lane["after"]]


def bench(folder: Path, script: str, *words: object, status: int = 0, **options: Any) -> Done:
    """A bench of a folder that has ended with a status, and what it said."""
    return started(sys.executable, folder / "bench" / script, *words, status=status, **options)


def stress(folder: Path, *, status: int = 0) -> Done:
    """The same of the stress program, with so many random words."""
    return bench(folder, "stress.py", "--words", "20000", status=status)
