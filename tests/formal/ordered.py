"""The promises of ``docs/ordered.md`` as watchers of a part's streams; each function is one.

Each has covers beside its assertions: what must be reachable for the promise to say something.
"""

from itertools import combinations, pairwise, permutations

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Array, Assert, Assume, Cat, Const, Cover, Module, Mux, Signal, Value

from formal.counting import counted
from formal.parts import WIDTH, End, PartBench, Watcher, stayed


class FollowedWord:
    """The one word that has a mark: whether it is offered, or accepted, and where it has left.

    The surroundings are assumed to accept and offer it once only, at any time and by any entry; no
    other word equals its mark.
    """

    def __init__(self, m: Module, bench: PartBench, name: str, mark: Value) -> None:
        self.bench, self.mark = bench, mark
        entries = bench.part.entries
        self.offered_by = {end.name: end.valid & (end.word == mark) for end in entries}
        offered = Cat(self.offered_by.values())
        self.offered, self.accepted = offered.any(), Signal()
        self._came_by = {end.name: Signal(name=f"{name}_by_{end.name}") for end in entries}
        m.d.comb += Assume(~self.accepted | ~self.offered)
        for one, other in combinations(range(len(entries)), 2):
            m.d.comb += Assume(~(offered[one] & offered[other]))
        for end in entries:
            with m.If(self.offered_by[end.name] & end.ready):
                m.d.sync += [self.accepted.eq(1), self._came_by[end.name].eq(1)]
        self.sent = {end.name: Signal(name=f"{name}_sent_{end.name}") for end in bench.part.exits}
        for end in bench.part.exits:
            with m.If(end.ready & self.shown(end)):
                m.d.sync += self.sent[end.name].eq(1)

    def shown(self, exit_: End) -> Value:
        """Whether it is offered at an exit."""
        return exit_.valid & (exit_.word == self.mark)

    def by(self, entry: End) -> Value:
        """Whether it is offered at an entry, or was accepted there."""
        return self.offered_by[entry.name] | self._came_by[entry.name]

    def owed(self, exit_: End) -> Value:
        """Whether it has left by an exit, or is still to leave there."""
        part = self.bench.part
        leads = [self.by(e) & part.leads(e, exit_, self.mark) for e in part.entries]
        return Cat(leads).any()

    def due(self, exit_: End) -> Value:
        """Whether it is still to leave by an exit."""
        return self.owed(exit_) & ~self.sent[exit_.name]

    @property
    def waiting(self) -> Value:
        """Whether it is still to be accepted, or to leave by an exit."""
        due = Cat(self.due(exit_) for exit_ in self.bench.part.exits)
        return self.offered | (self.accepted & due.any())

    @property
    def gone(self) -> Value:
        """Whether it has left by all exits by which it has to."""
        return self.accepted & ~self.waiting


def streams_stay(m: Module, bench: PartBench) -> None:
    """A word that is offered and not taken stays."""
    for end in bench.part.exits:
        waited, before = stayed(m, end, end.waits)
        m.d.comb += [Assert(~waited | end.valid & (end.word == before)), Cover(waited)]


def once_at_each_exit(m: Module, bench: PartBench) -> None:
    """A word leaves where it has to, once at each exit; so none appears that did not come."""
    word = _any_word(m, bench)
    for exit_ in bench.part.exits:
        m.d.comb += Assert(~word.shown(exit_) | word.due(exit_))
    for entry, exit_ in bench.pairs:
        m.d.comb += Cover(word.gone & word.by(entry) & word.sent[exit_.name])


def arrives_in_time(m: Module, bench: PartBench) -> None:
    """With willing exits a word has left within ``limit`` cycles of its offer, whatever follows it.

    So none is lost, since one that was would be due for ever.
    """
    word, part = _any_word(m, bench), bench.part
    for entry in part.entries:
        limit = part.limit[entry.name]
        willing = Cat(exit_.ready for exit_ in part.exits).all()
        here = word.by(entry) & word.waiting
        cycles = counted(m, 1, most=limit, during=willing & here, name=f"cycles_{entry.name}")
        m.d.comb += [Assert((cycles != limit) | ~here), Cover((cycles == limit - 1) & here)]


def order_is_kept(m: Module, bench: PartBench) -> None:
    """At each exit words leave in the order in which they came.

    Where words of several entries pass different merges that holds for those of one entry.
    """
    first, second = _two_words(m, bench)
    behind, was_behind = Signal(), Signal()
    m.d.comb += behind.eq(was_behind | (second.offered & first.accepted))
    with m.If(second.offered):
        m.d.sync += was_behind.eq(first.accepted)
    ways = Const(1)
    if not bench.part.one_order:
        ways = Cat(first.by(entry) & second.by(entry) for entry in bench.part.entries).any()
    for exit_ in bench.part.exits:
        m.d.comb += Assert(~(behind & ways & first.due(exit_) & second.shown(exit_)))
        if any(e is exit_ for _, e in bench.pairs):
            m.d.comb += Cover(behind & ways & first.sent[exit_.name] & second.sent[exit_.name])


def all_see_one_order(m: Module, bench: PartBench) -> None:
    """Of two words that leave by several exits the same leaves first at each."""
    first, second = _two_words(m, bench)
    exits = [exit_ for exit_ in bench.part.exits if exit_.name != "up_out"]
    orders = []
    for exit_ in exits:
        sides = first.sent[exit_.name], second.sent[exit_.name]
        both = first.owed(exit_) & second.owed(exit_)
        order = [Signal(name=f"{side}_first_{exit_.name}") for side in ("one", "two")]
        m.d.sync += [
            order[0].eq(order[0] | (both & sides[0] & ~sides[1])),
            order[1].eq(order[1] | (both & sides[1] & ~sides[0])),
        ]
        orders.append(order)
    for one, other in permutations(orders, 2):
        m.d.comb += [Assert(~(one[0] & other[1])), Cover(one[0] & other[0])]


def waits_for_few_words(m: Module, bench: PartBench) -> None:
    """Between its offer and its leaving by the exit for the parent at most ``most`` words do.

    Its own is one of them; nothing is assumed of what is ready.
    """
    word, part = _any_word(m, bench), bench.part
    for name, most in part.most.items():
        entry = next(end for end in part.entries if end.name == name)
        exit_ = next(e for one, e in bench.pairs if one is entry)
        here = word.by(entry) & word.due(exit_)
        words = counted(m, exit_.moved, most=most, during=here, name=f"words_{name}")
        # Its own is still to come.
        m.d.comb += [Assert((words < most) | ~here), Cover((words == most - 1) & here)]


def buffer_is_a_queue(m: Module, bench: PartBench) -> None:
    """In every cycle ``valid``, ``ready`` and the word are those of a queue of its slots."""
    part = bench.part
    (entry,), (exit_,), slots = part.entries, part.exits, part.slots
    held = Signal(range(slots + 1))
    words = [Signal(bench.width, name=f"word_{place}") for place in range(slots + 1)]
    m.d.sync += held.eq(held + entry.moved - exit_.moved)
    with m.If(exit_.moved):
        m.d.sync += [now.eq(after) for now, after in pairwise(words)]
    for place, word in enumerate(words[:-1]):
        with m.If(entry.moved & (held - exit_.moved == place)):
            m.d.sync += word.eq(entry.word)
    room = held < slots
    if slots == 1:
        room = room | exit_.ready
    m.d.comb += [
        Assert(exit_.valid == (held != 0)),
        Assert(~exit_.valid | (exit_.word == words[0])),
        Assert(entry.ready == room),
        Cover((held == slots) & exit_.moved),
    ]


def words_flow(m: Module, bench: PartBench) -> None:
    """A word passes in every cycle in which one is offered and the exit is willing."""
    part = bench.part
    offered = Cat(entry.valid for entry in part.entries).any()
    willing, flowing = part.exits[0].ready, Signal()
    # From an exit that was willing before on: a full buffer of two slots needs a cycle.
    m.d.sync += flowing.eq(willing)
    taken = Cat(entry.moved for entry in part.entries).any()
    m.d.comb += [Assert(~(flowing & willing & offered) | taken)]
    long = Signal(3)
    m.d.sync += long.eq(Mux(taken & part.exits[0].moved, long + (long != 7), 0))
    m.d.comb += Cover(long == 6)


def merge_keeps_its_rule(m: Module, bench: PartBench) -> None:
    """In every cycle the winner is the one of the contract: turn and *left*, written again."""
    part = bench.part
    held, turn = Signal(range(part.slots + 1)), Signal()
    left = Signal(range(max(part.weights) + 1), init=part.weights[0])
    first, second = part.entries
    (exit_,) = part.exits
    m.d.sync += held.eq(held + first.moved + second.moved - exit_.moved)
    room = held < part.slots
    if part.slots < 2:
        room = room | exit_.ready
    of_turn = Mux(turn, second.valid, first.valid)
    winner = Mux(of_turn, turn, ~turn)
    with m.If(of_turn & room):
        m.d.sync += left.eq(left - 1)
        with m.If(left == 1):
            m.d.sync += [turn.eq(~turn), left.eq(Array(part.weights)[~turn])]
    m.d.comb += [
        Assert(exit_.valid == ((held != 0) if part.slots else first.valid | second.valid)),
        Assert(~(first.moved & second.moved)),
        Assert(~first.valid | (first.ready == (room & ~winner))),
        Assert(~second.valid | (second.ready == (room & winner))),
        # Nobody sees another `ready` for offering nothing.
        Assert(first.valid | (first.ready == (room & ~(turn & second.valid)))),
        Assert(second.valid | (second.ready == (room & ~(~turn & first.valid)))),
        # A word of the other, in a turn that lasts.
        Cover(turn & first.moved),
        Cover(~turn & second.moved),
        Cover(turn & second.moved & (left == 1)),
    ]


def weights_are_exact(m: Module, bench: PartBench) -> None:
    """While both offer words always, each has its weight in a row, no more and no less.

    A row that began before both offered may be any.
    """
    part = bench.part
    first, second = part.entries
    both, last, known = first.valid & second.valid, Signal(), Signal(init=1)
    row = Signal(range(max(part.weights) + 2))
    moved, changes = first.moved | second.moved, Signal()
    m.d.comb += changes.eq((last != second.moved) & (row != 0))
    weight = Array(part.weights)[last]
    with m.If(~both):
        m.d.sync += [row.eq(0), known.eq(0)]
    with m.Elif(moved):
        m.d.sync += [last.eq(second.moved), row.eq(Mux(changes, 1, row + 1))]
        with m.If(changes):
            m.d.sync += known.eq(1)
    m.d.comb += [
        Assert((row == 0) | (row <= weight)),
        Assert(~(both & moved & changes & known) | (row == weight)),
        *(Cover(both & moved & changes & known & (last == side)) for side in (0, 1)),
    ]


def waits_for_the_other(m: Module, bench: PartBench) -> None:
    """While k words of a stream enter that always offers, at most ``w * ceil(k / v)`` others do.

    v is its weight and w that of the other; k is any up to ``2 v + 1``, and the count begins at
    any time. With k = 1: a word that waits lets pass at most the weight of the other.
    """
    part = bench.part
    for side, entry in enumerate(part.entries):
        own, other = part.weights[side], part.weights[1 - side]
        most = 2 * own + 1
        words, others = (
            Signal(range(most + 1), name=f"words_{entry.name}"),
            Signal(range(3 * other + 2), name=f"others_{entry.name}"),
        )
        started = Signal(name=f"started_{entry.name}")
        now = started | AnySeq(1)
        with m.If(~entry.valid | (words == most)):
            m.d.sync += [words.eq(0), others.eq(0), started.eq(0)]
        with m.Elif(now):
            m.d.sync += [
                started.eq(1),
                words.eq(words + entry.moved),
                others.eq(others + part.entries[1 - side].moved),
            ]
        allowed = Array(other * -(-k // own) for k in range(1, most + 2))[words]
        m.d.comb += [
            Assert(others <= allowed),
            Cover((words == 2 * own) & (others == 3 * other) & entry.moved),
            Cover((words == 0) & (others == other) & entry.moved),
        ]


def fork_keeps_its_rule(m: Module, bench: PartBench) -> None:
    """In every cycle the outputs offer the word where it was not sent; it leaves with the last."""
    part = bench.part
    (entry,) = part.entries
    skip = part.component.skip
    taken = []
    for exit_, spared in zip(part.exits, skip, strict=True):
        sent = Signal(name=f"was_sent_{exit_.name}")
        with m.If(entry.moved):
            m.d.sync += sent.eq(0)
        with m.Elif(exit_.moved):
            m.d.sync += sent.eq(1)
        m.d.comb += [
            Assert(exit_.valid == (entry.valid & ~sent & ~spared)),
            Assert(~exit_.valid | (exit_.word == entry.word)),
        ]
        if len(part.exits) > 1:
            m.d.comb += Cover(sent & entry.moved)
        taken.append(sent | exit_.ready | spared)
    m.d.comb += [
        Assert(~entry.valid | (entry.ready == Cat(taken).all())),
        *(Cover(entry.moved & spared) for spared in skip),
    ]


def _any_word(m: Module, bench: PartBench) -> FollowedWord:
    """The same word for all watchers, with data that only it has."""
    return _followed(m, bench, "word", 1)[0]


def _two_words(m: Module, bench: PartBench) -> list[FollowedWord]:
    """The same two words for all watchers."""
    return _followed(m, bench, "pair", 2)


def _followed(m: Module, bench: PartBench, group: str, count: int) -> list[FollowedWord]:
    if group not in bench.followed:
        # No data decide, so that any will do; number and skip may be any.
        marks = [Cat(Const(n, WIDTH), AnyConst(bench.width - WIDTH)) for n in range(1, count + 1)]
        bench.followed[group] = [
            FollowedWord(m, bench, f"{group}_{n}", mark) for n, mark in enumerate(marks)
        ]
    return bench.followed[group]


_WORD: tuple[Watcher, ...] = (once_at_each_exit, arrives_in_time, waits_for_few_words)
_PAIR: tuple[Watcher, ...] = (order_is_kept, all_see_one_order)

#: What can be proven together, because it assumes the same; by the first word of a part's name.
_RULES: dict[str, tuple[Watcher, ...]] = {
    "buffer": (streams_stay, buffer_is_a_queue, words_flow),
    "merge": (
        *(streams_stay, merge_keeps_its_rule, words_flow, weights_are_exact, waits_for_the_other),
    ),
    "fork": (streams_stay, fork_keeps_its_rule),
    "node": (streams_stay,),
}


def promises(name: str) -> dict[str, tuple[Watcher, ...]]:
    """The promises of a part, in groups that can be proven together."""
    rules = _RULES[name.split()[0]]
    # Without a buffer the word of one may take the place of the other's.
    rules = rules[1:] if name.endswith("/0") else rules
    return {"rule": rules, "word": _WORD, "pair": _PAIR}
