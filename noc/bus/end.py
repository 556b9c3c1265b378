"""A node as registers: queues of words, alarms that stay, an interrupt; for any bus."""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.bus.registers import (
    ADDRESS_BITS,
    BITS,
    FIXED,
    GIVE_DATA,
    IDENTITY,
    MOST_ALARMS,
    MOST_STREAMS,
    TAKE_DATA,
    count_data,
    list_registers,
)
from noc.endpoints.crossing import list_streams
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

#: Fields of words in rounds, and those of registers that show them.
_SHOWN_AS = {"sum": "source", "end_of_round": "last"}

#: What is read, by addresses.
Shown = dict[int, Value]


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
    streams : int
        The inject streams of the node.

    Members
    -------
    port : In(RegisterPort)
        Accesses; ``known`` says whether there is a register with that address.
    irq : Out(1)
        Whether a bit of ``interrupt`` is 1 that is enabled.
    inject, eject : Out(stream.Signature), In(stream.Signature)
        The streams of the node; ``inject`` is an array if there are several.
    alarm : In(alarms)
        The alarms of the node, if it has any.
    """

    def __init__(
        self, words: WordFormat, *, depth: int = 16, alarms: int = 0, streams: int = 1
    ) -> None:
        if not 1 <= depth <= MOST_DEPTH:
            raise ValueError(f"depth must be from 1 to {MOST_DEPTH}, not {depth!r}")
        if not 0 <= alarms <= MOST_ALARMS:
            raise ValueError(f"alarms must be from 0 to {MOST_ALARMS}, not {alarms!r}")
        if not 1 <= streams <= MOST_STREAMS:
            raise ValueError(f"streams must be from 1 to {MOST_STREAMS}, not {streams!r}")
        self._words, self._depth, self._alarms, self._streams = words, depth, alarms, streams
        inject = Out(stream.Signature(word_shape(words.inject)))
        members: dict[str, Any] = {
            "port": In(RegisterPort),
            "irq": Out(1),
            "eject": In(stream.Signature(word_shape(words.eject))),
            "inject": inject if streams == 1 else inject.array(streams),
        }
        if alarms:
            members["alarm"] = In(alarms)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Queues on both sides, and a choice of what is read."""
        m = Module()
        shown: Shown = {}
        _show(m, shown, "id", id=IDENTITY)
        _show(m, shown, "shape", data_words=count_data(self._words), width=self._words.width)
        room, overrun = self._give(m, shown)
        waiting, underrun = self._take(m, shown)
        _show(m, shown, "status", room=room, waiting=waiting)
        self._tell(m, shown, Cat(overrun, underrun), room, waiting)
        known = {r.address + n for r in list_registers(self._words) for n in range(r.many)}
        numbers, port = range(1 << ADDRESS_BITS), self.port
        m.d.comb += [
            port.known.eq(Array(Const(number in known) for number in numbers)[port.address]),
            # What is written only reads as 0.
            port.result.eq(Array(shown.get(number, Const(0)) for number in numbers)[port.address]),
        ]
        return m

    def _writes(self, address: int) -> Value:
        result: Value = self.port.write & (self.port.address == address)
        return result

    def _written(self, m: Module, name: str, address: int) -> Signal:
        """A register that is written."""
        register = Signal(BITS, name=name)
        with m.If(self._writes(address)):
            m.d.sync += register.eq(self.port.value)
        return register

    def _give(self, m: Module, shown: Shown) -> tuple[Value, Value]:
        """The words that are given: how many more may be, and whether one is lost."""
        last = GIVE_DATA + count_data(self._words) - 1
        # Nothing says by which stream a word leaves where there is one.
        bits = {"stream": (self._streams - 1).bit_length()} if self._streams > 1 else {}
        shape = word_shape(self._words.inject | bits)
        m.submodules.given = queue = Queue(shape, depth=self._depth)
        head = FIXED["give_head"]
        written = self._written(m, head.name, head.address)
        fields = [field.name for field in head.fields if bits or field.name != "stream"]
        known: dict[str, Value] = {name: written[head.place(name)] for name in fields}
        _show(m, shown, head.name, **known)
        # A stream that the end has not would keep all words behind it.
        right = known["stream"] < self._streams if bits else Const(1)
        parts = [self._written(m, f"give_{at}", at) for at in range(GIVE_DATA, last)]
        known["data"] = Cat(*parts, self.port.value)
        complete = self._writes(last)
        m.d.comb += [
            queue.i.valid.eq(complete & right),
            *(field.eq(known[name]) for name, field in fields_of(queue.i.payload).items()),
        ]
        if self._streams > 1:
            self._spread(m, queue.o)
        else:
            wiring.connect(m, queue.o, wiring.flipped(self.inject))
        return self._depth - queue.level, complete & ~(queue.i.ready & right)

    def _spread(self, m: Module, queue: Any) -> None:
        """Lead each word to its stream, one after the other."""
        word = fields_of(queue.payload)
        for number, inject in enumerate(list_streams(self, "inject").values()):
            chosen = word["stream"] == number
            m.d.comb += [
                inject.valid.eq(queue.valid & chosen),
                *(field.eq(word[name]) for name, field in fields_of(inject.payload).items()),
            ]
            with m.If(chosen):
                m.d.comb += queue.ready.eq(inject.ready)

    def _take(self, m: Module, shown: Shown) -> tuple[Value, Value]:
        """The words that came: how many wait, and whether one is taken that is not there."""
        count = count_data(self._words)
        m.submodules.came = queue = Queue(word_shape(self._words.eject), depth=self._depth)
        wiring.connect(m, wiring.flipped(self.eject), queue.i)
        there = queue.o.valid
        word = {name: Mux(there, each, 0) for name, each in fields_of(queue.o.payload).items()}
        data = word.pop("data")
        _show(m, shown, "take_head", **{_SHOWN_AS.get(name, name): word[name] for name in word})
        shown |= {TAKE_DATA + n: data[BITS * n : BITS * (n + 1)] for n in range(count)}
        taken = self.port.read & (self.port.address == TAKE_DATA + count - 1)
        m.d.comb += queue.o.ready.eq(taken)
        return queue.level, taken & ~there

    def _tell(self, m: Module, shown: Shown, own: Value, room: Value, waiting: Value) -> None:
        """What has happened stays until it is cleared; what is so may interrupt."""
        happens = Cat(own, self.alarm) if self._alarms else own
        alarm = Signal(len(happens))
        register, enable = FIXED["alarm"], FIXED["interrupt_enable"]
        cleared = Mux(self._writes(register.address), self.port.value, 0)[: len(alarm)]
        m.d.sync += alarm.eq((alarm & ~cleared) | happens)
        shown[register.address] = alarm
        so = {"take": waiting.any(), "give": room.any(), "alarm": alarm.any()}
        _show(m, shown, "interrupt", **so)
        written = self._written(m, enable.name, enable.address)
        enabled = {name: written[enable.place(name)] for name in so}
        _show(m, shown, enable.name, **enabled)
        m.d.comb += self.irq.eq(Cat(so[name] & enabled[name] for name in so).any())


class Behind(wiring.Component):
    """A :class:`BusEnd` with its options behind a bus, whose signature a class of each kind names.

    Members
    -------
    bus : In
        The bus.
    irq, inject, eject, alarm
        Those of :class:`BusEnd`.
    """

    bus_signature: wiring.Signature

    def __init__(self, words: WordFormat, **options: Any) -> None:
        self._end = BusEnd(words, **options)
        self._inner = {n: m for n, m in self._end.signature.members.items() if n != "port"}
        super().__init__({"bus": In(self.bus_signature), **self._inner})

    def elaborate(self, platform: object) -> Module:
        """Everything but the bus leads through."""
        m = Module()
        m.submodules.end = end = self._end
        for name, member in self._inner.items():
            inner, outer = getattr(end, name), getattr(self, name)
            if member.is_port:
                target, source = (outer, inner) if member.flow == Out else (inner, outer)
                m.d.comb += target.eq(source)
                continue
            outside = list_streams(self, name)
            for number, each in list_streams(end, name).items():
                wiring.connect(m, each, wiring.flipped(outside[number]))
        self._access(m, end.port)
        return m

    def _access(self, m: Module, port: Any) -> None:
        """Make the accesses that the bus asks for."""
        raise NotImplementedError


def _show(m: Module, shown: Shown, name: str, **values: Any) -> None:
    """What is read of a register, by its fields."""
    register = FIXED[name]
    result = Signal(BITS, name=f"shown_{name}")
    m.d.comb += [result[register.place(field)].eq(value) for field, value in values.items()]
    shown[register.address] = result
