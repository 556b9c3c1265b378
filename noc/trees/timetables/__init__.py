"""Timetables: the words of all nodes at once, each link with a word of its own in every step."""

from noc.trees.timetables.exchanges import bound_of, find_routes
from noc.trees.timetables.routes import ALL_GATHER, LISTED, Exchange, Hop, Routes
from noc.trees.timetables.search import find_timetable
from noc.trees.timetables.timetable import Row, Timetable, backwards, registers_of, rows_of

__all__ = [
    "ALL_GATHER",
    "LISTED",
    "Exchange",
    "Hop",
    "Routes",
    "Row",
    "Timetable",
    "backwards",
    "bound_of",
    "find_routes",
    "find_timetable",
    "registers_of",
    "rows_of",
]
