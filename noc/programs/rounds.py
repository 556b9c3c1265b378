"""The program of the timetable fabric: what a round carries, and when rounds begin and end."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray
from noc.programs.pauses import count_levels
from noc.programs.round_pace import RoundPace
from noc.programs.round_table import NONE
from noc.programs.round_words import RoundWords, Told

#: Where a node has one eject stream, cycles from the last word of a round that comes to it to the
#: first that leaves by the stream: it is known, looked up, and read.
READ_CYCLES = 3


def comes_whole(told: Told) -> bool:
    """Whether all words of a round come by a stream before any of the next.

    >>> comes_whole(([0, 1, 2], [1, 0, 0])), comes_whole(([0, 1, 2], [0, 0, 1]))
    (True, False)
    """
    numbers, after = told
    when = [
        (after[phase] or 0) * len(numbers) + phase
        for phase, number in enumerate(numbers)
        if number is not None
    ]
    return not when or max(when) - min(when) < len(numbers)


@dataclass(frozen=True, eq=False)
class RoundProgram(RoundWords):
    """The routers of a network, and how rounds follow one another there."""

    @property
    def pace_levels(self) -> int:
        """Cycles from the place that knows whether all nodes move on to the nodes."""
        return count_levels(self.network.nodes)

    @property
    def queue_depth(self) -> int:
        """For how many words a queue has room; 0 for no queues.

        Once it is full, a register at the node and the trees each take cycles until all nodes stand
        still, and one more word is on its way then.
        """
        return self.config.queue + 2 * self.pace_levels + 2 if self.config.queued else 0

    @property
    def start_cycles(self) -> int:
        """Cycles from a pulse that begins a round to the first phase of that."""
        return self.pace_levels + 2

    @cached_property
    def givers(self) -> list[int]:
        """The nodes that give words."""
        return sorted({inject.node for inject in self.injects})

    @cached_property
    def tellers(self) -> list[int]:
        """The nodes that tell when they have words for a round; and room, if that is needed."""
        getters = self.ejects[:, 0].tolist() if self.config.merged else []
        return sorted({*self.givers, *getters})

    @property
    def gather_levels(self) -> int:
        """Cycles from the nodes that tell to the place that knows whether all have."""
        return count_levels(len(self.tellers))

    @property
    def open_cycles(self) -> int:
        """Cycles from the last word of a round to its first phase at least, where it needs all.

        Registers at both ends of the trees, and where that is decided; and the word's.
        """
        return self.gather_levels + self.pace_levels + 4 + self.own_register

    @property
    def ahead(self) -> int:
        """In which phase nodes are when they hear what is decided in the first cycle after a reset.

        It is whether they take words, and there is a register at the node. A round of taking words
        begins with a phase 0, or with the phase before that.
        """
        return (self.pace_levels + 1 + self.own_register) % self.round

    @property
    def kept_rounds(self) -> int:
        """For the words of how many rounds inject streams have queues; 0 for no queues.

        So many that no round has to wait for room: one of them is given, while those before wait
        until their last words have left.
        """
        if not self.config.complete:
            return 0
        return 1 + -(-(self.open_cycles + self.last_given) // self.period)

    @property
    def last_given(self) -> int:
        """When the last word of a round leaves its queue, counted from the first phase."""
        if self.gathers:
            # Into the register of an own word it leaves a cycle before.
            return -int(self.own_register)
        return int((self.flows.phase + self.round * self.waits).max())

    @cached_property
    def most_words(self) -> int:
        """The words of a round that are for the node for which most are."""
        words: IntArray = (self.taken != NONE).sum(axis=(0, 2))
        return int(words.max(initial=0))

    @property
    def period(self) -> int:
        """Cycles from one round with words to the next, at full speed.

        Out of one eject stream comes a word in a cycle.
        """
        words = self.most_words if self.config.merged else 0
        return self.round * max(1, -(-words // self.round))

    @cached_property
    def room_rounds(self) -> int:
        """For the words of how many rounds each node has room, behind one eject stream.

        So many that no round has to wait for room: from the first phase of one its words come, are
        read, and leave; the node tells that, and another one begins. And not less than asked for.
        """
        if not self.config.merged:
            return 0
        comes = self._comes[self.taken != NONE].max(initial=0) - self.round * self.own_register
        cycles = int(comes) + READ_CYCLES + self.most_words - 1 + self.open_cycles
        rounds = -(-cycles // self.round) * self.round
        return max(-(-rounds // self.period), -(-self.config.queue // max(1, self.most_words)))

    @cached_property
    def told_rounds(self) -> int:
        """For how many rounds at most a node has told that it is ready, before they begin."""
        if not self.config.merged:
            return self.kept_rounds
        givers, getters = {*self.givers}, {*self.ejects[:, 0].tolist()}
        limits = [
            *[self.kept_rounds] * bool(givers - getters),
            *[self.room_rounds] * bool(getters - givers),
            *[min(self.kept_rounds, self.room_rounds)] * bool(givers & getters),
        ]
        return max(limits)

    @property
    def eject_cycles(self) -> int:
        """Cycles that a word spends in a queue whose sink waits for it."""
        return int(self.config.queued)

    def check_turns(self) -> Self:
        """Refuse words of one round that a stream gives behind some of the next one.

        In a queue their order would depend on when rounds begin. Returns the program itself.
        """
        when = self.flows.phase + self.round * self.waits
        for stream, inject in enumerate(self.injects if self.config.complete else ()):
            if np.ptp(when[self.flows.inject == stream]) >= self.round:
                raise CheckError(
                    f"{self.network.spec}: {self.network.label(inject.node)} gives words of one "
                    f"round of {self.round} cycles behind some of the next one, by the same stream;"
                    " rounds of other lengths may not"
                )
        return self

    def check_order(self) -> Self:
        """Refuse words that come by an in-port behind some of the next round, where rounds wait.

        Whose they are would depend on when rounds begin. Returns the program itself.
        """
        for node in self.tellers if self.config.merged else ():
            if not all(map(comes_whole, self.arrivals(node))):
                raise CheckError(
                    f"{self.network.spec}: {self.network.label(node)} gets words of one round of "
                    f"{self.round} cycles behind some of the next one, by the same in-port; rounds "
                    "of one cycle have none"
                )
        return self

    @cached_property
    def shared(self) -> list[int]:
        """The numbers of the tables for the routers of which a part outside chooses."""
        nodes = np.bincount(self.table, minlength=len(self.tables))
        return [
            number
            for number, table in enumerate(self.tables)
            if self.config.shared and nodes[number] > 1 and table.rom_bits
        ]

    def check_shared(self) -> Self:
        """Refuse that routers are told what they choose where no two choose the same."""
        if self.config.shared and not self.shared:
            raise CheckError(f"{self.network.spec}: no two nodes have the same choices in a round")
        return self

    @cached_property
    def _first(self) -> IntArray:
        """When each word of a round is taken, counted from its first phase; an array (flows).

        Where a round needs those of all, it is when they have to be there.
        """
        if self.config.complete:
            leaves = self.round * self.own_register
            return np.full_like(self.flows.phase, leaves - self.open_cycles)
        first: IntArray = self.flows.phase + self.round * self.waits
        return first

    @cached_property
    def _comes(self) -> IntArray:
        """When what is taken comes out of the routers, counted likewise; an array like it."""
        phases: IntArray = np.arange(self.round)[:, None, None] + 1 + self.round * self.after
        return phases

    @cached_property
    def _pace(self) -> RoundPace:
        """How rounds follow one another where nodes have one eject stream."""
        (_, node, _), nodes = np.nonzero(self.taken != NONE), self.network.nodes
        whole = np.zeros(nodes, dtype=np.int64)
        np.maximum.at(whole, node, self._comes[self.taken != NONE] - self.round * self.own_register)
        words = np.bincount(node, minlength=nodes)
        given = self.last_given + 1 + self.open_cycles
        return RoundPace(
            *(self.round, whole + READ_CYCLES, words, self.room_rounds, self.open_cycles),
            *(self.kept_rounds, given),
        )

    def _leaves(self, later: int) -> IntArray:
        """When each of what is taken leaves the network, likewise, in the order of the array.

        It is what is taken so many rounds later at full speed.
        """
        _, node, _ = np.nonzero(self.taken != NONE)
        if not self.config.merged:
            comes: IntArray = self._comes[self.taken != NONE] + self.eject_cycles
            return comes + later * self.round
        in_order = np.lexsort((self.numbers[self.taken[self.taken != NONE]], node))
        place = np.empty_like(in_order)
        place[in_order] = np.arange(node.size) - np.searchsorted(node[in_order], node[in_order])
        first = self._pace.first + self.round * self.own_register + self._pace.delays(later)
        leaves: IntArray = first[node] + place
        return leaves

    def _last(self, later: int) -> IntArray:
        """When each word of a round is ejected for the last time, if all move on; the same."""
        taken, (word, value) = self.taken != NONE, self.memberships
        last = np.zeros(1 + int(value.max(initial=0)), dtype=np.int64)
        np.maximum.at(last, self.taken[taken], self._leaves(later))
        result = np.zeros(self.flows.phase.size, dtype=np.int64)
        np.maximum.at(result, word, last[value])
        return result

    @property
    def latency(self) -> IntArray:
        """Cycles from the acceptance of each word of a round to its last eject, if all move on.

        An array (flows).
        """
        return self.latency_of(1)

    def latency_of(self, rounds: int) -> IntArray:
        """The same until the last eject of that of the last of some rounds, at full speed."""
        return self._last(rounds - 1) - self._first

    @property
    def cycles(self) -> int:
        """Cycles from the acceptance of the first word of a round to the last eject."""
        return self.cycles_of(1)

    def cycles_of(self, rounds: int) -> int:
        """The same until the last eject of the last one of some rounds, at full speed."""
        return int(self._last(rounds - 1).max() - self._first.min())
