"""The router of the direct fabric: one bus, two slots, one ROM."""

from typing import Any

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.design import MOST_WIDTH
from noc.hardware.arbiter import FixedPriority
from noc.hardware.input_ports import build_input_ports
from noc.hardware.lookup import one_hot_or
from noc.hardware.rom_block import HeadRom
from noc.hardware.rom_logic import LogicRom
from noc.hardware.row_fork import RowFork, build_fork
from noc.hardware.two_entry_fifo import TwoEntryFifo
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.table import RouterTable
from noc.streams import Queue

__all__ = ["Router", "inject_fields", "inject_shape"]


def inject_fields(trees: int, width: int) -> list[tuple[str, int]]:
    """The fields of the payload of an inject stream and their bits, the lowest first."""
    tree = [("tree", (trees - 1).bit_length())] if trees > 1 else []
    return [*tree, ("data", width)]


def inject_shape(trees: int, width: int) -> Any:
    """The payload of an inject stream."""
    fields = dict(inject_fields(trees, width))
    return data.StructLayout(fields) if trees > 1 else width


class Router(wiring.Component):
    """Forwards every word along the tree that its code names, and delivers it.

    One word a cycle enters, and one word is on the bus; its fork leave independently as the
    neighbours advance them (or in order, where the table is one-port). A word that arrives at an
    idle router is on the links in the next cycle. ``ready`` of a link depends on ``valid`` and
    the codes of the in-ports and on registers only, never on another ``ready``. With registers
    in links each ends in a relay: one cycle more, and ``ready`` is a register. The exact
    behaviour is written in ``docs/router.md``.

    Parameters
    ----------
    table : RouterTable
        What to do with the words.
    width : int
        Bits of the payload, 1 to 512.
    config : RouterConfig
        How it is built.

    Members
    -------
    in_N : In(stream.Signature(data.StructLayout({"code": …, "data": width})))
        In-port N, for each in-port of the table. The code of a word is that of its row at the
        receiver; it has no bits where the in-port knows one row only.
    out_N : Out(stream.Signature(data.StructLayout({"code": …, "data": width})))
        Likewise out-port N, for each out-port of the table.
    inject : In(stream.Signature)
        Words of the node itself; with several trees a struct of ``tree`` and ``data``.
    eject : Out(stream.Signature)
        Words for the node.
    busy : Out(1)
        Whether it holds a word; a queue of its eject stream is not counted.
    """

    def __init__(self, table: RouterTable, *, width: int, config: RouterConfig = STANDARD) -> None:
        if not 1 <= width <= MOST_WIDTH:
            raise ValueError(f"width must be from 1 to {MOST_WIDTH}, not {width!r}")
        config.check("one" if table.one_port else "all")
        self._table, self._width, self._config = table, width, config

        def link(code_bits: int) -> stream.Signature:
            return stream.Signature(data.StructLayout({"code": code_bits, "data": width}))

        members: dict[str, Any] = {
            f"in_{port.number}": In(link(table.header_bits)) for port in table.in_ports
        }
        for port, bits in table.out_bits:
            members[f"out_{port}"] = Out(link(bits))
        if table.trees:
            members["inject"] = In(stream.Signature(inject_shape(table.trees, width)))
        super().__init__(members | {"eject": Out(stream.Signature(width)), "busy": Out(1)})

    @property
    def table(self) -> RouterTable:
        """What it does with the words."""
        return self._table

    @property
    def width(self) -> int:
        """Bits of the payload."""
        return self._width

    @property
    def config(self) -> RouterConfig:
        """How it is built."""
        return self._config

    def elaborate(self, platform: object) -> Module:
        """Connect input ports, buffers, ROM and fork."""
        m = Module()
        m.submodules.row_fork = fork = build_fork(self._table)
        bits = max(1, self._table.code_bits) + self._width
        m.submodules.buffers = buffers = TwoEntryFifo(bits)
        self._store(m, buffers)
        m.d.sync += fork.progress.eq(fork.next_progress)
        m.d.comb += [fork.occupied.eq(buffers.occupied), buffers.pop.eq(fork.pop)]
        wiring.connect(m, self._rom(m, buffers, fork).row, fork.row)
        self._send(m, buffers, fork)
        return m

    def _rom(self, m: Module, buffers: TwoEntryFifo, fork: RowFork) -> Any:
        """The ROM in the configured form, and its inputs."""
        bits = max(1, self._table.code_bits)
        rom: LogicRom | HeadRom
        if self._config.rom == "logic":
            m.submodules.rom = rom = LogicRom(self._table)
            m.d.comb += [rom.code.eq(buffers.head[:bits]), rom.sent.eq(fork.progress)]
        else:
            m.submodules.rom = rom = HeadRom(self._table)
            m.d.comb += [rom.code.eq(buffers.next_head[:bits]), rom.load.eq(buffers.load)]
        return rom

    def _store(self, m: Module, buffers: TwoEntryFifo) -> None:
        """Grant one of the words that are offered, and store it."""
        relayed = self._config.link_registers == 1
        ports = build_input_ports(m, self, self._table, relayed=relayed)
        m.submodules.arbiter = arbiter = FixedPriority(len(ports))
        words = [Cat(port.code, port.payload) for port in ports]
        m.d.comb += [
            arbiter.requests.eq(
                Cat(port.stream.valid for port in ports) & buffers.free.replicate(len(ports))
            ),
            Cat(port.stream.ready for port in ports).eq(arbiter.grant),
            buffers.push.eq(arbiter.requests.any()),
            buffers.word.eq(one_hot_or(arbiter.grant, words)),
        ]
        # The spare is full only while there is a head. Without relays the output is a register.
        relays = ports[: len(self._table.in_ports)] if relayed else []
        held = Cat(buffers.occupied, *(port.stream.valid for port in relays))
        m.d.comb += self.busy.eq(held.any())

    def _send(self, m: Module, buffers: TwoEntryFifo, fork: RowFork) -> None:
        """Offer the copies of the word in the buffer."""
        payload = buffers.head[max(1, self._table.code_bits) :]
        for number, (port, _) in enumerate(self._table.out_bits):
            out = getattr(self, f"out_{port}")
            m.d.comb += [
                out.valid.eq(fork.valid[number]),
                out.payload.code.eq(getattr(fork.row, f"code_{port}")),
                out.payload.data.eq(payload),
                fork.ready[number].eq(out.ready),
            ]
        eject = stream.Signature(self._width).create()
        m.d.comb += [
            eject.valid.eq(fork.eject_valid),
            eject.payload.eq(payload),
            fork.eject_ready.eq(eject.ready),
        ]
        if self._config.queue:
            m.submodules.queue = queue = Queue(self._width, depth=self._config.queue)
            wiring.connect(m, eject, queue.i)
            wiring.connect(m, queue.o, wiring.flipped(self.eject))
        else:
            wiring.connect(m, eject, wiring.flipped(self.eject))
