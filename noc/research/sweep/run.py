"""A sweep on this machine: its designs one by one, or parts of it in processes side by side."""

import hashlib
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from noc import fabric as fabrics
from noc import processes
from noc.design import AnyDesign
from noc.errors import CheckError, InputError, option
from noc.research.sweep.plan import Plan, Task
from noc.research.sweep.steps import STEPS, Axes, Step, Value
from noc.research.sweep.steps.step import verilog_of
from noc.research.sweep.table import Row, index, key_of, keys_of, read_table, row_for, write_table

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


Progress = Callable[[float], None]

#: Parts for each process: enough that all end at about the same time, few enough that starting
#: Python costs little.
_PARTS = 16

#: Designs that a process looks at, at least, when nothing is measured.
_LOOKED_AT = 8

#: No part takes longer: a month.
_LONGEST = 30 * 24 * 3600.0

#: How a part begins the line of a design whose measurement failed.
FAILED = "failed: "


@dataclass(frozen=True)
class Part:
    """Every N-th design of a plan: the K-th part of N."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise InputError(f"{option('part', self)}: K/N with K from 1 to N is needed")

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True)
class Outcome:
    """What a sweep gave: rows in the order of the plan, and what it lacks.

    Parameters
    ----------
    taken_over : int
        How many rows were kept from before and still hold.
    failures : tuple of str
        A line for each measurement that failed.
    missing, stale : tuple of str
        Steps and designs of absent rows: of those that were never measured, and of those whose
        kept row no longer holds.
    """

    rows: tuple[Row, ...]
    taken_over: int
    failures: tuple[str, ...]
    missing: tuple[str, ...]
    stale: tuple[str, ...]


def measure_part(
    plan: Plan,
    part: Part,
    output: Path,
    kept: Iterable[Path],
    *,
    only_kept: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Measure a part in this process, one design after the other, and write its rows after each.

    Rows of other parts stay in the table ``output``; those of the tables ``kept`` are taken over
    where they still hold, and with ``only_kept`` nothing else is done. ``progress`` is called
    with the share that is done, 0 to 1.
    """
    known, old = _known(kept), read_table(output)
    rows, failures = list[Row](), list[str]()
    tasks = plan.tasks[part.number - 1 :: part.of]
    for number, task in enumerate(tasks, 1):
        try:
            rows += measure_task(task, known, only_kept=only_kept)
        except CheckError as error:
            failures.append(f"{task.point.text}: {error}")
        # Its own rows first, and instead of older ones.
        write_table(output, index([*rows, *old, *rows]).values())
        if progress is not None:
            progress(number / len(tasks))
    return _outcome(tasks, rows, known, failures)


def run_parts(
    plan: Plan,
    command: Sequence[str],
    output: Path | None,
    kept: Iterable[Path],
    *,
    jobs: int,
    progress: Progress | None = None,
) -> Outcome:
    """Measure all of a plan in processes; each result is kept as soon as its part is done.

    ``command`` are the arguments of ``noc`` that measure a part, but for ``--part`` and the files;
    ``output`` is the table to write, if any; ``jobs`` processes run at a time. The others are as
    in :func:`measure_part`.
    """
    known = _known(kept)
    old = [] if output is None else read_table(output)
    # Without a table to write, nothing is measured: a design takes less time than starting Python.
    most = len(plan.tasks) if output is not None else -(-len(plan.tasks) // _LOOKED_AT)
    count = min(most, _PARTS * jobs)
    lock, done, failures = threading.Lock(), dict[tuple[str, ...], Row](), list[str]()
    if output is not None:
        # Now, rather than after the first hour, if it cannot be written.
        write_table(output, old)
    with tempfile.TemporaryDirectory(prefix="noc-sweep-") as name, processes.Pool(jobs) as pool:
        folder = Path(name)
        write_table(folder / "kept.csv", known.values())

        def run(number: int) -> None:
            table, log = folder / f"{number}.csv", folder / f"{number}.log"
            part = ["--part", f"{number}/{count}", "-o", str(table)]
            status = processes.run(
                [sys.executable, "-m", "noc", *command, *part, "--kept", str(folder / "kept.csv")],
                *(Path.cwd(), log),
                name=f"part {number} of the sweep",
                seconds=_LONGEST,
            )
            with lock:
                done.update(index(read_table(table)))
                if output is not None:
                    write_table(output, index([*done.values(), *old, *done.values()]).values())
                failures.extend(_complaints(log, status))
                if progress is not None:
                    progress(len(done) / plan.rows)

        pool.map(run, range(1, count + 1))
    keys = [key for task in plan.tasks for key in keys_of(task)]
    rows = [done[key] for key in dict.fromkeys(keys) if key in done]
    if output is not None:
        # What is not of this plan stays, as that of a larger range of nodes does.
        planned = set(keys)
        write_table(output, [*rows, *(row for row in old if key_of(row) not in planned)])
    return _outcome(plan.tasks, rows, known, failures)


def _outcome(
    tasks: Iterable[Task],
    rows: list[Row],
    known: Mapping[tuple[str, ...], Row],
    failures: list[str],
) -> Outcome:
    """The rows, and which are lacking."""
    present, stale, missing = index(rows), list[str](), list[str]()
    for task in tasks:
        for key in keys_of(task):
            if key not in present:
                lacking = stale if key in known else missing
                lacking.append(f"{'+'.join(task.steps)} {task.point.text}")
    taken_over = sum(known.get(key) == row for key, row in present.items())
    return Outcome(tuple(rows), taken_over, tuple(failures), tuple(missing), tuple(stale))


def _known(kept: Iterable[Path]) -> dict[tuple[str, ...], Row]:
    return index(row for path in kept for row in read_table(path))


def _complaints(log: Path, status: int) -> list[str]:
    """What a part said that went wrong."""
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = [line for line in text.splitlines() if line.startswith(FAILED)]
    if status and not lines:
        last = text.strip().rsplit("\n", 1)[-1]
        raise CheckError(f"{log.stem}: ended with status {status}: {last}")
    return [line.removeprefix(FAILED) for line in lines]
