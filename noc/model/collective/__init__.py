"""The cycle model of networks with operations, which ``docs/collectives.md`` describes."""

from noc.model.collective.events import CollectiveEvents
from noc.model.collective.patterns import (
    Given,
    Mixture,
    as_traffic,
    mixed_operations,
    repeated,
)
from noc.model.collective.run import (
    CollectiveEvent,
    CollectiveRun,
    simulate_collectives,
    simulate_parts,
    watch_collectives,
    watch_parts,
)
from noc.model.collective.streams import COLLECTIVE_KINDS, collective_streams, fields_of
from noc.model.collective.traffic import CollectiveTraffic
from noc.model.collective.words import Word, pack, unpack

__all__ = [
    "COLLECTIVE_KINDS",
    "CollectiveEvent",
    "CollectiveEvents",
    "CollectiveRun",
    "CollectiveTraffic",
    "Given",
    "Mixture",
    "Word",
    "as_traffic",
    "collective_streams",
    "fields_of",
    "mixed_operations",
    "pack",
    "repeated",
    "simulate_collectives",
    "simulate_parts",
    "unpack",
    "watch_collectives",
    "watch_parts",
]
