"""Timetables: the words of all nodes at once, each link with a word of its own in every step."""

from noc.trees.timetables.exchanges import bound_of, find_routes
from noc.trees.timetables.routes import ALL_GATHER, LISTED, Exchange, Hop, Routes
from noc.trees.timetables.search import find_timetable
from noc.trees.timetables.sums import MOST_ROUND, SumHop, Sums, find_sums, sum_bound
from noc.trees.timetables.timetable import (
    SPARED,
    Row,
    Timetable,
    backwards,
    registers_of,
    rows_of,
)

__all__ = [
    "ALL_GATHER",
    "LISTED",
    "MOST_ROUND",
    "SPARED",
    "Exchange",
    "Hop",
    "Routes",
    "Row",
    "SumHop",
    "Sums",
    "Timetable",
    "backwards",
    "bound_of",
    "find_routes",
    "find_sums",
    "find_timetable",
    "registers_of",
    "rows_of",
    "sum_bound",
]
