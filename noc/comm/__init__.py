"""Programs of nodes, each a coroutine, on the cycle model, the Verilog, or without a network."""

from noc.comm.comm import BAND, BOR, BXOR, MAX, MAX_SIGNED, MIN, MIN_SIGNED, SUM, Comm, Received
from noc.comm.run import run
from noc.comm.setup import Nodes
from noc.comm.world import ANY, DeadlockError, Run

__all__ = [
    "ANY",
    "BAND",
    "BOR",
    "BXOR",
    "MAX",
    "MAX_SIGNED",
    "MIN",
    "MIN_SIGNED",
    "SUM",
    "Comm",
    "DeadlockError",
    "Nodes",
    "Received",
    "Run",
    "run",
]
