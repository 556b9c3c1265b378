"""The star-connected cycles report."""

from noc.research.papers.tables.scc import broadcast, claims, compare, graph, switching
from noc.research.papers.tables.table import PaperTable, Row

__all__ = ["TABLES"]


def _text() -> list[Row]:
    return [
        *graph.rows(),
        *claims.appendix_rows(),
        *switching.rows(),
        *claims.rows(),
        *claims.multiport_rows(),
    ]


TABLES: tuple[PaperTable, ...] = (
    *broadcast.TABLES,
    *compare.TABLES,
    PaperTable("scc-text", "scc", "theorems, lemmas, formulas and claims of the text", _text),
)
