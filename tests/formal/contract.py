"""The router's promises as watchers of its ports; each function is one promise.

Each has covers beside its assertions: what must be reachable for the promise to say something.
Control never depends on the payload (which a test of the netlist shows), so that what holds for
a word with a payload of its own holds for each word.
"""

from itertools import pairwise

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Signal, Value

from formal.followed import Followed, same_class
from formal.ports import EJECT, Arrival, Bench, Departure, Watcher, copies

__all__ = ["PROMISES", "SAFE", "TWO_WORDS", "most_losses"]

#: In so many cycles two words of a class are sent, all willing, where none takes more than one
#: cycle, by the number of classes in the router. With three, lower ones win the bus three times of
#: four and the highest has every other fair turn: each of its words waits eight turns at most.
TWO_WORDS = {1: 2, 2: 4, 3: 17}


def most_losses(place: int, count: int) -> int:
    """How often one of so many players can lose while it keeps asking, turns standing anyhow.

    At each pair it loses at most once before its side wins: once more than twice the losses inside
    its half, because the other half wins before and after each.
    """
    if count == 1:
        return 0
    middle = (count + 1) // 2
    inside = (place, middle) if place < middle else (place - middle, count - middle)
    return 1 + 2 * most_losses(*inside)


def streams_stay(m: Module, bench: Bench) -> None:
    """A word that is presented and not taken stays, unless its link said that it has no place."""
    for out in bench.departures:
        stall = Value.cast(0) if out.stall is None else out.stall
        now = Cat(out.code, out.data)
        waits, stalls = Signal(name=f"waits_{out.name}"), Signal(name=f"stalls_{out.name}")
        before = Signal.like(now)
        m.d.sync += [
            waits.eq(out.valid & ~out.ready & ~stall),
            stalls.eq(out.valid & ~out.ready & stall),
            before.eq(now),
        ]
        m.d.comb += Assert(~waits | out.valid & (now == before))
        m.d.comb += Cover(waits)
        if out.stall is not None and len(bench.vcs) > 1:
            m.d.comb += Cover(stalls & (~out.valid | (now != before)))


def router_drains(m: Module, bench: Bench) -> None:
    """Where all are willing and nothing arrives the router empties, and then takes any two words.

    The bound is the sum of the cycles of all places; it is tight.
    """
    limit = 2 * sum(bench.most_cycles(vc) for vc in bench.vcs)
    quiet, offered = Signal(range(limit + 1)), Cat(a.valid for a in bench.arrivals).any()
    with m.If(~bench.willing | offered):
        m.d.sync += quiet.eq(0)
    with m.Elif(quiet != limit):
        m.d.sync += quiet.eq(quiet + 1)
    shown, after = Cat(out.valid for out in bench.departures).any(), Signal()
    m.d.sync += after.eq(quiet == limit)
    accepted = Cat(arrival.ready for arrival in bench.arrivals).any()
    m.d.comb += [
        Assert((quiet != limit) | ~shown),
        Assert(~((quiet == limit) | after) | ~offered | accepted),
        Cover(after & (quiet != limit) & accepted),
        Cover((quiet == limit - 1) & shown),
    ]


def one_at_a_time(m: Module, bench: Bench) -> None:
    """At most one word is accepted in a cycle; in one-port use at most one link shows a word.

    Where one asks that is not stalled, one is accepted, unless another that asked is stalled, or
    the inject stream offers a word: it does not show whether it is stalled.
    """
    readies = [arrival.ready for arrival in bench.arrivals]
    for place, arrival in enumerate(bench.arrivals):
        m.d.comb += Assert(~arrival.ready | arrival.valid & ~Cat(readies[:place]).any())
        if not (place and bench.table.one_source):
            m.d.comb += Cover(arrival.ready & Cat(a.valid for a in bench.arrivals).all())
    hidden = [arrival.valid for arrival in bench.arrivals if arrival.stall is None]
    links = [arrival for arrival in bench.arrivals if arrival.stall is not None]
    asks = [arrival.valid & ~_holds_back(m, arrival) for arrival in links]
    void = Cat(asks[place] & arrival.stall for place, arrival in enumerate(links)).any()
    for place, arrival in enumerate(links):
        now, none = asks[place] & ~arrival.stall, ~Cat(readies).any() & ~Cat(hidden).any()
        m.d.comb += [
            Assert(~arrival.stall | arrival.valid & ~arrival.ready),
            Assert(~(now & none) | void),
        ]
        if len(links) > 1:
            m.d.comb += Cover(now & none)
    valids = [out.valid for out in bench.departures if out.port != EJECT]
    if bench.table.one_port:
        for place, valid in enumerate(valids):
            m.d.comb += Assert(~valid | ~Cat(valids[:place]).any())
        return
    for entry in bench.table.entries:
        m.d.comb += Cover(Cat(o.valid == (o.port in copies(entry)) for o in bench.departures).all())


def every_port_gets_its_turn(m: Module, bench: Bench) -> None:
    """An in-port that keeps asking loses to `most_losses` others at most, and then is granted.

    With several classes one of the in-ports wins in each cycle, though it may have no room. An
    in-port that is not stalled loses in so many cycles at most; one that was stalled in the
    cycle before does not ask yet. The inject stream does not show whether it is stalled:
    `places_are_reserved` says when it gets its turn.
    """
    if bench.table.one_source:
        return
    granted = Cat(arrival.ready for arrival in bench.arrivals).any()
    for place, arrival in enumerate(bench.arrivals):
        if bench.table.vcs > 1 and arrival.stall is None:
            continue
        others = most_losses(place, len(bench.arrivals))
        lost = Signal(range(others + 2), name=f"lost_{arrival.name}")
        reset, loses = ~arrival.valid | arrival.ready, granted
        if arrival.stall is not None:
            reset, loses = reset | arrival.stall, ~_holds_back(m, arrival)
        with m.If(reset):
            m.d.sync += lost.eq(0)
        with m.Elif(loses & (lost <= others)):
            m.d.sync += lost.eq(lost + 1)
        m.d.comb += [Assert(lost <= others), Cover((lost == others) & arrival.ready)]


def lowest_goes_first(m: Module, bench: Bench) -> None:
    """With one source at a time the lowest in-port that offers a word is granted, if any is.

    That is not fair, as the covers show: an in-port may lose again and again.
    """
    if not bench.table.one_source:
        return
    for place, arrival in enumerate(bench.arrivals):
        lower = Cat(other.valid for other in bench.arrivals[:place]).any()
        m.d.comb += Assert(~arrival.ready | ~lower)
        lost = Signal(range(5), name=f"lost_to_lower_{arrival.name}")
        granted = Cat(other.ready for other in bench.arrivals).any()
        with m.If(~arrival.valid | arrival.ready):
            m.d.sync += lost.eq(0)
        with m.Elif(granted & (lost != 4)):
            m.d.sync += lost.eq(lost + 1)
        m.d.comb += Cover((lost == 4) if place else (lost == 0) & arrival.ready)


def _holds_back(m: Module, arrival: Arrival) -> Value:
    """Whether a link that offers a word does not ask: it was stalled in the cycle before."""
    stalled = Signal(name=f"stalled_{arrival.name}")
    m.d.sync += stalled.eq(arrival.stall)
    return stalled


def once_on_each_port(m: Module, bench: Bench) -> None:
    """A word leaves on the ports of its row only, with its code, once; no other word exists.

    That none of its copies is forgotten is the business of ``nothing_is_forgotten``.
    """
    word = _any_word(m, bench)
    for out in bench.departures:
        right = word.due(out.port) & bench.right_code(word.code, out)
        m.d.comb += Assert(~word.shown(out) | right)
    for entry in bench.table.entries:
        m.d.comb += Cover(word.gone & (word.code == entry.code))


def words_leave_in_time(m: Module, bench: Bench) -> None:
    """Where neighbours and sink are willing a word has left everywhere soon, whatever follows it.

    Two words of its class, itself and one before it, have the bus in `TWO_WORDS` cycles at most,
    times the cycles of the longest row.
    """
    word = _any_word(m, bench)
    longest = max(bench.most_cycles(vc) for vc in bench.vcs)
    limit = longest * TWO_WORDS[len(bench.vcs)]
    cycles = Signal(range(limit + 1))
    with m.If(~bench.willing | ~word.accepted):
        m.d.sync += cycles.eq(0)
    with m.Elif(cycles != limit):
        m.d.sync += cycles.eq(cycles + 1)
    m.d.comb += Assert((cycles != limit) | ~word.waiting)
    # Not all routers come near the bound: less is asked of the covers.
    m.d.comb += Cover((cycles == min(limit - 1, 5)) & word.waiting)


def nothing_is_forgotten(m: Module, bench: Bench) -> None:
    """Where all are willing and nothing arrives, in the end no word has a copy still to send."""
    word = _any_word(m, bench)
    longest = max(bench.most_cycles(vc) for vc in bench.vcs)
    # A word passes on from the relay to the router, and on to the queue, in a cycle each.
    limit = longest * bench.most_words + 2
    quiet, offered = Signal(range(limit + 1)), Cat(a.valid for a in bench.arrivals).any()
    with m.If(~bench.willing | offered):
        m.d.sync += quiet.eq(0)
    with m.Elif(quiet != limit):
        m.d.sync += quiet.eq(quiet + 1)
    m.d.comb += [Assert((quiet != limit) | ~word.waiting), Cover((quiet == 1) & word.waiting)]


def row_order_is_kept(m: Module, bench: Bench) -> None:
    """In one-port use the copies of a word leave in the order of its row."""
    if not bench.table.one_port:
        return
    word = _any_word(m, bench)
    outs = {out.port: out for out in bench.departures}
    for entry in bench.table.entries:
        ports = [port for port, _ in entry.sends]
        for earlier, later in pairwise(ports):
            now = (word.code == entry.code) & word.shown(outs[later])
            m.d.comb += [Assert(~(now & word.due(earlier))), Cover(now)]


def order_is_kept(m: Module, bench: Bench) -> None:
    """On each port words of one class leave in the order of acceptance.

    With relays that holds for words of one in-port: they wait for each other in its relay.
    """
    first, second = _two_words(m, bench)
    behind = Signal()
    with m.If(second.arrives):
        m.d.sync += behind.eq(first.accepted)
    ordered = behind & same_class(bench, first.code, second.code)
    if bench.config.link_registers == 1:
        ordered &= first.came_by == second.came_by
    for out in bench.departures:
        m.d.comb += Assert(~(ordered & first.due(out.port) & second.shown(out)))
    m.d.comb += Cover(ordered & first.gone & second.gone)


def two_words_a_class(m: Module, bench: Bench) -> None:
    """Nothing is granted without room: a class that holds two words takes no third."""
    first, second = _two_words(m, bench)
    full = first.waiting & second.waiting & same_class(bench, first.code, second.code)
    for arrival in bench.arrivals:
        blocked = full & arrival.valid & same_class(bench, first.code, arrival.code)
        m.d.comb += [Assert(~blocked | ~arrival.ready), Cover(blocked)]
        if arrival.stall is not None:
            m.d.comb += Assert(~blocked | arrival.stall)


def places_are_reserved(m: Module, bench: Bench) -> None:
    """A class that holds nothing has room, whatever the other classes hold.

    The words of one class, any, are marked, and their copies that are to leave are counted. While
    the class holds nothing, no word of it is stalled. With one class, one is accepted at once. With
    several, an in-port may be late by one cycle, because it was stalled in the cycle before with
    another word or because the class was full; and then by the cycles in which it loses.
    """
    vc = AnyConst(range(max(2, bench.table.vcs)))

    def ours(code: Value) -> Value:
        return Cat(bench.of_vc(code, c) & (vc == c) for c in bench.vcs).any()

    for arrival in bench.arrivals:
        m.d.comb += Assume(~arrival.valid | (arrival.data == ours(arrival.code)))
    empty = Cat(_owed(m, bench, out) == 0 for out in bench.departures).all()
    granted = Cat(arrival.ready for arrival in bench.arrivals).any()
    stalls = [arrival.stall for arrival in bench.arrivals if arrival.stall is not None]
    for place, arrival in enumerate(bench.arrivals):
        now = empty & arrival.valid & ours(arrival.code)
        m.d.comb += Cover(now & arrival.ready)
        if arrival.stall is not None:
            m.d.comb += Assert(~now | ~arrival.stall)
        if bench.table.vcs == 1:
            m.d.comb += Assert(~now | granted)
            continue
        limit = 1 + most_losses(place, len(bench.arrivals))
        late = Signal(range(limit + 2), name=f"late_{arrival.name}")
        with m.If(~now | arrival.ready):
            m.d.sync += late.eq(0)
        with m.Elif(late <= limit):
            m.d.sync += late.eq(late + 1)
        m.d.comb += Assert(late <= limit)
        m.d.comb += Cover((late == 1) & arrival.ready)
    if stalls and len(bench.vcs) > 1:
        m.d.comb += Cover(empty & granted & Cat(stalls).any())


def _owed(m: Module, bench: Bench, out: Departure) -> Signal:
    """How many copies of marked words are still to leave on a port: at most two."""
    owed = Signal(2, name=f"owed_{out.name}")
    marked = [a.taken & a.data[0] & bench.owes(a.code, out.port) for a in bench.arrivals]
    enters, leaves = Cat(marked).any(), out.left & out.data[0]
    m.d.sync += owed.eq(owed + enters - leaves)
    m.d.comb += [Assert(~leaves | (owed != 0)), Assert((owed != 3) & ((owed != 2) | ~enters))]
    return owed


def _any_word(m: Module, bench: Bench) -> Followed:
    """The same word for all watchers, with a payload that only it has."""
    if not bench.followed:
        bench.followed.append(Followed(m, bench, AnyConst(bench.width)))
    return bench.followed[0]


def _two_words(m: Module, bench: Bench) -> list[Followed]:
    """The same two words for all watchers."""
    if not bench.followed:
        bench.followed.extend(Followed(m, bench, mark) for mark in (1, 2))
    return bench.followed


#: Promises that can be proven together, because they assume the same of the payloads.
PROMISES: dict[str, tuple[Watcher, ...]] = {
    "ports": (
        streams_stay,
        router_drains,
        one_at_a_time,
        every_port_gets_its_turn,
        lowest_goes_first,
    ),
    "word": (once_on_each_port, words_leave_in_time, nothing_is_forgotten, row_order_is_kept),
    "pair": (order_is_kept, two_words_a_class),
    "class": (places_are_reserved,),
}

#: Those of a router with relays or a queue, whose words take longer, and come in several at a time.
SAFE: dict[str, tuple[Watcher, ...]] = {
    "ports": (streams_stay,),
    "word": (once_on_each_port, nothing_is_forgotten, row_order_is_kept),
    "pair": (order_is_kept,),
}
