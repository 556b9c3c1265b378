"""Broadcasting on uni-directional hypercubes."""

from noc.research.papers.tables.table import PaperTable, Row
from noc.research.papers.tables.uhc import as_printed, costs, disjoint, graph, trees

__all__ = ["TABLES"]


def _text_rows() -> list[Row]:
    return [*graph.rows(), *trees.rows(), *as_printed.rows(), *disjoint.rows()]


TABLES: tuple[PaperTable, ...] = (
    PaperTable(
        name="uhc-1",
        paper="uhc",
        title="broadcasting in the n-UHC: steps, and the linear model for L = 900, β = 36, τ = 1",
        compute=costs.rows,
        formula=True,
    ),
    PaperTable(
        name="uhc-text",
        paper="uhc",
        title="theorems, propositions, algorithms and counts of the text",
        compute=_text_rows,
    ),
)
