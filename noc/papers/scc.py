"""The star-connected cycles report."""

from noc.papers.table import PaperTable

__all__ = ["TABLES"]

TABLES: tuple[PaperTable, ...] = ()
