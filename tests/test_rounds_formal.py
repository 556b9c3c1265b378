"""A proof about whole networks of the timetable fabric: each word comes in its cycle, and no other.

Unbounded, by ABC's property directed reachability, for all words that nodes give, or do not give.
Which word comes where is read off the trees or routes of the timetable, not off the tables of the
routers.
"""

from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from amaranth.hdl import Assert, Assume, Cat, Const, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import wiring
from formal import tool
from formal.planting import listed, planted

from noc.design import build_design
from noc.fabrics.timetable.design import TimetableDesign
from noc.hardware import broadcast_network
from noc.networks import ABSENT
from noc.options import Choices
from noc.trees.timetables import find_routes, find_sums, find_timetable

pytestmark = tool.proofs

#: Bits of a word: no bit depends on another one.
WIDTH = 2


class NetworkBench(wiring.Component):
    """A network with free surroundings, from reset on, and what is promised of its outputs."""

    def __init__(self, design: TimetableDesign, hardware: ModuleType = broadcast_network) -> None:
        super().__init__({})
        self.design = design
        self.network: Any = hardware.BroadcastNetwork(design)

    @property
    def ports(self) -> list[Any]:
        """All ports of the network."""
        return tool.ports_of(self.network)

    def _begin(self) -> tuple[Module, Signal]:
        """The network from reset on, and the phase in which it is."""
        m, last = Module(), self.design.round - 1
        m.submodules.network = self.network
        m.d.comb += Assume(~ResetSignal())
        phase = Signal(range(self.design.round))
        m.d.sync += phase.eq(Mux(phase == last, 0, phase + 1))
        return m, phase

    def elaborate(self, _platform: object) -> Module:
        m, phase = self._begin()
        program = self.design.program
        given = [self._given(m, node, phase) for node in program.sources]
        for node, number, when, source in self._promised():
            stream = getattr(self.network, f"eject_{self.network.names[node]}")[number]
            shown = Cat(stream.valid, stream.payload)
            with m.If(phase == when):
                if source is None:
                    m.d.comb += Assert(~stream.valid)
                else:
                    # Where the next word is taken before the last eject, that is of the one before.
                    word = given[source][bool(program.own_register and when == 0)]
                    m.d.comb += Assert((shown == word) | ~(stream.valid | word[0]))
        return m

    def _given(self, m: Module, node: int, phase: Signal) -> list[Signal]:
        """The word that a node gave last, and the one before, with whether there is one."""
        name = self.network.names[node]
        stream, taken = getattr(self.network, f"inject_{name}"), phase == self.inject_phase
        words = [Signal(1 + WIDTH, name=f"{age}_{name}") for age in ("last", "before")]
        m.d.comb += [
            Assert(stream.ready == taken),
            Assert(getattr(self.network, f"phase_{name}") == phase),
        ]
        with m.If(taken):
            m.d.sync += [words[0].eq(Cat(stream.valid, stream.payload)), words[1].eq(words[0])]
        return words

    @property
    def inject_phase(self) -> int:
        return self.design.program.round - 1 if self.design.program.own_register else 0

    def _promised(self) -> Iterator[tuple[int, int, int, int | None]]:
        """Each eject stream, by node and number, with a phase and the source of what comes then."""
        network, length = self.design.network, self.design.program.round
        timetable = find_timetable(network)
        whose = {}
        for source in range(network.nodes):
            tree = timetable.tree(source)
            for node, port in enumerate(tree.arrival().tolist()):
                if node != source:
                    whose[node, port, int(tree.step[node]) % length] = source
        for node in range(network.nodes):
            for number, port in enumerate(self.design.lanes(node)):
                for phase in range(length):
                    yield node, number, phase, whose.get((node, port, phase))


class Word(NamedTuple):
    """By which out-port of a node a word leaves, and by which in-port it comes, in which phases."""

    source: int
    out_port: int
    given: int
    target: int
    in_port: int
    comes: int


class ExchangeBench(NetworkBench):
    """The same of an exchange in which each word is for one node."""

    def elaborate(self, _platform: object) -> Module:
        m, phase = self._begin()
        words = [*self._words()]
        given = [self._given_by(m, number, word, phase) for number, word in enumerate(words)]
        for node, name in enumerate(self.network.names):
            m.d.comb += Assert(getattr(self.network, f"phase_{name}") == phase)
            for number, port in enumerate(self.design.inject_lanes(node)):
                phases = [word.given for word in words if (word[:2]) == (node, port)]
                taken = Cat(phase == each for each in phases).any()
                m.d.comb += Assert(getattr(self.network, f"inject_{name}")[number].ready == taken)
            for number, port in enumerate(self.design.lanes(node)):
                stream = getattr(self.network, f"eject_{name}")[number]
                shown, whose = Cat(stream.valid, stream.payload), {}
                for word, kept in zip(words, given, strict=True):
                    if (word.target, word.in_port) == (node, port):
                        whose[word.comes] = kept
                for when in range(self.design.round):
                    word = whose.get(when, Const(0, 1 + WIDTH))
                    with m.If(phase == when):
                        m.d.comb += Assert((shown == word) | ~(stream.valid | word[0]))
        return m

    def _words(self) -> Iterator[Word]:
        """All words of a round."""
        network, exchange = self.design.network, self.design.program.exchange
        routes = find_routes(network, exchange)
        for root in range(network.nodes) if routes.translated else [0]:
            image = network.translation(root) if routes.translated else range(network.nodes)
            for first, end in pairwise(routes.first.tolist()):
                begin, last = int(image[routes.node[first]]), int(image[routes.node[end - 1]])
                port = int(routes.port[end - 1])
                yield Word(
                    *(begin, int(routes.port[first]), int(routes.step[first]) - 1),
                    *(int(network.neighbour[last, port]), int(network.arrival[last, port])),
                    int(routes.step[end - 1]) % self.design.round,
                )

    def _given_by(self, m: Module, number: int, word: Word, phase: Signal) -> Signal:
        """The word that was given last in a phase of a stream, with whether there was one."""
        lane = self.design.inject_lanes(word.source).index(word.out_port)
        stream = getattr(self.network, f"inject_{self.network.names[word.source]}")[lane]
        kept = Signal(1 + WIDTH, name=f"word_{number}")
        with m.If(phase == word.given):
            m.d.sync += kept.eq(Cat(stream.valid, stream.payload))
        return kept


#: What ORs have in them is soon proven; sums of many words would take hours.
OPERATORS = {"bor": lambda a, b: a | b, "sum": lambda a, b: (a + b)[:WIDTH]}


class Given(NamedTuple):
    """A word of a sum: by which stream, and in which cycle that of the first round is taken."""

    node: int
    out_port: int
    taken: int


class SumBench(NetworkBench):
    """The same where words are added up: each sum comes in its cycle, made of what was given."""

    def elaborate(self, _platform: object) -> Module:
        m, phase = self._begin()
        length, sums = self.design.round, [*self._sums()]
        latest = max(given.taken for words, _ in sums for given in words)
        cycle = Signal(range(latest + 1))
        m.d.sync += cycle.eq(Mux(cycle == latest, cycle, cycle + 1))
        taken = {
            word: (phase == word.taken % length) & (cycle >= word.taken)
            for words, _ in sums
            for word in words
        }
        for node, name in enumerate(self.network.names):
            m.d.comb += Assert(getattr(self.network, f"phase_{name}") == phase)
            for number, port in enumerate(self.design.inject_lanes(node)):
                turns = [when for word, when in taken.items() if word[:2] == (node, port)]
                ready = getattr(self.network, f"inject_{name}")[number].ready
                m.d.comb += Assert(ready == Cat(*turns).any())
        expected: dict[tuple[int, int, int], Value] = {}
        for words, ends in sums:
            # Before so many cycles as the list is behind.
            last = max(when for *_, when in ends)
            ages = {word: self._ages(m, word, taken[word], last) for word in words}
            for node, port, when in ends:
                shown = [ages[word][when - word.taken - 1] for word in words]
                total = reduce(OPERATORS[self.operator], (each[1:] for each in shown))
                expected[node, port, when % length] = Cat(
                    Cat(each[0] for each in shown).any(), total
                )
        for node, name in enumerate(self.network.names):
            for number, port in enumerate(self.design.lanes(node)):
                stream = getattr(self.network, f"eject_{name}")[number]
                for when in range(length):
                    word = expected.get((node, port, when), Const(0, 1 + WIDTH))
                    with m.If(phase == when):
                        m.d.comb += Assert(stream.valid == word[0])
                        m.d.comb += Assert((stream.payload == word[1:]) | ~word[0])
        return m

    @property
    def operator(self) -> str:
        return self.design.program.exchange.operator

    def _ages(self, m: Module, word: Given, taken: Value, last: int) -> list[Signal]:
        """What was given a cycle before, two before, and so on; zeros where nothing was."""
        lane = self.design.inject_lanes(word.node).index(word.out_port)
        name = self.network.names[word.node]
        stream = getattr(self.network, f"inject_{name}")[lane]
        before: Value = Mux(taken & stream.valid, Cat(stream.valid, stream.payload), 0)
        ages = []
        for age in range(last - word.taken):
            ages.append(Signal(1 + WIDTH, name=f"given_{name}_{lane}_{word.taken}_{age}"))
            m.d.sync += ages[-1].eq(before)
            before = ages[-1]
        return ages

    def _sums(self) -> Iterator[tuple[list[Given], list[tuple[int, int, int]]]]:
        """Of each sum its words, and the node, port and cycle of each eject in the first round."""
        network, exchange, length = (
            self.design.network,
            self.design.program.exchange,
            self.design.round,
        )
        asked = None if exchange.name == "reduce_scatter" else length
        sums = find_sums(network, exchange, length=asked)
        loop = max(network.ports, len(network.in_ports))
        for root in range(network.nodes) if sums.translated else [0]:
            image = network.translation(root) if sums.translated else range(network.nodes)
            for tree in dict.fromkeys(hop.tree for hop in sums.hops):
                hops = [hop for hop in sums.hops if hop.tree == tree]
                # A word is taken in the step before it leaves, from 0 on.
                first = min(hop.step - 2 for hop in hops if hop.up) // length * length
                words, ends = [], []
                for hop in hops:
                    node, there = int(image[hop.sender]), int(image[hop.receiver])
                    whole = hop.port == ABSENT
                    if hop.up:
                        out_port = loop if whole else hop.port
                        words.append(Given(node, out_port, hop.step - 2 - first))
                    if whole or not hop.up:
                        entry = loop if whole else int(network.arrival[node, hop.port])
                        ends.append((there, entry, hop.step - first))
                yield words, ends


def proven(
    folder: Path,
    spec: str,
    hardware: ModuleType = broadcast_network,
    exchange: str | None = None,
    length: int = 1,
    choices: Choices = "each",
) -> str:
    more = {"exchange": exchange, "round": length, "choices": choices}
    design = build_design(spec, fabric="timetable", width=WIDTH, **more)
    assert isinstance(design, TimetableDesign)
    bench = NetworkBench if exchange is None else ExchangeBench
    bench = SumBench if design.program.exchange.adds else bench
    return tool.prove(folder, bench(design, hardware), traces=False).check("PASS", "FAIL")


@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize("spec", ["star:3", "ring:5", "best:4", "best:5", "uhc:3", "mesh:2,3"])
def test_each_word_comes_in_its_cycle(spec: str, tmp_path: Path) -> None:
    assert proven(tmp_path, spec) == "PASS"


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(
    ("spec", "exchange"), [("star:3", None), ("best:5", None), ("star:3", "all_to_all")]
)
def test_each_part_of_a_word_is_chosen(
    spec: str, exchange: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wide words are chosen part by part, by registers of their own: here each of four bits."""
    monkeypatch.setitem(globals(), "WIDTH", 4)
    names, where = (*_MODULES, "hardware.broadcast_network"), "hardware.timetable.choices"
    parts = planted(names, where, "_COPIES, _PART = 4, 8", "_COPIES, _PART = 4, 1")
    assert proven(tmp_path, spec, parts, exchange) == "PASS"


@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize(
    ("spec", "exchange", "length"),
    [
        *((spec, None, 1) for spec in ("star:3", "uhc:3", "ring:5")),
        *(("star:3", exchange, 1) for exchange in ("all_to_all", "reduce_scatter:bor")),
    ],
)
def test_routers_that_are_told_what_they_choose_do_the_same(
    spec: str, exchange: str | None, length: int, tmp_path: Path
) -> None:
    assert proven(tmp_path, spec, exchange=exchange, length=length, choices="one") == "PASS"


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(
    ("spec", "exchange"),
    [
        *(("star:3", each) for each in ("all_to_all", "scatter", "gather")),
        *(("mesh:2,3", each) for each in ("all_to_all", "scatter")),
        *(("uhc:3", "gather"), ("best:5", "all_to_all"), ("complete:4", "all_to_all")),
    ],
)
def test_each_word_of_an_exchange_comes_in_its_cycle(
    spec: str, exchange: str, tmp_path: Path
) -> None:
    assert proven(tmp_path, spec, exchange=exchange) == "PASS"


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize(
    ("spec", "exchange", "length"),
    [
        *(("star:3", "all_reduce:bor", length) for length in (1, 5)),
        *(("mesh:2,3", "all_reduce:bor", length) for length in (1, 2, 3)),
        *(("mesh:2,3", "reduce_scatter:bor", 1), ("uhc:3", "reduce_scatter:bor", 1)),
        ("best:5", "all_reduce:bor", 1),
        *((spec, "all_reduce:sum", length) for spec, length in (("ring:3", 1), ("ring:3", 2))),
        *(("best:3", "all_reduce:sum", 1), ("ring:3", "reduce_scatter:sum", 1)),
    ],
)
def test_each_sum_comes_in_its_cycle(spec: str, exchange: str, length: int, tmp_path: Path) -> None:
    assert proven(tmp_path, spec, exchange=exchange, length=length) == "PASS"


_MODULES = (
    "hardware.gates",
    "hardware.timetable.choices",
    "hardware.timetable.router",
    "hardware.timetable.sum_router",
    "hardware.timetable.chooser",
    "fabrics.timetable.assembly",
)

FAULTS = {
    name: (f"hardware.{module}", spec, *texts)
    for name, texts, (module, spec) in listed("""
a bit of the phase left out: gates, star:3
  kept = needed_bits(output, len(code))
  kept = needed_bits(output, len(code))[:-1] or (0,)
a choice in its own phase: timetable.choices, star:3
  dict(enumerate(ahead(phases, 1)))
  dict(enumerate(phases))
words sent where the link is idle: timetable.router, star:3
  if None in choices and
  if False and
an own word that stays: timetable.router, best:5
  m.d.sync += [waits.payload.eq(0), waits.valid.eq(word.valid & taken.valid)]
  m.d.sync += waits.valid.eq(word.valid & taken.valid)
a word too young: timetable.router, best:4
  before = words[register] = word
  before = words[register] = words.get(Register(port, 1)) or word
own words in the next phase: timetable.router, star:3
  self.table.round - 1 if self._own_register else 0
  self.table.round - 1 if self._own_register else 1
a round that is too long: timetable.choices, star:3
  self.only(round - 1)
  [False] * round
lanes exchanged: timetable.router, star:3
  newest, lane = words[Register(port, 1)], self.eject[number]
  newest, lane = words[Register(port, 1)], self.eject[-1 - number]
words taken that only pass: timetable.router, star:3 all_to_all
  valid &= self._choices.column
  self._choices.column
own words in other phases: timetable.router, star:3 all_to_all
  self.table.gives(port)
  self.table.gives(port)[::-1]
words ORed that are not chosen: timetable.router, best:5 all_to_all
  return self._masked(word, passes)
  return word._replace(valid=word.valid & passes.valid)
a word left out: timetable.sum_router, mesh:2,3 all_reduce:bor
  [r] for r in self.table.added(port)]
  [r] for r in self.table.added(port)]; operands = operands[:2]
an own word that is added twice: timetable.sum_router, ring:3 all_reduce:sum
  m.d.sync += [payload.eq(self._neutral), valid.eq(word.valid)]
  m.d.sync += [valid.eq(word.valid)]
words of the first rounds: timetable.sum_router, star:3 all_reduce:bor
  chosen & self._over[rounds - 1] if rounds else self._while_open(chosen)
  chosen
a round too many before the first: timetable.sum_router, star:3 all_reduce:bor
  self._over[rounds - 1]
  self._over[rounds - 2]
sums only of all words: timetable.sum_router, star:3 all_reduce:bor
  one.valid | other.valid
  one.valid & other.valid
told a phase too soon: timetable.chooser, star:3 told
  ahead(phases, 2)
  ahead(phases, 3)
told something else in the first phase: timetable.chooser, star:3 told
  part, phases[0], size
  part, phases[1], size
told what another choice is: timetable.choices, star:3 told
  first += bits
  first += 1
the wrong words together: timetable.sum_router, mesh:2,2 all_reduce:bor 3
  payload = Mux(choice, word.payload, payload)
  payload = Mux(choice, payload, word.payload)
""")
}


@pytest.mark.cases(1, ci=4)
@pytest.mark.parametrize("name", FAULTS)
def test_the_proof_fails_with_a_planted_fault(name: str, tmp_path: Path) -> None:
    where, case, right, wrong = FAULTS[name]
    told = case.endswith(" told")
    spec, exchange, length = (*case.removesuffix(" told").split(), None, None)[:3]
    hardware = planted((*_MODULES, "hardware.broadcast_network"), where, right, wrong)
    choices: Choices = "one" if told else "each"
    assert proven(tmp_path, spec, hardware, exchange, int(length or 1), choices) == "FAIL"
