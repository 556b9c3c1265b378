"""What stays in the queues of inject streams for ever, where rounds need the words of all."""

from dataclasses import dataclass

import numpy as np

from noc.networks import IntArray
from noc.programs.round_table import NONE
from noc.programs.rounds import RoundProgram


@dataclass(frozen=True, eq=False)
class Waiting:
    """Words that wait for a round which never becomes whole, as others lack."""

    #: Which round that is, counted from 0.
    round: int
    #: Array (inject streams). Whose each is, and how many words of it a round has.
    node: IntArray
    share: IntArray
    #: How many words of a round come out, or sums.
    copies: int
    #: Array (inject streams). How many words of each wait, for that round and for later ones.
    words: IntArray
    #: How many words were not even taken, as there is no room for more.
    refused: int

    @property
    def lacking(self) -> IntArray:
        """How many words of each inject stream that round lacks."""
        return (self.share - self.words).clip(0)

    def left_of(self, injected: IntArray, ejected: int) -> IntArray:
        """How many words of each stream wait, by what is counted outside of the network.

        That is what was taken at each inject stream, and what came out at all eject streams.
        """
        return injected - ejected // self.copies * self.share


def find_waiting(
    program: RoundProgram, begun: int, entered: IntArray, refused: int
) -> Waiting | None:
    """What waits after so many rounds, in queues into which so many words came; None for nothing.

    All words of the rounds that have begun have left.
    """
    share = np.bincount(program.flows.inject, minlength=len(program.injects))
    words = entered - begun * share
    if not words.any() and not refused:
        return None
    node = np.array([inject.node for inject in program.injects])
    return Waiting(begun, node, share, int((program.taken != NONE).sum()), words, refused)
