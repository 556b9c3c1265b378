"""Neighbours of a node that can change places: some automorphism swaps two of them.

An automorphism takes links to links and nothing else; port labels do not matter to it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from noc.networks import ABSENT, Network

#: In larger networks none are looked for, which would take long.
LARGEST = 5_000

#: Guesses until the search for an automorphism is given up.
_MOST_GUESSES = 200

Pairs = frozenset[tuple[int, int]]
Colours = list[int]

#: The receivers of each node, and the senders to it.
Ends = tuple[list[list[int]], list[list[int]]]


def links_of_pairs(network: Network) -> Pairs:
    """All links, as pairs of sender and receiver."""
    rows = enumerate(network.neighbour.tolist())
    return frozenset((u, v) for u, row in rows for v in row if v != ABSENT)


def interchangeable(network: Network, root: int) -> tuple[tuple[int, ...], ...]:
    """Sets of the root's receivers, each in ascending order, of which any two can change places.

    For two nodes a and b of a set there is an automorphism that fixes the root and its other
    receivers, and swaps a and b. So those of a set can be put in any order by automorphisms, one
    after the other. Each is verified link by link; where none is found the sets are smaller.
    """
    links = links_of_pairs(network)
    receivers = sorted({v for u, v in links if u == root})
    sets: list[list[int]] = []
    for node in receivers if network.nodes <= LARGEST else ():
        for members in sets:
            if _swap(network.nodes, links, root, receivers, (members[0], node)):
                members.append(node)
                break
        else:
            sets.append([node])
    return tuple(tuple(members) for members in sets if len(members) > 1)


def is_automorphism(image: Sequence[int], links: Pairs) -> bool:
    """Whether a relabelling takes the links to the links, one to one."""
    if sorted(image) != list(range(len(image))):
        return False
    return {(image[u], image[v]) for u, v in links} == links


def _swap(
    nodes: int, links: Pairs, root: int, receivers: list[int], pair: tuple[int, int]
) -> list[int] | None:
    """An automorphism that swaps a pair of the root's receivers and fixes the rest of them."""
    before = [0] * nodes
    for number, node in enumerate([root, *receivers], 1):
        before[node] = number
    after = before.copy()
    after[pair[0]], after[pair[1]] = before[pair[1]], before[pair[0]]
    out: list[list[int]] = [[] for _ in range(nodes)]
    into: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in links:
        out[u].append(v)
        into[v].append(u)
    for image in _images((out, into), before, after, [_MOST_GUESSES]):
        if is_automorphism(image, links):
            return image
    return None


def _images(ends: Ends, before: Colours, after: Colours, left: list[int]) -> Iterator[list[int]]:
    """Relabellings that keep colours, as far as neighbours' colours distinguish nodes."""
    refined = _refine(ends, before, after)
    if refined is None:
        return
    before, after = refined
    sources, targets = _by_colour(before), _by_colour(after)
    several = [colour for colour, members in sources.items() if len(members) > 1]
    if not several:
        image = [0] * len(before)
        for colour, (node,) in sources.items():
            (image[node],) = targets[colour]
        yield image
        return
    colour = min(several, key=lambda each: (len(sources[each]), each))
    node, fresh = sources[colour][0], len(before) + 1
    for target in targets[colour]:
        left[0] -= 1
        if left[0] < 0:
            return
        chosen = before.copy(), after.copy()
        chosen[0][node] = chosen[1][target] = fresh
        yield from _images(ends, *chosen, left)


def _refine(ends: Ends, before: Colours, after: Colours) -> tuple[Colours, Colours] | None:
    """Split colours by those of the neighbours, in both alike; None where they do not agree."""
    known = 0
    while len(set(before)) > known:
        known = len(set(before))
        views = [_views(ends, colours) for colours in (before, after)]
        if sorted(views[0]) != sorted(views[1]):
            return None
        number = {view: index for index, view in enumerate(sorted(set(views[0])))}
        before, after = ([number[view] for view in each] for each in views)
    return before, after


def _views(ends: Ends, colours: Colours) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """What each node sees: its colour, and those of its receivers and of its senders."""
    out, into = ends
    return [
        (
            colour,
            tuple(sorted(colours[v] for v in out[node])),
            tuple(sorted(colours[u] for u in into[node])),
        )
        for node, colour in enumerate(colours)
    ]


def _by_colour(colours: Colours) -> dict[int, list[int]]:
    members: dict[int, list[int]] = defaultdict(list)
    for node, colour in enumerate(colours):
        members[colour].append(node)
    return members
