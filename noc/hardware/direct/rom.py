"""The table of a router, from the code of a word to what is done with it: gates, or a block RAM.

Or a memory of any kind that is written while the network runs.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.direct.loading import load_signature
from noc.hardware.gates import table_bit
from noc.programs.load_words import LoadFormat
from noc.programs.table import RouterTable


class LogicRom(wiring.Component):
    """The table as gates: every bit is a function of the few bits of the code that it needs.

    Members
    -------
    code : In(table.code_bits)
        The code of the word on the bus.
    sent : In(sent bits)
        In one-port use, how many copies have left.
    row : Out(row_signature)
        ``sends``: the out-ports on which a copy is to be offered; ``deliver``: whether the node
        gets the word; ``code_P``: the code of the copy on out-port P; ``last``: in one-port use,
        whether no copy comes after this one.
    """

    def __init__(self, table: RouterTable) -> None:
        self._table = table
        members = {
            "code": In(max(1, table.code_bits)),
            "sent": In(self.sent_bits(table)),
            "row": Out(self.row_signature(table)),
        }
        super().__init__(members)

    @staticmethod
    def sent_bits(table: RouterTable) -> int:
        """Bits of the number of copies that have left, in one-port use."""
        if not table.one_port:
            return 0
        return max(len(entry.sends) for entry in table.entries).bit_length()

    @staticmethod
    def row_signature(table: RouterTable) -> wiring.Signature:
        """What a row says."""
        codes = {f"code_{port}": Out(bits) for port, bits in table.out_bits}
        return wiring.Signature(
            {"sends": Out(len(table.out_bits)), "deliver": Out(1), "last": Out(1), **codes}
        )

    def elaborate(self, platform: object) -> Module:
        """Look the row up."""
        m = Module()
        offered, address = self._offered_copies(), Cat(self.code, self.sent)
        whole = {key: copies for key, (copies, _, _) in offered.items()}

        def bit(name: Any, wanted: Any) -> Any:
            return table_bit(m, name, address, wanted)

        for index, (port, bits) in enumerate(self._table.out_bits):
            here = {key: port in copies for key, copies in whole.items()}
            m.d.comb += self.row.sends[index].eq(bit(f"send_{port}", here))
            code = getattr(self.row, f"code_{port}")
            for number in range(bits):
                wanted = {
                    key: bool(copies[port] >> number & 1)
                    for key, copies in whole.items()
                    if port in copies
                }
                m.d.comb += code[number].eq(bit(f"code_{port}_{number}", wanted))
        deliver = {key: wanted for key, (_, wanted, _) in offered.items()}
        last = {key: wanted for key, (copies, _, wanted) in offered.items() if copies}
        m.d.comb += [
            self.row.deliver.eq(bit("deliver", deliver)),
            self.row.last.eq(bit("last", last)),
        ]
        return m

    def _offered_copies(self) -> dict[int, tuple[dict[int, int], bool, bool]]:
        """By code and count of sent copies: the copies to offer, with codes; deliver; and last."""
        bits = max(1, self._table.code_bits)
        result = {}
        for entry in self._table.entries:
            if not self._table.one_port:
                result[entry.code] = dict(entry.sends), entry.deliver, True
                continue
            for sent in range(len(entry.sends) + 1):
                copies = dict(entry.sends[sent : sent + 1])
                last = sent + 1 >= len(entry.sends)
                result[entry.code | sent << bits] = copies, entry.deliver, last
        return result


def _layout(table: RouterTable, *, codes: bool = True) -> data.StructLayout:
    """What a row says."""
    bits = {f"code_{port}": bits for port, bits in table.out_bits if codes}
    return data.StructLayout({"sends": len(table.out_bits), "deliver": 1, **bits})


def _rom(table: RouterTable, *, codes: bool = True) -> memory.Memory:
    """The rows by their codes, with the names by which tools take a block RAM."""
    depth = 1 << max(1, table.code_bits)
    init: list[dict[str, int]] = [{} for _ in range(depth)]
    for entry in table.entries:
        sends = dict(entry.sends)
        wanted = [port in sends for port, _ in table.out_bits]
        init[entry.code] = {
            "sends": sum(one << number for number, one in enumerate(wanted)),
            "deliver": int(entry.deliver),
            **{f"code_{port}": code for port, code in sends.items() if codes},
        }
    # One that is written may be any memory that tools find best.
    attrs = {"ram_style": "block", "rom_style": "block", "syn_romstyle": "EBR"} if codes else {}
    return memory.Memory(shape=_layout(table, codes=codes), depth=depth, init=init, attrs=attrs)


class HeadRom(wiring.Component):
    """A row is read in the cycle in which its word becomes the head, which all ports send at will.

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


class WritableRom(wiring.Component):
    """The same, with rows that can be written; all copies of a word have its code.

    The code of each row is the number of its source.

    Members
    -------
    code, load, row
        As those of :class:`HeadRom`.
    write : In(load_signature(words))
        Words that write rows of this table, whichever node they name.
    """

    def __init__(self, table: RouterTable, words: LoadFormat) -> None:
        self._table = table
        members = {"code": In(table.code_bits), "load": In(1), "write": In(load_signature(words))}
        super().__init__(members | {"row": Out(LogicRom.row_signature(table))})

    def elaborate(self, platform: object) -> Module:
        """The memory's own register holds what the row says, one beside it the code."""
        m = Module()
        m.submodules.rom = rom = _rom(self._table, codes=False)
        read, write, taken = rom.read_port(), rom.write_port(), self.load
        code = Signal.like(self.code, name="head_code")
        ports, word = [port for port, _ in self._table.out_bits], self.write.payload
        with m.If(taken):
            m.d.sync += code.eq(self.code)
        m.d.comb += [
            *(read.addr.eq(self.code), read.en.eq(taken)),
            *(getattr(self.row, f"code_{port}").eq(code) for port in ports),
            *(self.row.sends.eq(read.data.sends), self.row.deliver.eq(read.data.deliver)),
            self.row.last.eq(1),
            *(write.en.eq(self.write.valid), write.addr.eq(word.source)),
            write.data.sends.eq(Cat(word.sends[port] for port in ports)),
            write.data.deliver.eq(word.deliver),
        ]
        return m
