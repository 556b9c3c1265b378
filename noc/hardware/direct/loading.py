"""How rows come to the tables of all routers: in a ring of registers from node to node."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.programs.load_words import LoadFormat


def load_signature(load: LoadFormat) -> stream.Signature:
    """The words that write rows; they never wait."""
    return stream.Signature(data.StructLayout(load.fields), always_ready=True)


class RowTaker(wiring.Component):
    """The register of the ring at a node, which sees which words are for the node.

    So that a node need not know its number, each takes 1 from that in the word. No reset stops a
    word, so that tables can be written while the network is held in reset.

    Members
    -------
    i, o : In(load_signature(load)), Out(load_signature(load))
        The ring.
    write : Out(load_signature(load))
        The words for this node.
    """

    def __init__(self, load: LoadFormat) -> None:
        words = load_signature(load)
        super().__init__({"i": In(words), "o": Out(words), "write": Out(words)})

    def elaborate(self, platform: object) -> Module:
        """Pass each word on, a cycle later."""
        m = Module()
        valid = Signal(reset_less=True)
        word = Signal.like(self.i.payload, reset_less=True)
        m.d.sync += [valid.eq(self.i.valid), word.eq(self.i.payload)]
        m.d.comb += [
            *(self.write.valid.eq(valid & (word.node == 0)), self.write.payload.eq(word)),
            *(self.o.valid.eq(valid), self.o.payload.eq(word)),
            self.o.payload.node.eq(word.node - 1),
        ]
        return m


class Loader(wiring.Component):
    """Where words enter the ring and leave it.

    Members
    -------
    load : In(load_signature(load))
        Words that write rows, one a cycle.
    loading : Out(1)
        Whether any is under way; it is a register.
    first, last : Out(load_signature(load)), In(load_signature(load))
        The ends of the ring.
    """

    def __init__(self, load: LoadFormat, nodes: int) -> None:
        self._nodes, words = nodes, load_signature(load)
        members = {"load": In(words), "loading": Out(1), "first": Out(words), "last": In(words)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Count the words that have entered and not left."""
        m = Module()
        count = Signal(range(self._nodes + 1), reset_less=True)
        loading = Signal(reset_less=True)
        left = Signal.like(count)
        m.d.comb += [
            *(self.first.valid.eq(self.load.valid), self.first.payload.eq(self.load.payload)),
            left.eq(count + self.load.valid - self.last.valid),
            self.loading.eq(loading),
        ]
        m.d.sync += [count.eq(left), loading.eq(left.any())]
        return m
