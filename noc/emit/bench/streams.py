"""The streams of the nodes of a module in cocotb, plain or AXI-Stream, each in its node's clock.

It needs nothing but cocotb and what manifest.json says of the module.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer

#: The fields of a word by their names.
Word = dict[str, int]


def always(cycle: int) -> bool:  # noqa: ARG001
    """In every cycle."""
    return True


def _listed(streams: Any) -> list[dict[str, Any]]:
    """One stream, several, or none."""
    if streams is None:
        return []
    return streams if isinstance(streams, list) else [streams]


class Port:
    """A stream: its signals, and the fields of its words.

    The fields of an AXI-Stream are signals of their own; those of a plain one lie in its payload.
    """

    def __init__(self, dut: Any, stream: dict[str, Any], beats: list[dict[str, Any]]) -> None:
        axi = "tvalid" in stream
        self.valid = dut[stream["t" * axi + "valid"]]
        #: None where every word is taken at once.
        self.ready: Any = dut[stream[ready]] if (ready := "t" * axi + "ready") in stream else None
        if axi:
            self._parts = [(dut[stream[field["signal"]]], [field]) for field in beats]
        else:
            self._parts = [(dut[stream["payload"]], stream["fields"])]
        self.names = {field["name"] for _, fields in self._parts for field in fields}
        self._told: list[int | None] = []
        self._tells = ""

    def tell(self, name: str, numbers: list[int | None]) -> None:
        """What the phase of the round says of words: the source of each, or which sum it is.

        A word that has waited carries the phase in which it came; others have the node's.
        """
        self._told, self._tells = numbers, name
        self.names.add(name)

    def put(self, word: Word) -> None:
        """Show a word; what it has no field for is left out."""
        for signal, fields in self._parts:
            signal.value = sum(word.get(f["name"], 0) << f["first"] for f in fields)

    def get(self, phase: int) -> Word:
        """The word that is shown, and what the phase tells of it."""
        word = {}
        for signal, fields in self._parts:
            value = int(signal.value)
            for f in fields:
                word[f["name"]] = value >> f["first"] & (1 << f["bits"]) - 1
        if self._told:
            phase = word.pop("phase", phase)
            number = self._told[phase]
            assert number is not None, f"a word comes in phase {phase}, in which none should"
            word[self._tells] = number
        return word


class Giver:
    """An inject stream: words that wait to be offered, and those that were accepted."""

    def __init__(self, port: Port) -> None:
        self.port = port
        self.waiting: deque[Word] = deque()
        #: Cycles and words.
        self.accepted: list[tuple[int, Word]] = []
        self._offered = self._valid = False

    def clear(self) -> None:
        """Offer nothing."""
        self.port.valid.value = 0
        self.port.put({})

    def set_inputs(self, cycle: int, offers: Callable[[int], bool]) -> None:
        """Offer a word, until it is accepted."""
        if not self._offered and self.waiting and offers(cycle):
            self._offered = True
            self.port.put(self.waiting[0])
        if self._valid != self._offered:
            self._valid = self._offered
            self.port.valid.value = int(self._valid)

    def note_transfers(self, cycle: int, phase: int) -> None:
        """What is accepted, and in which phase."""
        if self._offered and int(self.port.ready.value):
            self._offered = False
            self.accepted.append((cycle, self.waiting.popleft() | {"phase": phase}))


class Node:
    """The streams of a node: words that wait to be offered, and those that came."""

    def __init__(self, dut: Any, entry: dict[str, Any], beats: dict[str, Any]) -> None:
        send, receive = ("s_axis", "m_axis") if "m_axis" in entry else ("inject", "eject")
        gives, takes = _listed(entry.get(send)), _listed(entry.get(receive))
        self.label = entry["label"]
        # Of the round, if words are told apart by it.
        self._phase = dut[entry["phase"]["signal"]] if "phase" in entry else None
        #: One, or one for each out-port; none where a node may not send.
        self.givers = [Giver(Port(dut, each, beats.get(send, []))) for each in gives]
        #: One, or one for each in-port.
        self.ejects = [Port(dut, each, beats.get(receive, [])) for each in takes]
        #: Of the words of a round by the only eject stream each one's source, or sum, in order.
        self.order: list[int] = []
        self._turn = 0
        first = self.givers[0] if self.givers else None
        self.waiting: deque[Word] = first.waiting if first else deque()
        #: Cycles and words.
        self.accepted: list[tuple[int, Word]] = first.accepted if first else []
        self.received: list[tuple[int, Word]] = []
        #: Whether it begins to offer a word in a cycle, and whether it takes one.
        self.offers: Callable[[int], bool] = always
        self.takes: Callable[[int], bool] = always
        #: After so many cycles without it takes one nevertheless; 0 for never.
        self.most_rest = self._rested = 0
        self._taking = False
        self._stalled: list[Word | None] = [None] * len(self.ejects)

    @property
    def names(self) -> set[str]:
        """What is known of each word that comes."""
        return self.ejects[0].names

    def clear(self) -> None:
        """Offer nothing, and take nothing."""
        for giver in self.givers:
            giver.clear()
        self._be_ready(0)

    def set_inputs(self, cycle: int) -> None:
        """Offer a word, until it is accepted, and let the sink be ready or not."""
        for giver in self.givers:
            giver.set_inputs(cycle, self.offers)
        taking = any(eject.ready is None for eject in self.ejects) or self.takes(cycle)
        self._rested = 0 if taking else self._rested + 1
        if self._rested and self._rested == self.most_rest:
            taking, self._rested = True, 0
        if self._taking != taking:
            self._taking = taking
            self._be_ready(int(taking))

    def _be_ready(self, ready: int) -> None:
        for eject in self.ejects:
            if eject.ready is not None:
                eject.ready.value = ready

    def note_transfers(self, cycle: int) -> None:
        """What is accepted and what comes, now that all signals are settled."""
        phase = 0 if self._phase is None else int(self._phase.value)
        for giver in self.givers:
            giver.note_transfers(cycle, phase)
        for number, eject in enumerate(self.ejects):
            shown = eject.get(phase) if int(eject.valid.value) else None
            held, self._stalled[number] = self._stalled[number], None if self._taking else shown
            assert held is None or shown == held, f"{self.label}: a word changes before it is taken"
            if shown is not None and self._taking:
                self._check_turn(shown)
                self.received.append((cycle, shown))

    def _check_turn(self, word: Word) -> None:
        """Words of a round come one after the other."""
        if self.order:
            place = self._turn % len(self.order)
            self._turn += 1
            number = word.get("source", word.get("sum", 0))
            assert number == self.order[place], f"{self.label}: {word} is not the next one"
            if "end_of_round" in word:
                last = place == len(self.order) - 1
                assert word["end_of_round"] == last, f"{self.label}: {word} ends a round, or not"


class Domain:
    """A clock, its reset and the nodes whose streams move in it."""

    def __init__(self, dut: Any, clock: str, reset: str) -> None:
        self.clock, self.reset = dut[clock], dut[reset]
        self.nodes: list[Node] = []
        self.cycle = 0

    async def step(self) -> None:
        """One cycle: offer words, let sinks take, and note what is transferred.

        Inputs change at the falling edge, so that everything is settled when it is read, and
        the transfer happens at the rising edge after that.
        """
        for node in self.nodes:
            node.set_inputs(self.cycle)
        await ReadOnly()
        for node in self.nodes:
            node.note_transfers(self.cycle)
        await FallingEdge(self.clock)
        self.cycle += 1

    async def run(self) -> None:
        """Cycle after cycle."""
        await FallingEdge(self.clock)
        while True:
            await self.step()


class Streams:
    """All streams of a module, as manifest.json, or its section on endpoints, describes it."""

    def __init__(self, dut: Any, top: dict[str, Any]) -> None:
        self.dut = dut
        own = top["clock"], top["reset"]
        self.nodes = [Node(dut, entry, top.get("fields", {})) for entry in top["nodes"]]
        numbers = {node.label: number for number, node in enumerate(self.nodes)}
        for entry, node in zip(top["nodes"], self.nodes, strict=True):
            node.order = [numbers.get(each, each) for each in entry.get("order", [])]
            for eject, lane in zip(node.ejects, entry.get("lanes", []), strict=False):
                if "sums" in lane:
                    eject.tell("sum", lane["sums"])
                else:
                    eject.tell("source", [numbers.get(label) for label in lane["sources"]])
        domains = {own: Domain(dut, *own)}
        for entry, node in zip(top["nodes"], self.nodes, strict=True):
            names = entry.get("clock", own[0]), entry.get("reset", own[1])
            domains.setdefault(names, Domain(dut, *names)).nodes.append(node)
        #: The input with which rounds begin, if they need one: in these cycles they do.
        self._start = dut[top["start"]] if "start" in top else None
        self.starts: Callable[[int], bool] = always
        # The output that says whether phases move on, if they do not always.
        self._move = dut[top["moves"]] if "moves" in top else None
        if "load" in top:
            # No row of a table is written.
            dut[top["load"]["valid"]].value = 0
        for entry in (entry for entry in top["nodes"] if "away" in entry):
            # No void word is given for a node.
            dut[entry["away"]["signal"]].value = 0
        # Periods of the clocks of nodes: links between chips need some that are less far apart.
        self._shortest, self._spread = (8_830, 1_201) if "chips" in top else (6_120, 7_001)
        #: By cycle how often they have before.
        self.moved = [0]
        #: The network's first.
        self.domains = list(domains.values())

    @property
    def cycle(self) -> int:
        """The cycle of the network's clock, from 0 after reset."""
        return self.domains[0].cycle

    async def reset(self) -> None:
        """Start the clocks, and end the resets one after the other.

        Nodes with clocks of their own, each another, run by themselves from then on; what they send
        early waits. In the network's clock nothing moves but by :meth:`step`.
        """
        network, *others = self.domains
        for node in self.nodes:
            node.clear()
        self._set_start()
        for number, domain in enumerate(self.domains):
            domain.reset.value = 1
            period = self._shortest + 2 * (1_871 * number % self._spread) if number else 10_000
            Clock(domain.clock, period, unit="ps").start()
        for _ in range(20 if others else 3):
            await FallingEdge(network.clock)
        for domain in reversed(others):
            domain.reset.value = 0
            cocotb.start_soon(domain.run())
            await Timer(37, unit="ns")
        if others:
            await FallingEdge(network.clock)
        network.reset.value = 0

    async def step(self) -> None:
        """One cycle of the network's clock."""
        self._set_start()
        moves = 1 if self._move is None else int(self._move.value)
        self.moved.append(self.moved[-1] + moves)
        await self.domains[0].step()

    def _set_start(self) -> None:
        """Let a round begin, or not."""
        if self._start is not None:
            self._start.value = int(self.starts(self.cycle))
