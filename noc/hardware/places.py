"""The places of a router: a home for each class, and one spare that any class may use."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.arbiter import Tournament
from noc.hardware.lookup import one_hot_or

__all__ = ["Pair", "Places"]


# Address bits of the smallest memory of FPGAs.
_SMALLEST = 4

#: Of so many turns and one more, the last is fair: in the others the lowest class wins.
FAIR_LAP = 3


class Pair(wiring.Component):
    """The places of a router with one class: the head, and the spare behind it.

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
        See ``store``; zeros where nothing is stored.
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
                "room": Out(1),
                "store": In(1),
                "word": In(width),
                "drop": In(1),
                "occupied": Out(1),
                "head": Out(width),
                "coming": Out(width),
                "load": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        """The spare is one more source of the bus on which words come in."""
        m = Module()
        spare, full = Signal.like(self.word), Signal()
        m.d.comb += [
            self.room.eq(~full),
            self.coming.eq(self.word | (spare & full.replicate(len(spare)))),
            self.load.eq(~self.occupied | self.drop),
        ]
        with m.If(self.load):
            m.d.sync += [self.head.eq(self.coming), self.occupied.eq(full | self.store)]
        with m.If(~full):
            m.d.sync += spare.eq(self.coming)
        m.d.sync += full.eq(~self.load & (full | self.store))
        return m


class Places(wiring.Component):
    """The places of a router with several classes, and the choice of the class on the bus.

    A class takes a word while its home or the spare is empty; both are registers, so that
    ``full`` and ``spare_full`` hold at the start of a cycle whatever happens in it.

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
    full : Out(classes)
        Which homes are occupied.
    spare_full : Out(1)
        Whether the spare is.
    store : In(1)
        Store ``word`` in class ``store_class``.
    to_spare : In(1)
        Store it in the spare, because the home is occupied.
    store_class : In(range(classes))
        See ``store``.
    word : In(width)
        See ``store``.
    occupied : Out(1)
        Whether the class on the bus has a head.
    head : Out(width)
        The oldest word of the class on the bus.
    kept : Out(saved)
        What is kept for the class on the bus.
    keep : In(saved)
        What is to be kept for it; zeros when its head is dropped.
    drop : In(1)
        The head is done.
    waits : In(1)
        The class keeps the bus. Never together with ``drop``.
    write_at, read_at : Out(address bits)
        Where the word is stored, and where the head lies.
    """

    def __init__(self, width: int, *, classes: int, saved: int) -> None:
        self._width, self._classes, self._saved = width, classes, saved
        # A spare word lies beside its class where a memory of 16 words, the smallest there are,
        # has room for that: then no address is chosen. Else it lies behind all classes.
        self._bits = (classes - 1).bit_length()
        self._beside = self._bits < _SMALLEST or classes == 1 << self._bits
        address = self._bits + self._beside
        super().__init__(
            {
                "full": Out(classes),
                "spare_full": Out(1),
                "store": In(1),
                "to_spare": In(1),
                "store_class": In(range(classes)),
                "word": In(width),
                "occupied": Out(1),
                "head": Out(width),
                "kept": Out(saved),
                "keep": In(saved),
                "drop": In(1),
                "waits": In(1),
                "write_at": Out(address),
                "read_at": Out(address),
            }
        )

    def elaborate(self, platform) -> Module:
        """Keep the flags; the words lie in a memory that is read in the same cycle."""
        m = Module()
        now = _Bus(self._classes)
        self._flags(m, now)
        self._turn(m, now)
        self._keep(m, now)
        self._words(m, now)
        return m

    def _flags(self, m: Module, now: "_Bus") -> None:
        """Which places are occupied."""
        m.d.comb += [
            now.fill.eq(self.store & self.to_spare),
            now.spare_leaves.eq(self.drop & now.in_spare),
            now.home_leaves.eq(self.drop & ~now.in_spare),
            now.spare_active.eq((now.spare_at & now.hot).any()),
        ]
        stored = now.stored(self.store_class)
        came = stored & (self.store & ~self.to_spare).replicate(self._classes)
        left = now.hot & now.home_leaves.replicate(self._classes)
        m.d.sync += [
            self.full.eq(came | (self.full & ~left)),
            self.spare_full.eq(now.fill | (self.spare_full & ~now.spare_leaves)),
        ]
        # The spare holds the oldest word of its class when the home emptied first.
        with m.If(now.fill):
            first = now.home_leaves & (self.store_class == now.active)
            m.d.sync += [now.spare_at.eq(stored), now.spare_first.eq(first)]
        with m.Elif(now.spare_leaves):
            m.d.sync += [now.spare_at.eq(0), now.spare_first.eq(0)]
        with m.Elif(now.home_leaves & now.spare_active):
            m.d.sync += now.spare_first.eq(1)

    def _turn(self, m: Module, now: "_Bus") -> None:
        """Another class that had a head when the cycle began; else the one that is stored now."""
        m.submodules.turns = turns = Tournament(self._classes)
        lap = Signal(range(FAIR_LAP + 1))
        with m.If(~self.waits & now.chosen.any()):
            m.d.sync += lap.eq(lap + 1)
        m.d.comb += [
            turns.requests.eq((self.full | now.spare_at) & ~now.hot),
            turns.take.eq(~self.waits & turns.fair),
            turns.fair.eq(lap == FAIR_LAP),
            now.chosen.eq(turns.grant),
            now.fresh.eq(self.store & (self.store_class != now.active)),
        ]
        second = Mux(now.in_spare, (self.full & now.hot).any(), now.spare_active)
        with m.If(~self.waits):
            with m.If(now.chosen.any()):
                m.d.sync += [
                    now.active.eq(_number(now.chosen)),
                    now.hot.eq(now.chosen),
                    now.in_spare.eq((now.chosen & now.spare_at).any() & now.spare_first),
                    self.occupied.eq(1),
                ]
            with m.Else():
                with m.If(self.store):
                    m.d.sync += [
                        now.active.eq(self.store_class),
                        now.hot.eq(now.stored(self.store_class)),
                    ]
                with m.If(now.fresh):
                    m.d.sync += now.in_spare.eq(0)
                with m.Elif(self.drop):
                    m.d.sync += now.in_spare.eq(~now.in_spare & (now.spare_active | now.fill))
                m.d.sync += self.occupied.eq(self.store | Mux(self.drop, second, self.occupied))

    def _keep(self, m: Module, now: "_Bus") -> None:
        """What is kept for a class comes back with it; a word that is stored now begins anew."""
        kept = [Signal(self._saved, name=f"kept_{class_}") for class_ in range(self._classes)]
        for class_, mine in enumerate(kept):
            with m.If(now.hot[class_]):
                m.d.sync += mine.eq(self.keep)
        with m.If(self.waits):
            m.d.sync += self.kept.eq(self.keep)
        with m.Elif(now.chosen.any()):
            m.d.sync += self.kept.eq(one_hot_or(list(zip(now.chosen, kept, strict=True))))
        with m.Else():
            m.d.sync += self.kept.eq(Mux(now.fresh, 0, self.keep))

    @property
    def addresses(self) -> int:
        """How many addresses the places have."""
        return 1 << (self._bits + self._beside)

    def _words(self, m: Module, now: "_Bus") -> None:
        """The memory of all places."""
        m.submodules.words = words = memory.Memory(shape=self._width, depth=self.addresses, init=[])
        write, read = words.write_port(), words.read_port(domain="comb")
        m.d.comb += [
            self.write_at.eq(self._address(self.store_class, self.to_spare)),
            self.read_at.eq(self._address(now.active, now.in_spare)),
            write.en.eq(self.store),
            write.addr.eq(self.write_at),
            write.data.eq(self.word),
            read.addr.eq(self.read_at),
            self.head.eq(read.data),
        ]

    def _address(self, class_: Value, spare: Value) -> Value:
        return Cat(class_, spare) if self._beside else class_ | spare.replicate(self._bits)


class _Bus:
    """Which class is on the bus, and what happens to the places in this cycle.

    ``active`` and ``hot`` say the class; ``in_spare`` that its head is in the spare; ``spare_at``
    whose word the spare holds; ``spare_first`` that this is the oldest of its class; ``fill``,
    ``spare_leaves``, ``home_leaves`` what is stored and dropped; ``chosen`` another class with a
    head, and ``fresh`` that a word of another class is stored.
    """

    def __init__(self, classes: int) -> None:
        self._classes = classes
        self.active = Signal(range(classes))
        self.hot = Signal(classes, init=1)
        self.in_spare = Signal()
        self.spare_at = Signal(classes)
        self.spare_first = Signal()
        self.fill = Signal()
        self.spare_leaves = Signal()
        self.home_leaves = Signal()
        self.spare_active = Signal()
        self.chosen = Signal(classes)
        self.fresh = Signal()

    def stored(self, store_class: Value) -> Value:
        """The class of the stored word, a bit each."""
        return Cat(store_class == class_ for class_ in range(self._classes))


def _number(hot: Value) -> Value:
    """The number of the bit that is set."""
    bits = (len(hot) - 1).bit_length()
    return Cat(
        Cat(hot[place] for place in range(len(hot)) if place >> bit & 1).any()
        for bit in range(bits)
    )
