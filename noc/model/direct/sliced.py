"""Runs of routers that send the slices of a word along trees of their own: ``docs/slices.md``.

No slice ever waits on a link, and all of a word are ejected in one cycle, so that the cycle of
every transfer follows from the one in which the word is taken.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.model.direct.state import Counts
from noc.model.faults import NO_FAULTS, Faults
from noc.model.runs import (
    DRAINED,
    EVENTS_AT_A_TIME,
    FULL,
    HUNGRY,
    LIMIT,
    NONE,
    Feed,
    Offered,
    by_number,
    last_cycle,
    new_record,
)
from noc.model.traffic import LongTraffic, Traffic, Words, check_stalls
from noc.networks import IntArray
from noc.networks.named import Link, links_between
from noc.programs.execute import arrivals
from noc.programs.program import Program
from noc.trees.tree import NO_PARENT

# The port of eject streams in events.
_EJECT = -1


class Course(NamedTuple):
    """All transfers of a word of one source, by cycles from the one in which it is taken.

    The first is at the inject stream; ``row`` is of use on links only.
    """

    after: IntArray
    node: IntArray
    port: IntArray
    row: IntArray
    #: Until the last one leaves the router that holds it.
    cycles: int


def follow(program: Program, source: int) -> Course:
    """What the tables make of a word: its slices on their trees, and the word at each node."""
    network, hop = program.network, 1 + program.config.link_registers
    columns = [np.array([[0, source, program.inject, program.own_row(source, 0)]]).T]
    copies = np.zeros(network.nodes, dtype=np.int64)
    for tree, comes in arrivals(program, source):
        copies += comes
        node = np.flatnonzero(comes & (tree.parent != NO_PARENT))
        arrival = network.arrival[tree.parent[node], tree.port[node]]
        # It is in a register of the source before it is on the first link.
        columns.append(np.stack([1 + (tree.step[node] - 1) * hop, node, arrival, tree.row[node]]))
    copies[source] = 0
    node = np.flatnonzero(copies >= program.parts)
    # From the link into a register, and from there to where slices wait for each other.
    last = 2 + program.height * hop
    eject = np.full_like(node, last)
    columns.append(np.stack([eject, node, np.full_like(node, _EJECT), np.zeros_like(node)]))
    after, node, port, row = np.concatenate(columns, axis=1).astype(np.int64)
    return Course(after, node, port, row, last if copies.any() else 1)


class SlicedModel:
    """The transfers that are still to come, and what was counted.

    Its members are those of the model of whole words.
    """

    def __init__(
        self,
        program: Program,
        traffic: Traffic | LongTraffic,
        cycles: int | None,
        *,
        arrival: bool = False,
        faults: Faults = NO_FAULTS,
    ) -> None:
        traffic.check(program)
        check_stalls(traffic.ready, program.config)
        nodes = program.network.nodes
        self.counts = new_record(Counts)
        self._program, self._stop = program, last_cycle(cycles)
        self._courses: dict[tuple[int, frozenset[Link]], Course] = {}
        #: Links that die, and from which cycle on.
        self._dies = {
            link: cycle
            for ends, cycle in faults.links.items()
            for link in links_between(program.network, *ends)
        }
        rest = traffic.ready, 0, self._stop
        self.feed: Feed[Words] = Feed(range(nodes), traffic.draw(), by_number, rest)
        self.arrival = np.full((traffic.words if arrival else 0, nodes), NONE, dtype=np.int32)
        #: From when on each source may give its next word, and what happens later.
        self._free = np.zeros(nodes, dtype=np.int64)
        self._later = np.zeros((5, 0), dtype=np.int64)
        #: Who gave the last word, when it is everywhere, and whether that was listed.
        self._sender, self._clear, self._idle = NONE, 0, True

    def run(self, *, events: bool) -> Iterator[tuple[int, IntArray]]:
        """Why it paused or ended, and the events (events, columns) since, part by part."""
        code = FULL
        while code == FULL:
            self._parts = [self._later[:, :0]]
            code = self.feed.go_on(self._advance)
            yield code, np.concatenate(self._parts if events else self._parts[:1], axis=1).T

    def listed(self, table: IntArray, _code: int) -> tuple[IntArray, IntArray]:
        """The columns of events, and when the network became empty or ceased to be."""
        at_node = table[:, 1] != NONE
        return table.T[:, at_node], table[~at_node, 0]

    def end(self, code: int) -> Literal["drained", "limit"]:
        """Why it ended, in a word."""
        return "drained" if code == DRAINED else "limit"

    def _advance(self, offered: Offered) -> int:
        """Go on word by word as far as words are known, and say why not further."""
        while sum(part.shape[1] for part in self._parts) < EVENTS_AT_A_TIME:
            if ((offered.next == offered.end) & (offered.more != 0)).any():
                return HUNGRY
            until = self._take(offered)
            if until < self._stop:
                self._list(until)
                self.counts.cycle = until
                continue
            drained = (offered.next == offered.end).all() and self._clear <= self._stop
            self._list(self._stop + drained)
            self.counts.cycle = self._clear if drained else self._stop
            return DRAINED if drained else LIMIT
        return FULL

    def _take(self, offered: Offered) -> int:
        """Take the next words, and say before which cycle no other is taken."""
        known = [(NONE, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
        until, room = self._stop, EVENTS_AT_A_TIME // self._program.network.nodes + 1
        for source in np.flatnonzero(offered.next < offered.end).tolist():
            first = int(offered.next[source])
            rows = slice(first, min(int(offered.end[source]), first + room))
            release, place = offered.release[rows], np.arange(rows.stop - rows.start)
            cycle = place + np.maximum.accumulate(np.maximum(release, self._free[source]) - place)
            known.append((source, cycle, offered.word[rows]))
            if offered.more[source] or rows.stop < offered.end[source]:
                until = min(until, int(cycle[-1]) + 1)
        taken = []
        for source, cycle, word in known:
            count = int(np.searchsorted(cycle, until))
            if count:
                offered.next[source] += count
                self._free[source] = cycle[count - 1] + 1
                taken.append(np.stack([np.full(count, source), cycle[:count], word[:count]]))
        if taken:
            table = np.concatenate(taken, axis=1)
            self._play(*table[:, np.argsort(table[1], kind="stable")])
        return until

    def _play(self, source: IntArray, cycle: IntArray, word: IntArray) -> None:
        """List all transfers of some words, and when the network begins to hold any, and ends."""
        courses = [
            self._course(*each) for each in zip(source.tolist(), cycle.tolist(), strict=True)
        ]
        last = np.array([course.cycles for course in courses])
        # Routers tell a cycle later that they hold nothing.
        clear = np.append(self._clear, cycle + last + 2)
        begins = cycle >= clear[:-1]
        turns = np.append(self._sender, source[:-1]) != source
        if (turns & ~begins).any():
            place = int(np.flatnonzero(turns & ~begins)[0])
            name = self._program.network.label(int(source[place]))
            raise CheckError(
                f"{self._program.network.spec}: {name} sends in cycle {cycle[place]}, while words "
                "of another source are under way"
            )
        ends = clear[:-1][begins][int(self._idle and begins[0]) :]
        changes = np.concatenate([cycle[begins] + 1, ends])
        self._sender, self._clear, self._idle = int(source[-1]), int(clear[-1]), False
        parts = [self._later, np.stack([changes, *[np.full_like(changes, NONE)] * 4])]
        for course in {id(each): each for each in courses}.values():
            of = np.array([each is course for each in courses])
            shape = int(of.sum()), course.after.size
            columns = (
                course.after + cycle[of, None],
                *(np.broadcast_to(known, shape) for known in course[1:4]),
                np.broadcast_to(word[of, None], shape),
            )
            parts.append(np.stack([column.ravel() for column in columns]))
        self._later = np.concatenate(parts, axis=1)

    def _list(self, until: int) -> None:
        """List what happens before a cycle, behind which further words are taken."""
        if not self._idle and self._clear <= until:
            change = np.array([[self._clear, *[NONE] * 4]]).T
            self._later, self._idle = np.concatenate([self._later, change], axis=1), True
        now = self._later[0] < until
        table, self._later = self._later[:, now], self._later[:, ~now]
        table = table[:, np.lexsort(table[2::-1])]
        self._parts.append(table)
        _, node, port, _, word = table
        ejected = (port == _EJECT) & (node != NONE)
        self.counts.ejected += int(ejected.sum())
        self.counts.injected += int((port == self._program.inject).sum())
        self.counts.taken += int((port >= 0).sum())
        if self.arrival.size:
            self.arrival[word[ejected], node[ejected]] = table[0, ejected]

    def _course(self, source: int, cycle: int) -> Course:
        """The course of a word that is taken in a cycle."""
        network, course = self._program.network, self._follow(source, frozenset())
        # Without faults a slice would be on each of these links, which may be dead by then.
        dead = set()
        for link, begin in self._dies.items():
            by = (course.node == network.neighbour[link]) & (course.port == network.arrival[link])
            if (cycle + course.after[by] >= begin).any():
                dead.add(link)
        return self._follow(source, frozenset(dead))

    def _follow(self, source: int, dead: frozenset[Link]) -> Course:
        if (source, dead) not in self._courses:
            program = replace(self._program, dead=self._program.dead | dead)
            self._courses[source, dead] = follow(program, source)
        return self._courses[source, dead]
