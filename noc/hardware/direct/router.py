"""The router of the direct fabric: one bus, two slots, one ROM."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.direct.loading import RowTaker, load_signature
from noc.hardware.direct.rom import HeadRom, LogicRom, WritableRom
from noc.hardware.direct.row_fork import RowFork, build_fork
from noc.hardware.gates import one_hot_or
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.load_words import LoadFormat
from noc.programs.table import RouterTable
from noc.programs.word_format import MOST_WIDTH
from noc.streams import Queue, Register, TwoSlots


class TwoEntryFifo(wiring.Component):
    """A FIFO of two words, the head and a spare, which lies on the bus where words come in.

    Members
    -------
    free : Out(1)
        Whether a slot is free.
    push : In(1)
        Store ``word``, if a slot is free.
    word : In(width)
        See ``push``; zeros where no slot is free.
    pop : In(1)
        Remove the head.
    occupied : Out(1)
        Whether there is a head.
    head : Out(width)
        The oldest word.
    next_head : Out(width)
        The word that will be the head in the next cycle, if ``load``.
    load : Out(1)
        Whether there is another head in the next cycle, or none.
    """

    def __init__(self, width: int) -> None:
        super().__init__(
            {
                # A register, so that a link's ready can be one. The stubs do not know `init`.
                "free": Out(1, init=1),  # type: ignore[call-arg]
                "push": In(1),
                "word": In(width),
                "pop": In(1),
                "occupied": Out(1),
                "head": Out(width),
                "next_head": Out(width),
                "load": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The spare is one more source of the bus on which words come in."""
        m = Module()
        spare, full = Signal.like(self.word), ~self.free
        m.d.comb += [
            self.next_head.eq(self.word | (spare & full.replicate(len(spare)))),
            self.load.eq(~self.occupied | self.pop),
        ]
        with m.If(self.load):
            m.d.sync += [self.head.eq(self.next_head), self.occupied.eq(full | self.push)]
        with m.If(self.free):
            m.d.sync += spare.eq(self.next_head)
        m.d.sync += self.free.eq(self.load | (self.free & ~self.push))
        return m


class OneEntry(TwoEntryFifo):
    """The same for words that leave in the cycle after they came: a slot is always free."""

    def elaborate(self, platform: object) -> Module:
        """Store what comes."""
        m = Module()
        m.d.comb += [self.free.eq(1), self.next_head.eq(self.word), self.load.eq(1)]
        m.d.sync += [self.head.eq(self.word), self.occupied.eq(self.push)]
        return m


class FixedPriority(wiring.Component):
    """Fixed-priority arbiter: grants the lowest request.

    Members
    -------
    requests : In(count)
        The requests.
    grant : Out(count)
        The request that is granted: at most one bit.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        super().__init__({"requests": In(count), "grant": Out(count)})

    def elaborate(self, platform: object) -> Module:
        """Grant a request if there is no lower one."""
        m = Module()
        for number, request in enumerate(self.requests):
            m.d.comb += self.grant[number].eq(request & ~self.requests[:number].any())
        return m


@dataclass(frozen=True)
class _InputPort:
    """The signals of an input port."""

    stream: Any
    code: Any
    payload: Any


def _build_input_ports(
    m: Module, router: Any, table: RouterTable, config: RouterConfig
) -> list[_InputPort]:
    """The in-ports of a router and its inject stream, whose words get the code of their row."""
    result = []
    for port in table.in_ports:
        name, link = f"in_{port.number}", getattr(router, f"in_{port.number}")
        stream = _relay(m, name, link, config) if config.link_registers else link
        code = Signal(max(1, table.code_bits), name=f"{name}_code")
        m.d.comb += code.eq(stream.payload.code)
        result.append(_InputPort(stream, code, stream.payload.data))
    if table.trees:
        (own,) = table.own
        own_code = Const(own.code, max(1, table.code_bits))
        result.append(_InputPort(router.inject, own_code, router.inject.payload))
    return result


def _relay(m: Module, name: str, link: Any, config: RouterConfig) -> Any:
    """The words of a link, one cycle later: no path leads from one side to the other."""
    kind: Any = Register if config.always_ready else TwoSlots
    m.submodules[f"{name}_relay"] = relay = kind(link.payload.shape())
    wiring.connect(m, wiring.flipped(link), relay.i)
    return relay.o


class Router(wiring.Component):
    """Forwards every word along the tree that its code names, and delivers it.

    One word a cycle enters, and one word is on the bus; its copies leave independently as the
    neighbours advance them (or in order, where the table is one-port). A word that arrives at an
    idle router is on the links in the next cycle. ``ready`` of a link depends on ``valid`` and
    the codes of the in-ports and on registers only, never on another ``ready``. With registers
    in links each ends in a relay: one cycle more, and ``ready`` is a register. Where all sinks are
    always ready, no word waits in the network, and its streams have no ``ready`` but ``inject``.
    The exact behaviour is written in ``docs/router.md``.

    Parameters
    ----------
    table : RouterTable
        What to do with the words.
    width : int
        Bits of the payload, 1 to 512.
    config : RouterConfig
        How it is built.
    load : LoadFormat, optional
        What lies in a word that writes a row, where the table is writable.

    Members
    -------
    in_N : In(stream.Signature(data.StructLayout({"code": …, "data": width})))
        In-port N, for each in-port of the table. The code of a word is that of its row at the
        receiver; it has no bits where the in-port knows one row only.
    out_N : Out(stream.Signature(data.StructLayout({"code": …, "data": width})))
        Likewise out-port N, for each out-port of the table.
    inject : In(stream.Signature(width))
        Words of the node itself.
    eject : Out(stream.Signature)
        Words for the node.
    busy : Out(1)
        Whether it holds a word; a queue of its eject stream is not counted.
    load_in, load_out : In(load_signature(load)), Out(load_signature(load))
        Words that write rows, of this router and others, where its table is writable.
    """

    def __init__(
        self,
        table: RouterTable,
        *,
        width: int,
        config: RouterConfig = STANDARD,
        load: LoadFormat | None = None,
    ) -> None:
        if not 1 <= width <= MOST_WIDTH:
            raise ValueError(f"width must be from 1 to {MOST_WIDTH}, not {width!r}")
        config.check("one" if table.one_port else "all")
        if (config.rom == "writable") != (load is not None):
            raise ValueError("load is needed if, and only if, the table is writable")
        self.table, self.width, self.config, self._load = table, width, config, load

        always_ready = config.always_ready

        def link(code_bits: int) -> stream.Signature:
            shape = data.StructLayout({"code": code_bits, "data": width})
            return stream.Signature(shape, always_ready=always_ready)

        members: dict[str, Any] = {
            f"in_{port.number}": In(link(table.header_bits)) for port in table.in_ports
        }
        for port, bits in table.out_bits:
            members[f"out_{port}"] = Out(link(bits))
        if table.trees:
            members["inject"] = In(stream.Signature(width))
        eject = stream.Signature(width, always_ready=always_ready)
        members |= {"eject": Out(eject), "busy": Out(1)}
        if load is not None:
            words = load_signature(load)
            members |= {"load_in": In(words), "load_out": Out(words)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Connect input ports, buffers, ROM and fork."""
        m = Module()
        always_ready = self.config.always_ready
        m.submodules.row_fork = fork = build_fork(self.table, always_ready=always_ready)
        bits = max(1, self.table.code_bits) + self.width
        m.submodules.buffers = buffers = (OneEntry if always_ready else TwoEntryFifo)(bits)
        self._store(m, buffers)
        m.d.sync += fork.progress.eq(fork.next_progress)
        m.d.comb += [fork.occupied.eq(buffers.occupied), buffers.pop.eq(fork.pop)]
        wiring.connect(m, self._rom(m, buffers, fork).row, fork.row)
        self._send(m, buffers, fork)
        return m

    def _rom(self, m: Module, buffers: TwoEntryFifo, fork: RowFork) -> Any:
        """The ROM in the configured form, and its inputs."""
        bits = max(1, self.table.code_bits)
        rom: Any
        if self.config.rom == "logic":
            m.submodules.rom = rom = LogicRom(self.table)
            m.d.comb += [rom.code.eq(buffers.head[:bits]), rom.sent.eq(fork.progress)]
            return rom
        m.submodules.rom = rom = (
            HeadRom(self.table) if self._load is None else self._writable_rom(m, self._load)
        )
        m.d.comb += [rom.code.eq(buffers.next_head[:bits]), rom.load.eq(buffers.load)]
        return rom

    def _writable_rom(self, m: Module, load: LoadFormat) -> WritableRom:
        """One whose rows are written by the words for this router."""
        m.submodules.taker = taker = RowTaker(load)
        wiring.connect(m, wiring.flipped(self.load_in), taker.i)
        wiring.connect(m, taker.o, wiring.flipped(self.load_out))
        rom = WritableRom(self.table, load)
        wiring.connect(m, taker.write, rom.write)
        return rom

    def _store(self, m: Module, buffers: TwoEntryFifo) -> None:
        """Grant one of the words that are offered, and store it."""
        relayed = self.config.link_registers == 1
        ports = _build_input_ports(m, self, self.table, self.config)
        m.submodules.arbiter = arbiter = FixedPriority(len(ports))
        words = [Cat(port.code, port.payload) for port in ports]
        # Where words are always taken, only those of the node itself may wait: the last ones.
        waiting = [port for port in ports if not isinstance(port.stream.ready, Const)]
        m.d.comb += [
            arbiter.requests.eq(
                Cat(port.stream.valid for port in ports) & buffers.free.replicate(len(ports))
            ),
            Cat(port.stream.ready for port in waiting).eq(
                arbiter.grant[len(ports) - len(waiting) :]
            ),
            buffers.push.eq(arbiter.requests.any()),
            buffers.word.eq(one_hot_or(arbiter.grant, words)),
        ]
        # The spare is full only while there is a head. Without relays the output is a register.
        relays = ports[: len(self.table.in_ports)] if relayed else []
        held = Cat(buffers.occupied, *(port.stream.valid for port in relays))
        m.d.comb += self.busy.eq(held.any())

    def _send(self, m: Module, buffers: TwoEntryFifo, fork: RowFork) -> None:
        """Offer the copies of the word in the buffer."""
        payload = buffers.head[max(1, self.table.code_bits) :]
        for number, (port, _) in enumerate(self.table.out_bits):
            out = getattr(self, f"out_{port}")
            m.d.comb += [
                out.valid.eq(fork.valid[number]),
                out.payload.code.eq(getattr(fork.row, f"code_{port}")),
                out.payload.data.eq(payload),
                fork.ready[number].eq(out.ready),
            ]
        eject = self.signature.members["eject"].signature.create()
        m.d.comb += [
            eject.valid.eq(fork.eject_valid),
            eject.payload.eq(payload),
            fork.eject_ready.eq(eject.ready),
        ]
        if self.config.queue:
            m.submodules.queue = queue = Queue(self.width, depth=self.config.queue)
            wiring.connect(m, eject, queue.i)
            wiring.connect(m, queue.o, wiring.flipped(self.eject))
        else:
            wiring.connect(m, eject, wiring.flipped(self.eject))
