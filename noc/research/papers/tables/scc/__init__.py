"""The star-connected cycles report."""

from noc.research.papers.tables.scc import (
    appendix,
    broadcast,
    claims,
    compare,
    graph,
    multiport,
    switching,
)
from noc.research.papers.tables.table import PaperTable, Row

__all__ = ["TABLES"]


def _text() -> list[Row]:
    parts = (graph, appendix, switching, claims, multiport)
    return [row for part in parts for row in part.rows()]


TABLES: tuple[PaperTable, ...] = (
    *broadcast.TABLES,
    *compare.TABLES,
    PaperTable("scc-text", "scc", "theorems, lemmas, formulas and claims of the text", _text),
)
