"""Broadcasting on arrangement graphs."""

from noc.research.papers.tables.arrangement import graph, steps
from noc.research.papers.tables.table import PaperTable, Row

__all__ = ["TABLES"]


def _rows() -> list[Row]:
    return [*graph.rows(), *steps.rows()]


# The paper's own tables 1 to 3 name nodes and parameters and hold no figures.
TABLES: tuple[PaperTable, ...] = (
    PaperTable(
        name="arrangement-text",
        paper="arrangement",
        title="counts, worked examples and bounds of the text, Figures 1 to 3",
        compute=_rows,
    ),
)
