"""The cycle model of the ordered fabric, which ``docs/ordered.md`` describes."""

from noc.model.ordered.load import LoadRun, Stalls, run_load
from noc.model.ordered.run import OrderedEvents, OrderedRun, simulate_ordered, watch_ordered
from noc.model.ordered.streams import KINDS, OrderedStream, ordered_streams

__all__ = [
    "KINDS",
    "LoadRun",
    "OrderedEvents",
    "OrderedRun",
    "OrderedStream",
    "Stalls",
    "ordered_streams",
    "run_load",
    "simulate_ordered",
    "watch_ordered",
]
