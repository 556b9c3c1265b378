"""The cycle model to be read: every router an object, written from the text of docs/router.md.

Slow and plain. The compiled form in :mod:`noc.model.kernel` gives the same events.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from noc.model.dependencies import Dependencies, Vertex
from noc.model.traffic import Traffic
from noc.programs.program import Program
from noc.programs.table import Entry, RouterTable

__all__ = ["Event", "ReferenceNetwork"]

#: (cycle, node, port, VC, code, word), as :meth:`noc.model.Events.tuples` lists them.
Event = tuple[int, int, int, int, int, int]

#: A copy of a word: its place among the sends of its row, or the one for the node itself.
Copy = int | Literal["eject"]

#: What is asked of a router: by in-port the row that the word has here, and the word.
Requests = dict[int, tuple[Entry, int]]

# Every so many turns, the arbiter of the VCs is fair.
_LAPS = 4

# Slots of a virtual channel, and of a relay.
_SLOTS = 2


@dataclass
class Held:
    """A word in a slot, and what its row says."""

    word: int
    row: Entry


class RoundRobinTree:
    """A round-robin arbiter: two halves of the requesters, the first the larger, each a tree."""

    def __init__(self, requesters: Sequence[int]) -> None:
        self.requesters, self.first_is_next = requesters, True
        half = (len(requesters) + 1) // 2
        parts = [requesters[:half], requesters[half:]] if len(requesters) > 1 else []
        self.halves = [RoundRobinTree(part) for part in parts]

    def winner(self, requesting: set[int]) -> int:
        """Who wins of those that request."""
        if not self.halves:
            return self.requesters[0]
        first, second = self.halves
        sides = [first, second] if self.first_is_next else [second, first]
        return next(side for side in sides if requesting & set(side.requesters)).winner(requesting)

    def pass_turns(self, winner: int) -> None:
        """After a win, at each pair on its way the other side is next."""
        for half, first_is_next in zip(self.halves, (False, True), strict=False):
            if winner in half.requesters:
                self.first_is_next = first_is_next
                half.pass_turns(winner)


class ReferenceRouter:
    """One router.

    Parameters
    ----------
    program : Program
        The program.
    table : RouterTable
        The table of this router.
    """

    def __init__(self, program: Program, table: RouterTable) -> None:
        self.one_port, self.one_source = table.one_port, table.one_source
        self.rows = {entry.code: entry for entry in table.arriving}
        self.own = table.own
        #: The words of each VC, oldest first: two at most.
        self.slots: list[list[Held]] = [[] for _ in range(table.vcs)]
        #: The copies of the oldest word of each VC that are still to be sent.
        self.pending: list[set[Copy]] = [set() for _ in range(table.vcs)]
        self.active = 0
        in_ports = [port.number for port in table.in_ports]
        own = [program.inject] if table.trees else []
        self.port_arbiter = RoundRobinTree([*in_ports, *own])
        self.vc_arbiter = RoundRobinTree(range(table.vcs))
        #: The in-ports that found no slot in the cycle before.
        self.blocked: set[int] = set()
        self.lap = 0
        #: What waits for the sink of the node, if there is a queue, and how much did at first.
        self.queue: list[Held] = []
        self.waiting = 0
        #: What came over each in-port and is not stored yet, two words at most.
        self.relays: dict[int, list[tuple[Entry, int]]] = {number: [] for number in in_ports}

    def head(self, vc: int) -> Held | None:
        """The oldest word of a VC."""
        return self.slots[vc][0] if self.slots[vc] else None

    @property
    def shown(self) -> Held:
        """The word on the bus, where there is one."""
        return self.slots[self.active][0]

    def presented(self) -> list[Copy]:
        """The copies of the word on the bus that are on the streams."""
        pending = self.pending[self.active]
        sends: list[Copy] = list(sends_of(pending))
        if self.one_port:
            sends = sends[:1]
        return sends + (["eject"] if "eject" in pending else [])

    def can_take(self, row: Entry) -> bool:
        """Whether there is a free slot for a word."""
        return len(self.slots[row.vc]) < _SLOTS

    def grant(self, requests: Requests) -> tuple[int | None, set[int]]:
        """The in-port whose word is taken, and those that lose arbitration."""
        fits = {port for port, (row, _) in requests.items() if self.can_take(row)}
        requesting = fits if len(self.slots) == 1 else set(requests) - self.blocked
        winner = None
        if requesting:
            fixed = self.one_source
            winner = min(requesting) if fixed else self.port_arbiter.winner(requesting)
            self.port_arbiter.pass_turns(winner)
        return (winner, fits - {winner}) if winner in fits else (None, fits)

    def update(self, requests: Requests, winner: int | None, left: set[Copy], stays: bool) -> None:
        """Everything that changes at the end of a cycle."""
        others = {vc for vc, words in enumerate(self.slots) if words} - {self.active}
        if len(self.slots) > 1:
            self.blocked = {p for p, (row, _) in requests.items() if not self.can_take(row)}
        if self.slots[self.active]:
            self.pending[self.active] -= left
            if not self.pending[self.active]:
                del self.slots[self.active][0]
                self._begin(self.active)
        empty = not self.slots[self.active]
        stored = None if winner is None else self._store(*requests[winner])
        if not stays:
            self._turn(others, stored if empty else None)

    def _store(self, row: Entry, word: int) -> int:
        """Put a word into a slot; its VC."""
        self.slots[row.vc].append(Held(word, row))
        if len(self.slots[row.vc]) == 1:
            self._begin(row.vc)
        return row.vc

    def _begin(self, vc: int) -> None:
        """All copies of a new head are pending."""
        head = self.head(vc)
        if head is not None:
            eject: list[Copy] = ["eject"] if head.row.deliver else []
            self.pending[vc] = {*range(len(head.row.sends)), *eject}

    def _turn(self, others: set[int], stored: int | None) -> None:
        """Give the bus to another VC that had a head, or to one that comes to an empty bus."""
        if others:
            self.lap += 1
            fair = self.lap % _LAPS == 0
            self.active = self.vc_arbiter.winner(others) if fair else min(others)
            if fair:
                self.vc_arbiter.pass_turns(self.active)
        elif stored is not None:
            self.active = stored


def sends_of(copies: Iterable[Copy]) -> list[int]:
    """The sends among some copies, in order."""
    return sorted(copy for copy in copies if copy != "eject")


@dataclass
class _Sent:
    """What became of the presented copies of a router."""

    left: set[Copy] = field(default_factory=set)
    stays: bool = False


class ReferenceNetwork:
    """All routers.

    Parameters
    ----------
    program : Program
        What the routers run.
    traffic : Traffic
        Words and sinks.
    """

    def __init__(self, program: Program, traffic: Traffic) -> None:
        self.program, self.network, self.traffic = program, program.network, traffic
        self.relayed = program.config.link_registers == 1
        self.ready = traffic.ready.tolist()
        nodes = range(self.network.nodes)
        self.routers = [ReferenceRouter(program, program.table_of(node)) for node in nodes]
        self.offered: list[list[int]] = [[] for _ in nodes]
        for word, source in enumerate(traffic.source.tolist()):
            self.offered[source].append(word)
        self.events: list[Event] = []
        #: For each cycle that has begun, whether the network is empty.
        self.idle = [True]
        self.cycle = 0

    def run(self, cycles: int) -> list[Event]:
        """Go on to a cycle; all events so far, sorted."""
        while self.cycle < cycles:
            self.step()
        return sorted(self.events)

    def step(self) -> None:
        """One cycle: first what registers and grants say, then the updates."""
        sinks = self.ready[self.cycle % len(self.ready)]
        shown = [router.presented() for router in self.routers]
        requests = self._requests(shown)
        grants = [r.grant(asked) for r, asked in zip(self.routers, requests, strict=True)]
        room = [{p: len(w) < _SLOTS for p, w in r.relays.items()} for r in self.routers]
        for node, router in enumerate(self.routers):
            router.waiting = len(router.queue)
            if sinks[node] and router.queue:
                self._give(node, router.queue.pop(0))
        arrived: list[tuple[int, int, Entry, int]] = []
        sent = [
            self._sent(node, shown[node], sinks[node], grants, room, arrived)
            for node in range(len(self.routers))
        ]
        for node, router in enumerate(self.routers):
            self._take(node, requests[node], grants[node][0])
            router.update(requests[node], grants[node][0], sent[node].left, sent[node].stays)
        for node, in_port, row, word in arrived:
            self.routers[node].relays[in_port].append((row, word))
            self._record(node, in_port, row, word)
        held = [words for r in self.routers for words in (*r.slots, *r.relays.values())]
        self.idle.append(not any(held))
        self.cycle += 1

    def dependencies(self) -> Dependencies:
        """For each (node, VC) with a word those that its oldest word has still to enter."""
        result: Dependencies = {}
        for node, router in enumerate(self.routers):
            for vc in range(len(router.slots)):
                head = router.head(vc)
                if head is not None:
                    sends = [head.row.sends[copy] for copy in sends_of(router.pending[vc])]
                    sends = sends[:1] if router.one_port else sends
                    result[node, vc] = [self._vertex(node, *send) for send in sends]
        return result

    def _vertex(self, node: int, port: int, code: int) -> Vertex:
        there, _ = self._far(node, port)
        return there, self.routers[there].rows[code].vc

    def _far(self, node: int, port: int) -> tuple[int, int]:
        return int(self.network.neighbour[node, port]), int(self.network.arrival[node, port])

    def _requests(self, shown: list[list[Copy]]) -> list[Requests]:
        """What is asked of every router."""
        requests: list[Requests] = [{} for _ in self.routers]
        for node, router in enumerate(self.routers):
            for in_port, words in router.relays.items():
                if words:
                    requests[node][in_port] = words[0]
            if not self.relayed:
                for copy in sends_of(shown[node]):
                    port, code = router.shown.row.sends[copy]
                    there, arrival = self._far(node, port)
                    row = self.routers[there].rows[code]
                    requests[there][arrival] = (row, router.shown.word)
            word = next(iter(self.offered[node]), None)
            if word is not None and self.traffic.release[word] <= self.cycle:
                row = router.own[int(self.traffic.tree[word])]
                requests[node][self.program.inject] = (row, word)
        return requests

    def _sent(
        self,
        node: int,
        shown: list[Copy],
        sink: bool,
        grants: list[tuple[int | None, set[int]]],
        room: list[dict[int, bool]],
        arrived: list[tuple[int, int, Entry, int]],
    ) -> _Sent:
        """Which of the presented copies of a router leave, and whether the bus is kept."""
        router, sent = self.routers[node], _Sent()
        for copy in shown:
            if copy == "eject":
                if self._eject(node, router.shown, sink):
                    sent.left.add(copy)
                else:
                    sent.stays = True
                continue
            port, code = router.shown.row.sends[copy]
            there, arrival = self._far(node, port)
            if self.relayed:
                if room[there][arrival]:
                    sent.left.add(copy)
                    row = self.routers[there].rows[code]
                    arrived.append((there, arrival, row, router.shown.word))
                continue
            granted, lost = grants[there]
            if granted == arrival:
                sent.left.add(copy)
            sent.stays |= arrival in lost
        return sent

    def _take(self, node: int, requests: Requests, winner: int | None) -> None:
        """The events of a word that is taken, and where it came from."""
        own = self.program.inject
        if winner is None:
            return
        if winner == own:
            self.offered[node].pop(0)
        elif self.relayed:
            self.routers[node].relays[winner].pop(0)
            return
        self._record(node, winner, *requests[winner])

    def _eject(self, node: int, head: Held, sink: bool) -> bool:
        """Hand a word to the queue or to the sink, if it takes it."""
        router, queue = self.routers[node], self.program.config.queue
        if not (router.waiting < queue if queue else sink):
            return False
        if queue:
            router.queue.append(head)
        else:
            self._give(node, head)
        return True

    def _give(self, node: int, head: Held) -> None:
        self._record(node, -1, head.row, head.word)

    def _record(self, node: int, port: int, row: Entry, word: int) -> None:
        self.events.append((self.cycle, node, port, row.vc, row.code, word))
