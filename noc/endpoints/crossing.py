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


def list_streams(component: Any, member: str) -> dict[str, Any]:
    """The stream of a member, or those of an array of them by ``_0`` and so on, or none."""
    known = component.signature.members
    if member not in known:
        return {}
    streams = getattr(component, member)
    if not known[member].dimensions:
        return {"": streams}
    return {f"_{number}": each for number, each in enumerate(streams)}


class CrossingEndpoint(wiring.Component):
    """A node with a clock of its own, domain ``node``, at a router with the clock ``sync``.

    Parameters
    ----------
    inject : shape-like, list of it, or None
        The payload of the router's inject stream, of each of several, or None where the node never
        sends.
    eject : shape-like, list of it, or None
        The same of its eject stream.

    Members
    -------
    send : In(stream.Signature), or an array of it
        Words of the node, in its domain.
    receive : Out(stream.Signature), or an array of it
        Words for the node, in its domain.
    inject : Out(stream.Signature), or an array of it
        To the router.
    eject : In(stream.Signature), or an array of it
        From the router.
    """

    def __init__(self, inject: Any, eject: Any) -> None:
        members = {}
        for shape, near, far in ((eject, "eject", "receive"), (inject, "send", "inject")):
            if isinstance(shape, list):
                each = stream.Signature(shape[0])
                members |= {near: In(each).array(len(shape)), far: Out(each).array(len(shape))}
            elif shape is not None:
                members |= {near: In(stream.Signature(shape)), far: Out(stream.Signature(shape))}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """A queue for each stream."""
        m = Module()
        down, up = ("down", "eject", "receive"), ("up", "send", "inject")
        for (way, near, far), write, read in ((down, NETWORK, NODE), (up, NODE, NETWORK)):
            outputs = list_streams(self, far)
            for number, entry in list_streams(self, near).items():
                queue = Crossing(entry.payload.shape(), write=write, read=read)
                m.submodules[f"{way}{number}"] = queue
                wiring.connect(m, wiring.flipped(entry), queue.i)
                wiring.connect(m, queue.o, wiring.flipped(outputs[number]))
        return m
