"""Routers with one planted fault: a copy of the sources in which one text is another."""

from dataclasses import dataclass
from types import ModuleType

from formal.planting import planted

__all__ = [
    "CONFIG_FAULTS",
    "FAULTS",
    "NETLIST_FAULTS",
    "UNREACHED",
    "Fault",
    "faulty",
]

_HARDWARE = (*("rom", "row_fork", "two_entry_fifo", "router"),)
_MODULES = {"buffers": "streams.buffers"} | {name: f"hardware.direct.{name}" for name in _HARDWARE}


@dataclass(frozen=True)
class Fault:
    """A fault, and the promise that it breaks.

    Parameters
    ----------
    module : str
        The module of noc.hardware or noc.streams.
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
    return planted([*_MODULES.values()], _MODULES[fault.module], fault.right, fault.wrong)


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
        "rom",
        "dict(entry.sends[sent : sent + 1])",
        "dict(entry.sends[::-1][sent : sent + 1])",
        "uhc:4 one-port",
        "row_order_is_kept",
    ),
    "code of another row": Fault(
        "rom",
        "bool(copies[port] >> number & 1)",
        "bool((copies[port] ^ (key == 3)) >> number & 1)",
        "star:3",
        "once_on_each_port",
    ),
    "own words delivered": Fault(
        "rom",
        "result[entry.code] = dict(entry.sends), entry.deliver, True",
        "result[entry.code] = dict(entry.sends), True, True",
        "star:3",
        "once_on_each_port",
    ),
    "a bit of the code left out of the look-up": Fault(
        "rom",
        "kept = needed_bits(output, len(code))",
        "kept = needed_bits(output, len(code))[:-1] or (0,)",
        "star:3",
        "once_on_each_port",
    ),
    "word of another tree injected": Fault(
        "router",
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
    "what was sent is kept for the next word": Fault(
        "row_fork",
        "(self.progress | (pending & taken)) & ~self.pop.replicate(len(pending))",
        "self.progress | (pending & taken)",
        "star:3",
        "words_leave_in_time",
    ),
    "granted without a free slot": Fault(
        "router",
        "Cat(port.stream.valid for port in ports) & buffers.free.replicate(len(ports))",
        "Cat(port.stream.valid for port in ports)",
        "star:3",
        "two_words_at_most",
    ),
    "word stored over the head": Fault(
        "two_entry_fifo",
        "with m.If(self.load):",
        "with m.If(self.load | self.push):",
        "star:3",
        "order_is_kept",
    ),
    "never empty again": Fault(
        "two_entry_fifo",
        "self.occupied.eq(full | self.push)",
        "self.occupied.eq(full | self.push | self.occupied)",
        "star:3",
        "router_drains",
    ),
    "accepted every other cycle": Fault(
        "two_entry_fifo",
        "self.load | (self.free & ~self.push)",
        "(self.load | (self.free & ~self.push)) & ~self.push",
        "star:3",
        "an_empty_router_accepts",
    ),
    "second word lost where the head leaves": Fault(
        "two_entry_fifo",
        "self.occupied.eq(full | self.push)",
        "self.occupied.eq(self.push)",
        "star:3",
        "words_leave_in_time",
    ),
    "spare not freed": Fault(
        "two_entry_fifo",
        "self.free.eq(self.load | (self.free & ~self.push))",
        "self.free.eq(self.free & (self.load | ~self.push))",
        "star:3",
        "once_on_each_port",
    ),
    "two granted at once": Fault(
        "router",
        "request & ~self.requests[:number].any()",
        "request",
        "star:3",
        "one_at_a_time",
    ),
    "highest in-port first": Fault(
        "router",
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
            "buffers",
            "write.eq(read ^ (valid & ready))",
            "write.eq(read)",
            "star:3",
            "once_on_each_port",
        ),
    ),
    "relay takes what it has no slot for": (
        "relays",
        Fault(
            "buffers",
            "self.i.ready.eq(ready)",
            "self.i.ready.eq(1)",
            "star:3",
            "nothing_is_forgotten",
        ),
    ),
    "row of the word before": (
        "block",
        Fault("rom", "read.en.eq(self.load)", "read.en.eq(0)", "star:3", "once_on_each_port"),
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

NETLIST_FAULTS = {
    "slot free as soon as the neighbours take the head": Fault(
        "router",
        "buffers.free.replicate(len(ports))",
        "(buffers.free | buffers.pop).replicate(len(ports))",
        "star:3",
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
        "two_entry_fifo",
        "self.free.eq(self.load | (self.free & ~self.push))",
        "self.free.eq(self.load & ~full & ~self.push)",
        "star:3",
        "two_words_at_most",
    ),
    "copies leave one after the other in all-port use": Fault(
        "row_fork",
        "pending.eq(wanted & self.occupied.replicate(len(pending)))",
        "pending.eq(wanted & -wanted & self.occupied.replicate(len(pending)))",
        "star:3",
        "one_at_a_time",
    ),
}
