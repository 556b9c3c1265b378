"""Section 9.1 of the SCC report: the sequence of laterals in turn, with several ports at once."""

from collections.abc import Iterator

import numpy as np

from noc.model.steps.words import LOST
from noc.networks import ABSENT, IntArray, Network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.research.papers.tables.table import Row, misprint
from noc.research.papers.tables.trees import build, one_tree
from noc.trees.cyclic import rounds

__all__ = ["both_local_links", "joined_steps", "rows"]

#: Each node sends by all of these ports in a step: everybody, or those at one ring position.
Sends = tuple[tuple[int, ...], int | None]


def both_local_links(network: Network) -> IntArray:
    """The step in which each node receives if local steps use both links, on every ring at once.

    Lateral and local steps alternate, as in the one-port sequence; node 0 begins.
    """
    first, *others = _word(network)
    steps: list[Sends] = [((LATERAL,), first)]
    for place in others:
        steps += [((RIGHT, LEFT), None), ((LATERAL,), place)]
    return _receipts(network, steps)


def joined_steps(network: Network) -> IntArray:
    """The same if a lateral and the local link to the next position are used in one step."""
    return _receipts(network, [((LATERAL, RIGHT), place) for place in _word(network)])


def _word(network: Network) -> list[int]:
    """The ring positions whose laterals are used, in turn, over and over."""
    plan = rounds(network, "one")
    return [*range(plan.ring)] * plan.count


def _receipts(network: Network, steps: list[Sends]) -> IntArray:
    """Play the steps; all sends of a step are decided before the first is received."""
    ring = int(network.parameters[0]) - 1
    received = np.full(network.nodes, LOST, dtype=np.int32)
    received[0] = 0
    for step, (ports, place) in enumerate(steps, start=1):
        senders = np.flatnonzero(received != LOST)
        if place is not None:
            senders = senders[senders % ring == place]
        there = network.neighbour[senders][:, list(ports)].ravel()
        there = there[there != ABSENT]
        received[there[received[there] == LOST]] = step
    return received


def rows() -> list[Row]:
    """What comes of either approach, for the sizes that the report draws."""
    return [row for n in (4, 5, 6) for row in _rows(n)]


def _rows(n: int) -> Iterator[Row]:
    net = build(f"scc:{n}")
    one_port = one_tree(net.spec, "cyclic-sequential", "one").step
    both, joined = both_local_links(net), joined_steps(net)
    name = f"n = {n}, Section 9.1, "
    yield Row(f"{name}nodes informed with both local links", net.nodes, int((both != LOST).sum()))
    earlier = bool((both <= one_port).all() and both.max() < one_port.max())
    why = misprint("scc-section-9-1", earlier)
    what = f"{name}last receipt with both local links, the one-port sequence's"
    yield Row(what, int(one_port.max()), int(both.max()), why)
    reached = int((joined != LOST).sum())
    what = f"{name}joined lateral and local steps, {reached} of {net.nodes} nodes informed"
    yield Row(what, "fails", "fails" if reached < net.nodes else "informs all")
