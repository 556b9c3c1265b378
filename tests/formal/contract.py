"""The router's promises as watchers of its ports; each function is one promise.

Each has covers beside its assertions: what must be reachable for the promise to say something.
Control never depends on the payload (which a test of the netlist shows), so that what holds for
a word with a payload of its own holds for each word.
"""

from itertools import pairwise

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Cat, Cover, Module, Signal

from formal.counting import counted
from formal.ports import EJECT, Bench, Departure, Followed, Watcher, copies


def streams_stay(m: Module, bench: Bench) -> None:
    """A word that is presented and not taken stays."""
    for out in bench.departures:
        now = Cat(out.code, out.data)
        waits, before = Signal(name=f"waits_{out.name}"), Signal.like(now)
        m.d.sync += [waits.eq(out.valid & ~out.ready), before.eq(now)]
        m.d.comb += [Assert(~waits | out.valid & (now == before)), Cover(waits)]


def _quiet(m: Module, bench: Bench, limit: int) -> Signal:
    """For how many cycles all have been willing and nothing has arrived, up to so many."""
    offered = Cat(a.valid for a in bench.arrivals).any()
    return counted(m, 1, most=limit, during=bench.willing & ~offered, name="quiet")


def router_drains(m: Module, bench: Bench) -> None:
    """Where all are willing and nothing arrives the router empties, and then takes any two words.

    The bound is the sum of the cycles of all slots; it is tight.
    """
    limit = 2 * bench.most_cycles
    quiet, offered = _quiet(m, bench, limit), Cat(a.valid for a in bench.arrivals).any()
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
    """At most one word is accepted in a cycle; in one-port use at most one link shows a word."""
    readies = [arrival.ready for arrival in bench.arrivals]
    for number, arrival in enumerate(bench.arrivals):
        m.d.comb += Assert(~arrival.ready | arrival.valid & ~Cat(readies[:number]).any())
    m.d.comb += Cover(readies[0] & Cat(a.valid for a in bench.arrivals).all())
    valids = [out.valid for out in bench.departures if out.port != EJECT]
    if bench.table.one_port:
        for number, valid in enumerate(valids):
            m.d.comb += Assert(~valid | ~Cat(valids[:number]).any())
        return
    for entry in bench.table.entries:
        m.d.comb += Cover(Cat(o.valid == (o.port in copies(entry)) for o in bench.departures).all())


def lowest_goes_first(m: Module, bench: Bench) -> None:
    """The lowest in-port that offers a word is granted, if any is.

    That is not fair, as the covers show: an in-port may lose again and again.
    """
    for number, arrival in enumerate(bench.arrivals):
        lower = Cat(other.valid for other in bench.arrivals[:number]).any()
        m.d.comb += Assert(~arrival.ready | ~lower)
        granted = Cat(other.ready for other in bench.arrivals).any()
        waits, name = arrival.valid & ~arrival.ready, f"lost_to_lower_{arrival.name}"
        lost = counted(m, granted, most=4, during=waits, name=name)
        m.d.comb += Cover((lost == 4) if number else (lost == 0) & arrival.ready)


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

    Two words, itself and one before it, have the bus for the cycles of the longest row each.
    """
    word = _any_word(m, bench)
    limit = 2 * bench.most_cycles
    cycles = counted(m, 1, most=limit, during=bench.willing & word.accepted)
    m.d.comb += Assert((cycles != limit) | ~word.waiting)
    # Not all routers come near the bound: less is required of the covers.
    m.d.comb += Cover((cycles == min(limit - 1, 5)) & word.waiting)


def nothing_is_forgotten(m: Module, bench: Bench) -> None:
    """Where all are willing and nothing arrives, in the end no word has a copy still to send."""
    word = _any_word(m, bench)
    # A word passes on from the relay to the router, and on to the queue, in a cycle each.
    limit = bench.most_cycles * bench.most_words + 2
    quiet = _quiet(m, bench, limit)
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
    """On each port words leave in the order of acceptance.

    With relays that holds for words of one in-port: they wait for each other in its relay.
    """
    first, second = _two_words(m, bench)
    behind = Signal()
    with m.If(second.arrives):
        m.d.sync += behind.eq(first.accepted)
    ordered = behind
    if bench.config.link_registers == 1:
        ordered = behind & (first.came_by == second.came_by)
    for out in bench.departures:
        m.d.comb += Assert(~(ordered & first.due(out.port) & second.shown(out)))
    m.d.comb += Cover(ordered & first.gone & second.gone)


def two_words_at_most(m: Module, bench: Bench) -> None:
    """Nothing is accepted without a free slot: a router that holds two words takes no third."""
    first, second = _two_words(m, bench)
    full = first.waiting & second.waiting
    for arrival in bench.arrivals:
        blocked = full & arrival.valid
        m.d.comb += [Assert(~blocked | ~arrival.ready), Cover(blocked)]


def an_empty_router_accepts(m: Module, bench: Bench) -> None:
    """A router that owes no copy accepts a word at once, where one is offered."""
    empty = Cat(_owed(m, bench, out) == 0 for out in bench.departures).all()
    granted = Cat(arrival.ready for arrival in bench.arrivals).any()
    for arrival in bench.arrivals:
        now = empty & arrival.valid
        m.d.comb += [Assert(~now | granted), Cover(now & arrival.ready)]


def _owed(m: Module, bench: Bench, out: Departure) -> Signal:
    """How many copies of words are still to leave on a port: at most two."""
    owed = Signal(2, name=f"owed_{out.name}")
    due = [a.taken & bench.owes(a.code, out.port) for a in bench.arrivals]
    enters, leaves = Cat(due).any(), out.left
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
    "ports": (streams_stay, router_drains, one_at_a_time, lowest_goes_first),
    "word": (once_on_each_port, words_leave_in_time, nothing_is_forgotten, row_order_is_kept),
    "pair": (order_is_kept, two_words_at_most),
    "empty": (an_empty_router_accepts,),
}

#: Those of a router with relays or a queue, whose words take longer, and come in several at a time.
SAFE: dict[str, tuple[Watcher, ...]] = {
    "ports": (streams_stay,),
    "word": (once_on_each_port, nothing_is_forgotten, row_order_is_kept),
    "pair": (order_is_kept,),
}
