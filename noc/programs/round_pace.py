"""When rounds begin one after the other at full speed, where nodes have one eject stream each."""

from typing import NamedTuple

import numpy as np

from noc.networks import IntArray


class RoundPace(NamedTuple):
    """What a round waits for, while all nodes always have words and take them.

    Times of a round are counted from its first phase.
    """

    #: The cycles of a round; it begins at a multiple of them.
    round: int
    #: Arrays (nodes). When the first word of a round is offered, if none of others waits, and how
    #: many come.
    first: IntArray
    words: IntArray
    #: Room for words that come is that of a round so many before, so long after the last of that.
    rooms: int
    opens: int
    #: Room for words that are given is that of one so many before, so long after its beginning.
    kept: int
    given: int

    def delays(self, rounds: int) -> IntArray:
        """How many cycles after those of the first one the words of a later round leave each node.

        Rounds begin at distances that recur at some time, as what they depend on does.
        """
        end = self.first + self.words - 1
        # Of each round its beginning, and when the last word of its slowest node leaves.
        past = [(0, int(end.max(initial=0)))]
        seen: dict[bytes, tuple[int, int]] = {}
        number = skipped = 0
        while number < rounds:
            begin = past[-1][0]
            needed = np.array(past[-max(self.rooms, self.kept) :]).ravel()
            state = (np.concatenate([needed, end]) - begin).tobytes()
            if state in seen:
                before, then = seen.pop(state)
                turns = (rounds - number) // (number - before)
                skipped += turns * (begin - then)
                rounds -= turns * (number - before)
                seen.clear()
                continue
            seen[state] = number, begin
            end = self._follow(past, end)
            number += 1
        delays: IntArray = end + skipped - (self.first + self.words - 1)
        return delays

    def _follow(self, past: list[tuple[int, int]], end: IntArray) -> IntArray:
        """Add the next round to those before; when the last word of each node leaves then."""
        after = past[-1][0] + self.round
        if len(past) >= self.rooms:
            after = max(after, past[-self.rooms][1] + self.opens)
        if len(past) >= self.kept:
            after = max(after, past[-self.kept][0] + self.given)
        begin = -(-after // self.round) * self.round
        end = np.maximum(begin + self.first - 1, end) + self.words
        past.append((begin, int(end.max(initial=0))))
        return end
