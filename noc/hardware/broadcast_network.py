"""The whole network, for an Amaranth design of one's own."""

from typing import Any

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.hardware.assembly import assemble, port
from noc.harness import AWAY


class BroadcastNetwork(wiring.Component):
    """Routers, or nodes of the ordered fabric, wired as the network's links are.

    Amaranth writes a module for each submodule: for more than a few dozen nodes, emit the network
    with :mod:`noc.emit.folder`, which writes each different one once.

    A word that a node injects is ejected at every other node once.

    Parameters
    ----------
    design : AnyDesign
        What :mod:`noc.design` makes.

    Members
    -------
    inject_NAME : In(stream.Signature)
        Words of the node ``NAME``, for each node that may send. The payload is a number if it has
        nothing but data, and otherwise a struct: with operations of ``data``, ``operation``,
        ``last`` and ``node``, as far as these operations need them.
    eject_NAME : Out(stream.Signature)
        Words for the node ``NAME``, likewise: in the ordered fabric of ``data`` and ``source``,
        where words carry the numbers of their senders, and with operations of ``operation`` and
        ``last``. ``docs/collectives.md`` has the fields of each.
        In the timetable fabric an array of streams, one for each in-port: see ``docs/rounds.md``.
    away_NAME : In
        With stand-ins, a bit for each group that the node is in and whose words are joined: while
        it is 1, void words are given there for the node, and nobody waits for it.
    dropped_NAME, mismatch_NAME, late_NAME : Out
        For networks with operations, where words can be wrong: see ``docs/collectives.md``.
    absent_NAME : Out(2)
        With a time-out of sinks, whether that of the node is given no words, and whether one is
        lost.
    phase_NAME : Out
        In the timetable fabric the number of the cycle in its round.
    start : In(1)
        In the timetable fabric, where rounds begin with pulses, whether one is to begin. Where they
        begin when all are ready, words wait behind ``inject`` until then.
    moves : Out(1)
        In the timetable fabric, where nodes stand still at times, whether all move on in this
        cycle.
    load, loading : In(load_signature(load)), Out(1)
        In the direct fabric, where tables are writable, words that write rows of routers, and
        whether any is under way: see ``docs/repair.md``.
    idle : Out(1)
        Whether the network holds no word, so that the next source may begin; only for one source
        at a time.
    """

    def __init__(self, design: AnyDesign) -> None:
        if design.protect != "none":
            raise InputError(
                f"{option('protect', design.protect)}: is of the Verilog, which an Amaranth design "
                "can instantiate; Amaranth's own registers have no copies"
            )
        self._design, self._assembly = design, assemble(design)
        members: dict[str, Any] = {}
        for node, name in enumerate(self._assembly.names):
            own = self._assembly.part_of(node).signature.members
            outer = (*self._assembly.sides(node), *self._assembly.others(node))
            members |= {f"{member}_{name}": own[member] for member in outer}
        if self._assembly.idle:
            members["idle"] = Out(1)
        for name, (number, member) in self._assembly.network_ports.items():
            members[name] = self._assembly.part_of(number).signature.members[member]
        super().__init__(members)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each node in signals."""
        return self._assembly.names

    @property
    def numbers(self) -> dict[str, int]:
        """By the name of each node the number by which words call it, in ``source`` and ``node``.

        It need not be its place in the network: see "Numbers of nodes" in ``docs/collectives.md``.
        """
        return dict(zip(self.names, self._design.numbers, strict=True))

    def elaborate(self, platform: object) -> Module:
        """Place the parts and join them."""
        m = Module()
        parts = []
        for number, instance in enumerate(self._assembly.instances):
            m.submodules[instance.name] = part = self._assembly.part_of(number).build()
            m.d.comb += [port(part, name).eq(value) for name, value in instance.constants.items()]
            parts.append(part)
        for node, name in enumerate(self._assembly.names):
            for side in self._assembly.sides(node):
                outer, inner = getattr(self, f"{side}_{name}"), getattr(parts[node], side)
                several = bool(self._assembly.part_of(node).signature.members[side].dimensions)
                for one, other in zip(outer, inner, strict=True) if several else [(outer, inner)]:
                    wiring.connect(m, wiring.flipped(one), other)
            for member in self._assembly.others(node):
                ends = getattr(self, f"{member}_{name}"), getattr(parts[node], member)
                outer, inner = ends[::-1] if member == AWAY else ends
                m.d.comb += outer.eq(inner)
        if self._assembly.idle:
            m.d.comb += self.idle.eq(
                ~Cat(parts[node].busy for node in range(len(self.names))).any()
            )
        for name, (number, member) in self._assembly.network_ports.items():
            ends = getattr(self, name), port(parts[number], member)
            if self.signature.members[name].is_signature:
                wiring.connect(m, wiring.flipped(ends[0]), ends[1])
                continue
            outer, inner = ends if self.signature.members[name].flow == Out else ends[::-1]
            m.d.comb += outer.eq(inner)
        for link in (link for link in self._assembly.links if not link.dead):
            (sender, output), (receiver, entrance) = link.sender, link.receiver
            wiring.connect(m, port(parts[sender], output), port(parts[receiver], entrance))
        return m
