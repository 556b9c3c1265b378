"""The linear cost model: a packet costs a start-up time and a time for each byte.

A message of ``length`` bytes goes down a tree in packets, one behind the other. The first packet
needs ``height`` hops, or in one-port use as many steps as the broadcast of one packet takes; each
further packet arrives one hop time after the one before it.
"""

from dataclasses import dataclass
from math import ceil, floor, sqrt

from noc.errors import InputError


@dataclass(frozen=True)
class LinearCost:
    """The two constants of the model and the times that follow from them.

    In every method ``height`` is the number of steps that a single packet needs, at least 1.

    Parameters
    ----------
    start_up : float
        Time to start a packet on a link, whatever its size: β, or T_s.
    per_byte : float
        Time for each byte of a packet on a link: τ, or T_c.

    Examples
    --------
    >>> cost = LinearCost(start_up=16.0, per_byte=1.0)
    >>> cost.best_packet_size(height=5, length=100)
    20.0
    >>> cost.least_time(height=5, length=100)
    324.0
    """

    start_up: float
    per_byte: float

    def __post_init__(self) -> None:
        for name, value in (("start_up", self.start_up), ("per_byte", self.per_byte)):
            if not value > 0:
                raise InputError(f"{name} must be more than 0, not {value!r}")

    def hop_time(self, size: float) -> float:
        """The time of one packet of ``size`` bytes on one link."""
        return self.start_up + size * self.per_byte

    def pipelined_time(self, height: int, length: float, packet_size: float) -> float:
        """(height - 1 + length/packet_size) hop times; the number of packets may be a fraction."""
        return (height - 1 + length / packet_size) * self.hop_time(packet_size)

    def best_packet_size(self, height: int, length: float) -> float:
        """The packet size of the least :meth:`pipelined_time`, at most the whole message."""
        if (height - 1) * length * self.per_byte <= self.start_up:
            return float(length)
        return sqrt(length * self.start_up / ((height - 1) * self.per_byte))

    def least_time(self, height: int, length: float) -> float:
        """The least :meth:`pipelined_time`.

        It is (sqrt((height - 1)·start_up) + sqrt(length·per_byte))² wherever cutting the message
        pays; where it does not, that expression would stand for less than one packet.
        """
        return self.pipelined_time(height, length, self.best_packet_size(height, length))

    def segmented_time(self, height: int, length: float, segments: int) -> float:
        """The pipelined time of ``segments`` equal packets."""
        return (height - 1 + segments) * self.hop_time(length / segments)

    def best_segments(self, height: int, length: float) -> int:
        """The whole number of equal packets of the least :meth:`segmented_time`."""
        # The time is convex in the number of packets: the best is beside the real optimum.
        ideal = sqrt((height - 1) * length * self.per_byte / self.start_up)
        candidates = {max(1, floor(ideal)), max(1, ceil(ideal))}
        return min(sorted(candidates), key=lambda p: self.segmented_time(height, length, p))
