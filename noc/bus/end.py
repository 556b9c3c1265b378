"""A node as registers: queues of words, alarms that stay, an interrupt; for any bus."""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.bus.registers import (
    ADDRESS_BITS,
    BITS,
    GIVE_DATA,
    IDENTITY,
    MOST_ALARMS,
    TAKE_DATA,
    Register,
    count_data,
    list_registers,
)
from noc.hardware.ordered.words import fields_of, word_shape
from noc.programs.word_format import WordFormat
from noc.streams import Queue

#: The most words that a queue holds.
MOST_DEPTH = 1024

#: One access in a cycle in which ``read`` or ``write`` is 1; what is read is there in that cycle.
RegisterPort = wiring.Signature(
    {
        "address": Out(ADDRESS_BITS),
        "read": Out(1),
        "write": Out(1),
        "value": Out(BITS),
        "result": In(BITS),
        "known": In(1),
    }
)


class BusEnd(wiring.Component):
    """Gives the words that are written to registers, and shows those that come, one by one.

    Parameters
    ----------
    words : WordFormat
        What lies in the words of the network, as ``design.words`` has it.
    depth : int
        Words that can wait to be given, and as many to be taken.
    alarms : int
        Bits of the node's alarms.
    sends : bool
        Whether the node may give words.

    Members
    -------
    port : In(RegisterPort)
        Accesses; ``known`` says whether there is a register with that address.
    irq : Out(1)
        Whether a bit of ``interrupt`` is 1 that is enabled.
    inject, eject : Out(stream.Signature), In(stream.Signature)
        The streams of the node; ``inject`` where it may give words.
    alarm : In(alarms)
        The alarms of the node, if it has any.
    """

    def __init__(
        self, words: WordFormat, *, depth: int = 16, alarms: int = 0, sends: bool = True
    ) -> None:
        if not 1 <= depth <= MOST_DEPTH:
            raise ValueError(f"depth must be from 1 to {MOST_DEPTH}, not {depth!r}")
        if not 0 <= alarms <= MOST_ALARMS:
            raise ValueError(f"alarms must be from 0 to {MOST_ALARMS}, not {alarms!r}")
        self._words, self._depth, self._sends = words, depth, sends
        members: dict[str, Any] = {
            "port": In(RegisterPort),
            "irq": Out(1),
            "eject": In(stream.Signature(word_shape(words.eject))),
        }
        if sends:
            members["inject"] = Out(stream.Signature(word_shape(words.inject)))
        if alarms:
            members["alarm"] = In(alarms)
        super().__init__(members)

    @property
    def registers(self) -> tuple[Register, ...]:
        """What an address stands for."""
        return list_registers(self._words)

    def elaborate(self, platform: object) -> Module:
        """Queues on both sides, and a choice of what is read."""
        m = Module()
        shown: dict[int, Value] = {0: Const(IDENTITY, BITS)}
        shown[1] = Cat(Const(count_data(self._words), 8), Const(self._words.width, 16))
        room, overrun = self._give(m, shown)
        waiting, underrun = self._take(m, shown)
        shown[2] = Cat(room, Const(0, 16 - len(room)), waiting)
        own = Cat(overrun, underrun)
        self._tell(m, shown, Cat(own, self.alarm) if hasattr(self, "alarm") else own, room, waiting)
        # Those that are written only are there, too, and read as 0.
        written = range(GIVE_DATA, GIVE_DATA + count_data(self._words))
        known = [number in shown or number in written for number in range(1 << ADDRESS_BITS)]
        values = [shown.get(number, Const(0, BITS)) for number in range(1 << ADDRESS_BITS)]
        m.d.comb += [
            self.port.known.eq(Array(Const(each) for each in known)[self.port.address]),
            self.port.result.eq(Array(values)[self.port.address]),
        ]
        return m

    def _writes(self, address: int) -> Value:
        result: Value = self.port.write & (self.port.address == address)
        return result

    def _give(self, m: Module, shown: dict[int, Value]) -> tuple[Value, Value]:
        """The words that are given: how many more may be, and whether one is lost."""
        count = count_data(self._words)
        complete = self._writes(GIVE_DATA + count - 1)
        if not self._sends:
            return Const(0, 1), complete
        m.submodules.given = queue = Queue(word_shape(self._words.inject), depth=self._depth)
        head = Signal(25)
        with m.If(self._writes(6)):
            m.d.sync += head.eq(self.port.value)
        shown[6] = head
        parts = []
        for number in range(count - 1):
            part = Signal(BITS, name=f"given_{number}")
            with m.If(self._writes(GIVE_DATA + number)):
                m.d.sync += part.eq(self.port.value)
            parts.append(part)
        known = {"node": head[:16], "operation": head[16:24], "last": head[24]}
        known["data"] = Cat(*parts, self.port.value)
        m.d.comb += [
            queue.i.valid.eq(complete),
            *(field.eq(known[name]) for name, field in fields_of(queue.i.payload).items()),
        ]
        wiring.connect(m, queue.o, wiring.flipped(self.inject))
        room = Signal(range(self._depth + 1))
        m.d.comb += room.eq(self._depth - queue.level)
        return room, complete & ~queue.i.ready

    def _take(self, m: Module, shown: dict[int, Value]) -> tuple[Value, Value]:
        """The words that came: how many wait, and whether one is taken that is not there."""
        count = count_data(self._words)
        m.submodules.came = queue = Queue(word_shape(self._words.eject), depth=self._depth)
        wiring.connect(m, wiring.flipped(self.eject), queue.i)
        word, there = fields_of(queue.o.payload), queue.o.valid
        source, operation = word.get("source", Const(0, 1)), word.get("operation", Const(0, 1))
        head = Signal(25)
        m.d.comb += [
            head[:16].eq(source),
            head[16:24].eq(operation),
            head[24].eq(word.get("last", 0)),
        ]
        shown[7] = Mux(there, head, 0)
        value = Mux(there, word["data"], 0)
        for number in range(count):
            shown[TAKE_DATA + number] = value[BITS * number : BITS * (number + 1)]
        taken = self.port.read & (self.port.address == TAKE_DATA + count - 1)
        m.d.comb += queue.o.ready.eq(taken)
        return queue.level, taken & ~there

    def _tell(
        self, m: Module, shown: dict[int, Value], happens: Value, room: Value, waiting: Value
    ) -> None:
        """What has happened stays until it is cleared; what is so may interrupt."""
        alarm, enabled = Signal(len(happens)), Signal(3)
        cleared = Mux(self._writes(5), self.port.value, 0)[: len(alarm)]
        m.d.sync += alarm.eq((alarm & ~cleared) | happens)
        with m.If(self._writes(3)):
            m.d.sync += enabled.eq(self.port.value)
        so = Cat(waiting.any(), room.any(), alarm.any())
        m.d.comb += self.irq.eq((so & enabled).any())
        shown |= {3: enabled, 4: so, 5: alarm}
