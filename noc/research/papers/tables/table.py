"""A table of a paper: each printed figure beside the computed one, and why they differ."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, TypeVar

from noc.networks import Network, build_network
from noc.research.papers.printed import MISPRINTS, REASONS
from noc.trees import Ports, Tree, build_tree

#: A figure of a table: a number, a text, or nothing where the table has none.
Figure = int | float | str | None

_Function = TypeVar("_Function", bound=Callable[..., "Iterable[Row]"])


@cache
def build(spec: str) -> Network:
    """The network, built once for all rows."""
    return build_network(spec)


@cache
def one_tree(spec: str, algorithm: str, ports: Ports, root: int = 0) -> Tree:
    """The tree of an algorithm that gives one, built once for all rows."""
    return build_tree(build(spec), algorithm, root=root, ports=ports)


def yes(fact: object) -> str:
    """The figure of a statement that is true or false."""
    return "yes" if fact else "no"


@dataclass(frozen=True)
class Reason:
    """Why a printed figure differs from the computed one, in one sentence.

    ``holds`` is whether a computation of its own bears the reason out: a difference is only
    accepted with a reason that was tested. ``misprint`` is the name of the misprint, if it is one.
    """

    text: str
    holds: bool
    misprint: str | None = None


def reason(name: str, holds: object, **figures: object) -> Reason:
    """A misprint, or a reason of ``reasons.toml`` with figures filled in, and whether it holds."""
    if name in MISPRINTS:
        return Reason(MISPRINTS[name], bool(holds), name)
    return Reason(REASONS[name].format(**figures), bool(holds))


@dataclass(frozen=True)
class Row:
    """One figure of a table or one count stated in the text.

    Parameters
    ----------
    what : str
        Where it is in the table, such as ``n = 5, total steps``.
    printed : int, float, str or None
        The figure as printed; None where the copy of the paper cannot be read. A number is
        compared at the precision at which it is printed; give it as text (``"1.120"``) where
        trailing zeros carry precision.
    computed : int, float, str or None
        The figure as this program computes it.
    why : Reason, or None
        The reason for a difference; a table leaves it out where there is none.
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
        if self.printed is None or self.computed is None:
            return False
        if isinstance(self.computed, str):
            return self.printed == self.computed
        try:
            value = float(self.printed)
        except ValueError:
            return False
        digits = str(self.printed).partition(".")[2]
        half_a_digit = 0.5 * 10.0 ** -len(digits) if digits else 0.0
        if self.bound and self.computed <= value + half_a_digit:
            return True
        return abs(self.computed - value) <= half_a_digit + 1e-12

    @property
    def legible(self) -> bool:
        """Whether there is a printed figure to compare with."""
        return self.printed is not None

    @property
    def accepted(self) -> bool:
        """Whether the row agrees, or differs for a reason that was tested."""
        return not self.legible or self.agrees or (self.why is not None and self.why.holds)


def named(name: str, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, with something before what each is about."""
    return (replace(row, what=name + row.what) for row in rows)


class Rows:
    """Rows of a table, gathered from the functions that yield them, in their order."""

    def __init__(self) -> None:
        self._parts: list[Callable[[], Iterable[Row]]] = []

    def __repr__(self) -> str:
        """Their number, for pages."""
        return f"Rows({len(vars(self))})"

    def add(self, function: _Function) -> _Function:
        """Decorate a function without arguments."""
        self._parts.append(function)
        return function

    def each(self, cases: Iterable[Any], name: str = "") -> Callable[[_Function], _Function]:
        """Decorate a function that is called with each case; a tuple is several arguments.

        What its rows are about begins with ``name``, a format with the arguments filled in.
        """

        def add(function: _Function) -> _Function:
            for case in cases:
                values = case if type(case) is tuple else (case,)
                self._parts.append(partial(_case, function, values, name.format(*values)))
            return function

        return add

    def __call__(self) -> list[Row]:
        """Compute them; a reason is left out where the figures agree."""
        rows = (row for part in self._parts for row in part())
        return [replace(row, why=None) if row.agrees and row.why else row for row in rows]


def _case(function: _Function, values: tuple[Any, ...], name: str) -> Iterator[Row]:
    return named(name, function(*values))


@dataclass(frozen=True)
class PaperTable:
    """One table, or the counts that a paper states in its text.

    Parameters
    ----------
    name, paper : str
        What users type after ``noc paper``, such as ``scc-3``, or ``scc`` for all of them.
    title : str
        What the table is about.
    parts : tuple of callable
        Each computes rows; called only when the table is asked for.
    formula : bool
        Whether the paper prints formulas throughout.
    """

    name: str
    paper: str
    title: str
    parts: tuple[Callable[[], Iterable[Row]], ...]
    formula: bool = False

    def rows(self) -> list[Row]:
        """Compute the rows."""
        rows = [row for part in self.parts for row in part()]
        return [replace(row, formula=True) for row in rows] if self.formula else rows
