"""Every table of the five papers, printed beside computed."""

from noc.research.papers.tables import arrangement, nk_star, scc, star_trees, uhc
from noc.research.papers.tables.table import Figure, PaperTable, Reason, Row

__all__ = ["TABLES", "Figure", "PaperTable", "Reason", "Row"]

#: Every table by name, in the order in which ``noc paper`` prints them.
TABLES: dict[str, PaperTable] = {
    table.name: table
    for paper in (star_trees, nk_star, arrangement, scc, uhc)
    for table in paper.TABLES
}
