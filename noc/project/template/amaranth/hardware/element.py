"""What is at each node. This is the part to fill in."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from hardware.example import WORDS, fields, part_of

from noc.design import AnyDesign


class ProcessingElement(wiring.Component):
    """Gives a message of numbers for each operation, and adds up the data that come.

    ``number`` is that of its node in the design; words can call the node by another, which
    ``BroadcastNetwork.numbers`` has by its name. ``inject`` is None where the node may not send.

    Members
    -------
    start : In(1)
        Begin.
    total : Out(width)
        The sum of the data that came since the last start; a word of a barrier counts as 1.
    done : Out(1)
        Whether all is given and all has come.
    inject, eject : Out, In(stream.Signature)
        To the network, and from it.
    """

    def __init__(
        self,
        design: AnyDesign,
        number: int,
        *,
        inject: wiring.Member | None,
        eject: wiring.Member,
    ) -> None:
        self._part = part_of(design, number)
        members = {"start": In(1), "total": Out(design.width), "done": Out(1), "eject": eject}
        super().__init__(members if inject is None else members | {"inject": inject})

    def elaborate(self, platform):
        """Each word is taken as soon as it comes: an element never holds up the network."""
        m, part = Module(), self._part
        came, all_given = Signal(range(part.awaits + 1), init=part.awaits), Signal()
        taken = fields(self.eject.payload)
        barriers = Const(part.barriers, part.operations)
        # Without a number there is one operation only.
        barrier = barriers.bit_select(taken.get("operation", Const(0, 1)), 1)
        m.d.comb += [self.eject.ready.eq(1), self.done.eq(all_given & (came == part.awaits))]
        with m.If(self.start):
            m.d.sync += [came.eq(0), self.total.eq(0)]
        with m.Elif(self.eject.valid):
            m.d.sync += came.eq(came + 1)
            m.d.sync += self.total.eq(self.total + Mux(barrier, 1, taken["data"]))
        if part.gives:
            self._give(m, all_given)
        else:
            m.d.comb += all_given.eq(1)
        return m

    def _give(self, m: Module, all_given: Signal) -> None:
        """A message for each operation in turn, but for those for which this node gives none."""
        part = self._part
        operation = Signal(range(part.operations + 1), init=part.operations)
        word = Signal(range(WORDS))
        gives = Const(part.gives, part.operations).bit_select(operation, 1) & ~all_given
        to = Const(part.to, part.operations * part.node_bits)
        m.d.comb += [all_given.eq(operation == part.operations), self.inject.valid.eq(gives)]
        values = {
            "data": Cat(word, operation) + part.first,
            "operation": operation,
            "last": word == WORDS - 1,
            "node": to.word_select(operation, part.node_bits),
        }
        # A field that the network does not need is not there.
        own = fields(self.inject.payload)
        m.d.comb += [own[name].eq(value) for name, value in values.items() if name in own]
        with m.If(self.start):
            m.d.sync += [operation.eq(0), word.eq(0)]
        with m.Elif(~all_given & (self.inject.ready | ~gives)):
            m.d.sync += word.eq(word + 1)
            with m.If((word == WORDS - 1) | ~gives):
                m.d.sync += [operation.eq(operation + 1), word.eq(0)]
