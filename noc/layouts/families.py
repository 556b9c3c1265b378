"""The places of the nodes of each family of networks, from its structure."""

from collections.abc import Callable

import numpy as np

from noc.layouts.points import Points, circle, nearest, turned
from noc.networks import IntArray, Network
from noc.networks.grid import UP
from noc.networks.permutations import Symbols, arrangements
from noc.networks.star import incomplete_star_symbols

# Where the first three bits of a hypercube lead: a cube as one draws it on paper. And the same for
# four bits: with these no link passes by a node.
_CUBE = (1.0, 1j, 0.4 + 0.4j)
_FOUR = (1.0, 1j, 0.24 + 0.56j, 1.48 + 0.37j)

# Cubes are in rows and columns, blocks of four in these again; askew, so that a link to another
# block passes by the nodes of its own.
_PITCH, _GROWTH, _CUBES_ASKEW = 2.45, 2.35, -0.039


def place_cubes(network: Network) -> Points:
    """The corners of a hypercube: a cube in oblique projection, and more cubes side by side."""
    n = int(network.parameters[0])
    lead = list(_FOUR if n == 4 else _CUBE[:n])
    for bit in range(len(lead), n):
        block, side = divmod(bit - 3, 2)
        askew = _CUBES_ASKEW * (-1) ** (block + side)
        lead.append(complex(_PITCH * _GROWTH**block * turned(askew)) * (1.0, 1j)[side])
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return np.asarray(bits @ np.array(lead, dtype=np.complex128))


# Between blocks of two dimensions of a grid, in steps; a little askew, as cubes are.
_MARGIN, _BLOCKS_ASKEW = 1.0, 0.02

# A third dimension of no more steps than this leads into the depth, as on paper.
_MOST_DEEP, _DEPTH = 3, 0.9 + 0.65j


def place_grid(network: Network) -> Points:
    """The first dimension to the right and the second upwards, then blocks of these likewise."""
    sizes = [int(size) for size in network.parameters]
    coordinates = np.array(np.unravel_index(np.arange(network.nodes), sizes))
    points = np.zeros(network.nodes, dtype=np.complex128)
    extent, lead = [1.0, 1.0], [1.0 + 0j, 1j]
    for dimension, size in enumerate(sizes):
        side = dimension % 2
        if dimension == 2 == len(sizes) - 1 and size <= _MOST_DEEP:
            lead[side] = _DEPTH / size
        elif dimension >= 2:
            lead[side] = (extent[side] + _MARGIN) * complex(turned(_BLOCKS_ASKEW)) * (1.0, 1j)[side]
            extent[side] += (size - 1) * (extent[side] + _MARGIN)
        else:
            extent[side] = float(size)
        points += coordinates[dimension] * lead[side]
    return points


def place_round(network: Network) -> Points:
    """Round a circle, the first at the top and the others clockwise after it."""
    return 1j * np.conj(circle(network.nodes))


# At most this many leaves of a tree are side by side; between two levels, in distances of leaves.
_MOST_LEAVES, _LEVEL = 32, 1.6


def place_tree(network: Network) -> Points:
    """A tree downwards from its root, or round it where there are many leaves."""
    arity = network.neighbour.shape[1] - 1
    parent = network.neighbour[:, UP]
    depth = np.zeros(network.nodes, dtype=np.int64)
    for node in range(1, network.nodes):
        depth[node] = depth[parent[node]] + 1
    height = int(depth[-1])
    # Numbered level by level, so that those of a level are side by side in this order.
    index_in_level = np.arange(network.nodes) - np.searchsorted(depth, depth)
    leaves = int(arity**height)
    middle = (index_in_level + 0.5) * (leaves / arity ** depth.astype(np.float64))
    if leaves <= _MOST_LEAVES:
        return np.asarray(middle - 1j * _LEVEL * depth)
    ring = max(_LEVEL, leaves / (2 * np.pi * height))
    return np.asarray(ring * depth * turned(middle / leaves))


# How much wider the circle of the parts of a network of permutations is than they need.
_GAP = 1.12

# Round the ring of six permutations of three symbols, each turned into the next by a port.
_RING = ("123", "321", "231", "132", "312", "213")
_RING_OF = {"bubble-sort": ("123", "213", "231", "321", "312", "132")}

# Each part is turned in itself by the one of this many turns with which its links out are shortest.
_TURNS = 24


def place_permutations(network: Network) -> Points:
    """The nodes with one last symbol are a part, placed likewise within.

    To put every symbol in the place of the one before turns the whole picture, since it is the
    same as to turn the parts into each other.
    """
    n, k = (*map(int, network.parameters), 0)[:2]
    incomplete = network.family == "incomplete-star"
    symbols = incomplete_star_symbols(n, k) if incomplete else arrangements(n, k or n)
    return _place_symbols(symbols, n, network.family)


def _place_symbols(symbols: Symbols, n: int, family: str = "star") -> Points:
    """A place for each column; with the last symbol n at the top."""
    ring = _RING_OF.get(family, _RING)
    return 1j * _nested(symbols.astype(np.int64), n, ring)[0]


def _nested(symbols: IntArray, n: int, ring: tuple[str, ...]) -> tuple[Points, float]:
    """The places, and the radius that they take."""
    k = symbols.shape[0]
    if k == 1:
        return circle(n)[symbols[0] % n], (0.5 / np.sin(np.pi / n) if n > 1 else 0.0) + 0.5
    if k == n == 3:
        spot = {text: index for index, text in enumerate(ring)}
        named = ["".join(map(str, column)) for column in symbols.T.tolist()]
        return circle(6)[[spot[text] for text in named]], 1.5
    last = symbols[-1]
    # The symbols as they are in the part at the right.
    inner, radius = _nested((symbols[:-1] - last) % n, n - 1, ring)
    out = _GAP * radius / np.sin(np.pi / n)
    around = turned(last / n)
    first = symbols[0]

    def length(turn: Points) -> float:
        """How far nodes are from the parts that their links lead to."""
        return float(np.abs(around * (out + turn * inner) - out * turned(first / n)).sum())

    turn = min(turned(np.arange(_TURNS) / _TURNS), key=length)
    return around * (out + turn * inner), out + radius


# Between two rings of a network of rings, in links of a ring.
_BETWEEN_RINGS = 1.6


def place_rings(network: Network) -> Points:
    """Star- or cube-connected cycles: a ring for each permutation of n symbols, or each corner.

    Each is turned so that its lateral links are short; all are the same way round.
    """
    n = int(network.parameters[0])
    if network.family == "scc":
        centre, size = _place_symbols(arrangements(n, n), n), n - 1
    else:
        centre, size = place_cubes(network), n
    ring = circle(size)
    radius = float(np.abs(ring).max())
    centre = centre * ((2 * radius + _BETWEEN_RINGS) / nearest(centre))
    # The lateral link is port 0, and the nodes of a ring follow each other.
    far = centre[network.neighbour[:, 0] // size].reshape(-1, size)
    toward = (far - centre[:, None]) / np.abs(far - centre[:, None])
    best = max((ring, np.conj(ring)), key=lambda way: float(np.abs(_pull(toward, way)).sum()))
    pull = _pull(toward, best)
    turn = np.where(np.abs(pull) > 1e-9, pull / np.maximum(np.abs(pull), 1e-9), 1.0)
    return np.asarray((centre[:, None] + turn[:, None] * best).reshape(-1))


def _pull(toward: np.ndarray, ring: Points) -> Points:
    """For each ring where its links would turn it."""
    return np.asarray((toward * np.conj(ring)).sum(axis=1))


#: By family what its pictures are called, and how its nodes are placed; any other by force.
BY_FAMILY: dict[str, tuple[str, Callable[[Network], Points]]] = {
    **dict.fromkeys(
        ("star", "incomplete-star", "pancake", "bubble-sort", "nk-star", "arrangement"),
        ("parts by the last symbol, nested", place_permutations),
    ),
    "scc": ("rings at the nodes of a star graph", place_rings),
    "ccc": ("rings at the corners of a hypercube", place_rings),
    **dict.fromkeys(("hypercube", "uhc"), ("corners of a hypercube", place_cubes)),
    **dict.fromkeys(("mesh", "torus"), ("grid", place_grid)),
    **dict.fromkeys(("ring", "complete"), ("circle", place_round)),
    **dict.fromkeys(("tree", "best"), ("tree", place_tree)),
}
