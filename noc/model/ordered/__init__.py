"""The cycle model of the ordered fabric: ``docs/ordered.md`` and ``docs/collectives.md``."""

from noc.model.ordered.events import OrderedEvents
from noc.model.ordered.load import LoadRun, Stalls, run_load
from noc.model.ordered.patterns import (
    Given,
    Mixture,
    as_traffic,
    mixed_operations,
    repeated,
)
from noc.model.ordered.run import (
    OrderedEvent,
    OrderedRun,
    simulate_ordered,
    stream_ordered,
    watch_ordered,
)
from noc.model.ordered.streams import KINDS, OrderedStream, fields_of, ordered_streams
from noc.model.ordered.traffic import CollectiveTraffic
from noc.model.ordered.words import Word, pack, unpack

__all__ = [
    "KINDS",
    "CollectiveTraffic",
    "Given",
    "LoadRun",
    "Mixture",
    "OrderedEvent",
    "OrderedEvents",
    "OrderedRun",
    "OrderedStream",
    "Stalls",
    "Word",
    "as_traffic",
    "fields_of",
    "mixed_operations",
    "ordered_streams",
    "pack",
    "repeated",
    "run_load",
    "simulate_ordered",
    "stream_ordered",
    "unpack",
    "watch_ordered",
]
