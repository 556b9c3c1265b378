"""The router of words that are cut into slices: registers at the in-ports, nothing waits."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import xor
from typing import Any, NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.direct.collector import Collector
from noc.hardware.gates import one_hot_or, table_bit
from noc.programs.table import Entry, InPort, RouterTable, part_bits
from noc.streams import Register


class _Choice(NamedTuple):
    """What an output may show, and whether it does."""

    chosen: Value
    word: Value


class _Arrived(NamedTuple):
    """What is in the register of an in-port."""

    data: Value
    #: For each out-port on which slices leave that come here, whether this one does, with its code.
    sends: Mapping[int, _Choice]
    #: For each slice that comes here, whether this is one, with how long it waits below its data.
    slices: Mapping[int, _Choice]


class SliceRouter(wiring.Component):
    """Forwards every slice along the tree that its code names, and delivers whole words.

    All slices of a word leave its source in one cycle, each on a link of its own, and no two of
    them ever come to one link: each in-port has a register, and each out-port shows one of them.
    At a node a slice waits until the others can be there. The exact behaviour is written in
    ``docs/slices.md``.

    Parameters
    ----------
    table : RouterTable
        What to do with the slices.
    parts : int
        So many slices make a word; others are redundant.
    width : int
        Bits of a word.
    link_registers : 0 or 1
        Registers at the end of every link.

    Members
    -------
    in_N, out_N : In(stream.Signature(data.StructLayout({"code": …, "data": …}))), Out
        The links, by the ports of the table. The code of a slice is that of its row at the
        receiver.
    inject : In(stream.Signature(width))
        Words of the node itself; it is always ready.
    eject : Out(stream.Signature(width, always_ready=True))
        Words for the node.
    busy : Out(1)
        Whether it held a slice in the cycle before, or took a word; it is a register.
    """

    def __init__(
        self, table: RouterTable, *, parts: int, width: int, link_registers: int = 0
    ) -> None:
        self._table, self._parts, self._width = table, parts, width
        self._bits, self._link_registers = part_bits(parts, width), link_registers
        self._longest = max((self._wait(row) for row in table.arriving), default=0)

        def link(code_bits: int) -> stream.Signature:
            shape = data.StructLayout({"code": code_bits, "data": self._bits})
            return stream.Signature(shape, always_ready=True)

        members: dict[str, Any] = {
            f"in_{port.number}": In(link(table.header_bits)) for port in table.in_ports
        }
        members |= {f"out_{port}": Out(link(bits)) for port, bits in table.out_bits}
        if table.trees:
            members["inject"] = In(stream.Signature(width))
        eject = stream.Signature(width, always_ready=True)
        super().__init__(members | {"eject": Out(eject), "busy": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Store what comes, send it on, and put words together."""
        m = Module()
        busy: list[Value] = []
        arrived = [self._store(m, port, busy) for port in self._table.in_ports]
        own = self._take_own(m, busy)
        for port, code_bits in self._table.out_bits:
            sent = [_word(each, port) for each in arrived if port in each.sends]
            chosen = [*sent, *self._sent_own(port, code_bits, own)]
            out = getattr(self, f"out_{port}")
            m.d.comb += [out.valid.eq(_any(chosen)), out.payload.eq(_show(chosen))]
        self._deliver(m, arrived, busy)
        # From here to `idle` is the longest way; so it is told a cycle later.
        m.d.sync += self.busy.eq(Cat(busy).any())
        return m

    def _store(self, m: Module, port: InPort, busy: list[Value]) -> _Arrived:
        """The register of an in-port, which holds what the table has for the code that comes.

        So no code is looked up between it and the multiplexers.
        """
        words = self._relay(m, port, busy)
        code, bits = Value.cast(words.payload.code), dict(self._table.out_bits)
        rows = [entry for entry in self._table.arriving if entry.code in port.codes]

        def stored(name: str, value: Value, *, reset_less: bool = False) -> Signal:
            register = Signal(len(value), name=f"{name}_of_{port.number}", reset_less=reset_less)
            m.d.sync += register.eq(value)
            return register

        def is_one(name: str, codes: Iterable[int]) -> Signal:
            output = {row.code: row.code in codes for row in rows}
            found = table_bit(m, f"{name}_for_{port.number}", code, output)
            return stored(name, words.valid & found)

        busy.append(stored("holds", words.valid))
        sends = {}
        for way in sorted({way for row in rows for way, _ in row.sends}):
            codes = {row.code: dict(row.sends)[way] for row in rows if way in dict(row.sends)}
            far = [
                table_bit(m, f"code_{way}_{bit}_for_{port.number}", code, _bit_of(codes, bit))
                for bit in range(bits[way])
            ]
            far_code = stored(f"code_{way}", Cat(far), reset_less=True)
            sends[way] = _Choice(is_one(f"send_{way}", codes), far_code)
        content = stored("data", words.payload.data, reset_less=True)
        waits = {row.code: self._wait(row) for row in rows}
        wait = [
            table_bit(m, f"wait_{bit}_for_{port.number}", code, _bit_of(waits, bit))
            for bit in range(self._longest.bit_length())
        ]
        word = Cat(stored("wait", Cat(wait), reset_less=True), content)
        slices = {
            number: _Choice(
                is_one(f"slice_{number}", [row.code for row in rows if row.slice == number]), word
            )
            for number in sorted({row.slice for row in rows})
        }
        return _Arrived(content, sends, slices)

    def _relay(self, m: Module, port: InPort, busy: list[Value]) -> Any:
        """The words of an in-port, behind the register of its link if that has one."""
        words = getattr(self, f"in_{port.number}")
        if not self._link_registers:
            return words
        m.submodules[f"link_{port.number}"] = register = Register(words.payload.shape())
        wiring.connect(m, wiring.flipped(words), register.i)
        busy.append(register.o.valid)
        return register.o

    def _take_own(self, m: Module, busy: list[Value]) -> Any:
        """The register of the node's own words, if it has any."""
        if not self._table.trees:
            return None
        busy.append(self.inject.valid)
        m.submodules.own = own = Register(self._width)
        m.d.comb += [
            self.inject.ready.eq(1),
            own.i.valid.eq(self.inject.valid),
            own.i.payload.eq(self.inject.payload),
        ]
        busy.append(own.o.valid)
        return own.o

    def _sent_own(self, port: int, code_bits: int, own: Any) -> list[_Choice]:
        """The slice of the node's own words that leaves by an out-port."""
        result = []
        for entry in self._table.own:
            for way, code in entry.sends:
                if way == port:
                    word = Cat(Const(code, code_bits), self._slice(own.payload, entry.slice))
                    result.append(_Choice(own.valid, word))
        return result

    def _slice(self, word: Value, number: int) -> Value:
        """A slice of a word: a part, or what makes up for one that is lost."""
        starts = range(0, self._parts * self._bits, self._bits)
        parts = [word[start : start + self._bits] for start in starts]
        whole = [Cat(part, Const(0, self._bits - len(part))) for part in parts]
        return whole[number] if number < self._parts else reduce(xor, whole)

    def _wait(self, row: Entry) -> int:
        """How many cycles a slice waits for others."""
        return row.wait * (1 + self._link_registers)

    def _deliver(self, m: Module, arrived: Sequence[_Arrived], busy: list[Value]) -> None:
        """All that comes is put together."""
        if not self._table.arriving:
            # The only source gets nothing.
            return
        waits = defaultdict(int)
        for row in self._table.arriving:
            waits[row.slice] = max(waits[row.slice], self._wait(row))
        m.submodules.collector = collector = Collector(
            [wait for _, wait in sorted(waits.items())], parts=self._parts, width=self._width
        )
        for number, comes in enumerate(collector.slices):
            choices = [each.slices[number] for each in arrived if number in each.slices]
            m.d.comb += [comes.valid.eq(_any(choices)), comes.payload.eq(_show(choices))]
        wiring.connect(m, wiring.flipped(self.eject), collector.eject)
        busy.append(collector.busy)


def _word(arrived: _Arrived, port: int) -> _Choice:
    """What leaves by an out-port."""
    chosen, code = arrived.sends[port]
    return _Choice(chosen, Cat(code, arrived.data))


def _bit_of(codes: Mapping[int, int], bit: int) -> dict[int, bool]:
    """A bit of what leaves, by the code that came."""
    return {code: bool(far >> bit & 1) for code, far in codes.items()}


def _any(choices: Sequence[_Choice]) -> Value:
    return Cat(choice.chosen for choice in choices).any()


def _show(choices: Sequence[_Choice]) -> Value:
    """The word that is chosen; where there is but one, whether it is or not."""
    if len(choices) == 1:
        return choices[0].word
    return one_hot_or(*zip(*choices, strict=True))
