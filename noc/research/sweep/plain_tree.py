# amaranth: UnusedElaboratable=no
"""The plain tree that an engineer compares first.

A balanced tree of hubs with three children each: a fan-in of round-robin arbiters, two streams at a
time, with a buffer of two slots behind the last one of a hub and of one slot behind the others, and
a fan-out of forks behind buffers of two slots; at each end what a leaf of the ordered fabric has.
It is made of the ordered fabric's own parts, serves the same ends with the same words, and goes
through the same synthesis, place and route. Of the forms that can be chosen it is the one that does
most words a second per LUT.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
from amaranth.hdl import Module
from amaranth.lib import wiring

from noc.design import OrderedDesign
from noc.hardware.assembly import Assembly, Part, assemble
from noc.hardware.ordered import Node
from noc.networks import ABSENT, Network
from noc.networks.grid import NumberLabels
from noc.programs.ordered import Merge, NodePlan, OrderedProgram, compile_ordered
from noc.programs.ordered_config import OrderedConfig
from noc.programs.word_format import WordFormat

#: The port that leads up.
UP = 0


class _Program(OrderedProgram):
    """Its ends have the first numbers, and words carry those."""

    @property
    def source_bits(self) -> int:
        """Bits of the number of an end."""
        return (len(self.sources) - 1).bit_length() if self.config.source_numbers else 0


@dataclass(frozen=True, eq=False)
class PlainTree(OrderedDesign):
    """A design whose inner nodes, the hubs, have no streams of their own."""

    @property
    def ends(self) -> int:
        """How many send and receive."""
        return len(self.program.sources)

    @cached_property
    def words(self) -> WordFormat:
        """Their numbers are those of ends."""
        return WordFormat(self.width, self.ends, self.config.source_numbers)


class Hub(wiring.Component):
    """A node of the ordered fabric that neither sends nor receives.

    Members
    -------
    up_in, up_out, down_in, down_out
        As :class:`noc.hardware.ordered.Node` has them.
    """

    def __init__(self, plan: NodePlan, words: WordFormat) -> None:
        self._node = Node(plan, words)
        members = dict(self._node.signature.members)
        del members["eject"]
        super().__init__(members)

    def elaborate(self, _platform: object) -> Module:
        """A node whose sink takes everything at once, so that nothing of it is left."""
        m = Module()
        m.submodules.node = node = self._node
        for name in self.signature.members:
            outer, inner = getattr(self, name), getattr(node, name)
            ends = zip(outer, inner, strict=True) if isinstance(outer, list) else [(outer, inner)]
            for own, its in ends:
                wiring.connect(m, wiring.flipped(own), its)
        m.d.comb += cast("Any", node).eject.ready.eq(1)
        return m


@assemble.register
def _(design: PlainTree) -> Assembly:
    """As an ordered fabric, but for the hubs."""
    plain = assemble.dispatch(OrderedDesign)(design)
    words = design.words
    parts = list(plain.parts)
    for number, plan in enumerate(design.program.plans):
        if not plan.sends:
            parts[number] = Part(
                parts[number].suffix.replace("node", "hub"),
                partial(Hub, plan, words),
            )
    return replace(plain, parts=tuple(parts))


def build_plain_tree(
    ends: int,
    *,
    width: int = 32,
    source_numbers: bool = True,
    children: int = 3,
    slots: int = 1,
    weighted: bool = False,
) -> PlainTree:
    """A balanced tree of hubs over some ends.

    Parameters
    ----------
    ends : int
        How many, at least 2.
    width : int
        Bits of a word's data.
    source_numbers : bool
        Whether a word carries the number of its sender, which does not get it back then.
    children : int
        Of each hub, at most: arbiters of two streams stand behind each other in it, and one fork
        has so many outputs.
    slots : 1 or 2
        Of the buffer of an arbiter that is followed, in the same hub, by one of two slots.
    weighted : bool
        Whether arbiters serve their inputs by the numbers of ends behind them.
    """
    form = OrderedConfig(source_numbers=source_numbers, own_words=not source_numbers)
    net = _tree(ends, children)
    plain = compile_ordered(net, "shortest", sources=range(ends), root=ends, config=form)
    program = _Program(**vars(plain))
    if not weighted:
        plans = tuple(replace(plan, merges=_merges(plan.up, slots)) for plan in plain.plans)
        program = replace(program, plans=plans)
    return PlainTree(program, width)


def _merges(inputs: int, slots: int) -> tuple[Merge, ...]:
    """Round-robin arbiters of two streams; one of three streams is two, with weights."""
    streams = [(1, number) for number in range(inputs)]
    merges: list[Merge] = []
    while len(streams) > 1:
        (one, first), (other, second), *left = sorted(streams)
        common = math.gcd(one, other)
        merges.append(Merge(first, second, (one // common, other // common), 2))
        streams = [*left, (one + other, inputs + len(merges) - 1)]
    # From the last one back: never two buffers of one slot in a row.
    for merge in reversed(merges if slots == 1 else ()):
        for stream in (merge.first - inputs, merge.second - inputs):
            if stream >= 0:
                merges[stream] = replace(merges[stream], slots=3 - merge.slots)
    return tuple(merges)


def _tree(ends: int, children: int) -> Network:
    """The ends come first, then the hubs, from the root down."""
    parent = [ABSENT] * ends
    port = [ABSENT] * ends

    def grow(part: Sequence[int]) -> int:
        if len(part) == 1:
            return part[0]
        hub = len(parent)
        parent.append(ABSENT)
        port.append(ABSENT)
        cuts = np.linspace(0, len(part), min(children, len(part)) + 1).round().astype(int)
        for number, (first, behind) in enumerate(itertools.pairwise(cuts), 1):
            child = grow(part[first:behind])
            parent[child], port[child] = hub, number
        return hub

    grow(range(ends))
    nodes = len(parent)
    neighbour = np.full((nodes, children + 1), ABSENT, dtype=np.int32)
    arrival = np.full(neighbour.shape, ABSENT, dtype=np.int16)
    for child, (above, way) in enumerate(zip(parent, port, strict=True)):
        if above != ABSENT:
            neighbour[above, way], arrival[above, way] = child, UP
            neighbour[child, UP], arrival[child, UP] = above, way
    ports = tuple(str(number) for number in range(children + 1))
    spec = f"baseline:{ends},{children}"
    parameters = (ends, children)
    labels = NumberLabels(nodes)
    return Network(spec, "baseline", parameters, neighbour, arrival, ports, ports, labels)
