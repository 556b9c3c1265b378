"""The router: one bus, a few places, one table."""

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.arbiter import Lowest, Tournament
from noc.hardware.copies import copies
from noc.hardware.link import LinkSignature
from noc.hardware.lookup import one_hot_or, table_bit
from noc.hardware.places import Pair, Places
from noc.hardware.rows import Rows
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

    members = {f"in_{port.number}": In(link(table.header_bits)) for port in table.in_ports}
    members |= {f"out_{port}": Out(link(bits)) for port, bits in table.out_bits}
    if table.trees:
        members["inject"] = In(stream.Signature(inject_shape(table.trees, width)))
    members["eject"] = Out(stream.Signature(width))
    return wiring.Signature(members)


class _Arrival:
    """A stream that brings words: its signals, and the classes of the codes that can come."""

    def __init__(self, name, stream, code, payload, entries) -> None:
        self.name, self.stream, self.code, self.payload = name, stream, code, payload
        self.entries = entries

    def class_(self, m: Module, classes: int) -> Value:
        """The class of the word that is offered."""
        return Cat(
            table_bit(
                m,
                f"{self.name}_class_{bit}",
                self.code,
                {entry.code: bool(entry.class_ >> bit & 1) for entry in self.entries},
            )
            for bit in range((classes - 1).bit_length())
        )


class Router(wiring.Component):
    """Forwards every word along the tree that its code names, and delivers it.

    One word a cycle enters, and one word is on the bus; its copies leave independently as the
    neighbours take them (or in order, where the table is one-port). A word that arrives at an
    idle router is on the links in the next cycle. ``ready`` of a link depends on ``valid`` and
    the codes of the in-ports and on registers only, never on another ``ready``. The exact
    behaviour is written in ``docs/router.md``.

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

    def __init__(self, table: RouterTable, *, width: int, block: bool = False) -> None:
        if not 1 <= width <= MOST_WIDTH:
            raise ValueError(f"width must be from 1 to {MOST_WIDTH}, not {width!r}")
        self._table, self._width, self._block = table, width, block
        super().__init__(router_signature(table, width=width))

    @property
    def table(self) -> RouterTable:
        """What it does with the words."""
        return self._table

    @property
    def width(self) -> int:
        """Bits of the payload."""
        return self._width

    def elaborate(self, platform) -> Module:
        """Wire the in-ports, the places and the copies together."""
        m = Module()
        m.submodules.copies = leaving = copies(self._table)
        m.submodules.rows = rows = Rows(self._table, block=self._block)
        wiring.connect(m, rows.row, leaving.row)
        bits = len(rows.code) + self._width
        if self._table.classes == 1:
            m.submodules.places = places = Pair(bits)
            self._store(m, places)
            m.d.sync += leaving.kept.eq(leaving.keep)
        else:
            m.submodules.places = places = Places(
                bits, classes=self._table.classes, saved=leaving.kept_bits
            )
            self._store_in_class(m, places)
            m.d.comb += [leaving.kept.eq(places.kept), places.keep.eq(leaving.keep)]
        word = places.next_head if self._block else places.head
        m.d.comb += [
            rows.code.eq(word[: len(rows.code)]),
            rows.load.eq(places.load if self._block else 1),
            rows.turn.eq(leaving.kept),
            leaving.occupied.eq(places.occupied),
            places.drop.eq(leaving.drop),
        ]
        self._send(m, places, rows, leaving)
        return m

    def _arrivals(self) -> list[_Arrival]:
        """The in-ports, the node's own last: its words get the code of their tree."""
        table, bits = self._table, max(1, self._table.code_bits)
        by_code = {entry.code: entry for entry in table.arriving}
        result = []
        for port in table.in_ports:
            link = getattr(self, f"in_{port.number}")
            code = Signal(bits, name=f"in_{port.number}_code")
            entries = [by_code[number] for number in port.codes]
            result.append(_Arrival(f"in_{port.number}", link, code, link.payload.data, entries))
        if table.trees:
            code = Signal(bits, name="inject_code")
            payload = self.inject.payload
            words = payload if table.trees == 1 else payload.data
            result.append(_Arrival("inject", self.inject, code, words, table.own))
        return result

    def _offered(self, m: Module) -> list[_Arrival]:
        """The in-ports with their codes driven."""
        arrivals = self._arrivals()
        for arrival in arrivals:
            if arrival.name != "inject":
                m.d.comb += arrival.code.eq(arrival.stream.payload.code)
            elif self._table.trees == 1:
                arrival.code = Const(self._table.own[0].code, len(arrival.code))
            else:
                own = [entry.code for entry in self._table.own]
                with m.Switch(self.inject.payload.tree):
                    for tree, code in enumerate(own):
                        with m.Case(tree):
                            m.d.comb += arrival.code.eq(code)
        return arrivals

    def _arbiter(self, m: Module, count: int) -> Lowest | Tournament:
        """Who is granted: with one source at a time words hardly ever meet."""
        if self._table.one_source:
            m.submodules.arbiter = arbiter = Lowest(count)
        else:
            m.submodules.arbiter = arbiter = Tournament(count)
            m.d.comb += [arbiter.take.eq(1), arbiter.fair.eq(1)]
        return arbiter

    def _store(self, m: Module, places: Pair) -> None:
        """Grant one of the words that are offered, and store it."""
        arrivals = self._offered(m)
        arbiter = self._arbiter(m, len(arrivals))
        for place, arrival in enumerate(arrivals):
            m.d.comb += [
                arbiter.requests[place].eq(arrival.stream.valid & places.room),
                arrival.stream.ready.eq(arbiter.grant[place]),
            ]
        words = [Cat(arrival.code, arrival.payload) for arrival in arrivals]
        m.d.comb += [
            places.store.eq(arbiter.requests.any()),
            places.word.eq(one_hot_or(list(zip(arbiter.grant, words, strict=True)))),
        ]

    def _store_in_class(self, m: Module, places: Places) -> None:
        """Grant one of the words whose class had room when last seen, if it still has."""
        arrivals = self._offered(m)
        count = len(arrivals)
        arbiter = self._arbiter(m, count)
        classes = [arrival.class_(m, self._table.classes) for arrival in arrivals]
        home, room, stalled = Signal(count), Signal(count), Signal(count)
        for place, arrival in enumerate(arrivals):
            offered = arrival.stream.valid
            m.d.comb += [
                home[place].eq(places.full.bit_select(classes[place], 1)),
                room[place].eq(~(home[place] & places.spare_full)),
                arbiter.requests[place].eq(offered & ~stalled[place]),
                arrival.stream.ready.eq(arbiter.grant[place] & room[place]),
            ]
            m.d.sync += stalled[place].eq(offered & ~room[place])
            if "stall" in arrival.stream.signature.members:
                m.d.comb += arrival.stream.stall.eq(offered & ~room[place])
        words = [Cat(arrival.code, arrival.payload) for arrival in arrivals]
        m.d.comb += [
            places.store.eq((arbiter.grant & room).any()),
            places.to_spare.eq((arbiter.grant & home).any()),
            places.store_class.eq(one_hot_or(list(zip(arbiter.grant, classes, strict=True)))),
            places.word.eq(one_hot_or(list(zip(arbiter.grant, words, strict=True)))),
        ]

    def _send(self, m: Module, places, rows: Rows, leaving) -> None:
        """Show the copies of the word on the bus."""
        payload = places.head[len(rows.code) :]
        lost = Signal(len(leaving.valid))
        for place, (port, _) in enumerate(self._table.out_bits):
            out = getattr(self, f"out_{port}")
            m.d.comb += [
                out.valid.eq(leaving.valid[place]),
                out.payload.code.eq(getattr(rows.row, f"code_{port}")),
                out.payload.data.eq(payload),
                leaving.ready[place].eq(out.ready),
                lost[place].eq(out.valid & ~out.ready & ~getattr(out, "stall", 0)),
            ]
        m.d.comb += [
            self.eject.valid.eq(leaving.eject_valid),
            self.eject.payload.eq(payload),
            leaving.eject_ready.eq(self.eject.ready),
        ]
        if self._table.classes > 1:
            m.d.comb += places.waits.eq(lost.any() | (self.eject.valid & ~self.eject.ready))
