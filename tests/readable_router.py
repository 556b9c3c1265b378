"""The cycle model to be read: every router an object, written from the text of docs/router.md.

Slow and plain. The compiled form in :mod:`noc.model.direct.kernel` gives the same events.
"""

from collections.abc import Iterable
from typing import Literal

from noc.model.traffic import Traffic
from noc.programs.program import Program
from noc.programs.table import Entry, RouterTable

#: (cycle, node, port, code, word), as :meth:`noc.model.direct.Events.tuples` lists them.
Event = tuple[int, int, int, int, int]

#: A copy of a word: its position among the sends of its row, or the one for the node itself.
Copy = int | Literal["eject"]

#: A word in a router: its row in the router's table, and the word.
Held = tuple[Entry, int]

#: What is asked of a router, by in-port.
Requests = dict[int, Held]

# Slots of a router, and of a relay.
_SLOTS = 2


class ReferenceRouter:
    """One router, by its table."""

    def __init__(self, table: RouterTable) -> None:
        self.one_port = table.one_port
        self.rows = {entry.code: entry for entry in table.arriving}
        self.own = table.own
        #: The words in slots, oldest first: two at most.
        self.slots: list[Held] = []
        #: The copies of the oldest word that are still to be sent.
        self.pending: set[Copy] = set()
        #: What waits for the sink of the node, if there is a queue, and how much did at first.
        self.queue: list[Held] = []
        self.waiting = 0
        #: What came over each in-port and is not stored yet, two words at most.
        self.relays: dict[int, list[Held]] = {p.number: [] for p in table.in_ports}

    def presented(self) -> list[Copy]:
        """The copies of the oldest word that are on the streams."""
        sends: list[Copy] = list(sends_of(self.pending))
        if self.one_port:
            sends = sends[:1]
        return sends + (["eject"] if "eject" in self.pending else [])

    def grant(self, requests: Requests) -> int | None:
        """The in-port whose word is taken: the lowest, if there is a free slot."""
        return min(requests) if requests and len(self.slots) < _SLOTS else None

    def update(self, requests: Requests, winner: int | None, left: set[Copy]) -> None:
        """Everything that changes at the end of a cycle."""
        begins = not self.slots
        if self.slots:
            self.pending -= left
            if not self.pending:
                del self.slots[0]
                begins = True
        if winner is not None:
            self.slots.append(requests[winner])
        if begins and self.slots:
            # All copies of a new head are pending.
            row, _ = self.slots[0]
            eject: list[Copy] = ["eject"] if row.deliver else []
            self.pending = {*range(len(row.sends)), *eject}


def sends_of(copies: Iterable[Copy]) -> list[int]:
    """The sends among some copies, in order."""
    return sorted(copy for copy in copies if copy != "eject")


class ReferenceNetwork:
    """All routers, with a program and traffic as :func:`noc.model.direct.simulate` takes them."""

    def __init__(self, program: Program, traffic: Traffic) -> None:
        self.program, self.network, self.traffic = program, program.network, traffic
        self.relayed = program.config.link_registers == 1
        self.ready = traffic.ready.tolist()
        nodes = range(self.network.nodes)
        self.routers = [ReferenceRouter(program.table_of(node)) for node in nodes]
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
                self._record(node, -1, router.queue.pop(0))
        arrived: list[tuple[int, int, Held]] = []
        sent = [
            self._sent(node, shown[node], sinks[node], grants, room, arrived)
            for node in range(len(self.routers))
        ]
        for node, router in enumerate(self.routers):
            self._take(node, requests[node], grants[node])
            router.update(requests[node], grants[node], sent[node])
        for node, in_port, come in arrived:
            self.routers[node].relays[in_port].append(come)
            self._record(node, in_port, come)
        held = [words for r in self.routers for words in (r.slots, *r.relays.values())]
        self.idle.append(not any(held))
        self.cycle += 1

    def _far(self, node: int, copy: int) -> tuple[int, int, Held]:
        """The receiver of a copy of a router's oldest word, the in-port, and the word there."""
        row, word = self.routers[node].slots[0]
        port, code = row.sends[copy]
        far, arrival = self.network.neighbour[node, port], self.network.arrival[node, port]
        return int(far), int(arrival), (self.routers[far].rows[code], word)

    def _requests(self, shown: list[list[Copy]]) -> list[Requests]:
        """What is asked of every router."""
        requests: list[Requests] = [{} for _ in self.routers]
        for node, router in enumerate(self.routers):
            for in_port, words in router.relays.items():
                if words:
                    requests[node][in_port] = words[0]
            if not self.relayed:
                for copy in sends_of(shown[node]):
                    far, arrival, asked = self._far(node, copy)
                    requests[far][arrival] = asked
            word = next(iter(self.offered[node]), None)
            if word is not None and self.traffic.release[word] <= self.cycle:
                (row,) = router.own
                requests[node][self.program.inject] = (row, word)
        return requests

    def _sent(
        self,
        node: int,
        shown: list[Copy],
        sink: bool,
        grants: list[int | None],
        room: list[dict[int, bool]],
        arrived: list[tuple[int, int, Held]],
    ) -> set[Copy]:
        """Which of the presented copies of a router leave."""
        router, left = self.routers[node], set[Copy]()
        for copy in shown:
            if copy == "eject":
                if self._eject(node, router.slots[0], sink):
                    left.add(copy)
                continue
            far, arrival, come = self._far(node, copy)
            if not self.relayed:
                if grants[far] == arrival:
                    left.add(copy)
            elif room[far][arrival]:
                left.add(copy)
                arrived.append((far, arrival, come))
        return left

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
        self._record(node, winner, requests[winner])

    def _eject(self, node: int, head: Held, sink: bool) -> bool:
        """Hand a word to the queue or to the sink, if it takes it."""
        router, queue = self.routers[node], self.program.config.queue
        if not (router.waiting < queue if queue else sink):
            return False
        if queue:
            router.queue.append(head)
        else:
            self._record(node, -1, head)
        return True

    def _record(self, node: int, port: int, held: Held) -> None:
        row, word = held
        self.events.append((self.cycle, node, port, row.code, word))
