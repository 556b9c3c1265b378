"""A fork: one stream to several, each of which takes every word when it can."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out


class Fork(wiring.Component):
    """Gives each word to all outputs, to each as soon as it is ready.

    It stores nothing but which outputs have taken the word; the word leaves its source when the
    last of them takes it.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    outputs : int
        How many, at least 1.
    always_ready : bool
        Whether all outputs always take their words: no stream has a ``ready`` then.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come.
    skip : In(outputs)
        For each output whether the word is not for it.
    o : Out(stream.Signature(shape)).array(outputs)
        The outputs.
    """

    def __init__(self, shape: Any, *, outputs: int, always_ready: bool = False) -> None:
        if outputs < 1:
            raise ValueError(f"outputs must be at least 1, not {outputs!r}")
        self._always_ready = always_ready
        member = stream.Signature(shape, always_ready=always_ready)
        ports = {"i": In(member), "skip": In(outputs), "o": Out(member).array(outputs)}
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        """Offer the word where it has not been taken yet."""
        m = Module()
        count = len(self.o)
        sent, done = Const(0, count) if self._always_ready else Signal(count), Signal(count)
        for number, (o, skip) in enumerate(zip(self.o, self.skip, strict=True)):
            m.d.comb += [
                o.valid.eq(self.i.valid & ~sent[number] & ~skip),
                o.payload.eq(self.i.payload),
                done[number].eq(sent[number] | o.ready | skip),
            ]
        if self._always_ready:
            return m
        m.d.comb += self.i.ready.eq(done.all())
        # Nothing is sent while no word is offered, so that it need not be kept then.
        if count > 1:
            m.d.sync += sent.eq(Mux(self.i.valid & ~self.i.ready, done, 0))
        else:
            m.d.comb += sent.eq(0)
        return m
