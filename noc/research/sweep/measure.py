"""One design of a sweep: its rows, measured, or taken over where they still hold."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import InputError
from noc.research.sweep.plan import Task
from noc.research.sweep.steps import STEPS, Axes, Step, Value
from noc.research.sweep.steps.step import verilog_of
from noc.research.sweep.table import Row, key_of, keys_of, row_for

_DIGITS = 16


def measure_task(
    task: Task, kept: Mapping[tuple[str, ...], Row], *, only_kept: bool = False
) -> list[Row]:
    """The rows of a design, one for each condition.

    A row of earlier sweeps, kept by its key, is taken over if it is of the same Verilog (or, where
    no step looks at that, of the same tables), the same contract of the model and the same tools.
    With ``only_kept`` nothing is measured: only those are given.
    """
    if only_kept and not any(key in kept for key in keys_of(task)):
        return []
    try:
        design = task.point.build()
    except InputError as error:
        refused = [row_for(task, axes, {"refused": str(error)}) for axes in task.axes]
        return [row for row in refused if not only_kept or kept.get(key_of(row)) == row]
    digest, rows = digest_of(task, design), []
    known: dict[object, Mapping[str, Value]] = {}
    for axes in task.axes:
        marks = {"digest": digest, "tools": "; ".join(_tools(task, axes))}
        old = kept.get(key_of(row_for(task, axes, {})))
        if old is not None and all(old[name] == value for name, value in marks.items()):
            rows.append(old)
            continue
        if only_kept:
            continue
        try:
            results = dict(_results(task, axes, design, known))
        except InputError as error:
            results = {"refused": str(error)}
        rows.append(row_for(task, axes, results | marks))
    return rows


def digest_of(task: Task, design: AnyDesign) -> str:
    """A number of what the results are about."""
    contracts = fabrics.module(design.fabric, "describe").contracts(design)
    text = "".join(f"{name} {number}\n" for name, number in contracts.items())
    digest = hashlib.sha256(text.encode())
    for step in (STEPS[name] for name in task.steps):
        if step.version > 1:
            digest.update(f"{step.name} {step.version}\n".encode())
    if any(STEPS[step].verilog for step in task.steps):
        for module in verilog_of(design):
            digest.update(module.text.encode())
    else:
        digest.update(design.digest.encode())
    return digest.hexdigest()[:_DIGITS]


def _results(
    task: Task, axes: Axes, design: AnyDesign, known: dict[object, Mapping[str, Value]]
) -> Iterator[tuple[str, Value]]:
    """The results of all steps; what conditions do not change is measured once."""
    for name in task.steps:
        step = STEPS[name]
        condition = name, tuple(getattr(axes, axis) for axis in step.axes)
        if condition not in known:
            with tempfile.TemporaryDirectory(prefix="noc-sweep-") as folder:
                known[condition] = step.measure(design, axes, Path(folder))
        yield from known[condition].items()


def _tools(task: Task, axes: Axes) -> Iterator[str]:
    """Names and versions of the tools that decide the results."""
    steps: list[Step] = [STEPS[name] for name in task.steps]
    for package in dict.fromkeys(name for step in steps for name in step.packages(axes)):
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            # The one on PATH, which does not say its number as simply.
            yield f"{package} (not from a Python package)"
