"""What attempts at timetables share: the links of a network, and a matching of ports to others."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import IntArray, Network


class Links(NamedTuple):
    """The network from both ends of its links; ``ABSENT`` fills up.

    By node and out-port its neighbour, and the in-port there; by node and in-port the sender, and
    the out-port there.
    """

    neighbour: npt.NDArray[np.int32]
    arrival: npt.NDArray[np.int32]
    sender: npt.NDArray[np.int32]
    port: npt.NDArray[np.int32]


def links_of(network: Network) -> Links:
    """The arrays that an attempt walks along."""
    back = network.reversed()
    arrays = (network.neighbour, network.arrival, back.neighbour, back.arrival)
    return Links(*(np.ascontiguousarray(array, dtype=np.int32) for array in arrays))


@compiled
def match(suitors: IntArray, ports: IntArray, most: int) -> IntArray:
    """For as many ports as can be a suitor of its own: its place in the port's row, or -1.

    Suitors are numbers below ``most``, in each row the first choice first, and -1 behind the last.
    Ports choose in their order; a later one may move an earlier one to another suitor.
    """
    matched = np.full(ports.size, -1, dtype=np.int64)
    owner = np.full(most, -1, dtype=np.int64)
    seen = np.zeros(most, dtype=np.int64)
    via = np.zeros((2, most), dtype=np.int64)
    queue = np.zeros(ports.size + 1, dtype=np.int64)
    for start in ports:
        queue[0] = start
        head, tail, free = 0, 1, -1
        while head < tail and free < 0:
            port = queue[head]
            head += 1
            for place in range(suitors.shape[1]):
                suitor = suitors[port, place]
                if suitor < 0:
                    break
                if seen[suitor] == start + 1:
                    continue
                seen[suitor] = start + 1
                via[0, suitor], via[1, suitor] = port, place
                if owner[suitor] < 0:
                    free = suitor
                    break
                queue[tail] = owner[suitor]
                tail += 1
        while free >= 0:
            port, place = via[0, free], via[1, free]
            earlier = -1 if matched[port] < 0 else suitors[port, matched[port]]
            owner[free], matched[port] = port, place
            free = earlier
    return matched
