"""Broadcasting on (n,k)-star graphs."""

from noc.papers.table import PaperTable

__all__ = ["TABLES"]

TABLES: tuple[PaperTable, ...] = ()
