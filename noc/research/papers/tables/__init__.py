"""Every table of the five papers, printed beside computed."""

from noc.research.papers.printed import TITLES
from noc.research.papers.tables import arrangement
from noc.research.papers.tables.nk_star import times
from noc.research.papers.tables.nk_star import trees as nk_star_trees
from noc.research.papers.tables.scc import broadcasts, claims, graph, routes, switching
from noc.research.papers.tables.star_trees import definitions, theorems
from noc.research.papers.tables.table import Figure, PaperTable, Reason, Row, Rows
from noc.research.papers.tables.uhc import as_printed, costs, disjoint
from noc.research.papers.tables.uhc import trees as uhc_trees

__all__ = ["TABLES", "Figure", "PaperTable", "Reason", "Row"]

_PARTS: dict[str, tuple[Rows, ...]] = {
    "star-trees-1": (theorems.TABLE_1,),
    "star-trees-example-1": (definitions.EXAMPLE_1,),
    "star-trees-text": (definitions.TEXT, theorems.TEXT),
    "nk-star-1": (times.TABLE_1,),
    "nk-star-2": (times.TABLE_2,),
    "nk-star-text": (nk_star_trees.TEXT, times.TEXT),
    "arrangement-text": (arrangement.TEXT,),
    **{f"scc-{number}": (rows,) for number, rows in broadcasts.TABLES.items()},
    "scc-text": (graph.TEXT, routes.TEXT, switching.TEXT, claims.TEXT),
    "uhc-1": (costs.TABLE_1,),
    "uhc-text": (uhc_trees.TEXT, as_printed.TEXT, disjoint.TEXT),
}

#: Tables that print formulas throughout.
_FORMULAS = ("nk-star-1", "nk-star-2", "uhc-1")

#: Every table by name, in the order in which ``noc paper`` prints them.
TABLES: dict[str, PaperTable] = {
    name: PaperTable(name, paper, title, _PARTS[name], name in _FORMULAS)
    for paper, titles in TITLES.items()
    for name, title in titles.items()
}
