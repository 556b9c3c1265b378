"""Public checkers of proofs, none of them ours: as many as are there must agree.

- ``drat-trim``, the checker of the SAT competitions, and ``cake_lpr``, which is itself proven
  correct and follows the hints of ``drat-trim``: programs on PATH;
- ``dratify``: a Python package, which needs no compiler.
"""

import contextlib
import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from noc import processes
from noc.errors import CheckError, InputError
from noc.research.sweep.proofs.solver import tidy

__all__ = ["check_proof", "checkers", "shorten"]

#: So often is a proof shortened; each time what is left leads to a shorter one.
_ROUNDS = 4

#: A longer proof does not become short enough to be kept: bytes.
_LONG = 5_000_000

#: No check takes longer.
_SECONDS = 3600


def checkers() -> list[str]:
    """The names of the checkers that are there, with a version where it is known."""
    there = [name for name in ("drat-trim", "cake_lpr") if shutil.which(name)]
    if "drat-trim" not in there:
        # Without it nobody writes the hints.
        there = []
    with contextlib.suppress(PackageNotFoundError):
        there.append(f"dratify {version('dratify')}")
    if not there:
        raise InputError(
            "a checker of proofs is needed: pip install dratify, or drat-trim "
            "(github.com/marijnheule/drat-trim) on PATH"
        )
    return there


def check_proof(cnf: Path, proof: Path, folder: Path) -> str:
    """Have a proof checked against a formula; who agreed. Refused by one of them is an error.

    A long one is not given to the slow checker in Python if there is another.

    Parameters
    ----------
    cnf, proof : Path
        The formula (DIMACS) and the proof (DRAT, as text).
    folder : Path
        For files of the checkers.
    """
    names, hints = checkers(), folder / "hints.lrat"
    if proof.stat().st_size > _LONG:
        names = [name for name in names if not name.startswith("dratify")] or names
    for name in names:
        if name == "drat-trim":
            agrees = _drat_trim(cnf, proof, hints=hints)
        elif name == "cake_lpr":
            agrees = _says("s VERIFIED UNSAT", name, cnf, hints)
        else:
            agrees = _dratify(cnf, proof)
        if not agrees:
            raise CheckError(f"{name} does not accept the proof that {cnf.name} is unsatisfiable")
    return ", ".join(names)


def shorten(cnf: Path, proof: Path, folder: Path) -> None:
    """Leave in a proof only what is needed, if drat-trim is there to tell."""
    for _ in range(_ROUNDS if shutil.which("drat-trim") else 0):
        core = _core(cnf, proof, folder)
        if len(core) >= proof.stat().st_size:
            break
        proof.write_text(core, encoding="ascii")
        if len(core) > _LONG:
            break


def _core(cnf: Path, proof: Path, folder: Path) -> str:
    """The clauses of a proof that drat-trim uses, when it begins at the end."""
    file = folder / "core.drat"
    file.unlink(missing_ok=True)
    if not _drat_trim(cnf, proof, core=file):
        raise CheckError(f"drat-trim does not accept the proof that {cnf.name} is unsatisfiable")
    # Where the formula's own units are enough it writes none.
    text = file.read_text(encoding="ascii") if file.exists() else "0\n"
    return tidy(text.splitlines())


def _drat_trim(cnf: Path, proof: Path, **files: Path) -> bool:
    """Whether drat-trim accepts a proof; it writes the clauses that it uses, or hints."""
    options = {"core": "-l", "hints": "-L"}
    written = [part for name, file in files.items() for part in (options[name], file)]
    return _says("s VERIFIED", "drat-trim", cnf, proof, *written, "-t", _SECONDS)


def _says(verdict: str, name: str, cnf: Path, *more: object) -> bool:
    """Whether a program prints a verdict on a line of its own."""
    log, command = cnf.with_suffix(".log"), [str(part) for part in (name, cnf, *more)]
    processes.run(command, cnf.parent, log, name=name, seconds=2 * _SECONDS)
    return verdict in log.read_text(encoding="utf-8", errors="replace").splitlines()


def _dratify(cnf: Path, proof: Path) -> bool:
    import dratify  # type: ignore[import-not-found,unused-ignore]

    formula = dratify.parse_dimacs(cnf.read_text("ascii"))
    result = dratify.check_proof(formula, proof.read_text("ascii"))
    return bool(result.ok and result.reached_empty)
