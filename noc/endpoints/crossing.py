"""A stream from one clock to another."""

from typing import Any

from amaranth.hdl import Module, ResetSignal, Shape, Value
from amaranth.lib import fifo, stream, wiring
from amaranth.lib.wiring import In, Out

#: The clock domains of the network and of a node, where they are not the same.
NETWORK, NODE = "sync", "node"

#: Words in a queue: as many as sustain one word a cycle between equal clocks.
DEPTH = 8


class Crossing(wiring.Component):
    """A queue that is written with one clock and read with another, in any relation.

    Nothing is read while the reading side is in reset, so that the two resets may end in any
    order. A reset of the writing side empties the queue; one side alone must not be reset while
    words are under way.

    Parameters
    ----------
    shape : shape-like
        What the stream carries.
    write, read : str
        The clock domains.

    Members
    -------
    i : In(stream.Signature)
        Words, in the domain ``write``.
    o : Out(stream.Signature)
        The same words, in the domain ``read``.
    """

    def __init__(self, shape: Any, *, write: str, read: str) -> None:
        self._shape, self._write, self._read = shape, write, read
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform: object) -> Module:
        """Put Amaranth's queue between the streams."""
        m = Module()
        m.submodules.queue = queue = fifo.AsyncFIFO(
            width=Shape.cast(self._shape).width,
            depth=DEPTH,
            w_domain=self._write,
            r_domain=self._read,
        )
        awake = ~ResetSignal(self._read, allow_reset_less=True)
        m.d.comb += [
            queue.w_data.eq(self.i.payload),
            queue.w_en.eq(self.i.valid),
            self.i.ready.eq(queue.w_rdy),
            Value.cast(self.o.payload).eq(queue.r_data),
            self.o.valid.eq(queue.r_rdy & awake),
            queue.r_en.eq(self.o.ready & awake),
        ]
        return m


class CrossingEndpoint(wiring.Component):
    """A node with a clock of its own, domain ``node``, at a router with the clock ``sync``.

    Parameters
    ----------
    inject : shape-like or None
        The payload of the router's inject stream, or None where the node never sends.
    eject : shape-like
        The payload of its eject stream.

    Members
    -------
    send : In(stream.Signature)
        Words of the node, in its domain.
    receive : Out(stream.Signature)
        Words for the node, in its domain.
    inject : Out(stream.Signature)
        To the router.
    eject : In(stream.Signature)
        From the router.
    """

    def __init__(self, inject: Any, eject: Any) -> None:
        self._inject, self._eject = inject, eject
        members = {"eject": In(stream.Signature(eject)), "receive": Out(stream.Signature(eject))}
        if inject is not None:
            members["send"] = In(stream.Signature(inject))
            members["inject"] = Out(stream.Signature(inject))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """A queue for each direction."""
        m = Module()
        m.submodules.down = down = Crossing(self._eject, write=NETWORK, read=NODE)
        wiring.connect(m, wiring.flipped(self.eject), down.i)
        wiring.connect(m, down.o, wiring.flipped(self.receive))
        if self._inject is not None:
            m.submodules.up = up = Crossing(self._inject, write=NODE, read=NETWORK)
            wiring.connect(m, wiring.flipped(self.send), up.i)
            wiring.connect(m, up.o, wiring.flipped(self.inject))
        return m
