"""A second cycle model, of objects, written from the text of docs/router.md: slow and plain."""

from dataclasses import dataclass

from noc.programs.form import STANDARD


@dataclass
class Held:
    """A word in a place, and what its row says."""

    word: int
    state: int
    class_: int
    deliver: bool
    sends: list[tuple[int, int]]


class NaiveRouter:
    def __init__(self, rows: dict, classes: int, one_port: bool, one_source: bool, form) -> None:
        self.rows, self.classes = rows, classes
        self.one_port, self.one_source = one_port, one_source
        # The words of each class, oldest first: two at most.
        self.places: list[list[Held]] = [[] for _ in range(classes)]
        self.pending: list[set] = [set() for _ in range(classes)]
        self.active = 0
        self.ports = Bracket(sorted({in_port for in_port, _ in rows}))
        self.turns = Bracket(list(range(classes)))
        self.stalled: set[int] = set()
        self.lap = 0
        self.form, self.queue = form, []
        # What came over each in-port and is not stored yet: (state, word), two at most.
        self.relays: dict[int, list[tuple[int, int]]] = {in_port: [] for in_port, _ in rows}

    def head(self, class_: int) -> Held | None:
        return self.places[class_][0] if self.places[class_] else None

    def presented(self) -> list:
        """Copies of the active head on the streams: "eject", or the index of a send."""
        pending = self.pending[self.active]
        sends = sorted(copy for copy in pending if copy != "eject")
        if self.one_port:
            sends = sends[:1]
        return sends + [copy for copy in pending if copy == "eject"]

    def can_take(self, class_: int) -> bool:
        return len(self.places[class_]) < 2

    def grant(self, requests: dict[int, tuple[int, int]]) -> tuple[int | None, set[int]]:
        """The in-port that is granted, and those that have lost; requests: (state, word)."""
        fits = {q for q, (state, _) in requests.items() if self.can_take(self.rows[q, state][0])}
        asking = fits if self.classes == 1 else set(requests) - self.stalled
        winner = None
        if asking:
            winner = min(asking) if self.one_source else self.ports.winner(asking)
            self.ports.passes(winner)
        return (winner, fits - {winner}) if winner in fits else (None, fits)

    def update(self, requests, winner, left: set, stays: bool) -> None:
        """Everything that changes at the end of a cycle."""
        others = {c for c in range(self.classes) if self.places[c]} - {self.active}
        stored = None
        if self.classes > 1:
            full = {q for q, (s, _) in requests.items() if not self.can_take(self.rows[q, s][0])}
            self.stalled = full
        if self.places[self.active]:
            self.pending[self.active] -= left
            if not self.pending[self.active]:
                del self.places[self.active][0]
                self.begin(self.active)
        empty = not self.places[self.active]
        if winner is not None:
            state, word = requests[winner]
            stored, deliver, sends = self.rows[winner, state]
            self.places[stored].append(Held(word, state, stored, deliver, sends))
            if len(self.places[stored]) == 1:
                self.begin(stored)
        if stays:
            return
        if others:
            self.lap += 1
            self.active = min(others) if self.lap % 4 else self.turns.winner(others)
            if self.lap % 4 == 0:
                self.turns.passes(self.active)
        elif stored is not None and empty:
            self.active = stored

    def begin(self, class_: int) -> None:
        """All copies of a new head are pending."""
        head = self.head(class_)
        if head is not None:
            self.pending[class_] = {*range(len(head.sends)), *(["eject"] if head.deliver else [])}


class Bracket:
    """A tournament: two halves of the players, the first the larger, each a bracket of its own."""

    def __init__(self, players: list[int]) -> None:
        self.players, self.first_is_next = players, True
        half = (len(players) + 1) // 2
        self.halves = [Bracket(players[:half]), Bracket(players[half:])] if len(players) > 1 else []

    def winner(self, asking: set[int]) -> int:
        if not self.halves:
            return self.players[0]
        first, second = self.halves
        sides = [first, second] if self.first_is_next else [second, first]
        return next(side for side in sides if asking & set(side.players)).winner(asking)

    def passes(self, winner: int) -> None:
        for half, next_ in zip(self.halves, (False, True), strict=False):
            if winner in half.players:
                self.first_is_next = next_
                half.passes(winner)


class NaiveNetwork:
    def __init__(self, program, classes, traffic, form=STANDARD) -> None:
        self.network, self.traffic = program.network, traffic
        self.ready = traffic.ready.tolist()
        self.own = program.inject
        self.routers = []
        for node in range(self.network.nodes):
            colour, site = int(classes.colour[node]), int(program.site[node])
            rows = {}
            for row in program.rows(site):
                port = self.own if row.in_port is None else row.in_port
                number = int(program.first_row[site, port]) + row.state
                sends = [(send.port, send.state) for send in row.sends]
                rows[port, row.state] = (int(classes.of_row[colour, number]), row.deliver, sends)
            one_port = program.ports == "one"
            self.routers.append(
                NaiveRouter(rows, classes.count, one_port, classes.one_source, form)
            )
        self.offered = {node: [] for node in range(self.network.nodes)}
        for word, source in enumerate(traffic.source.tolist()):
            self.offered[source].append(word)
        self.events: list[tuple] = []
        # For each cycle that has begun, whether the network is empty.
        self.idle = [True]
        self.cycle = 0

    def run(self, cycles: int) -> list[tuple]:
        """Events as (cycle, node, port, class, state, word), sorted."""
        while self.cycle < cycles:
            self.step()
        return sorted(self.events)

    def step(self) -> None:
        sink = self.ready[self.cycle % len(self.ready)]
        shown = [router.presented() for router in self.routers]
        requests = self.collect(shown)
        grants = [r.grant(q) for r, q in zip(self.routers, requests, strict=True)]
        results, arrived = [], []
        relayed = self.routers[0].form.link_registers == 1
        room = [{q: len(words) < 2 for q, words in r.relays.items()} for r in self.routers]
        for node, router in enumerate(self.routers):
            router.waiting = len(router.queue)
            if sink[node] and router.queue:
                self.give(node, router.queue.pop(0))
        for node, router in enumerate(self.routers):
            left, stays = set(), False
            for copy in shown[node]:
                if copy == "eject":
                    if self.takes(router, sink[node]):
                        left.add(copy)
                        self.eject(node, router.head(router.active))
                    else:
                        stays = True
                else:
                    port, state = router.head(router.active).sends[copy]
                    there, arrival = self.far(node, port)
                    if relayed:
                        if room[there][arrival]:
                            left.add(copy)
                            arrived.append((there, arrival, state, router.head(router.active).word))
                    elif grants[there][0] == arrival:
                        left.add(copy)
                    stays = stays or (not relayed and arrival in grants[there][1])
            results.append((left, stays))
        for node, (router, (left, stays)) in enumerate(zip(self.routers, results, strict=True)):
            winner = grants[node][0]
            if winner is not None and (not relayed or winner == self.own):
                self.take(node, winner, *requests[node][winner])
            router.update(requests[node], winner, left, stays)
            if relayed and winner not in (None, self.own):
                router.relays[winner].pop(0)
        for node, in_port, state, word in arrived:
            self.routers[node].relays[in_port].append((state, word))
            self.arrive(node, in_port, state, word)
        held = [words for r in self.routers for words in (*r.places, *r.relays.values())]
        self.idle.append(not any(held))
        self.cycle += 1

    def takes(self, router: NaiveRouter, sink: int) -> bool:
        """Whether a word that is shown to the node is taken: by the queue, or by the sink."""
        return router.waiting < router.form.queue if router.form.queue else bool(sink)

    def far(self, node: int, port: int) -> tuple[int, int]:
        return int(self.network.neighbour[node, port]), int(self.network.arrival[node, port])

    def collect(self, shown: list[list]) -> list[dict]:
        requests: list[dict] = [{} for _ in self.routers]
        for node, router in enumerate(self.routers):
            relayed = router.form.link_registers == 1
            for in_port, words in router.relays.items():
                if words:
                    requests[node][in_port] = words[0]
            for copy in shown[node]:
                if copy != "eject" and not relayed:
                    head = router.head(router.active)
                    port, state = head.sends[copy]
                    there, arrival = self.far(node, port)
                    requests[there][arrival] = (state, head.word)
            if self.offered[node] and self.traffic.release[self.offered[node][0]] <= self.cycle:
                word = self.offered[node][0]
                requests[node][self.own] = (int(self.traffic.tree[word]), word)
        return requests

    def take(self, node: int, in_port: int, state: int, word: int) -> None:
        self.arrive(node, in_port, state, word)
        if in_port == self.own:
            self.offered[node].pop(0)

    def arrive(self, node: int, in_port: int, state: int, word: int) -> None:
        class_ = self.routers[node].rows[in_port, state][0]
        self.events.append((self.cycle, node, in_port, class_, state, word))

    def eject(self, node: int, head: Held) -> None:
        if self.routers[node].form.queue:
            self.routers[node].queue.append(head)
        else:
            self.give(node, head)

    def give(self, node: int, head: Held) -> None:
        self.events.append((self.cycle, node, -1, head.class_, head.state, head.word))

    def waits(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """For each (node, class) with a word the places that its oldest word asks for next."""
        result = {}
        for node, router in enumerate(self.routers):
            for class_ in filter(router.head, range(router.classes)):
                sends = sorted(router.pending[class_] - {"eject"})
                asked = [router.head(class_).sends[copy] for copy in sends]
                result[node, class_] = [self.place(node, *send) for send in asked]
                if router.one_port:
                    del result[node, class_][1:]
        return result

    def place(self, node: int, port: int, state: int) -> tuple[int, int]:
        there, arrival = self.far(node, port)
        return there, self.routers[there].rows[arrival, state][0]
