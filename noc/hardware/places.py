"""The places of a router: a home for each class, and one spare that any class may use."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Places", "class_shape"]


def class_shape(classes: int):
    """The number of a class; one bit where there is one class, because a signal needs one."""
    return range(max(2, classes))


class Places(wiring.Component):
    """Stores the words of a router, at most two for each class, and shows the active head.

    A class takes a word while its home or the spare is empty; both are registers, so that
    ``room`` holds at the start of a cycle whatever happens in it.

    Parameters
    ----------
    shape : shape-like
        What a place stores.
    classes : int
        Number of classes.

    Members
    -------
    room : Out(classes)
        Which classes can take a word.
    store : In(1)
        Store ``word`` in class ``store_class``, which has room.
    store_class : In(range(classes))
        See ``store``.
    word : In(shape)
        See ``store``.
    active : In(range(classes))
        The class whose head is shown.
    occupied : Out(1)
        Whether the active class has a head.
    head : Out(shape)
        The head of the active class.
    drop : In(1)
        The active head is done.
    next_occupied : Out(classes)
        Which classes will have a head in the next cycle.
    """

    def __init__(self, shape, *, classes: int) -> None:
        self._classes = classes
        super().__init__(
            {
                "room": Out(classes),
                "store": In(1),
                "store_class": In(class_shape(classes)),
                "word": In(shape),
                "active": In(class_shape(classes)),
                "occupied": Out(1),
                "head": Out(shape),
                "drop": In(1),
                "next_occupied": Out(classes),
            }
        )
        self._shape = shape

    def elaborate(self, platform) -> Module:
        """Keep the flags; the words lie in a memory that is read in the same cycle."""
        m = Module()
        classes = self._classes
        home = Signal(classes)
        spare, spare_class, spare_first = Signal(), Signal(class_shape(classes)), Signal()
        m.submodules.words = words = memory.Memory(shape=self._shape, depth=classes + 1, init=[])
        write, read = words.write_port(), words.read_port(domain="comb")

        # The spare is the oldest word of its class when the home emptied first.
        from_spare, to_spare = Signal(), Signal()
        spare_active = spare & (spare_class == self.active)
        home_active = Array(home)[self.active] if classes > 1 else home[0]
        m.d.comb += [
            self.room.eq(~home | (~spare).replicate(classes)),
            from_spare.eq(spare_active & spare_first),
            self.occupied.eq(home_active | spare_active),
            read.addr.eq(Mux(from_spare, classes, self.active)),
            self.head.eq(read.data),
            to_spare.eq(Array(home)[self.store_class] if classes > 1 else home[0]),
            write.addr.eq(Mux(to_spare, classes, self.store_class)),
            write.data.eq(self.word),
            write.en.eq(self.store),
        ]
        next_home, next_spare, next_class = Signal(classes), Signal(), Signal(class_shape(classes))
        for class_ in range(classes):
            gone = self.drop & ~from_spare & (self.active == class_)
            came = self.store & ~to_spare & (self.store_class == class_)
            m.d.comb += next_home[class_].eq(home[class_] & ~gone | came)
        fill = self.store & to_spare
        m.d.comb += [
            next_spare.eq(spare & ~(self.drop & from_spare) | fill),
            next_class.eq(Mux(fill, self.store_class, spare_class)),
        ]
        home_drops = self.drop & ~from_spare & (self.active == next_class)
        m.d.sync += [
            home.eq(next_home),
            spare.eq(next_spare),
            spare_class.eq(next_class),
            spare_first.eq(next_spare & (~fill & spare_first | home_drops)),
        ]
        for class_ in range(classes):
            in_spare = next_spare & (next_class == class_)
            m.d.comb += self.next_occupied[class_].eq(next_home[class_] | in_spare)
        return m
