"""Parts for streams of any words: buffers, queues, merges, forks and joins.

They know nothing of networks, and import nothing but Amaranth.
"""

from noc.streams.buffers import BUFFERS, OneSlot, Register, TwoSlots, Valve
from noc.streams.fork import Fork
from noc.streams.join import Join
from noc.streams.merge import Merge
from noc.streams.queue import Queue

__all__ = [
    "BUFFERS",
    "Fork",
    "Join",
    "Merge",
    "OneSlot",
    "Queue",
    "Register",
    "TwoSlots",
    "Valve",
]
