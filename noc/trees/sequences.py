"""Broadcast sequences on rings: at each step the nodes at some ring positions send by one port."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from noc.networks import Network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.trees.tree import NO_PARENT, Tree

#: For each step and ring position the out-port of a move, or ``IDLE``.
Moves = npt.NDArray[np.int8]

IDLE = -1


def broadcast(network: Network, algorithm: str, moves: Moves, root: int) -> Tree:
    """Run a sequence as every node does: an informed node sends what its ring position says.

    The sequence is the same on every ring, so a node needs its own position and the step
    counter only. The first receipt makes the tree; of two in one step the lower port wins.
    """
    position = np.arange(network.nodes) % moves.shape[1]
    informed = np.zeros(network.nodes, dtype=bool)
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    port = np.full(network.nodes, NO_PARENT, dtype=np.int8)
    step = np.zeros(network.nodes, dtype=np.int32)
    informed[root] = True
    for now, move in enumerate(moves, start=1):
        # Written with falling ports, in the order of ring positions: the last one stays.
        sender = np.flatnonzero(informed & (move[position] != IDLE))
        sender = sender[np.lexsort((position[sender], -move[position[sender]]))]
        out = move[position[sender]]
        receiver = network.neighbour[sender, out]
        fresh = (receiver >= 0) & ~informed[receiver]
        receiver, sender, out = receiver[fresh], sender[fresh], out[fresh]
        parent[receiver], port[receiver], step[receiver] = sender, out, now
        informed[receiver] = True
    return Tree(network, algorithm, "one", root, parent, port, step).check()


def lateral_steps(moves: Moves) -> int:
    """How many steps of a sequence use lateral links; the others are local."""
    return int((moves == LATERAL).any(axis=1).sum())


def only(ring: int, position: int, port: int) -> Moves:
    """One step in which only the nodes at one ring position send."""
    move = np.full((1, ring), IDLE, dtype=np.int8)
    move[0, position] = port
    return move


def walk(ring: int, word: list[int]) -> Moves:
    """Laterals at these ring positions in turn, and between two of them the shorter way round.

    On every informed ring one node holds the turn; it hands the word to the next position, so
    whichever ring a lateral step informs, the turn is at the node that has just received.
    """
    moves = [only(ring, word[0], LATERAL)]
    for position, following in pairwise(word):
        ahead = (following - position) % ring
        port, count, sign = (RIGHT, ahead, 1) if 2 * ahead <= ring else (LEFT, ring - ahead, -1)
        moves += [only(ring, (position + sign * k) % ring, port) for k in range(count)]
        moves.append(only(ring, following, LATERAL))
    return np.concatenate(moves)


def spread(ring: int, position: int) -> Moves:
    """Local steps that inform a whole ring from one position: right first, then left as well."""
    moves = np.full((ring // 2 + ring % 2, ring), IDLE, dtype=np.int8)
    for now in range(len(moves)):
        moves[now, (position + now) % ring] = RIGHT
        if now:
            moves[now, (position - now + 1) % ring] = LEFT
    return moves
