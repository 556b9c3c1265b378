"""The star-connected cycles report."""

from noc.papers.tables.scc import broadcast, claims, compare, graph
from noc.papers.tables.table import PaperTable, Row

__all__ = ["TABLES"]


def _text() -> list[Row]:
    return graph.rows() + claims.rows()


TABLES: tuple[PaperTable, ...] = (
    *broadcast.TABLES,
    *compare.TABLES,
    PaperTable("scc-text", "scc", "theorems, lemmas, formulas and claims of the text", _text),
)
