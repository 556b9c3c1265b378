"""Solve a formula in a process of its own, which ends with the time that it is given."""

import sys
from pathlib import Path

from noc import processes
from noc.errors import CheckError, InputError
from noc.research.sweep.proofs import solver

__all__ = ["Unsatisfiable", "check_solver", "solve"]

#: The Python package of the solver.
_PACKAGE = "python-sat"


class Unsatisfiable(str):
    """The proof that a formula cannot be satisfied: the text of a DRAT file."""

    __slots__ = ()


def check_solver() -> None:
    """Refuse, before a formula is written, if the solver is missing."""
    try:
        import pysat.solvers  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        raise InputError(
            f"exact search needs the package {_PACKAGE}: pip install '{_PACKAGE}>=1.9.dev16'"
        ) from None


def solve(cnf: Path, folder: Path, seconds: float) -> frozenset[int] | Unsatisfiable | None:
    """The true variables, or a proof that there are none; None if the time was too short.

    Parameters
    ----------
    cnf : Path
        The formula, in the DIMACS format.
    folder : Path
        For the answer and what the process says.
    seconds : float
        The time allowed.
    """
    answer, log = folder / "answer.txt", folder / "solver.log"
    answer.unlink(missing_ok=True)
    # Not the folder of the program, where other modules lie, first on its path.
    command = [sys.executable, "-P", solver.__file__, str(cnf.resolve()), str(answer.resolve())]
    try:
        status = processes.run(command, Path.cwd(), log, name="the solver", seconds=seconds)
    except CheckError:
        return None
    if status or not answer.exists():
        last = log.read_text(encoding="utf-8", errors="replace").strip().rsplit("\n", 1)[-1]
        raise CheckError(f"the solver ended with status {status}: {last}")
    text = answer.read_text(encoding="ascii")
    if text.startswith(solver.SATISFIED):
        return frozenset(map(int, text.split()[1:]))
    return Unsatisfiable(text)
