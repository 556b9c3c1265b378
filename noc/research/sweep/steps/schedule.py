"""How few steps a one-port broadcast takes, and the proof that fewer are not enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from noc.design import AnyDesign, Design
from noc.errors import InputError
from noc.networks import Network
from noc.programs.execute import execute
from noc.research.sweep.proofs.check import check_proof, checkers, shorten
from noc.research.sweep.proofs.keep import keep_proof, keep_schedule, name_of, play
from noc.research.sweep.proofs.solve import Unsatisfiable, check_solver, solve
from noc.research.sweep.steps.step import Axes, Step, Value, tools_needed
from noc.trees.search.bounds import floor, growth_bound
from noc.trees.search.formula import Send, broadcast_formula
from noc.trees.tree import NO_PARENT

__all__ = ["STEP"]

_COLUMNS = (
    *("broadcast_steps", "schedule", "floor", "least_steps", "proven", "proven_by"),
    *("clauses", "cnf_sha256", "certificate", "certificate_bytes", "certificate_sha256"),
    "checked_by",
)


@dataclass(frozen=True)
class _Job:
    """What is asked: the fewest steps on a network from a root, and how long to search."""

    network: Network
    root: int
    seconds: float
    certificates: Path
    folder: Path


def _measure(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    if not isinstance(design, Design) or design.program.ports != "one":
        raise InputError("ports: a schedule needs the direct fabric and one port")
    if axes.seconds <= 0:
        raise InputError(f"seconds: {axes.seconds:g} is out of range; above 0 is allowed")
    with tools_needed():
        check_solver()
        checkers()
    network, root = design.network, design.program.sources[0]
    job = _Job(network, root, axes.seconds, Path(axes.certificates), folder)
    return _search(job, _sends_of(design, root))


def _sends_of(design: Design, root: int) -> list[Send]:
    """The sends of a broadcast through the tables of the design."""
    done = execute(design.program, root)
    receivers = np.flatnonzero(done.parent != NO_PARENT).tolist()
    return [(int(done.step[node]), int(done.parent[node]), node) for node in receivers]


def _search(job: _Job, sends: Sequence[Send]) -> dict[str, Value]:
    """Take away a step after the other, until that is impossible or takes too long."""
    known = steps = play(job.network, job.root, sends)
    low, bound = floor(job.network, job.root), growth_bound(job.network, job.root)
    proof: dict[str, Value] = {}
    while steps > low and not proof:
        answer = _decide(job, steps - 1)
        if answer is None:
            break
        if isinstance(answer, dict):
            proof = answer
        else:
            sends, steps = answer, play(job.network, job.root, answer)
    return {
        "broadcast_steps": steps,
        "schedule": _kept(job, sends, steps) if steps < known else None,
        "floor": low,
        **_proven(steps, low, bound, bool(proof)),
        **proof,
    }


def _kept(job: _Job, sends: Sequence[Send], steps: int) -> str:
    return keep_schedule(sends, job.certificates, name_of(job.network, job.root, steps))


def _proven(steps: int, low: int, bound: int, certified: bool) -> dict[str, Value]:
    """The least number of steps that is not excluded, and what excludes fewer."""
    if certified:
        least, how = steps, "certificate"
    else:
        least, how = bound, "floor" if bound == low else "growth bound"
    proven = "optimal" if least == steps else "lower bound"
    return {"least_steps": least, "proven": proven, "proven_by": how}


def _decide(job: _Job, steps: int) -> dict[str, Value] | list[Send] | None:
    """A schedule of so many steps, or the columns of a proof that there is none."""
    formula = broadcast_formula(job.network, job.root, steps)
    name = name_of(job.network, job.root, steps)
    cnf, drat = job.folder / f"{name}.cnf", job.folder / f"{name}.drat"
    cnf.write_text(formula.text(), encoding="ascii")
    answer = solve(cnf, job.folder, job.seconds)
    if answer is None:
        return None
    if not isinstance(answer, Unsatisfiable):
        return formula.schedule(answer)
    drat.write_text(answer, encoding="ascii")
    shorten(cnf, drat, job.folder)
    agreed = check_proof(cnf, drat, job.folder)
    kept = keep_proof(drat, job.certificates, name)
    return {
        "clauses": sum(1 for _ in formula.clauses()),
        "cnf_sha256": formula.digest(),
        "certificate": kept.name,
        "certificate_bytes": kept.size,
        "certificate_sha256": kept.sha256,
        "checked_by": agreed,
    }


# Whichever solver finds a schedule or a proof, other programs check it: no result is of a tool.
STEP = Step("schedule", _COLUMNS, ("seconds", "certificates"), verilog=False, measure=_measure)
