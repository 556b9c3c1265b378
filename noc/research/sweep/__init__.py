"""Sweeps: many designs measured alike, a row of a table each."""

from noc.research.sweep.plan import Plan, Task, read_plan
from noc.research.sweep.point import Point
from noc.research.sweep.run import FAILED, Outcome, Part, measure_part, measure_task, run_parts
from noc.research.sweep.steps import STEPS, Axes
from noc.research.sweep.table import Row, read_table, write_table

__all__ = [
    "FAILED",
    "STEPS",
    "Axes",
    "Outcome",
    "Part",
    "Plan",
    "Point",
    "Row",
    "Task",
    "measure_part",
    "measure_task",
    "read_plan",
    "read_table",
    "run_parts",
    "write_table",
]
