"""Sweeps: many designs measured alike, a row of a table each."""

from noc.sweep.measure import measure_task
from noc.sweep.plan import Plan, Task, read_plan
from noc.sweep.point import Point
from noc.sweep.run import FAILED, Outcome, Part, measure_part, run_parts
from noc.sweep.steps import STEPS, Axes
from noc.sweep.table import Row, read_table, write_table

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
