"""The copies of the word on the bus: which are shown, which have left, and when all have.

Both ways remember a few bits for a word, zeros at first: ``kept`` is what they remembered, and
``keep`` what they will.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.rows import Rows
from noc.programs.table import RouterTable

__all__ = ["AllSends", "Copies", "OneSend", "copies"]


class Copies(wiring.Component):
    """The copies of one word at a time.

    Parameters
    ----------
    table : RouterTable
        What to do with the words.
    kept_bits : int
        Bits that are remembered for a word.

    Members
    -------
    row : In(Rows.row_signature)
        The row of the word on the bus.
    occupied : In(1)
        Whether there is a word.
    kept : In(kept_bits)
        What is remembered.
    keep : Out(kept_bits)
        What will be; zeros when the word is done.
    valid, ready : Out(ports), In(ports)
        The copies, by place of the out-port in the table.
    eject_valid, eject_ready : Out(1), In(1)
        The copy for the node.
    drop : Out(1)
        The last copy leaves.
    """

    def __init__(self, table: RouterTable, kept_bits: int) -> None:
        ports = len(table.out_bits)
        super().__init__(
            {
                "row": In(Rows.row_signature(table)),
                "occupied": In(1),
                "kept": In(kept_bits),
                "keep": Out(kept_bits),
                "valid": Out(ports),
                "ready": In(ports),
                "eject_valid": Out(1),
                "eject_ready": In(1),
                "drop": Out(1),
            }
        )


def copies(table: RouterTable) -> Copies:
    """The component for a table's model."""
    return OneSend(table) if table.one_port else AllSends(table)


class AllSends(Copies):
    """All copies are shown at once, and leave as they are taken: a bit for each that has left.

    Parameters
    ----------
    table : RouterTable
        What to do with the words.
    """

    def __init__(self, table: RouterTable) -> None:
        super().__init__(table, len(table.out_bits) + 1)

    def elaborate(self, platform: object) -> Module:
        """A copy is shown that is wanted and has not left."""
        m = Module()
        shown = Cat(self.row.sends, self.row.deliver) & ~self.kept
        pending = Signal.like(self.kept)
        taking = Cat(self.ready, self.eject_ready)
        m.d.comb += [
            pending.eq(shown & self.occupied.replicate(len(pending))),
            Cat(self.valid, self.eject_valid).eq(pending),
            self.drop.eq(self.occupied & ~(pending & ~taking).any()),
            self.keep.eq((self.kept | (pending & taking)) & ~self.drop.replicate(len(pending))),
        ]
        return m


class OneSend(Copies):
    """One copy is shown after the other: a counter of those that have left, then the eject's bit.

    Parameters
    ----------
    table : RouterTable
        What to do with the words.
    """

    def __init__(self, table: RouterTable) -> None:
        super().__init__(table, Rows.turn_bits(table) + 1)

    def elaborate(self, platform: object) -> Module:
        """The copy is shown whose turn it is, and the eject beside it."""
        m = Module()
        turn, ejected = self.kept[:-1], self.kept[-1]
        moved = Signal()
        done = Signal()
        eject_done = Signal()
        m.d.comb += [
            self.valid.eq(self.row.sends & self.occupied.replicate(len(self.valid))),
            self.eject_valid.eq(self.occupied & self.row.deliver & ~ejected),
            moved.eq((self.valid & self.ready).any()),
            done.eq(~self.row.sends.any() | (self.row.last & moved)),
            eject_done.eq(~self.eject_valid | self.eject_ready),
            self.drop.eq(self.occupied & done & eject_done),
            self.keep.eq(
                Mux(
                    self.drop,
                    0,
                    Cat(
                        (turn + moved)[: len(turn)], ejected | (self.eject_valid & self.eject_ready)
                    ),
                )
            ),
        ]
        return m
