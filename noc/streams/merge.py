"""A merge of two streams with exact weights."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.streams.announced import stream_of
from noc.streams.buffers import BUFFERS


class Merge(wiring.Component):
    """Two streams into one: weighted round-robin that never idles while a stream has words.

    The stream that has the turn wins if it offers a word, otherwise the other. A turn lasts as
    many words of its stream as the stream's weight; words of the other do not count.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    weights : (int, int)
        How many words the turns of the two streams last.
    slots : 0, 1 or 2
        Of the buffer behind it; 0 for none.
    announced : int
        After how many cycles the payloads of words follow in all streams, or 0 if they are plain.
        Others are not chosen, but put together by OR, so that those of words that are not passed
        on must be 0. No buffer is behind them if they follow after more than one cycle.

    Members
    -------
    first, second : In(stream.Signature(shape)) or In(Announced(shape))
        Words that come; ``ready`` depends on the ``valid`` of the other, the turn and the buffer:
        it is 1 wherever a word would be taken, whether or not one is offered.
    o : Out(stream.Signature(shape)) or Out(Announced(shape))
        Words that go on.
    """

    def __init__(
        self, shape: Any, *, weights: tuple[int, int], slots: int, announced: int = 0
    ) -> None:
        if min(weights) < 1:
            raise ValueError(f"weights must be at least 1, not {weights!r}")
        if slots and slots not in BUFFERS:
            raise ValueError(f"slots must be 0, 1 or 2, not {slots!r}")
        if slots and announced > 1:
            raise ValueError(f"slots must be 0 if payloads follow after {announced} cycles")
        self._weights = weights
        self._buffer, self._announced = BUFFERS.get(slots), announced
        self._shape, member = shape, stream_of(shape, announced=announced)
        super().__init__({"first": In(member), "second": In(member), "o": Out(member)})

    def elaborate(self, platform: object) -> Module:
        """Choose, store, count."""
        m = Module()
        result: Any = wiring.flipped(self.o)
        if self._buffer is not None:
            m.submodules.buffer = buffer = self._buffer(self._shape, announced=self._announced > 0)
            result = buffer.i
        turn, second = Signal(), Signal()
        m.d.comb += [
            second.eq(Mux(turn, self.second.valid, ~self.first.valid)),
            result.valid.eq(self.first.valid | self.second.valid),
            self._payload(result, second),
            # Neither waits for its own ``valid``, so that what follows them is known sooner.
            self.first.ready.eq(result.ready & ~(turn & self.second.valid)),
            self.second.ready.eq(result.ready & (turn | ~self.first.valid)),
        ]
        if self._buffer is not None:
            wiring.connect(m, buffer.o, wiring.flipped(self.o))
        counted = result.ready & Mux(turn, self.second.valid, self.first.valid)
        self._count(m, turn, counted)
        return m

    def _payload(self, result: Any, second: Signal) -> Any:
        """The word that is chosen."""
        first, other = self.first.payload, self.second.payload
        if self._announced:
            return Value.cast(result.payload).eq(Value.cast(first) | Value.cast(other))
        return result.payload.eq(Mux(second, other, first))

    def _count(self, m: Module, turn: Signal, counted: Value) -> None:
        """Pass the turn on after the last word of its weight, which is known a cycle ahead."""
        first, second = self._weights
        if first == second == 1:
            m.d.sync += turn.eq(turn ^ counted)
            return
        # How many words follow in this turn.
        more = Signal(range(max(first, second)), init=first - 1)
        last = Signal(init=first == 1)
        with m.If(counted):
            with m.If(last):
                m.d.sync += [
                    turn.eq(~turn),
                    more.eq(Mux(turn, first - 1, second - 1)),
                    last.eq(Mux(turn, first == 1, second == 1)),
                ]
            with m.Else():
                m.d.sync += [more.eq(more - 1), last.eq(more == 1)]
