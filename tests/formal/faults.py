"""Routers with one planted fault: a copy of the sources in which one text is another."""

from dataclasses import dataclass
from types import ModuleType

from formal.planting import listed, planted

_HARDWARE = ("rom", "row_fork", "router")
_MODULES = {"buffers": "streams.buffers", "gates": "hardware.gates"}
_MODULES |= {name: f"hardware.direct.{name}" for name in _HARDWARE}


@dataclass(frozen=True)
class Fault:
    """A fault, the promise that it breaks, and the table for which the proof is tried.

    In a module of noc.hardware or noc.streams a text, which occurs once, is another. The promise is
    a watcher, or a function of tests on the netlist.
    """

    module: str
    right: str
    wrong: str
    promise: str
    table: str = "star:3"


def faulty(fault: Fault) -> ModuleType:
    """The module ``router`` with the fault; faults of other modules are in what it uses of them."""
    return planted([*_MODULES.values()], _MODULES[fault.module], fault.right, fault.wrong)


def _listed(text: str) -> dict[str, Fault]:
    return {name: Fault(module, *texts, *more) for name, texts, (module, *more) in listed(text)}


FAULTS = _listed("""
copy presented again after it was taken: row_fork, once_on_each_port
  Cat(self.row.sends, self.row.deliver) & ~self.progress
  Cat(self.row.sends, self.row.deliver)
copy forgotten when another one leaves: row_fork, words_leave_in_time
  self.pop.eq(self.occupied & ~(pending & ~taken).any())
  self.pop.eq(self.occupied & (pending & taken).any())
one-port copy skipped while it waits: row_fork, words_leave_in_time, star:3 one-port
  taken.eq((self.valid & self.ready).any())
  taken.eq(self.valid.any())
one-port copies in another order: rom, row_order_is_kept, uhc:4 one-port
  dict(entry.sends[sent : sent + 1])
  dict(entry.sends[::-1][sent : sent + 1])
code of another row: rom, once_on_each_port
  bool(copies[port] >> number & 1)
  bool((copies[port] ^ (key == 3)) >> number & 1)
own words delivered: rom, once_on_each_port
  result[entry.code] = dict(entry.sends), entry.deliver, True
  result[entry.code] = dict(entry.sends), True, True
a bit of the code left out of the look-up: gates, once_on_each_port
  kept = needed_bits(output, len(code))
  kept = needed_bits(output, len(code))[:-1] or (0,)
word injected with the code of another row: router, once_on_each_port
  own_code = Const(own.code, max(1, table.code_bits))
  own_code = Const(own.code ^ 1, max(1, table.code_bits))
word delivered again after the sink took it: row_fork, once_on_each_port, star:3 one-port
  self.eject_valid.eq(self.occupied & self.row.deliver & ~ejected)
  self.eject_valid.eq(self.occupied & self.row.deliver)
word dropped before the sink took it: row_fork, streams_stay, star:3 one-port
  self.pop.eq(self.occupied & done & eject_done)
  self.pop.eq(self.occupied & done)
what was sent is kept for the next word: row_fork, words_leave_in_time
  (self.progress | (pending & taken)) & ~self.pop.replicate(len(pending))
  self.progress | (pending & taken)
granted without a free slot: router, two_words_at_most
  Cat(port.stream.valid for port in ports) & buffers.free.replicate(len(ports))
  Cat(port.stream.valid for port in ports)
word stored over the head: router, order_is_kept
  with m.If(self.load):
  with m.If(self.load | self.push):
never empty again: router, router_drains
  self.occupied.eq(full | self.push)
  self.occupied.eq(full | self.push | self.occupied)
accepted every other cycle: router, an_empty_router_accepts
  self.load | (self.free & ~self.push)
  (self.load | (self.free & ~self.push)) & ~self.push
second word lost where the head leaves: router, words_leave_in_time
  self.occupied.eq(full | self.push)
  self.occupied.eq(self.push)
spare not freed: router, once_on_each_port
  self.free.eq(self.load | (self.free & ~self.push))
  self.free.eq(self.free & (self.load | ~self.push))
two granted at once: router, one_at_a_time
  request & ~self.requests[:number].any()
  request
highest in-port first: router, lowest_goes_first
  self.requests[:number].any()
  self.requests[number + 1 :].any()
""")

#: Faults of other router configurations, with the configuration that shows each.
CONFIG_FAULTS = {
    name: ({"buffers": "relays", "rom": "block", "router": "queue"}[fault.module], fault)
    for name, fault in _listed("""
word mixed with the one before it in a relay: buffers, once_on_each_port
  write.eq(read ^ (valid & ready))
  write.eq(read)
relay takes what it has no slot for: buffers, nothing_is_forgotten
  self.i.ready.eq(ready)
  self.i.ready.eq(1)
row of the word before: rom, once_on_each_port
  read.en.eq(self.load)
  read.en.eq(0)
word given to a full queue: router, nothing_is_forgotten
  fork.eject_ready.eq(eject.ready)
  fork.eject_ready.eq(1)
""").items()
}

NETLIST_FAULTS = _listed("""
slot free as soon as the neighbours take the head: router, ready_chains
  buffers.free.replicate(len(ports))
  (buffers.free | buffers.pop).replicate(len(ports))
word offered in the cycle in which it arrives: router, ready_chains
  fork.occupied.eq(buffers.occupied)
  fork.occupied.eq(buffers.occupied | buffers.push)
payload decides whether the sink gets the word: router, payload_leaks
  eject.valid.eq(fork.eject_valid)
  eject.valid.eq(fork.eject_valid & ~payload.all())
bits of the payload exchanged: router, payload_leaks
  out.payload.data.eq(payload)
  out.payload.data.eq(payload[::-1])
""")

#: Faults that break no promise, but after which something cannot be reached.
UNREACHED = _listed("""
spare never used: router, two_words_at_most
  self.free.eq(self.load | (self.free & ~self.push))
  self.free.eq(self.load & ~full & ~self.push)
copies leave one after the other in all-port use: row_fork, one_at_a_time
  pending.eq(wanted & self.occupied.replicate(len(pending)))
  pending.eq(wanted & -wanted & self.occupied.replicate(len(pending)))
""")
