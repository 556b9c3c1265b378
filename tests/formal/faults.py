"""Routers with one planted fault: a copy of the sources in which one text is another."""

from dataclasses import dataclass
from types import ModuleType

from formal.planting import planted

__all__ = [
    "ARBITER_FAULTS",
    "FAULTS",
    "FORM_FAULTS",
    "NETLIST_FAULTS",
    "UNREACHED",
    "Fault",
    "faulty",
]

_MODULES = ("arbiter", "lookup", "places", "arrivals", "rows", "block_rows", "copies", "router")


@dataclass(frozen=True)
class Fault:
    """A fault, and the promise that it breaks.

    Parameters
    ----------
    module : str
        The module of noc.hardware.
    right, wrong : str
        The text there, which occurs once, and what stands in its place.
    table : str
        The table for which the proof is tried.
    promise : str
        The watcher that must see it; or a function of tests on the netlist.
    """

    module: str
    right: str
    wrong: str
    table: str
    promise: str


def faulty(fault: Fault) -> ModuleType:
    """The module ``router`` with the fault; faults of other modules are in what it uses of them."""
    return planted(_MODULES, fault.module, fault.right, fault.wrong)


FAULTS = {
    "copy presented again after it was taken": Fault(
        "copies", "& ~self.kept\n", "\n", "star:3", "once_on_each_port"
    ),
    "copy forgotten when another one leaves": Fault(
        "copies",
        "self.drop.eq(self.occupied & ~(pending & ~taking).any())",
        "self.drop.eq(self.occupied & (pending & taking).any())",
        "star:3",
        "words_leave_in_time",
    ),
    "one-port copy skipped while it waits": Fault(
        "copies",
        "moved.eq((self.valid & self.ready).any())",
        "moved.eq(self.valid.any())",
        "star:3 one-port",
        "words_leave_in_time",
    ),
    "one-port copies in another order": Fault(
        "rows",
        "dict(entry.sends[turn : turn + 1])",
        "dict(entry.sends[::-1][turn : turn + 1])",
        "uhc:4 one-port",
        "row_order_is_kept",
    ),
    "code of another row": Fault(
        "rows",
        "bool(copies[port] >> number & 1)",
        "bool((copies[port] ^ (key == 3)) >> number & 1)",
        "star:3",
        "once_on_each_port",
    ),
    "own words delivered": Fault(
        "rows",
        "result[entry.code] = dict(entry.sends), entry.deliver, True",
        "result[entry.code] = dict(entry.sends), True, True",
        "star:3",
        "once_on_each_port",
    ),
    "a bit of the code left out of the look-up": Fault(
        "lookup",
        "kept = needed_bits(wanted, len(code))",
        "kept = needed_bits(wanted, len(code))[:-1] or (0,)",
        "star:3",
        "once_on_each_port",
    ),
    "word of another tree injected": Fault(
        "arrivals",
        "m.d.comb += result.eq(code)",
        "m.d.comb += result.eq(own[-1 - tree])",
        "mixed",
        "once_on_each_port",
    ),
    "word delivered again after the sink took it": Fault(
        "copies",
        "self.eject_valid.eq(self.occupied & self.row.deliver & ~ejected)",
        "self.eject_valid.eq(self.occupied & self.row.deliver)",
        "star:3 one-port",
        "once_on_each_port",
    ),
    "word dropped before the sink took it": Fault(
        "copies",
        "self.drop.eq(self.occupied & done & eject_done)",
        "self.drop.eq(self.occupied & done)",
        "star:3 one-port",
        "streams_stay",
    ),
    "eject withdrawn for another class": Fault(
        "router",
        "lost.any() | (eject.valid & ~eject.ready)",
        "lost.any()",
        "star:3 classes",
        "streams_stay",
    ),
    "lost copy withdrawn for another class": Fault(
        "router",
        "lost.any() | (eject.valid & ~eject.ready)",
        "eject.valid & ~eject.ready",
        "star:3 classes",
        "streams_stay",
    ),
    "class never left": Fault(
        "places",
        "turns.requests.eq(now.one & ~now.hot)",
        "turns.requests.eq(now.one)",
        "star:3 classes",
        "words_leave_in_time",
    ),
    "one class left out of the turn": Fault(
        "places",
        "turns.requests.eq(now.one & ~now.hot)",
        "turns.requests.eq(now.one & ~now.hot & ~2)",
        "mixed",
        "router_drains",
    ),
    "bus left where a word is stored": Fault(
        "places",
        "now.active.eq(self.store_class),",
        "",
        "star:3 classes",
        "once_on_each_port",
    ),
    "what has left is not kept for a class": Fault(
        "places", "m.d.sync += mine.eq(self.keep)", "pass", "star:3 classes", "once_on_each_port"
    ),
    "what has left is kept for the next word": Fault(
        "copies",
        "(self.kept | (pending & taking)) & ~self.drop.replicate(len(pending))",
        "self.kept | (pending & taking)",
        "star:3 classes",
        "words_leave_in_time",
    ),
    "granted without room": Fault(
        "router",
        "Cat(arrival.stream.valid for arrival in arrivals) & room",
        "Cat(arrival.stream.valid for arrival in arrivals)",
        "star:3",
        "two_words_a_class",
    ),
    "granted though there is no room any more": Fault(
        "router",
        "arrival.stream.ready.eq(granted[place] & room[place])",
        "arrival.stream.ready.eq(granted[place])",
        "star:3 classes",
        "two_words_a_class",
    ),
    "losing called stalling": Fault(
        "router",
        "arrival.stream.stall.eq(valid[place] & ~room[place])",
        "arrival.stream.stall.eq(valid[place] & ~arrival.stream.ready)",
        "star:3 classes",
        "places_are_reserved",
    ),
    "a stalled in-port never asks again": Fault(
        "router",
        "stalled.eq(valid & ~room)",
        "stalled.eq(valid & (stalled | ~room))",
        "star:3 classes",
        "places_are_reserved",
    ),
    "a stalled in-port wins though it cannot enter": Fault(
        "router",
        "self._grant(m, valid & ~stalled)",
        "self._grant(m, valid)",
        "star:3 classes",
        "one_at_a_time",
    ),
    "place not freed": Fault(
        "places",
        "now.one.eq(came | (now.one & ~(left & ~now.two)))",
        "now.one.eq(came | now.one)",
        "star:3 classes",
        "once_on_each_port",
    ),
    "second place not freed": Fault(
        "places",
        "now.two.eq((now.two | (now.one & came)) & ~left)",
        "now.two.eq(now.two | (now.one & came))",
        "star:3 classes",
        "router_drains",
    ),
    "head not found again": Fault(
        "places",
        "now.first.eq(now.first ^ left)",
        "now.first.eq(now.first)",
        "star:3 classes",
        "order_is_kept",
    ),
    "word stored over the head": Fault(
        "places",
        "self.last.eq(self.last ^ came)",
        "self.last.eq(self.last)",
        "star:3 classes",
        "order_is_kept",
    ),
    "word counted in every class": Fault(
        "places",
        "came = now.stored & self.store.replicate(self._classes)",
        "came = self.store.replicate(self._classes)",
        "star:3 classes",
        "once_on_each_port",
    ),
    "full class blocks every class": Fault(
        "router",
        "room[place].eq(places.room.bit_select(classes[place], 1))",
        "room[place].eq(places.room.all())",
        "star:3 classes",
        "places_are_reserved",
    ),
    "second word lost where the head leaves": Fault(
        "places",
        "self.occupied.eq(full | self.store)",
        "self.occupied.eq(self.store)",
        "star:3",
        "words_leave_in_time",
    ),
    "spare of a router with one class not freed": Fault(
        "places",
        "self.room.eq(self.load | (self.room & ~self.store))",
        "self.room.eq(self.room & (self.load | ~self.store))",
        "star:3",
        "once_on_each_port",
    ),
    "two granted at once": Fault(
        "arbiter",
        "yield won & second",
        "yield won",
        "star:3 tournament",
        "one_at_a_time",
    ),
    "turns never pass": Fault(
        "arbiter",
        "m.d.sync += turn.eq(~second)",
        "pass",
        "star:3 tournament",
        "every_port_gets_its_turn",
    ),
    "turns pass to the side that won": Fault(
        "arbiter",
        "m.d.sync += turn.eq(~second)",
        "m.d.sync += turn.eq(second)",
        "star:3 classes",
        "every_port_gets_its_turn",
    ),
    "highest in-port first": Fault(
        "arbiter",
        "self.requests[:place].any()",
        "self.requests[place + 1 :].any()",
        "star:3",
        "lowest_goes_first",
    ),
}

#: Faults of the other forms, with the form that shows them.
FORM_FAULTS = {
    "word mixed with the one before it in a relay": (
        "relays",
        Fault(
            "arrivals",
            "relay.word.eq(word & relay.room.replicate(len(word)))",
            "relay.word.eq(word)",
            "star:3",
            "once_on_each_port",
        ),
    ),
    "relay takes what it has no room for": (
        "relays",
        Fault(
            "arrivals",
            "link.ready.eq(relay.room)",
            "link.ready.eq(1)",
            "star:3",
            "nothing_is_forgotten",
        ),
    ),
    "row of the word before": (
        "block",
        Fault(
            "block_rows", "read.en.eq(self.load)", "read.en.eq(0)", "star:3", "once_on_each_port"
        ),
    ),
    "row not kept beside its word": (
        "block",
        Fault(
            "block_rows",
            "write.en.eq(fresh)",
            "write.en.eq(0)",
            "star:3 classes",
            "nothing_is_forgotten",
        ),
    ),
    "word given to a full queue": (
        "queue",
        Fault(
            "router",
            "leaving.eject_ready.eq(eject.ready)",
            "leaving.eject_ready.eq(1)",
            "star:3",
            "nothing_is_forgotten",
        ),
    ),
}

#: Faults that only the proof of the arbiter sees.
ARBITER_FAULTS = {
    "turns count although they must not": Fault(
        "arbiter", "Mux(turn & self.fair, right, ~left)", "Mux(turn, right, ~left)", "", ""
    ),
}

NETLIST_FAULTS = {
    "room as soon as the neighbours take the head": Fault(
        "router",
        "room = places.room.replicate(len(arrivals))",
        "room = (places.room | places.drop).replicate(len(arrivals))",
        "star:3",
        "ready_chains",
    ),
    "room of a class as soon as the neighbours take the head": Fault(
        "router",
        "room[place].eq(places.room.bit_select(classes[place], 1))",
        "room[place].eq(places.room.bit_select(classes[place], 1) | places.drop)",
        "star:3 classes",
        "ready_chains",
    ),
    "word shown in the cycle in which it arrives": Fault(
        "router",
        "leaving.occupied.eq(places.occupied)",
        "leaving.occupied.eq(places.occupied | places.store)",
        "star:3",
        "ready_chains",
    ),
    "payload decides whether the sink gets the word": Fault(
        "router",
        "eject.valid.eq(leaving.eject_valid)",
        "eject.valid.eq(leaving.eject_valid & ~payload.all())",
        "star:3",
        "payload_leaks",
    ),
    "bits of the payload exchanged": Fault(
        "router",
        "out.payload.data.eq(payload)",
        "out.payload.data.eq(payload[::-1])",
        "star:3",
        "payload_leaks",
    ),
}

#: Faults that break no promise, but after which something cannot be reached.
UNREACHED = {
    "spare never used": Fault(
        "places",
        "self.room.eq(self.load | (self.room & ~self.store))",
        "self.room.eq(self.load & ~full & ~self.store)",
        "star:3",
        "two_words_a_class",
    ),
    "second place of a class never used": Fault(
        "places",
        "self.room.eq(~now.two)",
        "self.room.eq(~now.one)",
        "star:3 classes",
        "two_words_a_class",
    ),
    "copies leave one after the other in all-port use": Fault(
        "copies",
        "pending.eq(shown & self.occupied.replicate(len(pending)))",
        "pending.eq(shown & -shown & self.occupied.replicate(len(pending)))",
        "star:3",
        "one_at_a_time",
    ),
}
