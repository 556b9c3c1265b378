"""A proof about whole networks of the direct fabric whose sinks are always ready.

Each word comes in its cycle, and no other does, whole along one tree or in slices along several.
Unbounded, by ABC's property directed reachability, for one source and all that it gives, in
whatever cycles. When a word comes is read off the trees, not off the tables of the routers.
"""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from amaranth.hdl import Assert, Assume, Cat, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring
from formal import tool
from formal.planting import listed, planted

from noc.design import Design, build_direct
from noc.hardware import broadcast_network
from noc.programs.config import RouterConfig
from noc.trees import build_trees

pytestmark = pytest.mark.skipif(tool.missing() is not None, reason=str(tool.missing()))


class NetworkBench(wiring.Component):
    """A network of which one source gives words as it likes, and what it promises."""

    def __init__(
        self, design: Design, source: int, hardware: ModuleType = broadcast_network
    ) -> None:
        super().__init__({})
        self.design, self.source = design, source
        self.network: Any = hardware.BroadcastNetwork(design)

    @property
    def ports(self) -> list[Any]:
        """All ports of the network."""
        flat = self.network.signature.flatten(self.network)
        values = [Value.cast(value) for _, _, value in flat]
        return [value for value in values if isinstance(value, Signal)]

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
                m.d.comb += Assert(eject.valid == word[0])
                m.d.comb += Assert((eject.payload == word[1:]) | ~word[0])
        held = Cat(word[0] for word in given[1:]).any()
        m.d.comb += Assert(network.idle == ~held)
        return m

    def _cycles(self) -> dict[int, int]:
        """From the cycle in which a word is given to that in which it comes to each node."""
        program = self.design.program
        family = build_trees(program.network, program.algorithm, root=self.source)
        hop = 1 + program.config.link_registers
        hops = np.stack([tree.depth for tree in family.trees]).max(axis=0)
        # Slices wait for each other in registers of their own.
        first = 1 + (program.slices > 1)
        return {node: first + hop * deep for node, deep in enumerate(hops.tolist())}


def proven(
    folder: Path,
    spec: str,
    algorithm: str,
    source: int = 0,
    link_registers: int = 0,
    hardware: ModuleType = broadcast_network,
) -> str:
    config = RouterConfig(sinks="always-ready", link_registers=link_registers)
    slices = len(build_trees(spec, algorithm).trees)
    # One slice has two bits, and the last may be shorter.
    design = build_direct(spec, algorithm, width=2 * slices - 1, config=config)
    done = tool.prove(folder, NetworkBench(design, source, hardware), traces=False)
    assert done.status in ("PASS", "FAIL"), done.log
    return done.status


@pytest.mark.parametrize(
    ("spec", "algorithm", "source", "link_registers"),
    [
        ("star:3", "disjoint", 0, 0),
        ("star:3", "shortest", 2, 0),
        ("star:4", "balanced", 5, 0),
        ("scc:3", "cyclic", 3, 1),
        ("uhc:4", "bt1", 4, 0),
        ("mesh:2,3", "disjoint", 2, 0),
        ("mesh:2,3", "disjoint", 3, 1),
        ("hypercube:3", "disjoint", 5, 0),
        ("ring:5", "disjoint", 1, 0),
    ],
)
def test_each_word_comes_in_its_cycle(
    spec: str, algorithm: str, source: int, link_registers: int, tmp_path: Path
) -> None:
    assert proven(tmp_path, spec, algorithm, source, link_registers) == "PASS"


_MODULES = (
    *("hardware.gates", "hardware.direct.router", "hardware.direct.slice_router"),
    "fabrics.direct.assembly",
)

FAULTS = {
    name: (f"hardware.direct.{module}", (spec, algorithm), *texts)
    for name, texts, (module, spec, algorithm) in listed("""
slices of other trees taken as well: slice_router, star:3, disjoint
  [row.code for row in rows if row.slice == number]
  [row.code for row in rows]
slices that do not wait: slice_router, mesh:2,3, disjoint
  complete = Cat(each.valid for each in slices).all()
  complete = Cat(each.valid for each in slices).any()
another bit of the code: slice_router, star:3, disjoint
  bool(far >> bit & 1)
  bool(far >> (bit ^ 1) & 1)
a slice cut a bit later: slice_router, star:3, disjoint
  own.payload[number * self._bits :
  own.payload[number * self._bits + (number > 0) :
words that are taken not counted: slice_router, star:3, disjoint
  busy.append(self.inject.valid)
  pass
words that stay on an out-port: slice_router, star:3, disjoint
  result.append(_Choice(own.valid, word))
  result.append(_Choice(Const(1), word))
a word that is lost: router, star:3, shortest
  buffers.push.eq(arbiter.requests.any())
  buffers.push.eq(arbiter.requests[1:].any())
words that no router tells of: router, star:3, shortest
  self.busy.eq(held.any())
  self.busy.eq(0)
words of another in-port: router, star:3, shortest
  buffers.word.eq(one_hot_or(arbiter.grant, words))
  buffers.word.eq(one_hot_or(arbiter.grant, [words[0], *words[:-1]]))
""")
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_proof_fails_with_a_planted_fault(name: str, tmp_path: Path) -> None:
    where, design, right, wrong = FAULTS[name]
    hardware = planted((*_MODULES, "hardware.broadcast_network"), where, right, wrong)
    assert proven(tmp_path, *design, hardware=hardware) == "FAIL"
