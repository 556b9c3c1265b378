"""Broadcasting on uni-directional hypercubes."""

from noc.papers import uhc_costs, uhc_disjoint, uhc_graph, uhc_trees
from noc.papers.table import PaperTable, Row

__all__ = ["TABLES"]


def _text_rows() -> list[Row]:
    return [*uhc_graph.rows(), *uhc_trees.rows(), *uhc_disjoint.rows()]


TABLES: tuple[PaperTable, ...] = (
    PaperTable(
        name="uhc-1",
        paper="uhc",
        title="broadcasting in the n-UHC: steps, and the linear model for L = 900, β = 36, τ = 1",
        rows=uhc_costs.rows,
    ),
    PaperTable(
        name="uhc-text",
        paper="uhc",
        title="theorems, propositions, algorithms and counts of the text",
        rows=_text_rows,
    ),
)
