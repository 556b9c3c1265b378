"""A sweep as a Snakemake workflow, for many processors, clusters and clouds."""

import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import noc
from noc.errors import InputError, option
from noc.sweep.plan import Plan

__all__ = ["write_workflow"]

#: A job for each design; what is in double braces is Snakemake's.
_SNAKEFILE = """\
# Written by noc sweep. Each design is a job; the last one joins their rows into the table.
#   snakemake --snakefile {snakefile} --directory {folder} --cores 2
#   snakemake --snakefile {snakefile} --directory {folder} --executor slurm --jobs 100
from hashlib import sha256
from pathlib import Path

HERE = {here!r}
PARTS = {parts}
NOC = {noc!r}
# With another program each job looks again whether its result still holds.
CODE = sha256(b"".join(path.read_bytes() for path in sorted(Path({package!r}).rglob("*.py"))))


rule table:
    input:
        expand(HERE + "/parts/{{number}}.csv", number=range(1, PARTS + 1)),
    output:
        # Not the table itself: one of earlier results would count as up to date.
        touch(HERE + "/table.done"),
    shell:
        NOC + " {{input:q}} -o " + {table!r}


rule part:
    input:
        {plan!r},
    output:
        HERE + "/parts/{{number}}.csv",
    log:
        HERE + "/logs/{{number}}.log",
    params:
        code=CODE.hexdigest(),
    threads: 1
    resources:
        mem_mb=4000,
        runtime=720,
    shell:
        NOC + {arguments!r} + " --part {{wildcards.number}}/{parts} -o {{output:q}}"
        " > {{log:q}} 2>&1"
"""


def write_workflow(
    plan: Plan,
    path: Path,
    folder: Path,
    arguments: Sequence[str],
    table: Path,
    kept: Iterable[Path],
) -> Path:
    """Write the workflow of a plan into a new or empty folder, or over an older one.

    Parameters
    ----------
    plan : Plan
        The sweep.
    path : Path
        Its file.
    folder : Path
        Where the workflow lies, and the results of its jobs.
    arguments : sequence of str
        Arguments of ``noc sweep`` that jobs need too.
    table : Path
        The table that is written.
    kept : iterable of Path
        Tables whose rows are taken over where they still hold.
    """
    snakefile = folder / "Snakefile"
    _check(folder, snakefile)
    folder.mkdir(parents=True, exist_ok=True)
    command = shlex.join(["cd", str(Path.cwd())]) + " && "
    command += shlex.join([sys.executable, "-m", "noc", "sweep"])
    given = [str(path.resolve()), *arguments]
    for each in kept:
        given += ["--kept", str(each.resolve())]
    text = _SNAKEFILE.format(
        snakefile=shlex.quote(str(snakefile)),
        folder=shlex.quote(str(folder)),
        here=str(folder.resolve()),
        parts=len(plan.tasks),
        plan=str(path.resolve()),
        package=str(Path(noc.__file__).parent),
        noc=_literal(command),
        table=_literal(shlex.quote(str(table.resolve()))),
        arguments=_literal(f" {shlex.join(given)}"),
    )
    snakefile.write_text(text, encoding="utf-8")
    return snakefile


def _check(folder: Path, snakefile: Path) -> None:
    """Refuse a folder with something else in it."""
    empty = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    if not (empty or snakefile.is_file()):
        raise InputError(f"{option('snakemake', folder)}: is no folder that noc sweep wrote")


def _literal(text: str) -> str:
    """A text in a shell command of Snakemake, for which braces are its own."""
    return text.replace("{", "{{").replace("}", "}}")
