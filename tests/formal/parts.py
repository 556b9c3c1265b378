"""The parts of the ordered fabric with free surroundings, seen only through their streams."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from types import ModuleType

from amaranth.asserts import AnyConst
from amaranth.hdl import Assume, Cat, Const, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring

from formal import tool
from noc.hardware.assembly import port
from noc.hardware.ordered import node as ordered
from noc.networks import build_network
from noc.programs.ordered import Merge as MergePlan
from noc.programs.ordered import NodePlan, compile_ordered
from noc.programs.word_format import WordFormat

#: Bits of a word's data.
WIDTH = 2

#: Bits of the number of its source.
SOURCE = 2

#: Where words come down to a node.
DOWN = "down_in"


@dataclass(frozen=True)
class End:
    """A stream where words come to a part, or leave it.

    The word is what its payload means: with the number of the node, at its inject stream.
    """

    name: str
    valid: Value
    ready: Value
    word: Value

    @property
    def moved(self) -> Value:
        """Whether a word is transferred in this cycle."""
        return self.valid & self.ready

    @property
    def waits(self) -> Value:
        """Whether a word is offered and not taken."""
        return self.valid & ~self.ready


@dataclass(frozen=True)
class Part:
    """A part, where words come and leave, and what is to be known of it."""

    component: wiring.Component
    entries: tuple[End, ...]
    exits: tuple[End, ...]
    #: Whether a word that comes by an entry has to leave by an exit.
    leads: Callable[[End, End, Value], Value]
    #: For each entry, the cycles after its offer in which a word has left everywhere, at most, if
    #: all that it could wait for are willing.
    limit: dict[str, int]
    #: For each entry that leads there, the words that leave by the exit for the parent from the
    #: offer of a word to its own leaving, at most, its own among them.
    most: dict[str, int] = field(default_factory=dict)
    slots: int = 0
    weights: tuple[int, int] = (0, 0)
    #: Whether the part relies on it that words which are offered stay.
    patient: bool = False
    #: That of a node.
    number: Value | None = None
    #: Whether words of different entries leave in the order in which they were accepted.
    one_order: bool = True


class PartBench(wiring.Component):
    """A part whose surroundings the solver drives as it likes, from reset on, and watchers."""

    def __init__(self, part: Part, *watchers: "Watcher") -> None:
        super().__init__({})
        self.part, self.watchers = part, watchers
        self.followed: dict[str, list] = {}  # what the watchers share

    @property
    def ports(self) -> list[Signal]:
        """The part's ports, which stay ports of the bench."""
        return tool.ports_of(self.part.component)

    @property
    def width(self) -> int:
        """Bits of a word."""
        return len(self.part.exits[0].word)

    @property
    def pairs(self) -> list[tuple[End, End]]:
        """Each entry with each exit to which a word can come from there."""
        return [
            (entry, exit_)
            for entry, exit_ in product(self.part.entries, self.part.exits)
            if self.may_lead(entry, exit_)
        ]

    def may_lead(self, entry: End, exit_: End) -> bool:
        """Whether any word comes from an entry to an exit."""
        leads = self.part.leads(entry, exit_, Const(0, self.width))
        return not (isinstance(leads, Const) and leads.value == 0)

    def elaborate(self, platform) -> Module:
        """Assume neighbours that keep their words, if need be, and let the watchers watch."""
        m = Module()
        m.submodules.part = self.part.component
        m.d.comb += Assume(~ResetSignal())
        if self.part.number is not None:
            m.d.comb += Assume(self.part.number == AnyConst(len(self.part.number)))
        for end in self.part.entries if self.part.patient else ():
            waited, before = stayed(m, end, end.waits)
            m.d.comb += Assume(~waited | end.valid & (end.word == before))
        for watcher in self.watchers:
            watcher(m, self)
        return m


Watcher = Callable[[Module, PartBench], None]


def stayed(m: Module, end: End, condition: Value) -> tuple[Signal, Signal]:
    """Whether a condition held in the cycle before, and the word that was there then."""
    held, word = Signal(name=f"held_{end.name}"), Signal.like(end.word, name=f"was_{end.name}")
    m.d.sync += [held.eq(condition), word.eq(end.word)]
    return held, word


def part(name: str, built: ModuleType = ordered) -> Part:
    """A part by its name, its class from a module, in which a fault may be planted."""
    return PARTS[name](built)


def _end(component: wiring.Component, name: str, number: Value | None = None) -> End:
    stream = port(component, name)
    word = Cat(stream.payload) if number is None else Cat(stream.payload, number)
    return End(name, stream.valid, stream.ready, word)


def _everywhere(*_) -> Value:
    return Const(1)


def _buffer(built: ModuleType, slots: int) -> Part:
    component = {1: built.OneSlot, 2: built.TwoSlots}[slots](WIDTH)
    entry, exit_ = _end(component, "i"), _end(component, "o")
    return Part(component, (entry,), (exit_,), _everywhere, {"i": slots + 1}, slots=slots)


def _merge(built: ModuleType, weights: tuple[int, int], slots: int) -> Part:
    component = built.Merge(WIDTH, weights=weights, slots=slots)
    entries = _end(component, "first"), _end(component, "second")
    # Words of the other, and those in the buffer, and itself.
    limit = {"first": weights[1] + slots + 1, "second": weights[0] + slots + 1}
    ends = entries, (_end(component, "o"),)
    return Part(component, *ends, _everywhere, limit, most=limit, slots=slots, weights=weights)


def _fork(built: ModuleType, outputs: int) -> Part:
    component = built.Fork(WIDTH, outputs=outputs)
    # For which outputs the word is belongs to the word.
    entry = End("i", component.i.valid, component.i.ready, Cat(component.i.payload, component.skip))
    exits = tuple(
        # No output carries it: taken from the entry, it says nothing.
        End(f"o__{number}", o.valid, o.ready, Cat(o.payload, component.skip))
        for number, o in enumerate(component.o)
    )

    def leads(_: End, exit_: End, word: Value) -> Value:
        return ~word[WIDTH + exits.index(exit_)]

    return Part(component, (entry,), exits, leads, {"i": 1}, patient=True)


def most_words(plan: NodePlan, number: int) -> int:
    """The words that can leave a node's merges from the offer of a word at an input to its own.

    Written apart from :meth:`noc.programs.ordered.OrderedProgram.most_waited`.
    """
    words = 1
    for merge, first in plan.passed(number):
        own, other = merge.weights if first else merge.weights[::-1]
        words += other * ((words + own - 1) // own) + merge.slots
    return words + (2 if plan.stored else 0)


def _node(built: ModuleType, plan: NodePlan, side: str, queue: int = 0) -> Part:
    """One way through a node, ``up`` or ``down``; at a root both are one."""
    component = built.Node(plan, WordFormat(WIDTH, 1 << SOURCE, source_numbers=True), queue=queue)
    number = component.number if plan.sends else None
    entries = [_end(component, DOWN)] if side == "down" and not plan.root else []
    if side == "up" or plan.root:
        entries += [_end(component, "inject", number)] if plan.sends else []
        entries += [_end(component, f"up_in__{place}") for place in range(plan.up)]
    names = ["up_out"] if side == "up" else [f"down_out__{n}" for n in range(plan.down)] + ["eject"]

    def leads(entry: End, exit_: End, word: Value) -> Value:
        if exit_.name != "eject" or not plan.drops:
            return Const(1)
        if plan.root:
            return Const(entry.name != "inject")
        return word[WIDTH:] != number

    below = {end.name: most_words(plan, n) for n, end in enumerate(entries) if end.name != DOWN}
    cycles = below or {DOWN: plan.down_slots + 1}
    if queue:
        # A queue of one word takes one in every second cycle.
        cycles = {DOWN: 2 * plan.down_slots + 3 * queue}
    return Part(
        component,
        tuple(entries),
        tuple(_end(component, name) for name in names),
        leads,
        cycles,
        most=below if side == "up" else {},
        patient=True,
        number=number,
        # Words that still climb, and wait at different merges, pass each other.
        one_order=False,
    )


def _plans(spec: str) -> tuple[NodePlan, ...]:
    return compile_ordered(build_network(spec)).plans


_RELAY = NodePlan(
    sends=False, up=1, merges=(), stored=True, root=False, down=0, down_slots=1, drops=False
)
_TWO_CHILDREN = NodePlan(
    sends=True,
    up=2,
    merges=(MergePlan(0, 1, (1, 2), 1), MergePlan(2, 3, (3, 1), 2)),
    stored=False,
    root=False,
    down=2,
    down_slots=2,
    drops=True,
)

#: Whose first merge has no buffer.
_WIDE = replace(_TWO_CHILDREN, merges=(MergePlan(0, 1, (1, 2), 0), MergePlan(2, 3, (3, 1), 2)))

#: The weights of the merges.
WEIGHTS = [(1, 1), (1, 3), (2, 3), (5, 1)]

PARTS: dict[str, Callable[[ModuleType], Part]] = {
    "buffer 1": lambda built: _buffer(built, 1),
    "buffer 2": lambda built: _buffer(built, 2),
    **{
        f"merge {a}:{b}/{slots}": lambda built, w=(a, b), slots=slots: _merge(built, w, slots)
        for (a, b), slots in product(WEIGHTS, (0, 1, 2))
    },
    **{f"fork {count}": lambda built, n=count: _fork(built, n) for count in (1, 2, 3)},
    "node leaf up": lambda built: _node(built, _plans("ring:4")[1], "up"),
    "node leaf down": lambda built: _node(built, _plans("ring:4")[1], "down"),
    "node chain up": lambda built: _node(built, _plans("star:3")[2], "up"),
    "node chain down": lambda built: _node(built, _plans("star:3")[2], "down"),
    "node queue down": lambda built: _node(built, _plans("star:3")[2], "down", queue=1),
    "node relay up": lambda built: _node(built, _RELAY, "up"),
    "node two children up": lambda built: _node(built, _TWO_CHILDREN, "up"),
    "node wide up": lambda built: _node(built, _WIDE, "up"),
    "node two children down": lambda built: _node(built, _TWO_CHILDREN, "down"),
    "node root": lambda built: _node(built, _plans("ring:4")[0], "down"),
}
