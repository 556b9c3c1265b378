"""Parts for streams of any words: buffers, queues, merges, forks, joins, guards and stand-ins.

They know nothing of networks, and import nothing but Amaranth.
"""

from noc.streams.announced import Announce, Announced, Arrive, Postpone, stream_of
from noc.streams.buffers import BUFFERS, OneSlot, Queue, Register, TwoSlots, Valve
from noc.streams.fork import Fork
from noc.streams.guard import Guard
from noc.streams.join import Join
from noc.streams.merge import Merge
from noc.streams.stand_in import StandIn

__all__ = [
    "BUFFERS",
    "Announce",
    "Announced",
    "Arrive",
    "Fork",
    "Guard",
    "Join",
    "Merge",
    "OneSlot",
    "Postpone",
    "Queue",
    "Register",
    "StandIn",
    "TwoSlots",
    "Valve",
    "stream_of",
]
