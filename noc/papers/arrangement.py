"""Broadcasting on arrangement graphs."""

from noc.papers.table import PaperTable

__all__ = ["TABLES"]

TABLES: tuple[PaperTable, ...] = ()
