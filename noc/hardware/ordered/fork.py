"""A fork: one stream to several, each of which takes every word when it can."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Fork"]


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
    routed : bool
        Whether a word may be for some outputs only.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come.
    skip : In(1) or In(outputs)
        Whether the word is not for the last output; if routed, for each output whether it is not.
    o_N : Out(stream.Signature(shape))
        Output N.
    """

    def __init__(self, shape: Any, *, outputs: int, routed: bool = False) -> None:
        if outputs < 1:
            raise ValueError(f"outputs must be at least 1, not {outputs!r}")
        self._outputs, self._routed = outputs, routed
        member = stream.Signature(shape)
        members = {f"o_{number}": Out(member) for number in range(outputs)}
        skip = In(outputs if routed else 1)
        super().__init__({"i": In(member), "skip": skip, **members})

    def elaborate(self, platform: object) -> Module:
        """Offer the word where it has not been taken yet."""
        m = Module()
        streams = [getattr(self, f"o_{number}") for number in range(self._outputs)]
        sent, done = Signal(self._outputs), Signal(self._outputs)
        skipped = [*self.skip] if self._routed else [0] * (self._outputs - 1) + [self.skip]
        for number, (o, skip) in enumerate(zip(streams, skipped, strict=True)):
            m.d.comb += [
                o.valid.eq(self.i.valid & ~sent[number] & ~skip),
                o.payload.eq(self.i.payload),
                done[number].eq(sent[number] | o.ready | skip),
            ]
        m.d.comb += self.i.ready.eq(done.all())
        # Nothing is sent while no word is offered, so that it need not be kept then.
        if self._outputs > 1:
            m.d.sync += sent.eq(Mux(self.i.valid & ~self.i.ready, done, 0))
        else:
            m.d.comb += sent.eq(0)
        return m
