"""Routers of the timetable fabric that are played cycle by cycle, by tables and wires alone."""

from collections import defaultdict, deque
from collections.abc import Sequence

from noc.model import Traffic
from noc.model.faults import NO_FAULTS, Faults
from noc.programs.round_table import OWN, loop_of
from noc.programs.rounds import RoundProgram


class Played:
    """A network: a register is what came some cycles before, in which the network moved on."""

    def __init__(
        self,
        program: RoundProgram,
        traffic: Traffic,
        starts: Sequence[bool] = (True,),
        faults: Faults = NO_FAULTS,
    ) -> None:
        self.program, self.traffic, self.starts, self.faults = program, traffic, starts, faults
        self.lane = len(program.network.in_ports) + 1
        # What the program finds out anew from all its tables each time that it is asked.
        self.own_register = program.own_register
        self.kept_rounds = program.kept_rounds if program.config.complete else 0
        self.turns = [*map(self._turns, range(len(program.injects)))]
        self.waiting = defaultdict(list)
        words = zip(traffic.source.tolist(), traffic.release.tolist(), strict=True)
        for word, (source, release) in enumerate(words):
            self.waiting[program.injects[source]].append((word, release))
        self.came: dict[tuple[int, int, int], int] = {}
        self.given: dict[int, int | None] = {}
        self.arriving: list[tuple[int, int, int]] = []
        ends = [(int(node), int(entry)) for node, entry in program.ejects]
        self.queues: dict[tuple[int, int], deque[tuple[int, int]]] = {end: deque() for end in ends}
        nodes = [node for node, _ in ends]
        self.turn = {end: number - nodes.index(end[0]) for number, end in enumerate(ends)}
        #: In which cycles a queue was full, in which the place that knows says that the network is
        #: to move on, and in which it did.
        self.full: list[bool] = []
        self.goes: list[bool] = []
        self.moved: list[bool] = []
        self.left, self.asked = 0, False
        #: Of each inject stream the words in its queue, where rounds have the words of all.
        self.kept: dict[int, deque[int]] = {each: deque() for each in range(len(program.injects))}
        self.entered = dict.fromkeys(self.kept, 0)
        #: For how many rounds all had words, by cycle; and whether the round has words of which the
        #: place that knows decides.
        self.filled: list[int] = []
        self.opens: list[bool] = []
        self.open, self.opened = False, 0
        #: Whether nodes were told to take words, when they moved on last.
        self.takes = False
        #: Of each node with one eject stream the words of each round that have come, by source;
        #: those of whole rounds, in their order; what is looked up, and what is offered.
        self.room = program.room_rounds
        self.comes: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        self.line: dict[int, deque[tuple[int, int]]] = {node: deque() for node in nodes}
        self.read: dict[int, tuple[int, int] | None] = dict.fromkeys(nodes)
        self.shown: dict[int, tuple[int, int] | None] = dict.fromkeys(nodes)
        self.sunk = dict.fromkeys(nodes, 0)
        sources, targets = program.exchange.pairs(program.network)
        self.due = {n: sorted(sources[targets == n].tolist()) for n in nodes if self.room}
        self.round_of: dict[int, int] = {}
        self.events: list[tuple[int, int, int, int, int]] = []

    def run(self, cycles: int) -> list[tuple[int, int, int, int, int]]:
        """Cycle, node, port, word and phase of every transfer, in order."""
        levels = 1
        while 4**levels < self.nodes:
            levels += 1
        for cycle in range(cycles):
            if self.program.config.complete:
                self._enter(cycle)
            if self.program.config.merged:
                self._name(cycle)
            else:
                self._serve(cycle)
            if self.program.config.complete:
                self._count()
            for node, entry, word in self.arriving:
                self._arrive(cycle, node, entry, word)
            self.arriving = []
            self._decide(cycle, cycle > levels and self.full[cycle - levels - 1])
            if self.program.config.complete:
                self._open(cycle, levels)
            early = not self.program.config.pulsed
            self.moved.append(self.goes[cycle - levels] if cycle >= levels else early)
            if self.moved[-1]:
                self._go_on(cycle, sum(self.moved) - 1)
                self.takes = cycle >= levels and self.program.config.complete
                self.takes = self.takes and self.opens[cycle - levels]
        return sorted(self.events)

    def _turns(self, stream: int) -> list[int]:
        """The phases in which an inject stream gives words."""
        node, port = self.program.injects[stream]
        if port is None:
            return [self.program.inject_phase]
        choices = dict(self.program.table_of(node).sends)[port]
        return [phase for phase, each in enumerate(choices) if each and each.in_port == OWN]

    def _enter(self, cycle: int) -> None:
        """Words wait for their round, while there is room."""
        for stream, inject in enumerate(self.program.injects):
            waiting, turns = self.waiting[inject], self.turns[stream]
            room = self.kept_rounds * len(turns) - len(self.kept[stream])
            if waiting and waiting[0][1] <= cycle and room:
                word, _ = waiting.pop(0)
                phase = turns[self.entered[stream] % len(turns)]
                self.kept[stream].append(word)
                self.round_of[word] = self.entered[stream] // len(turns)
                self.entered[stream] += 1
                self.events.append((cycle, inject[0], self._port(inject[1]), word, phase))

    def _count(self) -> None:
        """For how many rounds all had words, and room."""
        counts = [count // len(self.turns[each]) for each, count in self.entered.items()]
        counts += [self.room + self.sunk[n] // len(due) for n, due in self.due.items()]
        self.filled.append(min(counts))

    def _name(self, cycle: int) -> None:
        """Sinks take what is offered, and readers go on where nothing is."""
        self.full.append(False)
        for node, shown in self.shown.items():
            if shown is not None:
                if not self._takes(cycle, node, 0):
                    continue
                self.events.append((cycle, node, self.lane, *shown))
                self.sunk[node] += 1
            self.shown[node] = self.read[node]
            self.read[node] = self.line[node].popleft() if self.line[node] else None

    def _open(self, cycle: int, levels: int) -> None:
        """Whether the next round has words: of those that all had some cycles before."""
        gather = 1
        tell = {node for node, _ in self.program.injects} | {*self.due}
        while 4**gather < len(tell):
            gather += 1
        self.opens.append(self.open)
        known = self.filled[cycle - gather - 2] if cycle > gather + 1 else 0
        # The nodes are ahead by as many cycles as it takes to tell them.
        early = 1 + self.own_register
        ends = (levels + early + sum(self.goes)) % self.program.round == 0
        if self.goes[-1] and ends:
            self.open = known > self.opened
            self.opened += self.open

    def _decide(self, cycle: int, full: bool) -> None:
        """Whether all are to move on: for a round after each pulse, if rounds need one."""
        goes, pulses = not full, self.program.config.pulsed
        goes = goes and (self.left > 0 or not pulses)
        self.goes.append(goes)
        self.left -= goes
        if self.asked and self.left <= 0:
            self.left, self.asked = self.program.round, False
        self.asked = self.asked or self.starts[cycle % len(self.starts)]

    def _arrive(self, cycle: int, node: int, entry: int, word: int) -> None:
        """What came in the cycle before leaves, or waits for the sink."""
        phase = sum(self.moved) % self.program.round
        if self.program.config.merged:
            of_round = self.comes[node, self.round_of[word]]
            source = self.program.injects[self.traffic.source[word]].node
            of_round[source] = word
            if sorted(of_round) == self.due[node]:
                self.line[node].extend((of_round[each], each) for each in self.due[node])
            rounds = [number for there, number in self.comes if there == node]
            assert max(rounds) - self.sunk[node] // len(self.due[node]) < self.room
        elif self.program.config.queued:
            self.queues[node, entry].append((word, phase))
            assert len(self.queues[node, entry]) <= self.program.queue_depth
        else:
            self.events.append((cycle, node, self.lane + entry, word, phase))

    def _serve(self, cycle: int) -> None:
        """Sinks take the oldest words."""
        queue = self.program.config.queue
        self.full.append(any(len(words) >= queue > 0 for words in self.queues.values()))
        for end, words in self.queues.items():
            if words and self._takes(cycle, end[0], self.turn[end]):
                word, phase = words.popleft()
                self.events.append((cycle, end[0], self.lane + end[1], word, phase))

    def _takes(self, cycle: int, node: int, turn: int) -> bool:
        """Whether a sink takes a word."""
        ready, dead = self.traffic.ready, cycle >= self.faults.sinks.get(node, cycle + 1)
        return bool(ready[(cycle + turn) % len(ready), node]) and not dead

    def _go_on(self, cycle: int, time: int) -> None:
        """What the tables say in a phase."""
        program, phase = self.program, time % self.program.round
        gives = program.gathers and phase == program.inject_phase
        taken = {node: self._take(cycle, node, None, phase) for node in range(gives * self.nodes)}
        if not self.own_register:
            self.given |= taken
        for node in range(self.nodes):
            for port, choices in program.table_of(node).sends:
                register = choices[phase]
                if register is None:
                    continue
                if register.in_port != OWN:
                    word = self.came.get((time - register.age, node, register.in_port))
                elif program.gathers:
                    word = self.given.get(node)
                else:
                    word = self._take(cycle, node, port, phase)
                if word is not None:
                    self._carry(cycle, time, node, port, word)
        self.given |= taken

    @property
    def nodes(self) -> int:
        return self.program.network.nodes

    def _take(self, cycle: int, node: int, port: int | None, phase: int) -> int | None:
        """The word that a node gives, by an out-port or by all, if it has one."""
        if self.program.config.complete:
            # Whoever takes one has one.
            kept = self.kept[self.program.injects.index((node, port))]
            return kept.popleft() if self.takes else None
        waiting = self.waiting[node, port]
        if not waiting or waiting[0][1] > cycle:
            return None
        word, _ = waiting.pop(0)
        self.events.append((cycle, node, self._port(port), word, phase))
        return word

    def _port(self, port: int | None) -> int:
        """What events have as the port of a node's inject stream."""
        first = self.lane + loop_of(self.program.network) + 1
        return self.lane - 1 if port is None else first + port

    def _carry(self, cycle: int, time: int, node: int, port: int, word: int) -> None:
        """A word goes to a neighbour, which may keep it."""
        net, phase = self.program.network, time % self.program.round
        there, entry = int(net.neighbour[node, port]), int(net.arrival[node, port])
        if cycle >= self.faults.links.get((node, there), cycle + 1):
            return
        self.came[time, there, entry] = word
        self.events.append((cycle, there, entry, word, phase))
        table = self.program.table_of(there)
        if table.takes is None or table.takes[table.in_ports.index(entry)][phase]:
            self.arriving.append((there, entry, word))


def played(
    program: RoundProgram,
    traffic: Traffic,
    cycles: int,
    starts: Sequence[bool] = (True,),
    faults: Faults = NO_FAULTS,
) -> list[tuple[int, int, int, int, int]]:
    """The events of some cycles."""
    return Played(program, traffic, starts, faults).run(cycles)
