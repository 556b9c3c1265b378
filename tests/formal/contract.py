"""The router's promises as watchers of its ports; each function is one promise.

Each has covers beside its assertions: what must be reachable for the promise to say something.
Control never depends on the payload (which a test of the netlist shows), so that what holds for
a word with a payload of its own holds for each word.
"""

from itertools import pairwise

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Signal, Value

from formal.followed import Followed, same_vc
from formal.ports import EJECT, Arrival, Bench, Departure, Watcher, copies

__all__ = ["PROMISES", "SAFE", "TWO_WORDS", "most_losses"]

#: In so many cycles two words of a VC are sent, all willing, where none takes more than one
#: cycle, by the number of VCs in the router. With three, the lowest wins three grants of the bus of
#: four and the highest every other round-robin grant: its words wait for eight grants at most.
TWO_WORDS = {1: 2, 2: 4, 3: 17}


def most_losses(number: int, count: int) -> int:
    """How often a request can lose arbitration while it stays, whatever the pointers.

    At each level it loses at most once before its half wins: once more than twice the losses inside
    its half, because the other half wins before and after each.
    """
    if count == 1:
        return 0
    middle = (count + 1) // 2
    inside = (number, middle) if number < middle else (number - middle, count - middle)
    return 1 + 2 * most_losses(*inside)


def streams_stay(m: Module, bench: Bench) -> None:
    """A word that is presented and not taken stays, unless the receiver reported a full VC."""
    for out in bench.departures:
        vc_full = Value.cast(0) if out.vc_full is None else out.vc_full
        now = Cat(out.code, out.data)
        waits, refused = Signal(name=f"waits_{out.name}"), Signal(name=f"refused_{out.name}")
        before = Signal.like(now)
        m.d.sync += [
            waits.eq(out.valid & ~out.ready & ~vc_full),
            refused.eq(out.valid & ~out.ready & vc_full),
            before.eq(now),
        ]
        m.d.comb += Assert(~waits | out.valid & (now == before))
        m.d.comb += Cover(waits)
        if out.vc_full is not None and len(bench.vcs) > 1:
            m.d.comb += Cover(refused & (~out.valid | (now != before)))


def router_drains(m: Module, bench: Bench) -> None:
    """Where all are willing and nothing arrives the router empties, and then takes any two words.

    The bound is the sum of the cycles of all slots; it is tight.
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

    Where a link requests whose VC is not full, one is accepted, unless the VC of another request is
    full, or the inject stream offers a word: it does not show whether its VC is full.
    """
    readies = [arrival.ready for arrival in bench.arrivals]
    for number, arrival in enumerate(bench.arrivals):
        m.d.comb += Assert(~arrival.ready | arrival.valid & ~Cat(readies[:number]).any())
        if not (number and bench.table.one_source):
            m.d.comb += Cover(arrival.ready & Cat(a.valid for a in bench.arrivals).all())
    hidden = [arrival.valid for arrival in bench.arrivals if arrival.vc_full is None]
    links = [arrival for arrival in bench.arrivals if arrival.vc_full is not None]
    requests = [arrival.valid & ~_holds_back(m, arrival) for arrival in links]
    void = Cat(requests[number] & arrival.vc_full for number, arrival in enumerate(links)).any()
    for number, arrival in enumerate(links):
        now, none = requests[number] & ~arrival.vc_full, ~Cat(readies).any() & ~Cat(hidden).any()
        m.d.comb += [
            Assert(~arrival.vc_full | arrival.valid & ~arrival.ready),
            Assert(~(now & none) | void),
        ]
        if len(links) > 1:
            m.d.comb += Cover(now & none)
    valids = [out.valid for out in bench.departures if out.port != EJECT]
    if bench.table.one_port:
        for number, valid in enumerate(valids):
            m.d.comb += Assert(~valid | ~Cat(valids[:number]).any())
        return
    for entry in bench.table.entries:
        m.d.comb += Cover(Cat(o.valid == (o.port in copies(entry)) for o in bench.departures).all())


def every_request_is_granted(m: Module, bench: Bench) -> None:
    """A request that stays loses arbitration `most_losses` times at most, and then is granted.

    With several VCs a request wins in each cycle, though its VC may be full. An in-port whose VC is
    not full loses in so many cycles at most; one whose VC was full in the cycle before does not
    request yet. The inject stream does not show whether its VC is full: `slots_are_reserved` says
    when it is accepted.
    """
    if bench.table.one_source:
        return
    granted = Cat(arrival.ready for arrival in bench.arrivals).any()
    for number, arrival in enumerate(bench.arrivals):
        if bench.table.vcs > 1 and arrival.vc_full is None:
            continue
        others = most_losses(number, len(bench.arrivals))
        lost = Signal(range(others + 2), name=f"lost_{arrival.name}")
        reset, loses = ~arrival.valid | arrival.ready, granted
        if arrival.vc_full is not None:
            reset, loses = reset | arrival.vc_full, ~_holds_back(m, arrival)
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
    for number, arrival in enumerate(bench.arrivals):
        lower = Cat(other.valid for other in bench.arrivals[:number]).any()
        m.d.comb += Assert(~arrival.ready | ~lower)
        lost = Signal(range(5), name=f"lost_to_lower_{arrival.name}")
        granted = Cat(other.ready for other in bench.arrivals).any()
        with m.If(~arrival.valid | arrival.ready):
            m.d.sync += lost.eq(0)
        with m.Elif(granted & (lost != 4)):
            m.d.sync += lost.eq(lost + 1)
        m.d.comb += Cover((lost == 4) if number else (lost == 0) & arrival.ready)


def _holds_back(m: Module, arrival: Arrival) -> Value:
    """Whether a link that offers a word does not request: its VC was full in the cycle before."""
    was_full = Signal(name=f"was_full_{arrival.name}")
    m.d.sync += was_full.eq(arrival.vc_full)
    return was_full


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

    Two words of its VC, itself and one before it, have the bus in `TWO_WORDS` cycles at most,
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
    # Not all routers come near the bound: less is required of the covers.
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
    """On each port words of one VC leave in the order of acceptance.

    With relays that holds for words of one in-port: they wait for each other in its relay.
    """
    first, second = _two_words(m, bench)
    behind = Signal()
    with m.If(second.arrives):
        m.d.sync += behind.eq(first.accepted)
    ordered = behind & same_vc(bench, first.code, second.code)
    if bench.config.link_registers == 1:
        ordered &= first.came_by == second.came_by
    for out in bench.departures:
        m.d.comb += Assert(~(ordered & first.due(out.port) & second.shown(out)))
    m.d.comb += Cover(ordered & first.gone & second.gone)


def two_words_a_vc(m: Module, bench: Bench) -> None:
    """Nothing is accepted without a free slot: a VC that holds two words takes no third."""
    first, second = _two_words(m, bench)
    full = first.waiting & second.waiting & same_vc(bench, first.code, second.code)
    for arrival in bench.arrivals:
        blocked = full & arrival.valid & same_vc(bench, first.code, arrival.code)
        m.d.comb += [Assert(~blocked | ~arrival.ready), Cover(blocked)]
        if arrival.vc_full is not None:
            m.d.comb += Assert(~blocked | arrival.vc_full)


def slots_are_reserved(m: Module, bench: Bench) -> None:
    """A VC that holds nothing has a free slot, whatever the other VCs hold.

    The words of one VC, any, are marked, and their copies that are to leave are counted. While the
    VC holds nothing, none of its words is refused as full. With one VC, one is accepted at once.
    With several, an in-port may be late by one cycle, because in the cycle before it offered a
    word of a full VC, or this VC was full; and then by the cycles in which it loses arbitration.
    """
    vc = AnyConst(range(max(2, bench.table.vcs)))

    def ours(code: Value) -> Value:
        return Cat(bench.of_vc(code, c) & (vc == c) for c in bench.vcs).any()

    for arrival in bench.arrivals:
        m.d.comb += Assume(~arrival.valid | (arrival.data == ours(arrival.code)))
    empty = Cat(_owed(m, bench, out) == 0 for out in bench.departures).all()
    granted = Cat(arrival.ready for arrival in bench.arrivals).any()
    refused = [arrival.vc_full for arrival in bench.arrivals if arrival.vc_full is not None]
    for number, arrival in enumerate(bench.arrivals):
        now = empty & arrival.valid & ours(arrival.code)
        m.d.comb += Cover(now & arrival.ready)
        if arrival.vc_full is not None:
            m.d.comb += Assert(~now | ~arrival.vc_full)
        if bench.table.vcs == 1:
            m.d.comb += Assert(~now | granted)
            continue
        limit = 1 + most_losses(number, len(bench.arrivals))
        late = Signal(range(limit + 2), name=f"late_{arrival.name}")
        with m.If(~now | arrival.ready):
            m.d.sync += late.eq(0)
        with m.Elif(late <= limit):
            m.d.sync += late.eq(late + 1)
        m.d.comb += Assert(late <= limit)
        m.d.comb += Cover((late == 1) & arrival.ready)
    if refused and len(bench.vcs) > 1:
        m.d.comb += Cover(empty & granted & Cat(refused).any())


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
        every_request_is_granted,
        lowest_goes_first,
    ),
    "word": (once_on_each_port, words_leave_in_time, nothing_is_forgotten, row_order_is_kept),
    "pair": (order_is_kept, two_words_a_vc),
    "vc": (slots_are_reserved,),
}

#: Those of a router with relays or a queue, whose words take longer, and come in several at a time.
SAFE: dict[str, tuple[Watcher, ...]] = {
    "ports": (streams_stay,),
    "word": (once_on_each_port, nothing_is_forgotten, row_order_is_kept),
    "pair": (order_is_kept,),
}
