"""The reset of a clock that a PLL makes."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

__all__ = ["Settle"]


class Settle(wiring.Component):
    """Asks for a reset until a PLL has been locked for some cycles, also after it lost its lock.

    It works in the domain ``waiting``, whose clock is the PLL's.

    Parameters
    ----------
    cycles : int
        How long the PLL must have been locked.

    Members
    -------
    locked : In(1)
        Whether the PLL is locked; changes at any time.
    button : In(1)
        Asks for a reset as long as it is pressed; likewise.
    reset : Out(1)
        Whether a reset is needed, for a synchronizer.
    """

    def __init__(self, cycles: int) -> None:
        self._cycles = cycles
        super().__init__({"locked": In(1), "button": In(1), "reset": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Count while the PLL is locked."""
        m = Module()
        locked, waited = Signal(), Signal(range(self._cycles + 1))
        # A register: the synchronizer takes a reset at any time, also one that logic shows for a
        # moment while it changes.
        unsettled = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.locked, locked, o_domain="waiting")
        with m.If(~locked):
            m.d.waiting += waited.eq(0)
        with m.Elif(waited != self._cycles):
            m.d.waiting += waited.eq(waited + 1)
        m.d.waiting += unsettled.eq(waited != self._cycles)
        m.d.comb += self.reset.eq(unsettled | self.button)
        return m
