"""The router of the timetable fabric where all nodes stand still at times."""

from typing import Any

from amaranth.hdl import Cat, Const, EnableInserter, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.timetable.merge import MergedRouter
from noc.hardware.timetable.pacer import TOLD, Tally
from noc.hardware.timetable.router import RoundRouter, list_injects, pass_ports
from noc.programs.word_format import WordFormat
from noc.streams import Queue


class PacedRouter(wiring.Component):
    """A router that stands still while it is told so, perhaps with queues for its eject streams.

    Parameters
    ----------
    router : RoundRouter
        The router, as it is where nodes never stand still.
    words : WordFormat
        The fields of the words that it ejects: data, and from queues the phase in which they came.
    queue : int
        Words in a queue with which it tells that it is full; 0 for no queues.
    depth : int
        For how many words a queue has room.

    Members
    -------
    inject, phase, open, choices, in_N, out_N
        As :class:`RoundRouter` has them; but while it stands still, it takes and sends nothing, and
        the phase stays.
    eject : Out(stream.Signature(StructLayout(words.eject))).array, or absent
        The words that came, by the table's lanes. They wait for the sinks in queues; without, they
        leave as those of :class:`RoundRouter` do, a cycle after they were on the link.
    full : Out(TOLD), or absent
        ``valid`` in the cycle after each in which so many words, or more, waited in a queue.
    pace : In(TOLD)
        In the cycles in which it is ``valid``, the router moves on.
    """

    def __init__(
        self,
        router: RoundRouter,
        words: WordFormat,
        *,
        queue: int,
        depth: int,
    ) -> None:
        self._router, self.table = router, router.table
        self._shape, self._queue, self._depth = data.StructLayout(words.eject), queue, depth
        members = dict(router.signature.members)
        if queue and self.table.lanes:
            members["eject"] = Out(stream.Signature(self._shape)).array(len(self.table.lanes))
        super().__init__({**members, **({"full": Out(TOLD)} if queue else {}), "pace": In(TOLD)})

    def elaborate(self, platform: object) -> Module:
        """The router, which moves on as it is told, and the queues, which always do."""
        m = Module()
        inner, moves = self._router, self.pace.valid
        m.submodules.router = EnableInserter(moves)(inner)
        m.d.comb += self.phase.eq(inner.phase)
        for name in inner.signature.members:
            if name.startswith("in_") or name in ("open", "choices"):
                wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(inner, name))
            elif name.startswith("out_"):
                link, sent = getattr(self, name), getattr(inner, name)
                m.d.comb += [link.payload.eq(sent.payload), link.valid.eq(sent.valid & moves)]
        self._take_own(m, inner)
        self._give_away(m, inner)
        return m

    def _take_own(self, m: Module, inner: RoundRouter) -> None:
        """Take words of the node, while it moves on."""
        if "inject" not in self.signature.members:
            return
        ends = (list_injects(each, self.table) for each in (self, inner))
        for outer, own in zip(*ends, strict=True):
            m.d.comb += [
                own.payload.eq(outer.payload),
                own.valid.eq(outer.valid),
                outer.ready.eq(own.ready & self.pace.valid),
            ]

    def _give_away(self, m: Module, inner: RoundRouter) -> None:
        """Eject what came, or let it wait for the sinks, and tell when much does."""
        # What came is ejected in the next cycle, whether the router moves on then or not.
        came, filled = Signal(), []
        m.d.sync += came.eq(self.pace.valid)
        for number in range(len(self.table.lanes)):
            word, eject = inner.eject[number], self.eject[number]
            if not self._queue:
                m.d.comb += [eject.payload.eq(word.payload), eject.valid.eq(word.valid & came)]
                continue
            m.submodules[f"queue_{number}"] = queue = Queue(
                self._shape, depth=self._depth, always_ready=True
            )
            m.d.comb += [
                queue.i.payload.data.eq(word.payload),
                queue.i.payload.phase.eq(inner.phase),
                queue.i.valid.eq(word.valid & came),
            ]
            wiring.connect(m, queue.o, wiring.flipped(eject))
            filled.append(queue.level >= Const(self._queue, queue.level.shape()))
        if self._queue:
            m.d.sync += self.full.valid.eq(Cat(filled).any())


class FilledRouter(wiring.Component):
    """A router with a queue for each inject stream, which tells when the words of a round are in.

    A queue has room for the words of some ``rounds``; the router takes them in those that are
    ``open``. With one eject stream it only tells if there is ``room`` for those of others, too: for
    so many rounds at first.

    Members
    -------
    inject
        As the router has it; but words are taken while there is room for them.
    filled : Out(TOLD)
        ``valid`` in the cycle after each in which the words of one more round have come.
    phase, eject, in_N, out_N, full, pace, open, choices, seen, row
        As the router has them.
    """

    def __init__(
        self, router: RoundRouter | PacedRouter | MergedRouter, *, rounds: int, room: int = 0
    ) -> None:
        self._router: Any = router
        self._table, self._rounds, self._room = router.table, rounds, room
        members = {**router.signature.members, "filled": Out(TOLD)}
        members.pop("freed", None)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """The router, and queues before it."""
        m = Module()
        m.submodules.router = inner = self._router
        self._keep_given(m)
        pass_ports(m, self, inner, but=("inject", "freed"))
        return m

    def _keep_given(self, m: Module) -> None:
        """Let words wait until their round begins."""
        outside, inside = (list_injects(each, self._table) for each in (self, self._router))
        # How many words of a round each has.
        counts = [sum(self._table.gives(port)) for port in self._table.inject_lanes]
        counts = counts or [1] * len(outside)
        room = int(self._room > 0)
        m.submodules.tally = tally = Tally(
            room + len(counts), most=max(self._rounds, self._room), first=self._room
        )
        if room:
            m.d.comb += tally.i[0].eq(self._router.freed.valid)
        streams = zip(outside, inside, counts, strict=True)
        for number, (outer, inner, count) in enumerate(streams):
            shape = outer.payload.shape()
            depth = self._rounds * count
            m.submodules[f"queue_{number}"] = queue = Queue(shape, depth=depth, registered=True)
            wiring.connect(m, wiring.flipped(outer), queue.i)
            wiring.connect(m, queue.o, inner)
            taken = queue.i.valid & queue.i.ready
            if count > 1:
                place = Signal(range(count), name=f"place_{number}")
                last = place == count - 1
                with m.If(taken):
                    m.d.sync += place.eq(Mux(last, 0, place + 1))
                taken &= last
            m.d.comb += tally.i[room + number].eq(taken)
        m.d.sync += self.filled.valid.eq(tally.o)
