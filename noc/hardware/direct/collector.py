"""Puts the slices of words together: each waits for those that come later."""

from collections.abc import Sequence
from functools import reduce
from operator import xor
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.programs.table import part_bits


class Collector(wiring.Component):
    """Gives a word when its last slice can have come, if so many are there that nothing lacks.

    What comes says how long it waits, so that all slices of a word leave in one cycle, and one that
    was lost makes no other wait, nor comes another in its place.

    Parameters
    ----------
    waits : sequence of int
        For each slice of a word how many cycles it waits at most.
    parts : int
        So many slices make a word. The others are redundant: one the sum of all parts, without
        carries, or copies of the only part.
    width : int
        Bits of a word.

    Members
    -------
    slices : In(stream.Signature(StructLayout({"wait": …, "data": …}), always_ready=True)).array
        What comes, by its place in words.
    eject : Out(stream.Signature(width, always_ready=True))
        Words: a slice that waits no cycle is in that of the next cycle.
    busy : Out(1)
        Whether it holds a slice.
    """

    def __init__(self, waits: Sequence[int], *, parts: int, width: int) -> None:
        self._waits, self._parts, self._bits = tuple(waits), parts, part_bits(parts, width)
        slot = data.StructLayout({"wait": max(waits).bit_length(), "data": self._bits})
        slices = In(stream.Signature(slot, always_ready=True)).array(len(waits))
        eject = Out(stream.Signature(width, always_ready=True))
        super().__init__({"slices": slices, "eject": eject, "busy": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Keep what comes until its cycle, and put together what leaves."""
        m = Module()
        busy, leaving = [], []
        for number, last in enumerate(self._waits):
            comes = self.slices[number]
            # In which of the next cycles something leaves.
            there = Signal(last + 1, name=f"there_{number}")
            wait = comes.payload.wait
            then = Cat(comes.valid & (wait == cycles) for cycles in range(last + 1))
            m.d.sync += there.eq(there[1:] | then)
            busy.append(there.any())
            leaving.append((there[0], self._keep(m, number, there)))
        m.d.comb += [
            self.busy.eq(Cat(busy).any()),
            self.eject.valid.eq(self._are_enough([valid for valid, _ in leaving])),
            self.eject.payload.eq(Cat(self._parts_of(leaving))),
        ]
        return m

    def _keep(self, m: Module, number: int, there: Value) -> Value:
        """The slice of one place that leaves in this cycle: of one source all wait equally long."""
        comes, last = self.slices[number], self._waits[number]
        if not last:
            kept = Signal(self._bits, name=f"kept_{number}", reset_less=True)
            m.d.sync += kept.eq(comes.payload.data)
            return kept
        slots = memory.Memory(shape=self._bits, depth=1 << last.bit_length(), init=[])
        m.submodules[f"slots_{number}"] = slots
        newest, oldest, following = (
            Signal(last.bit_length(), name=f"{name}_{number}")
            for name in ("newest", "oldest", "following")
        )
        m.d.comb += following.eq(oldest + there[0])
        m.d.sync += [newest.eq(newest + comes.valid), oldest.eq(following)]
        # Where words of several sources met, these may have come apart.
        with m.If(~there.any() & ~comes.valid):
            m.d.sync += [newest.eq(0), oldest.eq(0)]
        write = slots.write_port()
        # It is read the cycle before, so that the way is short where words leave.
        read: Any = slots.read_port(transparent_for=(write,))
        m.d.comb += [
            write.en.eq(comes.valid),
            write.addr.eq(newest),
            write.data.eq(comes.payload.data),
            read.addr.eq(following),
        ]
        result: Value = read.data
        return result

    def _are_enough(self, valid: Sequence[Value]) -> Value:
        """Whether the slices make a word."""
        if self._parts == 1:
            return Cat(valid).any()
        if self._parts == len(valid):
            return Cat(valid).all()
        return Cat(Cat(each for each in valid if each is not one).all() for one in valid).any()

    def _parts_of(self, leaving: Sequence[tuple[Value, Value]]) -> list[Value]:
        """The parts of a word of which there are enough slices."""
        if self._parts == len(leaving):
            return [bits for _, bits in leaving]
        if self._parts == 1:
            word = leaving[-1][1]
            for valid, bits in leaving[-2::-1]:
                word = Mux(valid, bits, word)
            return [word]
        # What is not there is as the sum of all others.
        lost = reduce(xor, (bits & valid.replicate(self._bits) for valid, bits in leaving))
        return [Mux(valid, bits, lost) for valid, bits in leaving[: self._parts]]
