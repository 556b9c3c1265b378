"""The cycle model of the routers, and the traffic that drives it and the hardware alike."""

from noc.model.cycles import Run, simulate, watch
from noc.model.events import Events
from noc.model.sinks import SINKS
from noc.model.traffic import (
    TRAFFIC,
    Traffic,
    TrafficPattern,
    all_sources,
    back_to_back,
    broadcast,
    endless,
    random_words,
    register_traffic,
)

__all__ = [
    "SINKS",
    "TRAFFIC",
    "Events",
    "Run",
    "Traffic",
    "TrafficPattern",
    "all_sources",
    "back_to_back",
    "broadcast",
    "endless",
    "random_words",
    "register_traffic",
    "simulate",
    "watch",
]
