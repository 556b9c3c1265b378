"""The router of the direct fabric: one bus, two slots for each VC, one ROM."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.design import MOST_WIDTH
from noc.hardware.arbiter import FixedPriority, TreeRoundRobin
from noc.hardware.input_ports import InputPort, build_input_ports
from noc.hardware.link import LinkSignature
from noc.hardware.lookup import one_hot_or
from noc.hardware.queue import build_queue
from noc.hardware.rom_block import HeadRom, SlotRom
from noc.hardware.rom_logic import LogicRom
from noc.hardware.row_fork import build_fork
from noc.hardware.vc_buffers import TwoEntryFifo, VcBuffers
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.table import RouterTable

__all__ = ["Router", "inject_fields", "inject_shape", "router_signature"]

# Of each input port: whether it offers a word; whether the word's VC has a free slot, and whether
# it had none in the cycle before; and which of the VC's two slots the word would go to.
_FLAGS = ("valid", "free", "was_full", "tail")


def inject_fields(trees: int, width: int) -> list[tuple[str, int]]:
    """The fields of the payload of an inject stream and their bits, the lowest first."""
    tree = [("tree", (trees - 1).bit_length())] if trees > 1 else []
    return [*tree, ("data", width)]


def inject_shape(trees: int, width: int) -> Any:
    """The payload of an inject stream."""
    fields = dict(inject_fields(trees, width))
    return data.StructLayout(fields) if trees > 1 else width


def router_signature(table: RouterTable, *, width: int) -> wiring.Signature:
    """The ports of a router, as its class lists them."""

    def link(code_bits: int) -> LinkSignature:
        return LinkSignature(code_bits=code_bits, width=width, vcs=table.vcs)

    members = {f"in_{port.number}": In(link(table.header_bits)) for port in table.in_ports}
    members |= {f"out_{port}": Out(link(bits)) for port, bits in table.out_bits}
    if table.trees:
        members["inject"] = In(stream.Signature(inject_shape(table.trees, width)))
    members["eject"] = Out(stream.Signature(width))
    if table.one_source:
        members["busy"] = Out(1)
    return wiring.Signature(members)


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
    in_N : In(LinkSignature)
        In-port N, for each in-port of the table.
    out_N : Out(LinkSignature)
        Out-port N, for each out-port of the table.
    inject : In(stream.Signature)
        Words of the node itself; with several trees a struct of ``tree`` and ``data``.
    eject : Out(stream.Signature)
        Words for the node.
    busy : Out(1)
        Whether it holds a word; a queue of its eject stream is not counted. Only where one source
        sends at a time.
    """

    def __init__(self, table: RouterTable, *, width: int, config: RouterConfig = STANDARD) -> None:
        if not 1 <= width <= MOST_WIDTH:
            raise ValueError(f"width must be from 1 to {MOST_WIDTH}, not {width!r}")
        config.check("one" if table.one_port else "all", table.vcs)
        self._table, self._width, self._config = table, width, config
        super().__init__(router_signature(table, width=width))

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
        buffers: Any
        if self._table.vcs == 1:
            m.submodules.buffers = buffers = TwoEntryFifo(bits)
            self._store(m, buffers)
            m.d.sync += fork.progress.eq(fork.next_progress)
        else:
            m.submodules.buffers = buffers = VcBuffers(
                bits, vcs=self._table.vcs, progress_bits=len(fork.progress)
            )
            self._store_in_vc(m, buffers)
            m.d.comb += [
                fork.progress.eq(buffers.progress),
                buffers.next_progress.eq(fork.next_progress),
            ]
        m.d.comb += [fork.occupied.eq(buffers.occupied), buffers.pop.eq(fork.pop)]
        wiring.connect(m, self._rom(m, buffers, fork).row, fork.row)
        self._send(m, buffers, fork)
        return m

    def _rom(self, m: Module, buffers: Any, fork: Any) -> Any:
        """The ROM in the configured form, and its inputs."""
        bits = max(1, self._table.code_bits)
        rom: Any
        if self._config.rom == "logic":
            m.submodules.rom = rom = LogicRom(self._table)
            m.d.comb += [rom.code.eq(buffers.head[:bits]), rom.sent.eq(fork.progress)]
        elif self._table.vcs == 1:
            m.submodules.rom = rom = HeadRom(self._table)
            m.d.comb += [rom.code.eq(buffers.next_head[:bits]), rom.load.eq(buffers.load)]
        else:
            m.submodules.rom = rom = SlotRom(self._table, slots=buffers.addresses)
            m.d.comb += [
                rom.code.eq(buffers.word[:bits]),
                rom.push.eq(buffers.push),
                rom.push_slot.eq(buffers.push_slot),
                rom.head_slot.eq(buffers.head_slot),
            ]
        return rom

    def _grant(self, m: Module, requests: Value) -> Any:
        """Arbitrate between the input ports."""
        arbiter: Any
        if self._table.one_source:
            m.submodules.arbiter = arbiter = FixedPriority(len(requests))
        else:
            m.submodules.arbiter = arbiter = TreeRoundRobin(len(requests))
            m.d.comb += [arbiter.advance.eq(1), arbiter.fair.eq(1)]
        m.d.comb += arbiter.requests.eq(requests)
        return arbiter.grant

    def _input_ports(self, m: Module) -> list[InputPort]:
        """The input ports; with registers in links, the outputs of their relays."""
        return build_input_ports(m, self, self._table, relayed=self._config.link_registers == 1)

    def _store(self, m: Module, buffers: TwoEntryFifo) -> None:
        """Grant one of the words that are offered, and store it."""
        ports = self._input_ports(m)
        free = buffers.free.replicate(len(ports))
        requests = Cat(port.stream.valid for port in ports) & free
        granted = self._grant(m, requests)
        words = [Cat(port.code, port.payload) for port in ports]
        m.d.comb += [
            Cat(port.stream.ready for port in ports).eq(granted),
            buffers.push.eq(requests.any()),
            buffers.word.eq(one_hot_or(granted, words)),
        ]
        if self._table.one_source:
            # The spare is full only while there is a head. Without relays the output is a register.
            relays = ports[: len(self._table.in_ports)] if self._config.link_registers else []
            held = Cat(buffers.occupied, *(port.stream.valid for port in relays))
            m.d.comb += self.busy.eq(held.any())

    def _store_in_vc(self, m: Module, buffers: VcBuffers) -> None:
        """Grant a port whose VC was not full a cycle before; store its word if a slot is free."""
        ports = self._input_ports(m)
        vcs = [port.vc(m, self._table.vcs) for port in ports]
        valid, free, was_full, tail = (Signal(len(ports), name=name) for name in _FLAGS)
        granted = self._grant(m, valid & ~was_full)
        for number, port in enumerate(ports):
            m.d.comb += [
                valid[number].eq(port.stream.valid),
                free[number].eq(buffers.free.bit_select(vcs[number], 1)),
                tail[number].eq(buffers.tail.bit_select(vcs[number], 1)),
                port.stream.ready.eq(granted[number] & free[number]),
            ]
            if "vc_full" in port.stream.signature.members:
                m.d.comb += port.stream.vc_full.eq(valid[number] & ~free[number])
        words = [Cat(port.code, port.payload) for port in ports]
        m.d.sync += was_full.eq(valid & ~free)
        m.d.comb += [
            buffers.push.eq((granted & free).any()),
            buffers.push_vc.eq(one_hot_or(granted, vcs)),
            buffers.push_tail.eq((granted & tail).any()),
            buffers.word.eq(one_hot_or(granted, words)),
        ]

    def _send(self, m: Module, buffers: Any, fork: Any) -> None:
        """Offer the copies of the word on the bus."""
        payload = buffers.head[max(1, self._table.code_bits) :]
        refused = Signal(len(fork.valid))
        for number, (port, _) in enumerate(self._table.out_bits):
            out = getattr(self, f"out_{port}")
            m.d.comb += [
                out.valid.eq(fork.valid[number]),
                out.payload.code.eq(getattr(fork.row, f"code_{port}")),
                out.payload.data.eq(payload),
                fork.ready[number].eq(out.ready),
                refused[number].eq(out.valid & ~out.ready & ~getattr(out, "vc_full", 0)),
            ]
        eject = stream.Signature(self._width).create()
        m.d.comb += [
            eject.valid.eq(fork.eject_valid),
            eject.payload.eq(payload),
            fork.eject_ready.eq(eject.ready),
        ]
        if self._table.vcs > 1:
            m.d.comb += buffers.hold.eq(refused.any() | (eject.valid & ~eject.ready))
        if self._config.queue:
            m.submodules.queue, enter, leave = build_queue(self._width, self._config.queue)
            wiring.connect(m, eject, enter)
            wiring.connect(m, leave, wiring.flipped(self.eject))
        else:
            wiring.connect(m, eject, wiring.flipped(self.eject))
