"""A sweep on this machine: one part of it, or all parts in processes side by side."""

import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from noc import processes
from noc.errors import CheckError, InputError, option
from noc.research.sweep.measure import measure_task
from noc.research.sweep.plan import Plan, Task
from noc.research.sweep.table import Row, index, key_of, keys_of, read_table, write_table

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
        write_table(output, [*rows, *_others(old, index(rows))])
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
                    write_table(output, [*done.values(), *_others(old, done)])
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


def _others(rows: Iterable[Row], done: Mapping[tuple[str, ...], Row]) -> list[Row]:
    return [row for row in rows if key_of(row) not in done]


def _complaints(log: Path, status: int) -> list[str]:
    """What a part said that went wrong."""
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = [line for line in text.splitlines() if line.startswith(FAILED)]
    if status and not lines:
        last = text.strip().rsplit("\n", 1)[-1]
        raise CheckError(f"{log.stem}: ended with status {status}: {last}")
    return [line.removeprefix(FAILED) for line in lines]
