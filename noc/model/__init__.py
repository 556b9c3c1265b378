"""The cycle model of the routers, and the traffic that drives it and the hardware alike."""

from noc.model.direct import Events, Run, simulate, watch
from noc.model.sinks import SINKS
from noc.model.traffic import (
    TRAFFIC,
    LongTraffic,
    Traffic,
    TrafficPattern,
    Words,
    all_sources,
    back_to_back,
    broadcast,
    endless,
    random_words,
    register_traffic,
    send_random,
)

__all__ = [
    "SINKS",
    "TRAFFIC",
    "Events",
    "LongTraffic",
    "Run",
    "Traffic",
    "TrafficPattern",
    "Words",
    "all_sources",
    "back_to_back",
    "broadcast",
    "endless",
    "random_words",
    "register_traffic",
    "send_random",
    "simulate",
    "watch",
]
