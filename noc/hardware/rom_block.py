"""The table of a router as a block RAM, which is read while its word comes in."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.rom_logic import LogicRom
from noc.programs.table import RouterTable

__all__ = ["HeadRom", "SlotRom"]


def _layout(table: RouterTable) -> data.StructLayout:
    """All that a row says."""
    codes = {f"code_{port}": bits for port, bits in table.out_bits}
    return data.StructLayout({"sends": len(codes), "deliver": 1, **codes})


def _rom(table: RouterTable) -> memory.Memory:
    """The rows by their codes, with the names by which tools take a block RAM."""
    depth = 1 << max(1, table.code_bits)
    init: list[dict[str, int]] = [{} for _ in range(depth)]
    for entry in table.entries:
        sends = dict(entry.sends)
        wanted = [port in sends for port, _ in table.out_bits]
        init[entry.code] = {
            "sends": sum(one << number for number, one in enumerate(wanted)),
            "deliver": int(entry.deliver),
            **{f"code_{port}": code for port, code in sends.items()},
        }
    attrs = {"ram_style": "block", "rom_style": "block", "syn_romstyle": "EBR"}
    return memory.Memory(shape=_layout(table), depth=depth, init=init, attrs=attrs)


def _drive_row(m: Module, row: Any, held: Any) -> None:
    """Drive a row from what a memory holds."""
    for name in ("sends", "deliver", *(n for n in row.signature.members if n[:5] == "code_")):
        m.d.comb += getattr(row, name).eq(getattr(held, name))
    m.d.comb += row.last.eq(1)


class HeadRom(wiring.Component):
    """For a router with one VC: a row is read in the cycle in which its word becomes the head.

    Parameters
    ----------
    table : RouterTable
        What to do with the words; all-port.

    Members
    -------
    code : In(code bits)
        The code of the next head.
    load : In(1)
        Whether there is a next head, or none, in the next cycle.
    row : Out(LogicRom.row_signature)
        The row of the head.
    """

    def __init__(self, table: RouterTable) -> None:
        self._table = table
        members = {"code": In(max(1, table.code_bits)), "load": In(1)}
        super().__init__(members | {"row": Out(LogicRom.row_signature(table))})

    def elaborate(self, platform: object) -> Module:
        """The memory's own register holds the row."""
        m = Module()
        m.submodules.rom = rom = _rom(self._table)
        read = rom.read_port()
        m.d.comb += [read.addr.eq(self.code), read.en.eq(self.load)]
        _drive_row(m, self.row, read.data)
        return m


class SlotRom(wiring.Component):
    """For a router with several VCs: a row is read as its word is stored, and kept for its slot.

    Parameters
    ----------
    table : RouterTable
        What to do with the words; all-port.
    slots : int
        Number of addresses of the slots.

    Members
    -------
    code : In(code bits)
        The code of the word that is stored.
    push : In(1)
        Whether one is stored.
    push_slot : In(range(slots))
        Where it is stored.
    head_slot : In(range(slots))
        The slot of the word on the bus.
    row : Out(LogicRom.row_signature)
        The row of that word.
    """

    def __init__(self, table: RouterTable, *, slots: int) -> None:
        self._table, self._slots = table, slots
        super().__init__(
            {
                "code": In(max(1, table.code_bits)),
                "push": In(1),
                "push_slot": In(range(slots)),
                "head_slot": In(range(slots)),
                "row": Out(LogicRom.row_signature(table)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """A row comes out of the block RAM in the first cycle in which it may be needed."""
        m = Module()
        m.submodules.rom = rom = _rom(self._table)
        m.submodules.rows = rows = memory.Memory(
            shape=_layout(self._table), depth=self._slots, init=[]
        )
        fetch, write, read = rom.read_port(), rows.write_port(), rows.read_port(domain="comb")
        fetched = Signal()
        fetched_slot = Signal(range(self._slots))
        m.d.sync += [fetched.eq(self.push), fetched_slot.eq(self.push_slot)]
        m.d.comb += [
            fetch.addr.eq(self.code),
            write.addr.eq(fetched_slot),
            write.data.eq(fetch.data),
            write.en.eq(fetched),
            read.addr.eq(self.head_slot),
        ]
        held = Signal(_layout(self._table))
        bypass = fetched & (fetched_slot == self.head_slot)
        m.d.comb += held.as_value().eq(Mux(bypass, fetch.data.as_value(), read.data.as_value()))
        _drive_row(m, self.row, held)
        return m
