"""One word among all that a router ever accepts, told from the others by its payload."""

from amaranth.hdl import Assume, Cat, Module, Signal, Value

from formal.ports import Bench, Departure

__all__ = ["Followed"]


class Followed:
    """The one word that carries a mark: its code, where it came and where it has left.

    The surroundings are assumed to send one word only with the mark, at any time and by any port.

    Parameters
    ----------
    m : Module
        Where its registers are.
    bench : Bench
        The router that it passes.
    mark : int or Value
        Its payload; no other word has it.
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
