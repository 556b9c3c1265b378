"""Routers of the timetable fabric that are played cycle by cycle, by tables and wires alone."""

from collections import defaultdict, deque
from collections.abc import Sequence

from noc.model import Traffic
from noc.programs.round_table import OWN, loop_of
from noc.programs.rounds import RoundProgram


class Played:
    """A network: a register is what came some cycles before, in which the network moved on."""

    def __init__(
        self, program: RoundProgram, traffic: Traffic, starts: Sequence[bool] = (True,)
    ) -> None:
        self.program, self.traffic, self.starts = program, traffic, starts
        self.lane = len(program.network.in_ports) + 1
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
        self.events: list[tuple[int, int, int, int, int]] = []

    def run(self, cycles: int) -> list[tuple[int, int, int, int, int]]:
        """Cycle, node, port, word and phase of every transfer, in order."""
        levels = 1
        while 4**levels < self.nodes:
            levels += 1
        for cycle in range(cycles):
            self._serve(cycle)
            for node, entry, word in self.arriving:
                self._arrive(cycle, node, entry, word)
            self.arriving = []
            self._decide(cycle, cycle > levels and self.full[cycle - levels - 1])
            early = self.program.config.start == "always"
            self.moved.append(self.goes[cycle - levels] if cycle >= levels else early)
            if self.moved[-1]:
                self._go_on(cycle, sum(self.moved) - 1)
        return sorted(self.events)

    def _decide(self, cycle: int, full: bool) -> None:
        """Whether all are to move on: for a round after each pulse, if rounds need one."""
        goes, pulses = not full, self.program.config.start == "pulse"
        goes = goes and (self.left > 0 or not pulses)
        self.goes.append(goes)
        self.left -= goes
        if self.asked and self.left <= 0:
            self.left, self.asked = self.program.round, False
        self.asked = self.asked or self.starts[cycle % len(self.starts)]

    def _arrive(self, cycle: int, node: int, entry: int, word: int) -> None:
        """What came in the cycle before leaves, or waits for the sink."""
        phase = sum(self.moved) % self.program.round
        if self.program.config.queued:
            self.queues[node, entry].append((word, phase))
            assert len(self.queues[node, entry]) <= self.program.queue_depth
        else:
            self.events.append((cycle, node, self.lane + entry, word, phase))

    def _serve(self, cycle: int) -> None:
        """Sinks take the oldest words."""
        ready, queue = self.traffic.ready, self.program.config.queue
        self.full.append(any(len(words) >= queue > 0 for words in self.queues.values()))
        for end, words in self.queues.items():
            if words and ready[(cycle + self.turn[end]) % len(ready), end[0]]:
                word, phase = words.popleft()
                self.events.append((cycle, end[0], self.lane + end[1], word, phase))

    def _go_on(self, cycle: int, time: int) -> None:
        """What the tables say in a phase."""
        program, phase = self.program, time % self.program.round
        gives = program.gathers and phase == program.inject_phase
        taken = {node: self._take(cycle, node, None, phase) for node in range(gives * self.nodes)}
        if not program.own_register:
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
        waiting = self.waiting[node, port]
        if not waiting or waiting[0][1] > cycle:
            return None
        word, _ = waiting.pop(0)
        first = self.lane + loop_of(self.program.network) + 1
        place = self.lane - 1 if port is None else first + port
        self.events.append((cycle, node, place, word, phase))
        return word

    def _carry(self, cycle: int, time: int, node: int, port: int, word: int) -> None:
        """A word goes to a neighbour, which may keep it."""
        net, phase = self.program.network, time % self.program.round
        there, entry = int(net.neighbour[node, port]), int(net.arrival[node, port])
        self.came[time, there, entry] = word
        self.events.append((cycle, there, entry, word, phase))
        table = self.program.table_of(there)
        if table.takes is None or table.takes[table.in_ports.index(entry)][phase]:
            self.arriving.append((there, entry, word))


def played(
    program: RoundProgram, traffic: Traffic, cycles: int, starts: Sequence[bool] = (True,)
) -> list[tuple[int, int, int, int, int]]:
    """The events of some cycles."""
    return Played(program, traffic, starts).run(cycles)
