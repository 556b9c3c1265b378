"""Routers with one planted fault: a copy of the sources in which one text is another."""

from dataclasses import dataclass
from types import ModuleType

from formal.planting import planted

__all__ = [
    "ARBITER_FAULTS",
    "CONFIG_FAULTS",
    "FAULTS",
    "NETLIST_FAULTS",
    "UNREACHED",
    "Fault",
    "faulty",
]

_MODULES = (
    "arbiter",
    "lookup",
    "vc_buffers",
    "input_ports",
    "rom_logic",
    "rom_block",
    "row_fork",
    "router",
)


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
        "row_fork", "& ~self.progress\n", "\n", "star:3", "once_on_each_port"
    ),
    "copy forgotten when another one leaves": Fault(
        "row_fork",
        "self.pop.eq(self.occupied & ~(pending & ~taken).any())",
        "self.pop.eq(self.occupied & (pending & taken).any())",
        "star:3",
        "words_leave_in_time",
    ),
    "one-port copy skipped while it waits": Fault(
        "row_fork",
        "taken.eq((self.valid & self.ready).any())",
        "taken.eq(self.valid.any())",
        "star:3 one-port",
        "words_leave_in_time",
    ),
    "one-port copies in another order": Fault(
        "rom_logic",
        "dict(entry.sends[sent : sent + 1])",
        "dict(entry.sends[::-1][sent : sent + 1])",
        "uhc:4 one-port",
        "row_order_is_kept",
    ),
    "code of another row": Fault(
        "rom_logic",
        "bool(copies[port] >> number & 1)",
        "bool((copies[port] ^ (key == 3)) >> number & 1)",
        "star:3",
        "once_on_each_port",
    ),
    "own words delivered": Fault(
        "rom_logic",
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
        "input_ports",
        "m.d.comb += result.eq(code)",
        "m.d.comb += result.eq(own[-1 - tree])",
        "mixed",
        "once_on_each_port",
    ),
    "word delivered again after the sink took it": Fault(
        "row_fork",
        "self.eject_valid.eq(self.occupied & self.row.deliver & ~ejected)",
        "self.eject_valid.eq(self.occupied & self.row.deliver)",
        "star:3 one-port",
        "once_on_each_port",
    ),
    "word dropped before the sink took it": Fault(
        "row_fork",
        "self.pop.eq(self.occupied & done & eject_done)",
        "self.pop.eq(self.occupied & done)",
        "star:3 one-port",
        "streams_stay",
    ),
    "eject withdrawn for another VC": Fault(
        "router",
        "refused.any() | (eject.valid & ~eject.ready)",
        "refused.any()",
        "star:3 VCs",
        "streams_stay",
    ),
    "refused copy withdrawn for another VC": Fault(
        "router",
        "refused.any() | (eject.valid & ~eject.ready)",
        "eject.valid & ~eject.ready",
        "star:3 VCs",
        "streams_stay",
    ),
    "VC never leaves the bus": Fault(
        "vc_buffers",
        "arbiter.requests.eq(state.nonempty & ~state.active_hot)",
        "arbiter.requests.eq(state.nonempty)",
        "star:3 VCs",
        "words_leave_in_time",
    ),
    "a VC never comes to the bus": Fault(
        "vc_buffers",
        "arbiter.requests.eq(state.nonempty & ~state.active_hot)",
        "arbiter.requests.eq(state.nonempty & ~state.active_hot & ~2)",
        "mixed",
        "router_drains",
    ),
    "bus left where a word is stored": Fault(
        "vc_buffers",
        "state.active.eq(self.push_vc),",
        "",
        "star:3 VCs",
        "once_on_each_port",
    ),
    "what was sent is not kept for a VC": Fault(
        "vc_buffers",
        "m.d.sync += saved.eq(self.next_progress)",
        "pass",
        "star:3 VCs",
        "once_on_each_port",
    ),
    "what was sent is kept for the next word": Fault(
        "row_fork",
        "(self.progress | (pending & taken)) & ~self.pop.replicate(len(pending))",
        "self.progress | (pending & taken)",
        "star:3 VCs",
        "words_leave_in_time",
    ),
    "granted without a free slot": Fault(
        "router",
        "Cat(port.stream.valid for port in ports) & free",
        "Cat(port.stream.valid for port in ports)",
        "star:3",
        "two_words_a_vc",
    ),
    "granted though the slot is taken by now": Fault(
        "router",
        "port.stream.ready.eq(granted[number] & free[number])",
        "port.stream.ready.eq(granted[number])",
        "star:3 VCs",
        "two_words_a_vc",
    ),
    "lost arbitration reported as a full VC": Fault(
        "router",
        "port.stream.vc_full.eq(valid[number] & ~free[number])",
        "port.stream.vc_full.eq(valid[number] & ~port.stream.ready)",
        "star:3 VCs",
        "slots_are_reserved",
    ),
    "a refused in-port never requests again": Fault(
        "router",
        "was_full.eq(valid & ~free)",
        "was_full.eq(valid & (was_full | ~free))",
        "star:3 VCs",
        "slots_are_reserved",
    ),
    "an in-port of a full VC wins": Fault(
        "router",
        "self._grant(m, valid & ~was_full)",
        "self._grant(m, valid)",
        "star:3 VCs",
        "one_at_a_time",
    ),
    "slot not freed": Fault(
        "vc_buffers",
        "state.nonempty.eq(pushed | (state.nonempty & ~(popped & ~state.full)))",
        "state.nonempty.eq(pushed | state.nonempty)",
        "star:3 VCs",
        "once_on_each_port",
    ),
    "second slot not freed": Fault(
        "vc_buffers",
        "state.full.eq((state.full | (state.nonempty & pushed)) & ~popped)",
        "state.full.eq(state.full | (state.nonempty & pushed))",
        "star:3 VCs",
        "router_drains",
    ),
    "head not found again": Fault(
        "vc_buffers",
        "state.oldest.eq(state.oldest ^ popped)",
        "state.oldest.eq(state.oldest)",
        "star:3 VCs",
        "order_is_kept",
    ),
    "word stored over the head": Fault(
        "vc_buffers",
        "self.tail.eq(self.tail ^ pushed)",
        "self.tail.eq(self.tail)",
        "star:3 VCs",
        "order_is_kept",
    ),
    "word counted in every VC": Fault(
        "vc_buffers",
        "pushed = state.push_hot & self.push.replicate(self._vcs)",
        "pushed = self.push.replicate(self._vcs)",
        "star:3 VCs",
        "once_on_each_port",
    ),
    "full VC blocks every VC": Fault(
        "router",
        "free[number].eq(buffers.free.bit_select(vcs[number], 1))",
        "free[number].eq(buffers.free.all())",
        "star:3 VCs",
        "slots_are_reserved",
    ),
    "second word lost where the head leaves": Fault(
        "vc_buffers",
        "self.occupied.eq(full | self.push)",
        "self.occupied.eq(self.push)",
        "star:3",
        "words_leave_in_time",
    ),
    "spare of a router with one VC not freed": Fault(
        "vc_buffers",
        "self.free.eq(self.load | (self.free & ~self.push))",
        "self.free.eq(self.free & (self.load | ~self.push))",
        "star:3",
        "once_on_each_port",
    ),
    "two granted at once": Fault(
        "arbiter",
        "yield won & second",
        "yield won",
        "star:3 round-robin",
        "one_at_a_time",
    ),
    "pointers never move": Fault(
        "arbiter",
        "m.d.sync += pointer.eq(~second)",
        "pass",
        "star:3 round-robin",
        "every_request_is_granted",
    ),
    "pointers move to the side that won": Fault(
        "arbiter",
        "m.d.sync += pointer.eq(~second)",
        "m.d.sync += pointer.eq(second)",
        "star:3 VCs",
        "every_request_is_granted",
    ),
    "highest in-port first": Fault(
        "arbiter",
        "self.requests[:number].any()",
        "self.requests[number + 1 :].any()",
        "star:3",
        "lowest_goes_first",
    ),
}

#: Faults of other router configurations, with the configuration that shows each.
CONFIG_FAULTS = {
    "word mixed with the one before it in a relay": (
        "relays",
        Fault(
            "input_ports",
            "relay.word.eq(word & relay.free.replicate(len(word)))",
            "relay.word.eq(word)",
            "star:3",
            "once_on_each_port",
        ),
    ),
    "relay takes what it has no slot for": (
        "relays",
        Fault(
            "input_ports",
            "link.ready.eq(relay.free)",
            "link.ready.eq(1)",
            "star:3",
            "nothing_is_forgotten",
        ),
    ),
    "row of the word before": (
        "block",
        Fault("rom_block", "read.en.eq(self.load)", "read.en.eq(0)", "star:3", "once_on_each_port"),
    ),
    "row not kept beside its word": (
        "block",
        Fault(
            "rom_block",
            "write.en.eq(fetched)",
            "write.en.eq(0)",
            "star:3 VCs",
            "nothing_is_forgotten",
        ),
    ),
    "word given to a full queue": (
        "queue",
        Fault(
            "router",
            "fork.eject_ready.eq(eject.ready)",
            "fork.eject_ready.eq(1)",
            "star:3",
            "nothing_is_forgotten",
        ),
    ),
}

#: Faults that only the proof of the arbiter sees.
ARBITER_FAULTS = {
    "pointers count although they must not": Fault(
        "arbiter", "Mux(pointer & self.fair, upper, ~lower)", "Mux(pointer, upper, ~lower)", "", ""
    ),
}

NETLIST_FAULTS = {
    "slot free as soon as the neighbours take the head": Fault(
        "router",
        "free = buffers.free.replicate(len(ports))",
        "free = (buffers.free | buffers.pop).replicate(len(ports))",
        "star:3",
        "ready_chains",
    ),
    "slot of a VC free as soon as the neighbours take the head": Fault(
        "router",
        "free[number].eq(buffers.free.bit_select(vcs[number], 1))",
        "free[number].eq(buffers.free.bit_select(vcs[number], 1) | buffers.pop)",
        "star:3 VCs",
        "ready_chains",
    ),
    "word offered in the cycle in which it arrives": Fault(
        "router",
        "fork.occupied.eq(buffers.occupied)",
        "fork.occupied.eq(buffers.occupied | buffers.push)",
        "star:3",
        "ready_chains",
    ),
    "payload decides whether the sink gets the word": Fault(
        "router",
        "eject.valid.eq(fork.eject_valid)",
        "eject.valid.eq(fork.eject_valid & ~payload.all())",
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
        "vc_buffers",
        "self.free.eq(self.load | (self.free & ~self.push))",
        "self.free.eq(self.load & ~full & ~self.push)",
        "star:3",
        "two_words_a_vc",
    ),
    "second slot of a VC never used": Fault(
        "vc_buffers",
        "self.free.eq(~state.full)",
        "self.free.eq(~state.nonempty)",
        "star:3 VCs",
        "two_words_a_vc",
    ),
    "copies leave one after the other in all-port use": Fault(
        "row_fork",
        "pending.eq(wanted & self.occupied.replicate(len(pending)))",
        "pending.eq(wanted & -wanted & self.occupied.replicate(len(pending)))",
        "star:3",
        "one_at_a_time",
    ),
}
