"""The buffers of a router: two slots for each VC, and the choice of the VC on the bus."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.arbiter import TreeRoundRobin
from noc.hardware.lookup import one_hot_or

__all__ = ["TwoEntryFifo", "VcBuffers"]

# Of so many grants of the bus, a power of two, the last is by round-robin; the others have fixed
# priority, the lowest VC first.
_GRANTS = 4


class TwoEntryFifo(wiring.Component):
    """A FIFO of two words, the head and a spare: the buffer of a single VC, or a relay of a link.

    Parameters
    ----------
    width : int
        Bits of a word.

    Members
    -------
    free : Out(1)
        Whether a slot is free.
    push : In(1)
        Store ``word``, if a slot is free.
    word : In(width)
        See ``push``; zeros where no slot is free.
    pop : In(1)
        Remove the head.
    occupied : Out(1)
        Whether there is a head.
    head : Out(width)
        The oldest word.
    next_head : Out(width)
        The word that will be the head in the next cycle, if ``load``.
    load : Out(1)
        Whether there is another head in the next cycle, or none.
    """

    def __init__(self, width: int) -> None:
        super().__init__(
            {
                # A register, so that a link's ready can be one. The stubs do not know `init`.
                "free": Out(1, init=1),  # type: ignore[call-arg]
                "push": In(1),
                "word": In(width),
                "pop": In(1),
                "occupied": Out(1),
                "head": Out(width),
                "next_head": Out(width),
                "load": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The spare is one more source of the bus on which words come in."""
        m = Module()
        spare, full = Signal.like(self.word), ~self.free
        m.d.comb += [
            self.next_head.eq(self.word | (spare & full.replicate(len(spare)))),
            self.load.eq(~self.occupied | self.pop),
        ]
        with m.If(self.load):
            m.d.sync += [self.head.eq(self.next_head), self.occupied.eq(full | self.push)]
        with m.If(self.free):
            m.d.sync += spare.eq(self.next_head)
        m.d.sync += self.free.eq(self.load | (self.free & ~self.push))
        return m


class VcBuffers(wiring.Component):
    """The buffers of a router with several VCs, two slots each; it chooses the VC on the bus.

    ``free`` and ``tail`` depend on registers only: they are known when a cycle begins.

    Parameters
    ----------
    width : int
        Bits of a word.
    vcs : int
        Number of VCs, at least 2.
    progress_bits : int
        Bits that are kept for each VC while another is on the bus.

    Members
    -------
    free : Out(vcs)
        Which VCs have a free slot.
    tail : Out(vcs)
        Which of its two slots the next word of a VC goes to.
    push : In(1)
        Store ``word`` in VC ``push_vc``, which has a free slot.
    push_vc : In(range(vcs))
        See ``push``.
    push_tail : In(1)
        ``tail`` of that VC: the input ports know it sooner than it can be looked up here.
    word : In(width)
        See ``push``.
    occupied : Out(1)
        Whether the VC on the bus has a head.
    head : Out(width)
        The oldest word of the VC on the bus.
    progress : Out(progress_bits)
        Which copies of the head have been sent, as the fork encodes it.
    next_progress : In(progress_bits)
        The same for the next cycle; zeros when the head is removed, or where there is none.
    pop : In(1)
        Remove the head.
    hold : In(1)
        The VC keeps the bus. Never together with ``pop``.
    push_slot, head_slot : Out(address bits)
        The address where the word is stored, and that of the head.
    """

    def __init__(self, width: int, *, vcs: int, progress_bits: int) -> None:
        self._width, self._vcs, self._progress_bits = width, vcs, progress_bits
        bits = (vcs - 1).bit_length()
        super().__init__(
            {
                "free": Out(vcs),
                "tail": Out(vcs),
                "push": In(1),
                "push_vc": In(range(vcs)),
                "push_tail": In(1),
                "word": In(width),
                "occupied": Out(1),
                "head": Out(width),
                "progress": Out(progress_bits),
                "next_progress": In(progress_bits),
                "pop": In(1),
                "hold": In(1),
                "push_slot": Out(bits + 1),
                "head_slot": Out(bits + 1),
            }
        )

    @property
    def addresses(self) -> int:
        """How many addresses the slots have."""
        return 1 << len(self.head_slot)

    def elaborate(self, platform: object) -> Module:
        """Keep the flags; the words lie in a memory that is read in the same cycle."""
        m = Module()
        state = _State(self._vcs)
        self._count(m, state)
        self._schedule(m, state)
        self._save_progress(m, state)
        self._words(m, state)
        return m

    def _count(self, m: Module, state: "_State") -> None:
        """How many words each VC has, where its head lies and where its next word goes."""
        popped = state.active_hot & self.pop.replicate(self._vcs)
        pushed = state.push_hot & self.push.replicate(self._vcs)
        m.d.comb += [
            self.free.eq(~state.full),
            state.push_hot.eq(Cat(self.push_vc == vc for vc in range(self._vcs))),
        ]
        m.d.sync += [
            state.nonempty.eq(pushed | (state.nonempty & ~(popped & ~state.full))),
            state.full.eq((state.full | (state.nonempty & pushed)) & ~popped),
            state.oldest.eq(state.oldest ^ popped),
            self.tail.eq(self.tail ^ pushed),
        ]

    def _schedule(self, m: Module, state: "_State") -> None:
        """Another VC that had a head; else, if this one has none left, that of the stored word."""
        m.submodules.arbiter = arbiter = TreeRoundRobin(self._vcs)
        grants = Signal(range(_GRANTS))
        m.d.comb += [
            arbiter.requests.eq(state.nonempty & ~state.active_hot),
            arbiter.fair.eq(grants == _GRANTS - 1),
            arbiter.advance.eq(~self.hold & arbiter.fair),
            state.others.eq(arbiter.requests.any()),
            state.next_hot.eq(arbiter.grant),
            state.drained.eq(~self.occupied | (self.pop & ~(state.full & state.active_hot).any())),
        ]
        with m.If(~self.hold & state.others):
            m.d.sync += [
                grants.eq(grants + 1),
                state.active.eq(_number(state.next_hot)),
                state.active_hot.eq(state.next_hot),
                state.active_slot.eq((state.oldest & state.next_hot).any()),
                self.occupied.eq(1),
            ]
        with m.Elif(state.drained):
            m.d.sync += [
                state.active.eq(self.push_vc),
                state.active_hot.eq(state.push_hot),
                state.active_slot.eq(self.push_tail),
                self.occupied.eq(self.push),
            ]
        with m.Elif(self.pop):
            m.d.sync += state.active_slot.eq(~state.active_slot)

    def _save_progress(self, m: Module, state: "_State") -> None:
        """Restore what was sent of a VC's head when the VC comes to the bus again."""
        kept = [Signal(self._progress_bits, name=f"progress_{vc}") for vc in range(self._vcs)]
        for vc, saved in enumerate(kept):
            with m.If(state.active_hot[vc]):
                m.d.sync += saved.eq(self.next_progress)
        with m.If(~self.hold & state.others):
            m.d.sync += self.progress.eq(one_hot_or(state.next_hot, kept))
        with m.Else():
            m.d.sync += self.progress.eq(self.next_progress)

    def _words(self, m: Module, state: "_State") -> None:
        """The memory of all slots."""
        m.submodules.words = words = memory.Memory(shape=self._width, depth=self.addresses, init=[])
        write, read = words.write_port(), words.read_port(domain="comb")
        m.d.comb += [
            self.push_slot.eq(Cat(self.push_vc, self.push_tail)),
            self.head_slot.eq(Cat(state.active, state.active_slot)),
            write.en.eq(self.push),
            write.addr.eq(self.push_slot),
            write.data.eq(self.word),
            read.addr.eq(self.head_slot),
            self.head.eq(read.data),
        ]


class _State:
    """Which VC is on the bus, and what the slots hold.

    ``nonempty`` and ``full`` say which VCs hold a word, and two; ``oldest`` in which of its two
    slots the head of a VC lies; ``active`` (a number) and ``active_hot`` (one-hot) the VC on the
    bus, and ``active_slot`` where its head lies; ``push_hot`` the VC of the word that comes in;
    ``others`` whether other VCs had a head when the cycle began, ``next_hot`` which of them is
    next; ``drained`` that the VC on the bus has no head any more.
    """

    def __init__(self, vcs: int) -> None:
        self.nonempty = Signal(vcs)
        self.full = Signal(vcs)
        self.oldest = Signal(vcs)
        self.active = Signal(range(vcs))
        self.active_hot = Signal(vcs, init=1)
        self.active_slot = Signal()
        self.push_hot = Signal(vcs)
        self.others = Signal()
        self.next_hot = Signal(vcs)
        self.drained = Signal()


def _number(hot: Value) -> Value:
    """The number of the bit that is set."""
    bits = (len(hot) - 1).bit_length()
    return Cat(
        Cat(hot[number] for number in range(len(hot)) if number >> bit & 1).any()
        for bit in range(bits)
    )
