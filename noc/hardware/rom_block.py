"""The table of a router as a block RAM, which is read while its word comes in."""

from amaranth.hdl import Module
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.rom_logic import LogicRom
from noc.programs.table import RouterTable

__all__ = ["HeadRom"]


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


class HeadRom(wiring.Component):
    """A row is read in the cycle in which its word becomes the head.

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
        codes = [f"code_{port}" for port, _ in self._table.out_bits]
        for name in ("sends", "deliver", *codes):
            m.d.comb += getattr(self.row, name).eq(getattr(read.data, name))
        m.d.comb += self.row.last.eq(1)
        return m
