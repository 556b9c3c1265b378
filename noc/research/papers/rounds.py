"""Many messages through an SCC or CCC, one entering in each round of Algorithm 4 or 5."""

from dataclasses import dataclass

import numpy as np

from noc.model.steps.words import LOST
from noc.networks import IntArray, Network
from noc.trees import Ports
from noc.trees.cyclic import RingBroadcast, rounds

__all__ = ["PipelinedRounds", "pipelined_rounds"]


@dataclass(frozen=True)
class PipelinedRounds:
    """What a run gave.

    Parameters
    ----------
    received : array (messages, nodes)
        The step at which each node first received each message; the step before its first
        round at the root; ``LOST`` where the rounds did not bring it.
    schedule : int
        Steps of the whole schedule.
    clashes : int
        How often the variables told a node to send more in one step than the model allows:
        two messages on one port, or in one-port use two messages on any ports.
    stray_copies : int
        Copies of a message that reached a node which had it and was waiting for a later one.
        A node that told messages apart by counting receipts would take each for the next.
    """

    received: IntArray
    schedule: int
    clashes: int
    stray_copies: int

    @property
    def steps(self) -> int:
        """The step of the last first receipt."""
        return int(self.received.max())


def pipelined_rounds(network: Network, root: int, ports: Ports, messages: int) -> PipelinedRounds:
    """Run the rounds with one set of variables for each message, as the report extends them.

    Message k enters at the root in round k, and the rounds are as many more as there are
    further messages. Messages carry their number.
    """
    plan = rounds(network, ports)
    runs = [RingBroadcast(network, root, ports) for _ in range(messages)]
    received = np.full((messages, network.nodes), LOST, dtype=np.int32)
    received[:, root] = np.arange(messages) * plan.length
    clashes = stray_copies = step = 0
    for round_number in range(plan.count + messages - 1):
        for turn in plan.turns:
            step += 1
            sent = np.zeros(network.neighbour.shape, dtype=np.int32)
            held = np.count_nonzero(received != LOST, axis=0)
            for message, run in enumerate(runs[: round_number + 1]):
                had = run.informed.copy()
                for port, sender in run.sends(turn):
                    sent[sender, port] += 1
                    there = network.neighbour[sender, port]
                    old = there[had[there]]
                    stray_copies += int((held[old] < messages).sum())
                    fresh, _ = run.receive(sender, port)
                    received[message, fresh] = step
            clashes += _over(sent, ports)
    return PipelinedRounds(received, step, clashes, stray_copies)


def _over(sent: IntArray, ports: Ports) -> int:
    """Nodes, or links with all ports, that are asked for two sends in one step."""
    return int(((sent if ports == "all" else sent.sum(axis=1)) > 1).sum())
