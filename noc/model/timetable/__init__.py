"""The cycle model of the timetable fabric: ``docs/rounds.md``, in plain software.

It shares no code with the hardware, and gives the list of events that the hardware must equal.
"""

from noc.model.timetable.data import SumData, find_given
from noc.model.timetable.run import Events, Run, simulate, stream

__all__ = ["Events", "Run", "SumData", "find_given", "simulate", "stream"]
