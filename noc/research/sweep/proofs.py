"""Certificates of one-port schedules: solved in a process, checked by others, kept as files.

Public checkers of proofs, none of them ours; as many as are installed must agree:

- ``drat-trim``, the checker of the SAT competitions, and ``cake_lpr``, which is itself proven
  correct and follows the hints of ``drat-trim``: programs on PATH;
- ``dratify``: a Python package, which needs no compiler.
"""

import contextlib
import hashlib
import lzma
import re
import shutil
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from noc import processes
from noc.errors import CheckError, InputError
from noc.networks import ABSENT, Network
from noc.research.sweep import solver

#: The Python package of the solver.
_PACKAGE = "python-sat"

#: How often a proof is shortened; each time what is left leads to a shorter one.
_ROUNDS = 4

#: A longer proof does not become short enough to be kept: bytes.
_LONG = 5_000_000

#: No check takes longer.
_SECONDS = 3600

#: Larger files are not kept, since repositories keep them for ever: bytes.
LARGEST = 250_000


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

    The formula is in the DIMACS format; the folder is for the answer and what the process says.
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


def checkers() -> list[str]:
    """The names of the checkers that are installed, with a version where it is known."""
    names = [name for name in ("drat-trim", "cake_lpr") if shutil.which(name)]
    if "drat-trim" not in names:
        # Without it nobody writes the hints.
        names = []
    with contextlib.suppress(PackageNotFoundError):
        names.append(f"dratify {version('dratify')}")
    if not names:
        raise InputError(
            "a checker of proofs is needed: pip install dratify, or drat-trim "
            "(github.com/marijnheule/drat-trim) on PATH"
        )
    return names


def check_proof(cnf: Path, proof: Path, folder: Path) -> str:
    """Have a proof (DRAT, as text) checked against a formula (DIMACS); who agreed.

    Refused by one of them is an error. A long one is not given to the slow checker in Python if
    there is another. The folder is for files of the checkers.
    """
    names, hints = checkers(), folder / "hints.lrat"
    if proof.stat().st_size > _LONG:
        names = [name for name in names if not name.startswith("dratify")] or names
    for name in names:
        if name == "drat-trim":
            agrees = _drat_trim(cnf, proof, "-L", hints)
        elif name == "cake_lpr":
            agrees = _says("s VERIFIED UNSAT", name, cnf, hints)
        else:
            agrees = _dratify(cnf, proof)
        if not agrees:
            raise CheckError(f"{name} does not accept the proof that {cnf.name} is unsatisfiable")
    return ", ".join(names)


def shorten(cnf: Path, proof: Path, folder: Path) -> None:
    """Leave in a proof only what is needed, if drat-trim is installed to find that."""
    file = folder / "core.drat"
    for _ in range(_ROUNDS if shutil.which("drat-trim") else 0):
        file.unlink(missing_ok=True)
        # Beginning at the end, it writes the clauses that it uses.
        if not _drat_trim(cnf, proof, "-l", file):
            raise CheckError(
                f"drat-trim does not accept the proof that {cnf.name} is unsatisfiable"
            )
        # Where the formula's own units are enough it writes none.
        text = file.read_text(encoding="ascii") if file.exists() else "0\n"
        core = solver.tidy(text.splitlines())
        if len(core) >= proof.stat().st_size:
            break
        proof.write_text(core, encoding="ascii")
        if len(core) > _LONG:
            break


def _drat_trim(cnf: Path, proof: Path, option: str, file: Path) -> bool:
    """Whether drat-trim accepts a proof; it writes the clauses that it uses, or hints."""
    return _says("s VERIFIED", "drat-trim", cnf, proof, option, file, "-t", _SECONDS)


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


def play(network: Network, root: int, sends: Iterable[tuple[int, int, int]]) -> int:
    """The steps of a broadcast, by step, sender and receiver of each send.

    Refused is a send before the word is there, over no link, to a node that has the word, or as
    a node's second one in a step; and a broadcast that misses a node.
    """
    had_since, sent = {root: 0}, set()
    for step, sender, receiver in sorted(sends):
        if receiver == ABSENT or receiver not in network.neighbour[sender]:
            raise CheckError(f"{network.spec}: no link leads from node {sender} to {receiver}")
        if had_since.get(sender, step) >= step:
            raise CheckError(f"{network.spec}: node {sender} sends in step {step} what it lacks")
        if receiver in had_since:
            raise CheckError(f"{network.spec}: node {receiver} receives twice")
        if (sender, step) in sent:
            raise CheckError(f"{network.spec}: node {sender} sends twice in step {step}")
        had_since[receiver] = step
        sent.add((sender, step))
    if len(had_since) < network.nodes:
        raise CheckError(f"{network.spec}: {network.nodes - len(had_since)} nodes get no word")
    return max(had_since.values())


class Kept(NamedTuple):
    """A file as it is kept, or as it would be: its name, empty if it is too large; its bytes."""

    name: str
    size: int
    sha256: str


def name_of(network: Network, root: int, steps: int) -> str:
    """What the files about broadcasts from a root in a number of steps are called."""
    start = f"-from-{network.label(root)}" if root else ""
    return f"{re.sub(r'[^A-Za-z0-9.]+', '-', network.spec)}{start}-{steps}"


def keep_proof(proof: Path, folder: Path, name: str) -> Kept:
    """Pack a proof, and keep it unless it is too large."""
    packed = lzma.compress(proof.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    file = f"{name}.drat.xz" if len(packed) <= LARGEST else ""
    if file:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(packed)
    return Kept(file, len(packed), hashlib.sha256(packed).hexdigest())


def read_proof(path: Path) -> bytes:
    """The text of a proof that was kept."""
    return lzma.decompress(path.read_bytes())


def keep_schedule(sends: Iterable[tuple[int, int, int]], folder: Path, name: str) -> str:
    """Write a schedule, a line with step, sender and receiver for each send; the file's name."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{step} {sender} {receiver}\n" for step, sender, receiver in sorted(sends))
    (folder / f"{name}.sends").write_text(text, encoding="ascii")
    return f"{name}.sends"


def read_sends(path: Path) -> list[tuple[int, int, int]]:
    """The sends of a schedule that was kept."""
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return [(int(step), int(sender), int(receiver)) for step, sender, receiver in lines]
