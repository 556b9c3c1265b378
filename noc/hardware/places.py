"""The places of a router: two for each class, and the choice of the class on the bus."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.arbiter import Tournament
from noc.hardware.lookup import one_hot_or

__all__ = ["Pair", "Places"]

# Of so many turns of the bus, a power of two, the last is fair; in the others the lowest wins.
_LAPS = 4


class Pair(wiring.Component):
    """A queue of two words, the head and a spare: the places of one class, or a relay of a link.

    Parameters
    ----------
    width : int
        Bits of a word.

    Members
    -------
    room : Out(1)
        Whether a word can be stored.
    store : In(1)
        Store ``word``, if there is room.
    word : In(width)
        See ``store``; zeros where there is no room.
    drop : In(1)
        The head is done.
    occupied : Out(1)
        Whether there is a head.
    head : Out(width)
        The oldest word.
    coming : Out(width)
        The word that will be the head in the next cycle, if ``load``.
    load : Out(1)
        Whether there is another head in the next cycle, or none.
    """

    def __init__(self, width: int) -> None:
        super().__init__(
            {
                # A register, so that a link's ready can be one. The stubs do not know `init`.
                "room": Out(1, init=1),  # type: ignore[call-arg]
                "store": In(1),
                "word": In(width),
                "drop": In(1),
                "occupied": Out(1),
                "head": Out(width),
                "coming": Out(width),
                "load": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The spare is one more source of the bus on which words come in."""
        m = Module()
        spare, full = Signal.like(self.word), ~self.room
        m.d.comb += [
            self.coming.eq(self.word | (spare & full.replicate(len(spare)))),
            self.load.eq(~self.occupied | self.drop),
        ]
        with m.If(self.load):
            m.d.sync += [self.head.eq(self.coming), self.occupied.eq(full | self.store)]
        with m.If(self.room):
            m.d.sync += spare.eq(self.coming)
        m.d.sync += self.room.eq(self.load | (self.room & ~self.store))
        return m


class Places(wiring.Component):
    """The places of a router with several classes: two for each; and the class on the bus.

    ``room`` and ``last`` are registers, so that they hold at the start of a cycle whatever
    happens in it.

    Parameters
    ----------
    width : int
        Bits of a word.
    classes : int
        Number of classes, at least 2.
    saved : int
        Bits that are kept for each class while another is on the bus.

    Members
    -------
    room : Out(classes)
        Which classes have room for a word.
    last : Out(classes)
        In which of its two places the next word of a class goes.
    store : In(1)
        Store ``word`` in class ``store_class``, which has room.
    store_class : In(range(classes))
        See ``store``.
    store_last : In(1)
        ``last`` of that class: those who offer words know it sooner than it can be found here.
    word : In(width)
        See ``store``.
    occupied : Out(1)
        Whether the class on the bus has a head.
    head : Out(width)
        The oldest word of the class on the bus.
    kept : Out(saved)
        What is kept for the class on the bus.
    keep : In(saved)
        What is to be kept for it; zeros when its head is dropped, or where it has none.
    drop : In(1)
        The head is done.
    waits : In(1)
        The class keeps the bus. Never together with ``drop``.
    write_at, read_at : Out(address bits)
        Where the word is stored, and where the head lies.
    """

    def __init__(self, width: int, *, classes: int, saved: int) -> None:
        self._width, self._classes, self._saved = width, classes, saved
        bits = (classes - 1).bit_length()
        super().__init__(
            {
                "room": Out(classes),
                "last": Out(classes),
                "store": In(1),
                "store_class": In(range(classes)),
                "store_last": In(1),
                "word": In(width),
                "occupied": Out(1),
                "head": Out(width),
                "kept": Out(saved),
                "keep": In(saved),
                "drop": In(1),
                "waits": In(1),
                "write_at": Out(bits + 1),
                "read_at": Out(bits + 1),
            }
        )

    @property
    def addresses(self) -> int:
        """How many addresses the places have."""
        return 1 << len(self.read_at)

    def elaborate(self, platform: object) -> Module:
        """Keep the flags; the words lie in a memory that is read in the same cycle."""
        m = Module()
        now = _State(self._classes)
        self._count(m, now)
        self._turn(m, now)
        self._keep(m, now)
        self._words(m, now)
        return m

    def _count(self, m: Module, now: "_State") -> None:
        """How many words each class has, where its head lies and where its next word goes."""
        left = now.hot & self.drop.replicate(self._classes)
        came = now.stored & self.store.replicate(self._classes)
        m.d.comb += [
            self.room.eq(~now.two),
            now.stored.eq(Cat(self.store_class == class_ for class_ in range(self._classes))),
        ]
        m.d.sync += [
            now.one.eq(came | (now.one & ~(left & ~now.two))),
            now.two.eq((now.two | (now.one & came)) & ~left),
            now.first.eq(now.first ^ left),
            self.last.eq(self.last ^ came),
        ]

    def _turn(self, m: Module, now: "_State") -> None:
        """Another class that had a head; else, where the bus is empty, that of the stored word."""
        m.submodules.turns = turns = Tournament(self._classes)
        lap = Signal(range(_LAPS))
        m.d.comb += [
            turns.requests.eq(now.one & ~now.hot),
            turns.fair.eq(lap == _LAPS - 1),
            turns.take.eq(~self.waits & turns.fair),
            now.others.eq(turns.requests.any()),
            now.chosen.eq(turns.grant),
            now.empty.eq(~self.occupied | (self.drop & ~(now.two & now.hot).any())),
        ]
        with m.If(~self.waits & now.others):
            m.d.sync += [
                lap.eq(lap + 1),
                now.active.eq(_number(now.chosen)),
                now.hot.eq(now.chosen),
                now.at.eq((now.first & now.chosen).any()),
                self.occupied.eq(1),
            ]
        with m.Elif(now.empty):
            m.d.sync += [
                now.active.eq(self.store_class),
                now.hot.eq(now.stored),
                now.at.eq(self.store_last),
                self.occupied.eq(self.store),
            ]
        with m.Elif(self.drop):
            m.d.sync += now.at.eq(~now.at)

    def _keep(self, m: Module, now: "_State") -> None:
        """What is kept for a class comes back with it."""
        kept = [Signal(self._saved, name=f"kept_{class_}") for class_ in range(self._classes)]
        for class_, mine in enumerate(kept):
            with m.If(now.hot[class_]):
                m.d.sync += mine.eq(self.keep)
        with m.If(~self.waits & now.others):
            m.d.sync += self.kept.eq(one_hot_or(list(zip(now.chosen, kept, strict=True))))
        with m.Else():
            m.d.sync += self.kept.eq(self.keep)

    def _words(self, m: Module, now: "_State") -> None:
        """The memory of all places."""
        m.submodules.words = words = memory.Memory(shape=self._width, depth=self.addresses, init=[])
        write, read = words.write_port(), words.read_port(domain="comb")
        m.d.comb += [
            self.write_at.eq(Cat(self.store_class, self.store_last)),
            self.read_at.eq(Cat(now.active, now.at)),
            write.en.eq(self.store),
            write.addr.eq(self.write_at),
            write.data.eq(self.word),
            read.addr.eq(self.read_at),
            self.head.eq(read.data),
        ]


class _State:
    """Which class is on the bus, and what the places hold.

    ``one`` and ``two`` say which classes hold a word, and two; ``first`` in which of its two
    places the head of a class lies; ``active`` and ``hot`` the class on the bus, and ``at`` where
    its head lies; ``stored`` the class that may be stored; ``others`` whether other classes had
    a head when the cycle began, ``chosen`` which of them is next; ``empty`` that the class on the
    bus has no head any more.
    """

    def __init__(self, classes: int) -> None:
        self.one = Signal(classes)
        self.two = Signal(classes)
        self.first = Signal(classes)
        self.active = Signal(range(classes))
        self.hot = Signal(classes, init=1)
        self.at = Signal()
        self.stored = Signal(classes)
        self.others = Signal()
        self.chosen = Signal(classes)
        self.empty = Signal()


def _number(hot: Value) -> Value:
    """The number of the bit that is set."""
    bits = (len(hot) - 1).bit_length()
    return Cat(
        Cat(hot[place] for place in range(len(hot)) if place >> bit & 1).any()
        for bit in range(bits)
    )
