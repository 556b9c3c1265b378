"""A router with free surroundings, seen only through its ports.

What a row does is read here from the RouterTable, by code; the router's own decoder is not used.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from amaranth.hdl import Assume, Cat, Const, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring

from formal import tool
from noc.hardware import Router
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.table import Entry, RouterTable

EJECT = -1


def among(code: Value, numbers: Iterable[int]) -> Value:
    """Whether a code is one of these numbers."""
    return Cat(code == number for number in numbers).any()


def copies(entry: Entry) -> dict[int, int]:
    """The ports on which a word of this row leaves, each with its code; the eject has code 0."""
    return dict(entry.sends) | ({EJECT: 0} if entry.deliver else {})


@dataclass(frozen=True)
class Arrival:
    """A port on which words arrive."""

    name: str
    codes: tuple[int, ...]
    valid: Value
    ready: Value
    code: Value
    data: Value

    @property
    def taken(self) -> Value:
        """Whether a word is accepted in this cycle."""
        return self.valid & self.ready


@dataclass(frozen=True)
class Departure:
    """A port on which words leave."""

    port: int
    valid: Value
    ready: Value
    code: Value
    data: Value

    @property
    def left(self) -> Value:
        """Whether a word leaves in this cycle."""
        return self.valid & self.ready

    @property
    def name(self) -> str:
        """A name for signals."""
        return "eject" if self.port == EJECT else str(self.port)


class Bench(wiring.Component):
    """A router whose surroundings the solver drives as it likes, from reset on, and watchers.

    The only assumption is that the codes which arrive are codes of that port. Nobody is assumed to
    keep a word that he offers, nor to be ready ever. The table is the truth about the rows; a
    router with a fault may be another.
    """

    def __init__(
        self,
        table: RouterTable,
        *watchers: "Watcher",
        width: int = 2,
        config: RouterConfig = STANDARD,
        router: Router | None = None,
    ) -> None:
        super().__init__({})
        self.table, self.watchers, self.width, self.config = table, watchers, width, config
        self.router = router or Router(table, width=width, config=config)
        self.followed: list = []  # what the watchers share
        self.arrivals = [self._link_in(port.number, port.codes) for port in table.in_ports]
        if table.trees:
            self.arrivals.append(self._inject())
        self.departures = [self._link_out(port) for port, _ in table.out_bits]
        eject = self.router.eject
        self.departures.append(
            Departure(EJECT, eject.valid, eject.ready, Value.cast(0), eject.payload)
        )

    def _link_in(self, number: int, codes: tuple[int, ...]) -> Arrival:
        link = getattr(self.router, f"in_{number}")
        word = link.payload
        return Arrival(f"in_{number}", codes, link.valid, link.ready, word.code, word.data)

    def _inject(self) -> Arrival:
        inject, (own,) = self.router.inject, self.table.own
        code = Const(own.code, max(1, self.table.code_bits))
        return Arrival("inject", (own.code,), inject.valid, inject.ready, code, inject.payload)

    def _link_out(self, port: int) -> Departure:
        link = getattr(self.router, f"out_{port}")
        word = link.payload
        return Departure(port, link.valid, link.ready, word.code, word.data)

    @property
    def ports(self) -> list[Signal]:
        """The router's ports, which stay ports of the bench."""
        return tool.ports_of(self.router)

    def owes(self, code: Value, port: int) -> Value:
        """Whether a word of this code leaves on a port."""
        return among(code, [entry.code for entry in self.table.entries if port in copies(entry)])

    def right_code(self, code: Value, departure: Departure) -> Value:
        """Whether a word of this code leaves on a port with the code that is there now."""
        cases = [
            (code == entry.code) & (departure.code == copies(entry)[departure.port])
            for entry in self.table.entries
            if departure.port in copies(entry)
        ]
        return Cat(cases).any()

    @property
    def most_cycles(self) -> int:
        """How long the longest row is on the bus where everybody is willing."""
        if not self.table.one_port:
            return 1
        return max(1, *(len(entry.sends) for entry in self.table.entries))

    @property
    def most_words(self) -> int:
        """How many words can be in the router, its relays and its queue."""
        relays = len(self.table.in_ports) if self.config.link_registers == 1 else 0
        return 2 + 2 * relays + self.config.queue

    @property
    def willing(self) -> Value:
        """Whether every neighbour and the sink would take a word in this cycle."""
        return Cat(departure.ready for departure in self.departures).all()

    def elaborate(self, platform) -> Module:
        """Assume legal codes, and let the watchers watch."""
        m = Module()
        m.submodules.router = self.router
        m.d.comb += Assume(~ResetSignal())
        for arrival in self.arrivals:
            m.d.comb += Assume(~arrival.valid | among(arrival.code, arrival.codes))
        for watcher in self.watchers:
            watcher(m, self)
        return m


class Followed:
    """The one word that carries a mark: its code, where it came and where it has left.

    The surroundings are assumed to send one word only with the mark, its payload, at any time and
    by any port.
    """

    def __init__(self, m: Module, bench: Bench, mark: int | Value) -> None:
        self.bench, self.mark = bench, mark
        self.accepted = Signal()
        self.code = Signal(max(1, bench.table.code_bits))
        self.came_by = Signal(range(len(bench.arrivals)))
        arriving = [arrival.taken & (arrival.data == mark) for arrival in bench.arrivals]
        self.arrives = Cat(arriving).any()
        m.d.comb += Assume(~self.accepted | ~self.arrives)
        for number, arrives in enumerate(arriving):
            m.d.comb += Assume(~arrives | ~Cat(arriving[:number]).any())
            with m.If(arrives):
                m.d.sync += [
                    self.accepted.eq(1),
                    self.code.eq(bench.arrivals[number].code),
                    self.came_by.eq(number),
                ]
        self._sent = {out.port: Signal(name=f"sent_{out.name}") for out in bench.departures}
        for out in bench.departures:
            with m.If(out.ready & self.shown(out)):
                m.d.sync += self._sent[out.port].eq(1)

    def shown(self, departure: Departure) -> Value:
        """Whether it is presented on a port."""
        return departure.valid & (departure.data == self.mark)

    def due(self, port: int) -> Value:
        """Whether it is still to leave on a port."""
        return self.accepted & self.bench.owes(self.code, port) & ~self._sent[port]

    @property
    def waiting(self) -> Value:
        """Whether a copy of it is still to leave."""
        return Cat(self.due(port) for port in self._sent).any()

    @property
    def gone(self) -> Value:
        """Whether all its copies have left."""
        return self.accepted & ~self.waiting


Watcher = Callable[[Module, Bench], None]
