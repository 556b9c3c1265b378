"""Timetables: the words of all nodes at once, each link with a word of its own in every step."""

from noc.trees.timetables.search import find_timetable
from noc.trees.timetables.timetable import Row, Timetable, backwards, registers_of, rows_of

__all__ = ["Row", "Timetable", "backwards", "find_timetable", "registers_of", "rows_of"]
