"""A proof about whole networks of the timetable fabric: each word comes in its cycle, and no other.

Unbounded, by ABC's property directed reachability, for all words that nodes give, or do not give.
Which word comes where is read off the trees of the timetable, not off the tables of the routers.
"""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from amaranth.hdl import Assert, Assume, Cat, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import wiring
from formal import tool
from formal.planting import listed, planted

from noc.design import build_design
from noc.fabrics.timetable.design import TimetableDesign
from noc.hardware import broadcast_network
from noc.trees.timetables import find_timetable

pytestmark = pytest.mark.skipif(tool.missing() is not None, reason=str(tool.missing()))

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
        flat = self.network.signature.flatten(self.network)
        values = [Value.cast(value) for _, _, value in flat]
        return [value for value in values if isinstance(value, Signal)]

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.network = self.network
        m.d.comb += Assume(~ResetSignal())
        program = self.design.program
        phase = Signal(range(program.round))
        m.d.sync += phase.eq(Mux(phase == program.round - 1, 0, phase + 1))
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


def proven(folder: Path, spec: str, hardware: ModuleType = broadcast_network) -> str:
    design = build_design(spec, fabric="timetable", width=WIDTH)
    assert isinstance(design, TimetableDesign)
    done = tool.prove(folder, NetworkBench(design, hardware), traces=False)
    assert done.status in ("PASS", "FAIL"), done.log
    return done.status


@pytest.mark.parametrize("spec", ["star:3", "ring:5", "best:4", "best:5", "uhc:3", "mesh:2,3"])
def test_each_word_comes_in_its_cycle(spec: str, tmp_path: Path) -> None:
    assert proven(tmp_path, spec) == "PASS"


_MODULES = ("hardware.gates", "hardware.timetable.router", "fabrics.timetable.assembly")

FAULTS = {
    name: (f"hardware.{module}", spec, *texts)
    for name, texts, (module, spec) in listed("""
a bit of the phase left out: gates, star:3
  kept = needed_bits(output, len(code))
  kept = needed_bits(output, len(code))[:-1] or (0,)
a choice in its own phase: timetable.router, star:3
  dict(enumerate([*chosen[1:], chosen[0]]))
  dict(enumerate(chosen))
words sent where the link is idle: timetable.router, star:3
  if None in choices and
  if False and
an own word that stays: timetable.router, best:5
  m.d.sync += [payload.eq(0), valid.eq(0)]
  pass
a word too young: timetable.router, best:4
  words[Register(port, age)] = Word(payload, valid)
  words[Register(port, age)] = words.get(Register(port, 1)) or Word(payload, valid)
own words in the next phase: timetable.router, star:3
  phase = last if self._own_register else 0
  phase = last if self._own_register else 1
a round that is too long: timetable.router, star:3
  Mux(self.phase == last, 0,
  Mux(self.phase == last + 1, 0,
lanes exchanged: timetable.router, star:3
  newest, lane = words[Register(port, 1)], self.eject[number]
  newest, lane = words[Register(port, 1)], self.eject[-1 - number]
""")
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_proof_fails_with_a_planted_fault(name: str, tmp_path: Path) -> None:
    where, spec, right, wrong = FAULTS[name]
    hardware = planted((*_MODULES, "hardware.broadcast_network"), where, right, wrong)
    assert proven(tmp_path, spec, hardware) == "FAIL"
