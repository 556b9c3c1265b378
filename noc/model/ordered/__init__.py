"""The cycle model of the ordered fabric, which ``docs/ordered.md`` describes."""

from noc.model.ordered.run import OrderedEvents, OrderedRun, simulate_ordered
from noc.model.ordered.streams import KINDS, OrderedStream, ordered_streams

__all__ = [
    "KINDS",
    "OrderedEvents",
    "OrderedRun",
    "OrderedStream",
    "ordered_streams",
    "simulate_ordered",
]
