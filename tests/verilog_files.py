"""The Verilog of a design in files, as it is or with a fault, for comparison with its model."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from helpers import started

from noc.design import AnyDesign
from noc.emit.manifest import build_manifest
from noc.emit.module import Module
from noc.emit.verilog import modules
from noc.verify import Report, verify_files
from noc.verify.runs import Run
from noc.verify.streams import interface
from noc.verify.tools import environment


def written(
    design: AnyDesign, folder: Path, text_of: Callable[[Module], str] = lambda module: module.text
) -> list[Path]:
    """The file of each module, with what a function makes of its text."""
    return [Module(each.name, text_of(each)).write(folder) for each in modules(design)]


def compared(
    design: AnyDesign, sources: Sequence[Path], runs: Sequence[Run], folder: Path, **more: Any
) -> Report:
    """Some files beside the model of a design."""
    return verify_files(design, build_manifest(design, []), sources, runs, folder, **more)


def last_sink(design: AnyDesign) -> Any:
    """The last eject stream."""
    return interface(build_manifest(design, []), design).eject[-1]


def with_wrong_sink(design: AnyDesign, folder: Path, wrong: str, declared: str = "") -> list[Path]:
    """The files, where in what the last sink gets the bits are turned over that are wrong."""
    last = last_sink(design)
    top, *others = written(design, folder)
    before, found, after = top.read_text().rpartition(f"({last.payload})")
    assert found
    end = (
        f"wire [{last.bits - 1}:0] right; {declared}"
        f"assign {last.payload} = right ^ ({wrong});\nendmodule"
    )
    top.write_text(f"{before}(right){after.replace('endmodule', end)}")
    return [top, *others]


def check_pins(*sources: Path, own: Sequence[Path] = ()) -> None:
    """Refuse a pin that is not joined, or of another width, in some files; or else in the last."""
    rules = ("PINMISSING", "WIDTHTRUNC", "WIDTHEXPAND")
    command = ["verilator", "--lint-only", "-Wno-lint", "-Wno-style", "-Wno-fatal"]
    command += [f"-Wwarn-{rule}" for rule in rules]
    env = environment("verilator", cocotb=False)
    done = started(*command, "--top-module", "top", *sources, env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    pin = r"%Warning-\w+: (\S+?):\d+:\d+: (?:.*missing pin:|\w+ port connection) .*"
    found = {match[0]: Path(match[1]) for match in re.finditer(pin, done.stderr)}
    wrong = [text for text, path in found.items() if path in (own or sources[-1:])]
    assert not wrong, "\n".join(wrong)
