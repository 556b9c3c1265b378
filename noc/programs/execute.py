"""Run a program hop by hop, knowing only the tables and the wires: it must give the trees back."""

from dataclasses import dataclass

import numpy as np

from noc.errors import CheckError, InputError
from noc.networks import IntArray
from noc.programs.program import NOTHING, Program
from noc.trees.tree import NO_PARENT

__all__ = ["Delivery", "execute"]


@dataclass(frozen=True)
class Delivery:
    """What one injected word did.

    Parameters
    ----------
    parent, port : arrays (nodes)
        From whom, and by which of the sender's out-ports, each node received the word;
        ``NO_PARENT`` at the source.
    step : array (nodes)
        When, if each router sends as early as the model allows: the number of hops, or in
        one-port use the turns waited for as well.
    """

    parent: IntArray
    port: IntArray
    step: IntArray


def execute(program: Program, source: int, tree: int = 0) -> Delivery:
    """Inject one word at a source and follow every copy.

    Raises :class:`~noc.errors.CheckError` if a node receives twice or not at all.
    """
    if source not in program.sources:
        label = program.network.label(source)
        raise InputError(f"source {label} is not among the sources of the program")
    network = program.network
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    port, step = np.full_like(parent, NO_PARENT), np.zeros_like(parent)
    reached = np.zeros(network.nodes, dtype=bool)
    reached[source] = True
    node = np.array([source], dtype=np.int64)
    row = program.first_row[program.site[node], program.inject] + tree
    while node.size:
        which, slot = np.nonzero(program.send_port[row] != NOTHING)
        sender, by = node[which], program.send_port[row[which], slot]
        receiver, arrival = network.neighbour[sender, by], network.arrival[sender, by]
        if (receiver < 0).any() or reached[receiver].any():
            raise CheckError(f"{network.spec}: a word returned to a node that has it")
        reached[receiver] = True
        if np.unique(receiver).size != receiver.size:
            raise CheckError(f"{network.spec}: two copies of a word met")
        parent[receiver], port[receiver] = sender, by
        wait = 1 if program.ports == "all" else slot + 1
        step[receiver] = step[sender] + wait
        state = program.send_state[row[which], slot]
        row = program.first_row[program.site[receiver], arrival] + state
        node = receiver.astype(np.int64)
    if not reached.all():
        raise CheckError(f"{network.spec}: {int((~reached).sum())} nodes received nothing")
    return Delivery(parent, port, step)
