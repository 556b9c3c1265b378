"""The table of a router: from the code of a word to what is done with it."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.lookup import table_bit
from noc.programs.table import RouterTable

__all__ = ["Rows"]


class Rows(wiring.Component):
    """The table as gates, or as a block RAM that is read while its word comes onto the bus.

    As gates, every bit is a function of the few bits of the code that it needs.

    Parameters
    ----------
    table : RouterTable
        What to do with the words.
    block : bool
        Whether it is a block RAM; all-port tables only.

    Members
    -------
    code : In(table.code_bits)
        The code of the word on the bus; of a block RAM, of the word that comes onto it.
    load : In(1)
        Of a block RAM: read in this cycle.
    turn : In(turn bits)
        In one-port use, how many copies have left.
    row : Out(row_signature)
        ``sends``: the out-ports on which a copy is to be shown; ``deliver``: whether the node
        gets the word; ``code_P``: the code of the copy on out-port P; ``last``: in one-port use,
        whether no copy comes after this one.
    """

    def __init__(self, table: RouterTable, *, block: bool = False) -> None:
        self._table, self._block = table, block
        members = {
            "code": In(max(1, table.code_bits)),
            "load": In(1),
            "turn": In(self.turn_bits(table)),
            "row": Out(self.row_signature(table)),
        }
        super().__init__(members)

    @staticmethod
    def turn_bits(table: RouterTable) -> int:
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

    def elaborate(self, platform) -> Module:
        """Look the row up."""
        m = Module()
        if self._block:
            self._memory(m)
        else:
            self._gates(m)
        return m

    def _shown(self) -> dict[int, tuple[dict[int, int], bool, bool]]:
        """By code and turn: the copies to be shown, with codes; deliver; and last."""
        bits = max(1, self._table.code_bits)
        result = {}
        for entry in self._table.entries:
            if not self._table.one_port:
                result[entry.code] = dict(entry.sends), entry.deliver, True
                continue
            for turn in range(len(entry.sends) + 1):
                copies = dict(entry.sends[turn : turn + 1])
                last = turn + 1 >= len(entry.sends)
                result[entry.code | turn << bits] = copies, entry.deliver, last
        return result

    def _gates(self, m: Module) -> None:
        shown, index = self._shown(), Cat(self.code, self.turn)
        whole = {key: copies for key, (copies, _, _) in shown.items()}

        def bit(name, wanted):
            return table_bit(m, name, index, wanted)

        for place, (port, bits) in enumerate(self._table.out_bits):
            here = {key: port in copies for key, copies in whole.items()}
            m.d.comb += self.row.sends[place].eq(bit(f"send_{port}", here))
            far = getattr(self.row, f"code_{port}")
            for number in range(bits):
                wanted = {
                    key: bool(copies[port] >> number & 1)
                    for key, copies in whole.items()
                    if port in copies
                }
                m.d.comb += far[number].eq(bit(f"code_{port}_{number}", wanted))
        deliver = {key: wanted for key, (_, wanted, _) in shown.items()}
        last = {key: wanted for key, (copies, _, wanted) in shown.items() if copies}
        m.d.comb += [
            self.row.deliver.eq(bit("deliver", deliver)),
            self.row.last.eq(bit("last", last)),
        ]

    def _memory(self, m: Module) -> None:
        """All bits of a row in one word; reset leaves it alone, as nothing is shown then."""
        codes = {f"code_{port}": bits for port, bits in self._table.out_bits}
        layout = data.StructLayout({"sends": len(codes), "deliver": 1, **codes})
        init = [{} for _ in range(1 << len(self.code))]
        for entry in self._table.entries:
            sends = dict(entry.sends)
            init[entry.code] = {
                "sends": sum(
                    1 << place
                    for place, (port, _) in enumerate(self._table.out_bits)
                    if port in sends
                ),
                "deliver": int(entry.deliver),
                **{f"code_{port}": code for port, code in sends.items()},
            }
        rows = memory.Memory(
            shape=layout,
            depth=len(init),
            init=init,
            attrs={"ram_style": "block", "rom_style": "block", "romstyle": "M20K"},
        )
        m.submodules.memory = rows
        read = rows.read_port(domain="sync")
        m.d.comb += [read.addr.eq(self.code), read.en.eq(self.load)]
        for name in ("sends", "deliver", *codes):
            m.d.comb += getattr(self.row, name).eq(getattr(read.data, name))
        m.d.comb += self.row.last.eq(1)
