"""Balanced spanning trees in complete and incomplete star graphs."""

from noc.papers.table import PaperTable

__all__ = ["TABLES"]

TABLES: tuple[PaperTable, ...] = ()
