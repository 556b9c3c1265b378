"""Where the nodes of a network are in a picture of it, by its structure."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from noc.layouts import families, force
from noc.layouts.bends import find_bends
from noc.layouts.points import nearest
from noc.networks import ABSENT, Network

__all__ = ["Layout", "lay_out"]


@dataclass(frozen=True, eq=False)
class Layout:
    """A picture of a network, without its lines and colours.

    Parameters
    ----------
    network : Network
        The network.
    kind : str
        How nodes are placed, in words.
    place : array (nodes, 2)
        x to the right and y upwards; the two nearest nodes are 1 apart.
    bend : array (nodes, ports)
        For the link of each out-port the height of its arc as a share of its length, to the left
        of its way; 0 for a straight line.
    """

    network: Network = field(repr=False)
    kind: str
    place: npt.NDArray[np.float64] = field(repr=False)
    bend: npt.NDArray[np.float64] = field(repr=False)

    def lines(self) -> list[tuple[int, int, bool]]:
        """Every line once: a node, its out-port, and whether a link leads back along it."""
        node, port = np.nonzero(self.network.neighbour != ABSENT)
        back = self.network.paired(node, port)
        first = ~back | (node < self.network.neighbour[node, port])
        return list(zip(*(each[first].tolist() for each in (node, port, back)), strict=True))

    def on_sheet(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Points as they are on a sheet: from its upper left corner on, and y downwards."""
        upper_left = [self.place[:, 0].min(), self.place[:, 1].max()]
        return np.asarray((points - upper_left) * [1, -1])

    def curve(self, node: int, port: int) -> npt.NDArray[np.float64]:
        """The link of an out-port as a quadratic curve: its begin, control point and end."""
        begin, end = self.place[[node, self.network.neighbour[node, port]]]
        left = (end - begin)[::-1] * [-1, 1]
        middle = (begin + end) / 2 + 2 * self.bend[node, port] * left
        return np.stack([begin, middle, end])


def lay_out(network: Network) -> Layout:
    """Place the nodes of a network.

    >>> from noc.networks import build_network
    >>> lay_out(build_network("star:4")).kind
    'parts by the last symbol, nested'
    """
    kind, place = families.BY_FAMILY.get(network.family, ("forces between the nodes", force.place))
    points = place(network)
    points = points - (points.real.max() + points.real.min()) / 2
    points = points - 1j * (points.imag.max() + points.imag.min()) / 2
    points = points / nearest(points)
    return Layout(
        network, kind, np.stack([points.real, points.imag], axis=1), find_bends(network, points)
    )
