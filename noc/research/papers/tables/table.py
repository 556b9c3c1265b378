"""A table of a paper: each printed figure beside the computed one, and why they differ."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from noc.networks import Network, build_network
from noc.research.papers.printed import MISPRINTS
from noc.trees import Ports, Tree, build_tree

__all__ = ["Figure", "PaperTable", "Reason", "Row", "build", "explained", "misprint", "one_tree"]


@cache
def build(spec: str) -> Network:
    """The network."""
    return build_network(spec)


@cache
def one_tree(spec: str, algorithm: str, ports: Ports, root: int = 0) -> Tree:
    """The tree of an algorithm that gives one."""
    return build_tree(build(spec), algorithm, root=root, ports=ports)


#: A figure of a table: a number, a text, or nothing where the table has none.
Figure = int | float | str | None


@dataclass(frozen=True)
class Reason:
    """Why a printed figure differs from the computed one.

    Parameters
    ----------
    text : str
        The reason, in one sentence.
    holds : bool
        Whether a computation of its own bears the reason out: a difference is only accepted
        with a reason that was tested.
    misprint : str or None
        The name of the misprint that it is, if it is one of those that are named.
    """

    text: str
    holds: bool
    misprint: str | None = None


def misprint(name: str, holds: bool) -> Reason:
    """The reason that a misprint is, if its computation bears it out."""
    return Reason(MISPRINTS[name], holds, name)


@dataclass(frozen=True)
class Row:
    """One figure of a table or one count stated in the text.

    Parameters
    ----------
    what : str
        The place in the table, such as ``n = 5, total steps``.
    printed : int, float, str or None
        The figure as printed; None where the copy of the paper cannot be read. A number is
        compared at the precision at which it is printed; give it as text (``"1.120"``) where
        trailing zeros carry precision.
    computed : int, float, str or None
        The figure as this program computes it.
    why : Reason, or None
        The reason for a difference.
    bound : bool
        Whether the printed figure is an upper bound, which a smaller computed one fulfils.
    formula : bool
        Whether the paper prints a formula and no figure: ``printed`` is then its value.
    """

    what: str
    printed: Figure
    computed: Figure
    why: Reason | None = None
    bound: bool = False
    formula: bool = False

    @property
    def agrees(self) -> bool:
        """Whether the computed figure is the printed one, at the printed precision."""
        return _agree(self.printed, self.computed, self.bound)

    @property
    def legible(self) -> bool:
        """Whether there is a printed figure to compare with."""
        return self.printed is not None

    @property
    def accepted(self) -> bool:
        """Whether the row agrees, or differs for a reason that was tested."""
        return not self.legible or self.agrees or (self.why is not None and self.why.holds)


def explained(row: Row, why: Reason | None) -> Row:
    """The row, with the reason where it needs one."""
    return row if row.agrees or why is None else replace(row, why=why)


def _agree(printed: Figure, computed: Figure, bound: bool) -> bool:
    if printed is None or computed is None:
        return False
    if isinstance(computed, str):
        return printed == computed
    try:
        value = float(printed)
    except ValueError:
        return False
    digits = str(printed).partition(".")[2]
    half_a_digit = 0.5 * 10.0 ** -len(digits) if digits else 0.0
    if bound and computed <= value + half_a_digit:
        return True
    return abs(computed - value) <= half_a_digit + 1e-12


@dataclass(frozen=True)
class PaperTable:
    """One table, or the counts that a paper states in its text.

    Parameters
    ----------
    name : str
        What users type after ``noc paper``, such as ``scc-3``.
    paper : str
        The paper's name in this project: star-trees, nk-star, arrangement, scc or uhc.
    title : str
        What the table is about.
    compute : callable
        Computes the rows; called only when the table is asked for.
    formula : bool
        Whether the paper prints formulas throughout.
    """

    name: str
    paper: str
    title: str
    compute: Callable[[], list[Row]]
    formula: bool = False

    def rows(self) -> list[Row]:
        """Compute the rows."""
        rows = self.compute()
        return [replace(row, formula=True) for row in rows] if self.formula else rows
