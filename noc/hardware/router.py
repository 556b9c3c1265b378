"""The router: one multiplexer, a few places, one table."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.arbiter import RoundRobin
from noc.hardware.link import LinkSignature
from noc.hardware.places import Places, class_shape
from noc.programs.table import RouterTable

__all__ = ["Router", "inject_shape", "router_signature"]

MOST_WIDTH = 512


def inject_shape(trees: int, width: int):
    """The payload of an inject stream."""
    if trees == 1:
        return width
    return data.StructLayout({"tree": range(trees), "data": width})


def router_signature(table: RouterTable, *, width: int) -> wiring.Signature:
    """The ports of a router, as its class lists them."""

    def link(code_bits: int) -> LinkSignature:
        return LinkSignature(code_bits=code_bits, width=width, classes=table.classes)

    members = {f"in_{port.number}": In(link(table.code_bits)) for port in table.in_ports}
    members |= {f"out_{port}": Out(link(bits)) for port, bits in table.out_bits}
    if table.trees:
        members["inject"] = In(stream.Signature(inject_shape(table.trees, width)))
    members["eject"] = Out(stream.Signature(width))
    return wiring.Signature(members)


class Router(wiring.Component):
    """Forwards every word along the tree that its code names, and delivers it.

    One word a cycle enters, and one word is on the bus; its copies leave independently as the
    neighbours take them (or in order, where the table is one-port). A word that arrives at an
    idle router is on the links in the next cycle. ``ready`` of a link depends on ``valid`` of the
    in-ports and on registers only, never on another ``ready``. The exact behaviour is written in
    ``docs/router.md``.

    Parameters
    ----------
    table : RouterTable
        What to do with the words.
    width : int
        Bits of the payload, 1 to 512.

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
    """

    def __init__(self, table: RouterTable, *, width: int) -> None:
        if not 1 <= width <= MOST_WIDTH:
            raise ValueError(f"width must be from 1 to {MOST_WIDTH}, not {width!r}")
        self._table, self._width = table, width
        super().__init__(router_signature(table, width=width))

    @property
    def _code_shape(self):
        """A code as it is stored, those of the node's own words included."""
        return range(max(2, len(self._table.entries)))

    @property
    def table(self) -> RouterTable:
        """What it does with the words."""
        return self._table

    @property
    def width(self) -> int:
        """Bits of the payload."""
        return self._width

    def elaborate(self, platform) -> Module:
        """Wire the input side, the places and the output side together."""
        m = Module()
        stored = data.StructLayout({"code": self._code_shape, "data": self._width})
        m.submodules.places = places = Places(stored, classes=self._table.classes)
        self._input_side(m, places)
        waits = self._output_side(m, places)
        self._turn(m, places, waits)
        return m

    def _input_side(self, m: Module, places: Places) -> None:
        """Grant one of the words that the places can take, and store it."""
        sources = [
            (getattr(self, f"in_{port.number}"), port.codes) for port in self._table.in_ports
        ]
        arriving = [
            (source, codes, source.payload.code, source.payload.data) for source, codes in sources
        ]
        if self._table.trees:
            arriving.append(self._injected())
        m.submodules.arbiter = arbiter = RoundRobin(len(arriving))
        bus = Signal.like(places.word)
        word, classes = 0, 0
        for place, (source, codes, code, payload) in enumerate(arriving):
            class_ = self._class_of(m, f"class_{place}", code, codes)
            room = Array(places.room)[class_] if self._table.classes > 1 else places.room
            m.d.comb += arbiter.requests[place].eq(source.valid & room)
            m.d.comb += source.ready.eq(arbiter.grant[place])
            if "stall" in source.signature.members:
                m.d.comb += source.stall.eq(source.valid & ~room)
            chosen = arbiter.grant[place]
            full_code = Signal(self._code_shape, name=f"code_{place}")
            m.d.comb += full_code.eq(code)
            word |= Cat(full_code, payload) & chosen.replicate(len(bus.as_value()))
            classes |= class_ & chosen.replicate(len(places.store_class))
        m.d.comb += [
            bus.as_value().eq(word),
            places.word.eq(bus),
            places.store.eq(arbiter.requests.any()),
            places.store_class.eq(classes),
        ]

    def _injected(self):
        """The node's own words: they carry the code of their tree."""
        first = self._table.arriving
        payload = self.inject.payload
        codes = tuple(range(first, len(self._table.entries)))
        if self._table.trees == 1:
            return self.inject, codes, Signal(self._code_shape, init=first), payload
        return self.inject, codes, payload.tree + first, payload.data

    def _class_of(self, m: Module, name: str, code, codes: tuple[int, ...]) -> Signal:
        """The class of a code, as a small table of the codes that can come."""
        result = Signal(class_shape(self._table.classes), name=name)
        by_class: dict[int, list[int]] = {}
        for number in codes:
            by_class.setdefault(self._table.entries[number].class_, []).append(number)
        with m.Switch(code):
            for class_, numbers in sorted(by_class.items()):
                with m.Case(*numbers):
                    m.d.comb += result.eq(class_)
        return result

    def _output_side(self, m: Module, places: Places) -> Signal:
        """Present the pending copies of the head; returns whether the bus must wait for one.

        It waits for a copy that lost against another in-port, and for the sink; not for a
        neighbour that has no place.
        """
        table = self._table
        outs = [(port, getattr(self, f"out_{port}")) for port, _ in table.out_bits]
        pending = Signal(len(outs))
        eject_sent = Array(Signal(name=f"eject_sent_{c}") for c in range(table.classes))
        deliver = Signal(init=1)
        taken = Signal(len(outs))
        lost = Signal(len(outs))
        last_send = Signal()
        if table.one_port:
            self._one_send(m, places, outs, pending, taken, last_send)
        else:
            self._all_sends(m, places, outs, pending, taken, last_send)
        for place, (_, out) in enumerate(outs):
            m.d.comb += [
                out.valid.eq(places.occupied & pending[place]),
                out.payload.data.eq(places.head.data),
                taken[place].eq(out.valid & out.ready),
                lost[place].eq(out.valid & ~out.ready & ~getattr(out, "stall", 0)),
            ]
        m.d.comb += deliver.eq(places.head.code < table.arriving)
        if not table.delivers_always:
            silent = [c for c in range(table.arriving) if not table.entries[c].deliver]
            with m.Switch(places.head.code), m.Case(*silent):
                m.d.comb += deliver.eq(0)
        sent = eject_sent[places.active]
        m.d.comb += [
            self.eject.payload.eq(places.head.data),
            self.eject.valid.eq(places.occupied & deliver & ~sent),
        ]
        ejected = ~self.eject.valid | self.eject.ready
        m.d.comb += places.drop.eq(places.occupied & last_send & ejected)
        with m.If(places.occupied):
            m.d.sync += sent.eq(~places.drop & (sent | self.eject.valid & self.eject.ready))
        waits = Signal()
        m.d.comb += waits.eq(lost.any() | self.eject.valid & ~self.eject.ready)
        return waits

    def _all_sends(self, m: Module, places: Places, outs, pending, taken, last_send) -> None:
        """All-port: a bit for each copy that has left."""
        table = self._table
        sent = Array(Signal(len(outs), name=f"sent_{c}") for c in range(table.classes))
        wanted = Signal(len(outs))
        with m.Switch(places.head.code):
            for number, entry in enumerate(table.entries):
                with m.Case(number):
                    codes = dict(entry.sends)
                    for place, (port, out) in enumerate(outs):
                        if port in codes:
                            m.d.comb += wanted[place].eq(1)
                            m.d.comb += out.payload.code.eq(codes[port])
        active = sent[places.active]
        m.d.comb += [
            pending.eq(wanted & ~active),
            last_send.eq(~(pending & ~taken).any()),
        ]
        with m.If(places.occupied):
            m.d.sync += active.eq(Mux(places.drop, 0, active | taken))

    def _one_send(self, m: Module, places: Places, outs, pending, taken, last_send) -> None:
        """One-port: a counter of the copies that have left."""
        table = self._table
        most = max(len(entry.sends) for entry in table.entries)
        turns = Array(Signal(range(most + 1), name=f"turn_{c}") for c in range(table.classes))
        turn = turns[places.active]
        place_of = {port: place for place, (port, _) in enumerate(outs)}
        finished = Signal()
        with m.Switch(Cat(places.head.code, turn)):
            bits = len(places.head.code)
            for number, entry in enumerate(table.entries):
                for count, (port, code) in enumerate(entry.sends):
                    with m.Case(number | count << bits):
                        m.d.comb += pending.eq(1 << place_of[port])
                        m.d.comb += outs[place_of[port]][1].payload.code.eq(code)
                        if count == len(entry.sends) - 1:
                            m.d.comb += finished.eq(taken.any())
            with m.Default():
                m.d.comb += finished.eq(1)
        m.d.comb += last_send.eq(finished)
        with m.If(places.occupied):
            m.d.sync += turn.eq(Mux(places.drop, 0, turn + taken.any()))

    def _turn(self, m: Module, places: Places, waits: Signal) -> None:
        """Choose the class that is on the bus in the next cycle."""
        classes = self._table.classes
        if classes == 1:
            return
        active = Signal(range(classes))
        m.d.comb += places.active.eq(active)
        with m.If(~waits), m.Switch(active):
            for now in range(classes):
                with m.Case(now):
                    # The last assignment wins: the first class after this one stands last.
                    for step in range(classes, 0, -1):
                        after = (now + step) % classes
                        with m.If(places.next_occupied[after]):
                            m.d.sync += active.eq(after)
