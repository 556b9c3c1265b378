"""The cycle model of the ordered fabric: ``docs/ordered.md`` and ``docs/collectives.md``."""

from noc.model.ordered.events import OrderedEvents
from noc.model.ordered.load import LoadRun, Stalls, run_load
from noc.model.ordered.results import OrderedEvent, OrderedRun
from noc.model.ordered.run import (
    AnyTraffic,
    measure_cycles,
    simulate_ordered,
    stream_ordered,
    watch_ordered,
)
from noc.model.ordered.streams import (
    KINDS,
    OrderedStream,
    Word,
    fields_of,
    ordered_streams,
    pack,
    unpack,
)
from noc.model.ordered.traffic import (
    CollectiveTraffic,
    Given,
    Mixture,
    as_traffic,
    mixed_operations,
    repeated,
)

__all__ = [
    "KINDS",
    "AnyTraffic",
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
    "measure_cycles",
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
