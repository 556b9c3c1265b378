"""The table of a router as a block RAM, which is read while its word comes in."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.rows import Rows
from noc.programs.table import RouterTable

__all__ = ["HeadRows", "PlaceRows"]


def _layout(table: RouterTable) -> data.StructLayout:
    """All that a row says."""
    codes = {f"code_{port}": bits for port, bits in table.out_bits}
    return data.StructLayout({"sends": len(codes), "deliver": 1, **codes})


def _block(table: RouterTable) -> memory.Memory:
    """The rows by their codes, with the names by which tools take a block RAM."""
    depth = 1 << max(1, table.code_bits)
    init: list[dict[str, int]] = [{} for _ in range(depth)]
    for entry in table.entries:
        sends = dict(entry.sends)
        wanted = [port in sends for port, _ in table.out_bits]
        init[entry.code] = {
            "sends": sum(one << place for place, one in enumerate(wanted)),
            "deliver": int(entry.deliver),
            **{f"code_{port}": code for port, code in sends.items()},
        }
    attrs = {"ram_style": "block", "rom_style": "block", "syn_romstyle": "EBR"}
    return memory.Memory(shape=_layout(table), depth=depth, init=init, attrs=attrs)


def _say(m: Module, row: Any, said: Any) -> None:
    """Drive a row from what a memory holds."""
    for name in ("sends", "deliver", *(n for n in row.signature.members if n[:5] == "code_")):
        m.d.comb += getattr(row, name).eq(getattr(said, name))
    m.d.comb += row.last.eq(1)


class HeadRows(wiring.Component):
    """For a router with one class: the row of each new head is read as it becomes the head.

    Parameters
    ----------
    table : RouterTable
        What to do with the words; all-port.

    Members
    -------
    coming : In(code bits)
        The code of the next head.
    load : In(1)
        Whether there is a next head, or none, in the next cycle.
    row : Out(Rows.row_signature)
        The row of the head.
    """

    def __init__(self, table: RouterTable) -> None:
        self._table = table
        members = {"coming": In(max(1, table.code_bits)), "load": In(1)}
        super().__init__(members | {"row": Out(Rows.row_signature(table))})

    def elaborate(self, platform: object) -> Module:
        """The memory's own register holds the row."""
        m = Module()
        m.submodules.block = block = _block(self._table)
        read = block.read_port()
        m.d.comb += [read.addr.eq(self.coming), read.en.eq(self.load)]
        _say(m, self.row, read.data)
        return m


class PlaceRows(wiring.Component):
    """For a router with several classes: a row is read as its word is stored, and lies beside it.

    Parameters
    ----------
    table : RouterTable
        What to do with the words; all-port.
    places : int
        Number of addresses of the places.

    Members
    -------
    coming : In(code bits)
        The code of the word that is stored.
    store : In(1)
        Whether one is stored.
    write_at : In(range(places))
        Where it is stored.
    read_at : In(range(places))
        The place of the word on the bus.
    row : Out(Rows.row_signature)
        The row of that word.
    """

    def __init__(self, table: RouterTable, *, places: int) -> None:
        self._table, self._places = table, places
        super().__init__(
            {
                "coming": In(max(1, table.code_bits)),
                "store": In(1),
                "write_at": In(range(places)),
                "read_at": In(range(places)),
                "row": Out(Rows.row_signature(table)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """A row comes out of the block RAM in the first cycle in which it may be needed."""
        m = Module()
        m.submodules.block = block = _block(self._table)
        m.submodules.beside = beside = memory.Memory(
            shape=_layout(self._table), depth=self._places, init=[]
        )
        fetch, write, read = block.read_port(), beside.write_port(), beside.read_port(domain="comb")
        fresh = Signal()
        fresh_at = Signal(range(self._places))
        m.d.sync += [fresh.eq(self.store), fresh_at.eq(self.write_at)]
        m.d.comb += [
            fetch.addr.eq(self.coming),
            write.addr.eq(fresh_at),
            write.data.eq(fetch.data),
            write.en.eq(fresh),
            read.addr.eq(self.read_at),
        ]
        said = Signal(_layout(self._table))
        now = fresh & (fresh_at == self.read_at)
        m.d.comb += said.as_value().eq(Mux(now, fetch.data.as_value(), read.data.as_value()))
        _say(m, self.row, said)
        return m
