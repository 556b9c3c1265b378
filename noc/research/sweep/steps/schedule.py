"""How few steps a one-port broadcast takes, and the proof that fewer are not enough."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from noc.design import AnyDesign
from noc.errors import InputError
from noc.networks import Network
from noc.programs.execute import execute
from noc.research.schedules.formula import Send, broadcast_formula
from noc.research.sweep import proofs
from noc.research.sweep.steps.step import Axes, Step, Value, tools_needed
from noc.trees.bounds import floor, growth_bound
from noc.trees.tree import NO_PARENT

_COLUMNS = (
    *("broadcast_steps", "schedule", "floor", "least_steps", "proven", "proven_by"),
    *("clauses", "cnf_sha256", "certificate", "certificate_bytes", "certificate_sha256"),
    "checked_by",
)


class _Job(NamedTuple):
    """What is searched: the fewest steps on a network from a root, and how long."""

    network: Network
    root: int
    seconds: float
    certificates: Path
    folder: Path


def _measure(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    if getattr(design.program, "ports", "all") != "one":
        raise InputError("ports: a schedule needs the direct fabric and one port")
    if axes.seconds <= 0:
        raise InputError(f"seconds: {axes.seconds:g} is out of range; above 0 is allowed")
    with tools_needed():
        proofs.check_solver()
        proofs.checkers()
    network, root = design.network, design.program.sources[0]
    job = _Job(network, root, axes.seconds, Path(axes.certificates), folder)
    # A broadcast through the tables of the design, with which the search begins.
    done = execute(design.program, root)
    receivers = np.flatnonzero(done.parent != NO_PARENT).tolist()
    return _search(job, [(int(done.step[v]), int(done.parent[v]), v) for v in receivers])


def _search(job: _Job, sends: Sequence[Send]) -> dict[str, Value]:
    """Take away a step after the other, until that is impossible or takes too long."""
    network, root = job.network, job.root
    known = steps = proofs.play(network, root, sends)
    low, least = floor(network, root), growth_bound(network, root)
    proof: dict[str, Value] = {}
    # What excludes fewer steps.
    how = "floor" if least == low else "growth bound"
    while steps > low and not proof:
        answer = _decide(job, steps - 1)
        if answer is None:
            break
        if isinstance(answer, dict):
            proof, least, how = answer, steps, "certificate"
        else:
            sends, steps = answer, proofs.play(network, root, answer)
    better = steps < known
    name = proofs.name_of(network, root, steps)
    return {
        "broadcast_steps": steps,
        "schedule": proofs.keep_schedule(sends, job.certificates, name) if better else None,
        "floor": low,
        "least_steps": least,
        "proven": "optimal" if least == steps else "lower bound",
        "proven_by": how,
        **proof,
    }


def _decide(job: _Job, steps: int) -> dict[str, Value] | list[Send] | None:
    """A schedule of at most these steps, or the columns of a proof that there is none."""
    formula = broadcast_formula(job.network, job.root, steps)
    name = proofs.name_of(job.network, job.root, steps)
    cnf, drat = job.folder / f"{name}.cnf", job.folder / f"{name}.drat"
    cnf.write_text(formula.text(), encoding="ascii")
    answer = proofs.solve(cnf, job.folder, job.seconds)
    if answer is None:
        return None
    if not isinstance(answer, proofs.Unsatisfiable):
        return formula.schedule(answer)
    drat.write_text(answer, encoding="ascii")
    proofs.shorten(cnf, drat, job.folder)
    agreed = proofs.check_proof(cnf, drat, job.folder)
    kept = proofs.keep_proof(drat, job.certificates, name)
    return {
        "clauses": sum(1 for _ in formula.clauses()),
        "cnf_sha256": formula.digest(),
        "certificate": kept.name,
        "certificate_bytes": kept.size,
        "certificate_sha256": kept.sha256,
        "checked_by": agreed,
    }


# Whichever solver finds a schedule or a proof, other programs check it: no result is of a tool.
SCHEDULE_STEP = Step(
    "schedule", _COLUMNS, ("seconds", "certificates"), verilog=False, measure=_measure
)
