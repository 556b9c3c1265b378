"""Broadcasting on uni-directional hypercubes."""

from noc.papers.table import PaperTable

__all__ = ["TABLES"]

TABLES: tuple[PaperTable, ...] = ()
