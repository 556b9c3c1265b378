"""The router: one bus, a few places, one table."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.design import MOST_WIDTH
from noc.hardware.arbiter import Lowest, Tournament
from noc.hardware.arrivals import Arrival, offered
from noc.hardware.block_rows import HeadRows, PlaceRows
from noc.hardware.copies import copies
from noc.hardware.link import LinkSignature
from noc.hardware.lookup import one_hot_or
from noc.hardware.places import Pair, Places
from noc.hardware.queue import queue
from noc.hardware.rows import Rows
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.table import RouterTable

__all__ = ["Router", "inject_fields", "inject_shape", "router_signature"]

# Of each in-port: whether it offers a word; whether there is room for it, and whether there was
# none in the cycle before; and in which of the two places of its class it would go.
_SEEN = ("valid", "room", "stalled", "last")


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
        return LinkSignature(code_bits=code_bits, width=width, classes=table.vcs)

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

    One word a cycle enters, and one word is on the bus; its copies leave independently as the
    neighbours take them (or in order, where the table is one-port). A word that arrives at an
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
        """Wire the in-ports, the places and the copies together."""
        m = Module()
        m.submodules.copies = leaving = copies(self._table)
        bits = max(1, self._table.code_bits) + self._width
        places: Any
        if self._table.vcs == 1:
            m.submodules.places = places = Pair(bits)
            self._store(m, places)
            m.d.sync += leaving.kept.eq(leaving.keep)
        else:
            m.submodules.places = places = Places(
                bits, classes=self._table.vcs, saved=len(leaving.kept)
            )
            self._store_in_class(m, places)
            m.d.comb += [leaving.kept.eq(places.kept), places.keep.eq(leaving.keep)]
        m.d.comb += [leaving.occupied.eq(places.occupied), places.drop.eq(leaving.drop)]
        wiring.connect(m, self._rows(m, places, leaving).row, leaving.row)
        self._send(m, places, leaving)
        return m

    def _rows(self, m: Module, places: Any, leaving: Any) -> Any:
        """The table, and what it is asked."""
        bits = max(1, self._table.code_bits)
        rows: Any
        if self._config.rom == "logic":
            m.submodules.rows = rows = Rows(self._table)
            m.d.comb += [rows.code.eq(places.head[:bits]), rows.turn.eq(leaving.kept)]
        elif self._table.vcs == 1:
            m.submodules.rows = rows = HeadRows(self._table)
            m.d.comb += [rows.coming.eq(places.coming[:bits]), rows.load.eq(places.load)]
        else:
            m.submodules.rows = rows = PlaceRows(self._table, places=places.addresses)
            m.d.comb += [
                rows.coming.eq(places.word[:bits]),
                rows.store.eq(places.store),
                rows.write_at.eq(places.write_at),
                rows.read_at.eq(places.read_at),
            ]
        return rows

    def _grant(self, m: Module, requests: Value) -> Any:
        """Who is granted."""
        arbiter: Any
        if self._table.one_source:
            m.submodules.arbiter = arbiter = Lowest(len(requests))
        else:
            m.submodules.arbiter = arbiter = Tournament(len(requests))
            m.d.comb += [arbiter.take.eq(1), arbiter.fair.eq(1)]
        m.d.comb += arbiter.requests.eq(requests)
        return arbiter.grant

    def _offered(self, m: Module) -> list[Arrival]:
        """What the in-ports offer; with registers in links, the oldest word of each relay."""
        return offered(m, self, self._table, relayed=self._config.link_registers == 1)

    def _store(self, m: Module, places: Pair) -> None:
        """Grant one of the words that are offered, and store it."""
        arrivals = self._offered(m)
        room = places.room.replicate(len(arrivals))
        requests = Cat(arrival.stream.valid for arrival in arrivals) & room
        granted = self._grant(m, requests)
        words = [Cat(arrival.code, arrival.payload) for arrival in arrivals]
        m.d.comb += [
            Cat(arrival.stream.ready for arrival in arrivals).eq(granted),
            places.store.eq(requests.any()),
            places.word.eq(one_hot_or(list(zip(granted, words, strict=True)))),
        ]
        if self._table.one_source:
            # The spare is full only while there is a head. Without relays the output is a register.
            relays = arrivals[: len(self._table.in_ports)] if self._config.link_registers else []
            held = Cat(places.occupied, *(arrival.stream.valid for arrival in relays))
            m.d.comb += self.busy.eq(held.any())

    def _store_in_class(self, m: Module, places: Places) -> None:
        """Grant an in-port that was not stalled in the cycle before; store its word if it fits."""
        arrivals = self._offered(m)
        classes = [arrival.class_(m, self._table.vcs) for arrival in arrivals]
        valid, room, stalled, last = (Signal(len(arrivals), name=name) for name in _SEEN)
        granted = self._grant(m, valid & ~stalled)
        for place, arrival in enumerate(arrivals):
            m.d.comb += [
                valid[place].eq(arrival.stream.valid),
                room[place].eq(places.room.bit_select(classes[place], 1)),
                last[place].eq(places.last.bit_select(classes[place], 1)),
                arrival.stream.ready.eq(granted[place] & room[place]),
            ]
            if "stall" in arrival.stream.signature.members:
                m.d.comb += arrival.stream.stall.eq(valid[place] & ~room[place])
        words = [Cat(arrival.code, arrival.payload) for arrival in arrivals]
        m.d.sync += stalled.eq(valid & ~room)
        m.d.comb += [
            places.store.eq((granted & room).any()),
            places.store_class.eq(one_hot_or(list(zip(granted, classes, strict=True)))),
            places.store_last.eq((granted & last).any()),
            places.word.eq(one_hot_or(list(zip(granted, words, strict=True)))),
        ]

    def _send(self, m: Module, places: Any, leaving: Any) -> None:
        """Show the copies of the word on the bus."""
        payload = places.head[max(1, self._table.code_bits) :]
        lost = Signal(len(leaving.valid))
        for place, (port, _) in enumerate(self._table.out_bits):
            out = getattr(self, f"out_{port}")
            m.d.comb += [
                out.valid.eq(leaving.valid[place]),
                out.payload.code.eq(getattr(leaving.row, f"code_{port}")),
                out.payload.data.eq(payload),
                leaving.ready[place].eq(out.ready),
                lost[place].eq(out.valid & ~out.ready & ~getattr(out, "stall", 0)),
            ]
        eject = stream.Signature(self._width).create()
        m.d.comb += [
            eject.valid.eq(leaving.eject_valid),
            eject.payload.eq(payload),
            leaving.eject_ready.eq(eject.ready),
        ]
        if self._table.vcs > 1:
            m.d.comb += places.waits.eq(lost.any() | (eject.valid & ~eject.ready))
        if self._config.queue:
            m.submodules.queue, enter, leave = queue(self._width, self._config.queue)
            wiring.connect(m, eject, enter)
            wiring.connect(m, leave, wiring.flipped(self.eject))
        else:
            wiring.connect(m, eject, wiring.flipped(self.eject))
