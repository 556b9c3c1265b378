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
# On a cluster, as profiles/slurm says:
#   snakemake --snakefile {snakefile} --directory {folder} --workflow-profile {profile}
from hashlib import sha256
from pathlib import Path

PARTS = {parts}
# What jobs call, and where: the folder that file:GRAPH in the plan is relative to.
NOC = config.get("noc", {noc!r})
IN = 'here="$PWD" && cd ' + config.get("in", {cwd!r}) + " && " + NOC + " sweep"
# With another program each job looks again whether its result still holds.
CODE = sha256(b"".join(path.read_bytes() for path in sorted(Path({package!r}).rglob("*.py"))))


localrules:
    table,


rule table:
    input:
        expand("parts/{{number}}.csv", number=range(1, PARTS + 1)),
    output:
        # Not the table itself: one of earlier results would count as up to date.
        touch("table.done"),
    params:
        parts=lambda wildcards, input: [f'"$here"/{{part}}' for part in input],
    shell:
        IN + " {{params.parts}} -o " + {table!r}


rule part:
    input:
        "plan.toml",
    output:
        "parts/{{number}}.csv",
    log:
        "logs/{{number}}.log",
    params:
        code=CODE.hexdigest(),
    threads: 1
    resources:
        mem_mb=4000,
        runtime=720,
    shell:
        "(" + IN + ' "$here"/{{input}}' + {arguments!r} + " --part {{wildcards.number}}/{parts}"
        ' -o "$here"/{{output}}) > {{log}} 2>&1'
"""

#: What Snakemake is to use, by the name of the profile. They are for the user to edit.
_PROFILES = {
    "slurm": """\
# A cluster with Slurm: pip install snakemake-executor-plugin-slurm
executor: slurm
jobs: 100
# A job that was killed, by a limit or with its machine, is started again.
retries: 2
# Seconds until a file that another machine has written is seen.
latency-wait: 60
# default-resources:
#   slurm_account: ACCOUNT
#   slurm_partition: PARTITION
""",
    "kubernetes": """\
# A cloud with Kubernetes: pip install snakemake-executor-plugin-kubernetes
executor: kubernetes
jobs: 100
retries: 2
latency-wait: 60
# An image with Snakemake, g++, make, perl and arbornoc.
container-image: IMAGE
# Where jobs leave their results; plan.toml must be there before.
# pip install snakemake-storage-plugin-s3
default-storage-provider: s3
default-storage-prefix: s3://BUCKET/arbornoc
config:
  - noc=noc
  - in=.
""",
}


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
    given = [*arguments]
    for each in kept:
        given += ["--kept", str(each.resolve())]
    text = _SNAKEFILE.format(
        snakefile=shlex.quote(str(snakefile)),
        folder=shlex.quote(str(folder)),
        profile=shlex.quote(str(folder / "profiles" / "slurm")),
        parts=len(plan.tasks),
        package=str(Path(noc.__file__).parent),
        noc=_literal(shlex.join([sys.executable, "-m", "noc"])),
        cwd=_literal(shlex.quote(str(Path.cwd()))),
        table=_literal(shlex.quote(str(table.resolve()))),
        arguments=_literal("".join(f" {shlex.quote(each)}" for each in given)),
    )
    (folder / "plan.toml").write_bytes(path.read_bytes())
    snakefile.write_text(text, encoding="utf-8")
    _write_profiles(folder)
    return snakefile


def _write_profiles(folder: Path) -> None:
    """The profiles that are not there yet: those that are there may have been edited."""
    for name, text in _PROFILES.items():
        profile = folder / "profiles" / name / "config.yaml"
        profile.parent.mkdir(parents=True, exist_ok=True)
        if not profile.exists():
            profile.write_text(text, encoding="utf-8")


def _check(folder: Path, snakefile: Path) -> None:
    """Refuse a folder with something else in it."""
    empty = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    if not (empty or snakefile.is_file()):
        raise InputError(f"{option('snakemake', folder)}: is no folder that noc sweep wrote")


def _literal(text: str) -> str:
    """A text in a shell command of Snakemake, for which braces are its own."""
    return text.replace("{", "{{").replace("}", "}}")
