"""The star-connected cycles report."""

from noc.papers import scc_broadcast, scc_claims, scc_compare, scc_graph
from noc.papers.table import PaperTable, Row

__all__ = ["TABLES"]


def _text() -> list[Row]:
    return scc_graph.rows() + scc_claims.rows()


TABLES: tuple[PaperTable, ...] = (
    *scc_broadcast.TABLES,
    *scc_compare.TABLES,
    PaperTable("scc-text", "scc", "theorems, lemmas, formulas and claims of the text", _text),
)
