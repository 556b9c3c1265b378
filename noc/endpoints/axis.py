"""AXI-Stream at a node."""

from functools import partial
from typing import Any

from amaranth.hdl import Cat, DomainRenamer, Module, Shape, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.endpoints.crossing import NETWORK, NODE, Crossing
from noc.endpoints.options import BeatFormat
from noc.endpoints.packets import Reassembly

#: The signals of a word that are not its data, by their fields.
BESIDE_SIGNALS = {"last": "tlast", "node": "tdest", "operation": "tuser", "source": "tid"}


class AxiStreamSignature(wiring.Signature):
    """An AXI4-Stream, seen from the side that sends.

    Parameters
    ----------
    width : int
        Bits of the data.
    last : bool
        Whether packets have an end.
    id_bits, dest_bits, user_bits : int
        Bits of ``tid``, ``tdest`` and ``tuser``, or 0 without them.
    always_ready : bool
        Whether words are always taken, so that there is no ``tready``.

    Members
    -------
    tvalid : Out(1)
        Whether a word is presented.
    tready : In(1)
        Whether it is taken in this cycle, without ``always_ready``.
    tdata : Out(width)
        The data.
    tlast : Out(1)
        Whether it ends a packet, with ``last``.
    tid : Out(id_bits)
        The node that sent it, with ``id_bits``.
    tdest : Out(dest_bits)
        The node that it is for, with ``dest_bits``.
    tuser : Out(user_bits)
        What it wants done, with ``user_bits``.
    """

    def __init__(
        self,
        *,
        width: int,
        last: bool = True,
        id_bits: int = 0,
        dest_bits: int = 0,
        user_bits: int = 0,
        always_ready: bool = False,
    ) -> None:
        ready = {} if always_ready else {"tready": In(1)}
        members = {"tvalid": Out(1), **ready, "tdata": Out(width)}
        if last:
            members["tlast"] = Out(1)
        for name, bits in (("tid", id_bits), ("tdest", dest_bits), ("tuser", user_bits)):
            if bits:
                members[name] = Out(bits)
        super().__init__(members)


def _check_longest(longest: int, format: BeatFormat, *, arbitrated: bool) -> None:  # noqa: A002
    """Refuse packets that cannot be kept whole by waiting for their ends."""
    if longest < 1:
        raise ValueError(f"longest must be at least 1, not {longest!r}")
    if not format.last:
        raise ValueError("format must have an end of packets for longest")
    if arbitrated:
        raise ValueError("longest and arbitrated are two ways to the same: one of them is needed")


def _bits(layout: data.StructLayout) -> int:
    return Shape.cast(layout).width


class AxiEndpoint(wiring.Component):
    """Between a node's AXI-Streams and the inject and eject streams of its router.

    The words of each source come in order, and a word's source is its ``tid``. Between them are
    words of other sources, unless ``longest`` or ``arbitrated`` keeps packets whole. Without these
    and ``crossing`` the endpoint is nothing but wires.

    Parameters
    ----------
    format : BeatFormat
        The fields of a word; the network's width is ``format.bits``.
    sends : bool
        Whether the node may send.
    longest : int or None
        Packets of at most this many words arrive one after the other; the sender cuts longer ones.
        None leaves them mixed.
    crossing : bool
        Whether the AXI-Streams are in the clock domain ``node``; the router's are in ``sync``.
    arbitrated : bool
        Whether the node sends a packet only when it is granted one; see :class:`PacketArbiter`.
    always_ready : bool
        Whether the node takes every word at once: ``m_axis`` has no ``tready`` then, nor ``eject``
        a ``ready``.

    Members
    -------
    number : In(format.source_bits)
        The node's own number, a constant; where it sends, and the network does not number words.
    s_axis : In(AxiStreamSignature)
        Words of the node; where it sends.
    m_axis : Out(AxiStreamSignature)
        Words for the node, with ``tid``.
    inject : Out(stream.Signature)
        To the router; where it sends.
    eject : In(stream.Signature)
        From the router.
    request, grant, ends : Out(1), In(1), Out(1)
        The node's bits of :class:`PacketArbiter`, with ``arbitrated``.
    """

    def __init__(
        self,
        format: BeatFormat,  # noqa: A002
        *,
        sends: bool = True,
        longest: int | None = None,
        crossing: bool = False,
        arbitrated: bool = False,
        always_ready: bool = False,
    ) -> None:
        if always_ready and (crossing or longest is not None):
            raise ValueError("a clock crossing, or packets put together, may have to wait")
        if arbitrated and not format.last:
            raise ValueError("format must have an end of packets for arbitrated")
        if longest is not None:
            _check_longest(longest, format, arbitrated=arbitrated)
        self._format, self._sends = format, sends
        self._crossing, self._arbitrated = crossing, arbitrated
        self._always_ready = always_ready
        # A number wherever packets are counted.
        self._longest: Any = longest
        common = partial(
            AxiStreamSignature, width=format.width, last=format.last, user_bits=format.user_bits
        )
        m_axis = common(id_bits=format.source_bits, always_ready=always_ready)
        eject = stream.Signature(_bits(format.layout), always_ready=always_ready)
        members = {"eject": In(eject), "m_axis": Out(m_axis)}
        if sends:
            if not format.numbered:
                members["number"] = In(format.source_bits)
            members["s_axis"] = In(common(dest_bits=format.dest_bits))
            members["inject"] = Out(stream.Signature(format.bits))
        if arbitrated:
            members["ends"] = Out(1)
            if sends:
                members |= {"request": Out(1), "grant": In(1)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Wire both directions."""
        m = Module()
        self._receive(m)
        if self._sends:
            self._send(m)
        if self._arbitrated:
            self._tell_ends(m)
        return m

    def _send(self, m: Module) -> None:
        """Add the node's number to the data, and an end to packets that grow too long."""
        word = stream.Signature(self._format.injected).create()
        m.d.comb += [
            word.valid.eq(self.s_axis.tvalid),
            self.s_axis.tready.eq(word.ready),
            word.payload.data.eq(self.s_axis.tdata),
        ]
        if not self._format.numbered:
            m.d.comb += word.payload.source.eq(self.number)
        for name, signal in BESIDE_SIGNALS.items():
            if hasattr(self.s_axis, signal):
                m.d.comb += word.payload[name].eq(getattr(self.s_axis, signal))
        if self._longest is not None:
            self._cut(m, word)
        if self._crossing:
            m.submodules.up = up = Crossing(self._format.injected, write=NODE, read=NETWORK)
            wiring.connect(m, word, up.i)
            word = up.o
        may = self._may_send(m, word) if self._arbitrated else 1
        m.d.comb += [
            self.inject.valid.eq(word.valid & may),
            self.inject.payload.eq(word.payload),
            word.ready.eq(self.inject.ready & may),
        ]

    def _may_send(self, m: Module, word: Any) -> Any:
        """Whether the node is granted a packet, and has not sent it yet."""
        sent = Signal()
        with m.If(~self.grant):
            m.d.sync += sent.eq(0)
        with m.Elif(word.valid & word.ready & word.payload.last):
            m.d.sync += sent.eq(1)
        m.d.comb += self.request.eq(word.valid)
        return self.grant & ~sent

    def _tell_ends(self, m: Module) -> None:
        """Change a bit with every end of a packet, in or out, on the network's side."""
        passed = [(self._format.layout, self.eject)]
        if self._sends:
            passed.append((self._format.injected, self.inject))
        ends = [
            link.valid & link.ready & data.View(layout, link.payload).last
            for layout, link in passed
        ]
        with m.If(Cat(ends).any()):
            m.d.sync += self.ends.eq(~self.ends)

    def _cut(self, m: Module, word: Any) -> None:
        """Count the words of a packet; the last that fits ends it."""
        domain = NODE if self._crossing else NETWORK
        count = Signal(range(self._longest))
        with m.If(count == self._longest - 1):
            m.d.comb += word.payload.last.eq(1)
        with m.If(word.valid & word.ready):
            m.d[domain] += count.eq(count + 1)
            with m.If(word.payload.last):
                m.d[domain] += count.eq(0)

    def _receive(self, m: Module) -> None:
        """Take the words apart again."""
        word = stream.Signature(self._format.layout).create()
        m.d.comb += [
            word.valid.eq(self.eject.valid),
            word.payload.eq(self.eject.payload),
        ]
        if not self._always_ready:
            m.d.comb += self.eject.ready.eq(word.ready)
        if self._crossing:
            m.submodules.down = down = Crossing(self._format.layout, write=NETWORK, read=NODE)
            wiring.connect(m, word, down.i)
            word = down.o
        if self._longest is not None:
            word = self._whole(m, word)
        m.d.comb += [
            self.m_axis.tvalid.eq(word.valid),
            self.m_axis.tdata.eq(word.payload.data),
            word.ready.eq(1 if self._always_ready else self.m_axis.tready),
        ]
        for name, signal in BESIDE_SIGNALS.items():
            if hasattr(self.m_axis, signal):
                m.d.comb += getattr(self.m_axis, signal).eq(word.payload[name])

    def _whole(self, m: Module, word: Any) -> Any:
        """Put packets together."""
        rings = Reassembly(self._format, longest=self._longest)
        m.submodules.rings = DomainRenamer(NODE)(rings) if self._crossing else rings
        if self._crossing:
            wiring.connect(m, word, rings.i)
            return rings.o
        # Two slots between router and rings: no look-up in a ring delays the router's ready.
        m.submodules.entry = entry = fifo.SyncFIFO(width=_bits(self._format.layout), depth=2)
        m.d.comb += [
            entry.w_en.eq(word.valid),
            entry.w_data.eq(word.payload),
            word.ready.eq(entry.w_rdy),
            rings.i.valid.eq(entry.r_rdy),
            rings.i.payload.eq(entry.r_data),
            entry.r_en.eq(rings.i.ready),
        ]
        return rings.o
