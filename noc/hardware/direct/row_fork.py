"""Forks of the word on the bus to the outputs that its row names.

Each keeps a few bits for a word that say what has been sent, zeros at first. The router stores
them: ``progress`` is their value in this cycle, ``next_progress`` that in the next.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.direct.rom import LogicRom
from noc.programs.table import RouterTable


class RowFork(wiring.Component):
    """Sends the copies of one word at a time; the base of both forks.

    Members
    -------
    row : In(LogicRom.row_signature)
        The row of the word on the bus.
    occupied : In(1)
        Whether there is a word.
    progress : In(progress_bits)
        What has been sent.
    next_progress : Out(progress_bits)
        The same for the next cycle; zeros when the word is done.
    valid, ready : Out(ports), In(ports)
        The copies, in the order of the table's out-ports.
    eject_valid, eject_ready : Out(1), In(1)
        The copy for the node.
    pop : Out(1)
        The last copy leaves: the word is done.
    """

    def __init__(self, table: RouterTable, progress_bits: int) -> None:
        ports = len(table.out_bits)
        super().__init__(
            {
                "row": In(LogicRom.row_signature(table)),
                "occupied": In(1),
                "progress": In(progress_bits),
                "next_progress": Out(progress_bits),
                "valid": Out(ports),
                "ready": In(ports),
                "eject_valid": Out(1),
                "eject_ready": In(1),
                "pop": Out(1),
            }
        )


def build_fork(table: RouterTable, *, always_ready: bool) -> RowFork:
    """The fork for a table: serial for one-port use, else eager; or one where all is taken."""
    if always_ready:
        return FreeFork(table)
    return SerialFork(table) if table.one_port else EagerFork(table)


class EagerFork(RowFork):
    """Offers all copies at once, and each leaves when it is taken; ``progress`` has their bits."""

    def __init__(self, table: RouterTable) -> None:
        super().__init__(table, len(table.out_bits) + 1)

    def elaborate(self, platform: object) -> Module:
        """Offer each copy that the row wants and that has not left."""
        m = Module()
        wanted = Cat(self.row.sends, self.row.deliver) & ~self.progress
        pending = Signal.like(self.progress)
        taken = Cat(self.ready, self.eject_ready)
        m.d.comb += [
            pending.eq(wanted & self.occupied.replicate(len(pending))),
            Cat(self.valid, self.eject_valid).eq(pending),
            self.pop.eq(self.occupied & ~(pending & ~taken).any()),
            self.next_progress.eq(
                (self.progress | (pending & taken)) & ~self.pop.replicate(len(pending))
            ),
        ]
        return m


class FreeFork(RowFork):
    """Sends all copies in one cycle, to outputs that are always ready: there is no ``progress``."""

    def __init__(self, table: RouterTable) -> None:
        super().__init__(table, 0)

    def elaborate(self, platform: object) -> Module:
        """Send what the row wants."""
        m = Module()
        m.d.comb += [
            self.valid.eq(self.row.sends & self.occupied.replicate(len(self.valid))),
            self.eject_valid.eq(self.occupied & self.row.deliver),
            self.pop.eq(self.occupied),
        ]
        return m


class SerialFork(RowFork):
    """Offers one copy after the other, the eject beside them: a counter, then the eject's bit."""

    def __init__(self, table: RouterTable) -> None:
        super().__init__(table, LogicRom.sent_bits(table) + 1)

    def elaborate(self, platform: object) -> Module:
        """Offer the copy that the ROM has looked up for this count, and the eject beside it."""
        m = Module()
        sent, ejected = self.progress[:-1], self.progress[-1]
        taken = Signal()
        done = Signal()
        eject_done = Signal()
        m.d.comb += [
            self.valid.eq(self.row.sends & self.occupied.replicate(len(self.valid))),
            self.eject_valid.eq(self.occupied & self.row.deliver & ~ejected),
            taken.eq((self.valid & self.ready).any()),
            done.eq(~self.row.sends.any() | (self.row.last & taken)),
            eject_done.eq(~self.eject_valid | self.eject_ready),
            self.pop.eq(self.occupied & done & eject_done),
            self.next_progress.eq(
                Mux(
                    self.pop,
                    0,
                    Cat(
                        (sent + taken)[: len(sent)], ejected | (self.eject_valid & self.eject_ready)
                    ),
                )
            ),
        ]
        return m
