"""Registers in which alarms stay until they are cleared, beside a network that shows each once."""

from collections.abc import Collection, Mapping

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

#: Bits of a count of lost words.
COUNT_BITS = 32


class HeldAlarms(wiring.Component):
    """Keeps every bit of alarms that was 1 until it is cleared, and counts the words that are lost.

    A bit that is cleared in a cycle in which its alarm is 1 stays: nothing is missed between a read
    and its clear if one clears what one has read.

    Parameters
    ----------
    alarms : mapping of str to int
        The bits of each alarm, by its signal.
    counted : collection of str
        Those of sinks that are given up, of which bit 1 is 1 for each lost word.

    Attributes
    ----------
    alarms : mapping of str to int
        As above.
    counts : dict of str to str
        By each of those the count.

    Members
    -------
    absent_1234 and so on : In
        The alarms, by their signals.
    clear : In
        The bits of ``held`` that are to be cleared.
    held : Out
        A bit for each bit of the alarms, one alarm after the other: whether it was 1 in a cycle
        before, and was not cleared since.
    alarm : Out(1)
        Whether any of these is 1.
    lost_1234 and so on : Out(COUNT_BITS)
        The words that were lost since reset at each node that is counted; behind the most it begins
        at 0.
    """

    def __init__(self, alarms: Mapping[str, int], counted: Collection[str]) -> None:
        self.alarms, bits = alarms, sum(alarms.values())
        self.counts = {name: f"lost_{name.partition('_')[2]}" for name in counted}
        super().__init__(
            {
                **{name: In(each) for name, each in alarms.items()},
                "clear": In(bits),
                "held": Out(bits),
                "alarm": Out(1),
                **{name: Out(COUNT_BITS) for name in self.counts.values()},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """A register for each bit, and one for each count."""
        m = Module()
        up = Cat(getattr(self, name) for name in self.alarms)
        m.d.sync += self.held.eq(self.held & ~self.clear | up)
        m.d.comb += self.alarm.eq(self.held.any())
        for name, counts in self.counts.items():
            count = getattr(self, counts)
            with m.If(getattr(self, name)[1]):
                m.d.sync += count.eq(count + 1)
        return m
