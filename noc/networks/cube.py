"""Hypercubes, and the uni-directional hypercubes in which every link carries words one way."""

from collections.abc import Iterator

import numpy as np

from noc.errors import InputError
from noc.networks.arrays import ABSENT, IntArray, PortGraph, no_node
from noc.networks.spec import NetworkFamily, Number, Parameters, numbers, whole_number

NEGATIVE, POSITIVE = "negative", "positive"


class BinaryLabels:
    """Labels of n bits, the highest first."""

    def __init__(self, n: int) -> None:
        self.n = n

    def text(self, node: int) -> str:
        """The label of a node."""
        return f"{node:0{self.n}b}"

    def node(self, text: str) -> int:
        """The node of a label."""
        if len(text) != self.n or not set(text) <= {"0", "1"}:
            raise no_node(text, f"{self.n} bits are allowed, as in {self.text(0)}")
        return int(text, 2)

    def relabellings(self) -> Iterator[IntArray]:
        """Where nodes go if two neighbouring bits are flipped, which keeps polarities."""
        for bit in range(self.n - 1):
            yield np.arange(2**self.n) ^ (3 << bit)


def _build_hypercube(n: int) -> PortGraph:
    node = np.arange(2**n, dtype=np.int32)
    neighbour = node[:, None] ^ (1 << np.arange(n, dtype=np.int32))
    arrival = np.broadcast_to(np.arange(n, dtype=np.int16), neighbour.shape)
    ports = tuple(str(bit) for bit in range(n))
    return PortGraph(neighbour, arrival, ports, ports, BinaryLabels(n))


def _parse_uhc(family: NetworkFamily, text: str) -> Parameters:
    number, comma, polarity = text.partition(",")
    if polarity not in (POSITIVE, NEGATIVE) and comma:
        raise InputError(
            f"network {f'uhc:{text}'!r}: {polarity!r} is no polarity: {family.allowed}"
        )
    n = whole_number(family, text, number, Number(2))
    return (n, NEGATIVE) if polarity == NEGATIVE else (n,)


def _build_uhc(n: int, polarity: str = POSITIVE) -> PortGraph:
    """Out-port i and in-port i are the bits 2i and 2i+1, whichever the polarity makes each.

    For odd n the highest port has one bit only: half of the nodes send by it, the others
    receive by it.
    """
    node = np.arange(2**n, dtype=np.int32)
    ports = (n + 1) // 2
    # The paper's polarity is the sign of (-1) to the number of ones in the label plus the bit
    # position; the negative network turns every link round.
    sign = np.bitwise_count(node) + np.uint8(polarity == NEGATIVE)
    neighbour = np.full((node.size, ports), ABSENT, dtype=np.int32)
    arrival = np.full(neighbour.shape, ABSENT, dtype=np.int16)
    for bit in range(n):
        sends = (sign + bit) % 2 == 0
        neighbour[sends, bit // 2] = node[sends] ^ (1 << bit)
        arrival[sends, bit // 2] = bit // 2
    outward = tuple(f"out {i}" for i in range(ports))
    inward = tuple(f"in {i}" for i in range(ports))
    return PortGraph(neighbour, arrival, outward, inward, BinaryLabels(n))


FAMILIES = (
    NetworkFamily(
        name="uhc",
        signature="n[,negative]",
        where="n from 2 up",
        example="uhc:4",
        summary="uni-directional hypercube: each link of hypercube n carries words one way",
        parse=_parse_uhc,
        size=lambda n, *_: (2**n, (n + 1) // 2),
        build=_build_uhc,
    ),
    NetworkFamily(
        name="hypercube",
        signature="n",
        where="n from 1 up",
        example="hypercube:4",
        summary="binary labels of n bits; port i flips bit i",
        parse=numbers(Number(1)),
        size=lambda n: (2**n, n),
        build=_build_hypercube,
    ),
)
