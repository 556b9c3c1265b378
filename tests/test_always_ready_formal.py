"""A proof about whole networks of the direct fabric whose sinks are always ready.

Each word comes in its cycle, and no other does, whole along one tree or in slices along several.
Unbounded, by ABC's property directed reachability, for one source and all that it gives, in
whatever cycles. When a word comes is read off the trees, not off the tables of the routers.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from amaranth.hdl import Assert, Assume, Cat, Const, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring
from formal import tool
from formal.planting import listed, planted

from noc.design import Design, build_direct
from noc.hardware import broadcast_network
from noc.hardware.assembly import port
from noc.programs.config import RouterConfig
from noc.trees import build_trees

pytestmark = tool.proofs


class NetworkBench(wiring.Component):
    """A network of which one source gives words as it likes, and what it promises."""

    def __init__(
        self, design: Design, source: int, hardware: ModuleType = broadcast_network
    ) -> None:
        super().__init__({})
        self.design, self.source = design, source
        survives = design.config.survive > 0
        build = partial(breakable, hardware) if survives else hardware.BroadcastNetwork
        self.network: Any = build(design)

    @property
    def ports(self) -> list[Any]:
        """All ports of the network."""
        more = [self.network.cut] if self.design.config.survive else []
        return [*tool.ports_of(self.network), *more]

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.network = network = self.network
        m.d.comb += Assume(~ResetSignal())
        for node in self.design.program.sources:
            inject = getattr(network, f"inject_{network.names[node]}")
            if node == self.source:
                m.d.comb += Assert(inject.ready | ~inject.valid)
            else:
                m.d.comb += Assume(~inject.valid)
        inject = getattr(network, f"inject_{network.names[self.source]}")
        survived = self._count_broken(m)
        cycles = self._cycles()
        given = [Cat(inject.valid, inject.payload)]
        # Slices are under way until they are told to be no more.
        last = max(cycles.values()) + (self.design.program.slices > 1)
        for age in range(1, last + 1):
            given.append(Signal.like(given[0], name=f"given_{age}"))
            m.d.sync += given[age].eq(given[age - 1])
        for node, name in enumerate(network.names):
            eject = getattr(network, f"eject_{name}")
            if node == self.source:
                m.d.comb += Assert(~eject.valid)
            else:
                word = given[cycles[node]]
                # Beyond what must be survived words may be lost, but none comes wrong.
                m.d.comb += Assert((eject.valid == word[0]) | ~(survived | eject.valid))
                m.d.comb += Assert((eject.payload == word[1:]) | ~eject.valid)
        held = Cat(word[0] for word in given[1:]).any()
        m.d.comb += Assert((network.idle == ~held) | ~survived)
        return m

    def _cycles(self) -> dict[int, int]:
        """From the cycle in which a word is given to that in which it comes to each node."""
        program = self.design.program
        family = build_trees(program.network, program.algorithm, root=self.source)
        hop = 1 + program.config.link_registers
        hops = family.trees[0].depth
        if program.slices > 1:
            # All wait for those that come last to any node from any source.
            families = [
                build_trees(program.network, program.algorithm, root=r) for r in program.sources
            ]
            hops[:] = max(tree.height for each in families for tree in each.trees)
        # Slices wait for each other in registers of their own.
        first = 1 + (program.slices > 1)
        return {node: first + hop * deep for node, deep in enumerate(hops.tolist())}

    def _count_broken(self, m: Module) -> Value:
        """Whether no more links than must be survived lost anything; they do in whatever cycles."""
        if not self.design.config.survive:
            return Const(1)
        cut = self.network.cut
        ever = Signal.like(cut)
        m.d.sync += ever.eq(ever | cut)
        return sum(ever | cut, Const(0)) <= self.design.config.survive


def breakable(hardware: ModuleType, design: Design) -> Any:
    """A network of which each link carries nothing while its bit of ``cut`` is 1."""
    program = design.program
    every = frozenset((node, port) for node, port, _, _ in program.links())
    dead = Design(replace(program, dead=every), design.width)

    class Breakable(hardware.BroadcastNetwork):
        def elaborate(self, platform: object) -> Module:
            # Dead links are not joined.
            m = super().elaborate(platform)
            for bit, link in zip(self.cut, self._assembly.links, strict=True):
                ends = link.sender, link.receiver
                output, entrance = (
                    port(m.submodules[self._assembly.instances[number].name], name)
                    for number, name in ends
                )
                m.d.comb += [
                    entrance.payload.eq(output.payload),
                    entrance.valid.eq(output.valid & ~bit),
                ]
            return m

    result: Any = Breakable(dead)
    result.cut = Signal(len(every))
    return result


def proven(
    folder: Path,
    spec: str,
    algorithm: str,
    source: int = 0,
    link_registers: int = 0,
    survive: int = 0,
    hardware: ModuleType = broadcast_network,
) -> str:
    config = RouterConfig(sinks="always-ready", link_registers=link_registers, survive=survive)
    parts = len(build_trees(spec, algorithm).trees) - survive
    # A part has two bits, and the last may be shorter.
    design = build_direct(spec, algorithm, width=2 * parts - 1, config=config)
    bench = NetworkBench(design, source, hardware)
    return tool.prove(folder, bench, traces=False).check("PASS", "FAIL")


@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize(
    ("spec", "algorithm", "source", "link_registers"),
    [
        pytest.param("star:3", "disjoint", 0, 0, marks=pytest.mark.slow),
        pytest.param("complete:4", "disjoint", 0, 0, marks=pytest.mark.slow),
        ("star:3", "shortest", 2, 0),
        ("star:4", "balanced", 5, 0),
        ("scc:3", "cyclic", 3, 1),
        ("uhc:4", "bt1", 4, 0),
        pytest.param("mesh:2,3", "disjoint", 2, 0, marks=pytest.mark.slow),
        pytest.param("mesh:2,2", "disjoint", 3, 1, marks=pytest.mark.slow),
        pytest.param("hypercube:3", "disjoint", 5, 0, marks=pytest.mark.slow),
        ("ring:5", "disjoint", 1, 0),
    ],
)
def test_each_word_comes_in_its_cycle(
    spec: str, algorithm: str, source: int, link_registers: int, tmp_path: Path
) -> None:
    assert proven(tmp_path, spec, algorithm, source, link_registers) == "PASS"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("spec", "survive", "link_registers"),
    [
        pytest.param("star:3", 1, 0, marks=pytest.mark.slow),
        pytest.param("mesh:2,3", 1, 0, marks=pytest.mark.slow),
        pytest.param("mesh:2,2", 1, 1, marks=pytest.mark.slow),
        ("complete:4", 1, 0),
        ("complete:4", 2, 0),
    ],
)
def test_no_word_is_lost_on_dead_links(
    spec: str, survive: int, link_registers: int, tmp_path: Path
) -> None:
    """Which links lose what, and in which cycles, is left open; only how many do is not."""
    assert proven(tmp_path, spec, "disjoint", 0, link_registers, survive) == "PASS"


_MODULES = (
    *("hardware.gates", "hardware.direct.collector"),
    *("hardware.direct.router", "hardware.direct.slice_router"),
    "fabrics.direct.assembly",
)

FAULTS = {
    name: (f"hardware.direct.{module}", (network, int(survive[0]) if survive else 0), *texts)
    for name, texts, (module, network, *survive) in listed("""
slices of other trees taken as well: slice_router, complete:4 disjoint
  [row.code for row in rows if row.slice == number]
  [row.code for row in rows]
slices that do not wait: collector, mesh:2,3 disjoint
  (wait == cycles)
  (cycles == 0)
words that lack a part: collector, complete:4 disjoint, 1
  if each is not one
  if each is one
parts that are taken as they are: collector, complete:4 disjoint, 1
  Mux(valid, bits, lost)
  bits
copies of which one decides: collector, complete:4 disjoint, 2
  word = Mux(valid, bits, word)
  word = bits
a redundant slice that is a part: slice_router, complete:4 disjoint, 1
  else reduce(xor, whole)
  else whole[0]
slots that are not counted: collector, mesh:2,3 disjoint
  newest.eq(newest + comes.valid)
  newest.eq(0)
another bit of the code: slice_router, complete:4 disjoint
  bool(far >> bit & 1)
  bool(far >> (bit ^ 1) & 1)
a slice cut a bit later: slice_router, complete:4 disjoint
  word[start : start + self._bits]
  word[start + (start > 0) : start + self._bits]
words that are taken not counted: slice_router, complete:4 disjoint
  busy.append(self.inject.valid)
  pass
words that stay on an out-port: slice_router, complete:4 disjoint
  result.append(_Choice(own.valid, word))
  result.append(_Choice(Const(1), word))
a word that is lost: router, star:3 shortest
  buffers.push.eq(arbiter.requests.any())
  buffers.push.eq(arbiter.requests[1:].any())
words that no router tells of: router, star:3 shortest
  self.busy.eq(held.any())
  self.busy.eq(0)
words of another in-port: router, star:3 shortest
  buffers.word.eq(one_hot_or(arbiter.grant, words))
  buffers.word.eq(one_hot_or(arbiter.grant, [words[0], *words[:-1]]))
""")
}


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize("name", FAULTS)
def test_the_proof_fails_with_a_planted_fault(name: str, tmp_path: Path) -> None:
    where, (network, survive), right, wrong = FAULTS[name]
    spec, algorithm = network.rsplit(" ", 1)
    hardware = planted((*_MODULES, "hardware.broadcast_network"), where, right, wrong)
    assert proven(tmp_path, spec, algorithm, survive=survive, hardware=hardware) == "FAIL"
