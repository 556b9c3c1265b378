"""Solve a formula: ``python solver.py CNF ANSWER``, in a process that can be ended.

It reads the file that checkers read too, and writes the true variables, or a proof in the DRAT
format that there is no assignment. It imports no more than it needs, to begin at once.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

#: What begins the answer if the formula can be satisfied.
SATISFIED = "v "


def tidy(proof: Iterable[str]) -> str:
    """The clauses that a proof adds, each with ascending variables, which packs better.

    Clauses that it removes are left in the formula: that makes a proof by unit propagation no
    weaker. A checker judges what comes out.
    """
    lines = []
    for line in proof:
        if not line.startswith("d"):
            literals = sorted(map(int, line.split()[:-1]), key=abs)
            lines.append(" ".join(map(str, (*literals, 0))))
    return "\n".join([*lines, ""])


def _answer(cnf: Path) -> str:
    """What the solver says of a formula."""
    from pysat.formula import CNF  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from pysat.solvers import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
        Cadical195,
    )

    with Cadical195(bootstrap_with=CNF(from_file=str(cnf)).clauses, with_proof=True) as solver:
        if solver.solve():
            true = (literal for literal in solver.get_model() if literal > 0)
            return f"{SATISFIED}{' '.join(map(str, true))}\n"
        return tidy(solver.get_proof())


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(_answer(Path(sys.argv[1])), encoding="ascii")
