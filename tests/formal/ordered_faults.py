"""Parts of the ordered fabric, and whole networks of them, with one planted fault."""

from dataclasses import dataclass, replace
from types import ModuleType

from formal.planting import listed, planted

_PARTS = {
    **{name: f"streams.{name}" for name in ("buffers", "merge", "join", "fork")},
    "combine": "hardware.combine",
    **{n: f"hardware.ordered.{n}" for n in ("words", "operators", "dispatch", "node")},
}


@dataclass(frozen=True)
class Mutation:
    """A text that occurs once in a module of noc.streams or noc.hardware is another."""

    module: str
    right: str
    wrong: str


@dataclass(frozen=True)
class PartFault(Mutation):
    """A fault, the part for which the proof is tried, and the promise that it breaks."""

    part: str
    promise: str


def parts_with(fault: Mutation) -> ModuleType:
    """The module ``node`` with the fault, and the names of the other parts in it."""
    return planted([*_PARTS.values()], _PARTS[fault.module], fault.right, fault.wrong)


def network_with(fault: Mutation) -> ModuleType:
    """The module ``broadcast_network`` with the fault."""
    names = (*_PARTS.values(), "fabrics.ordered.assembly", "hardware.broadcast_network")
    return planted(names, _PARTS[fault.module], fault.right, fault.wrong)


#: What whole networks show too.
MUTATIONS = {
    name: Mutation(module, *texts)
    for name, texts, (module,) in listed("""
a slot too few: merge
  self._buffer(self._shape, announced=self._announced > 0)
  BUFFERS[1](self._shape)
a slot too many: node
  BUFFERS[self._plan.down_slots]
  BUFFERS[2]
a word overwritten in its slot: buffers
  write.eq(read ^ (valid & ready))
  write.eq(read)
a weight off by one: merge
  Mux(turn, first - 1, second - 1)
  Mux(turn, first - 1, second)
weights exchanged: merge
  first, second = self._weights
  second, first = self._weights
a turn that does not pass: merge
  turn.eq(~turn),
  turn.eq(turn),
an even turn that does not pass: merge
  turn.eq(turn ^ counted)
  turn.eq(turn)
words of the other count: merge
  result.ready & Mux(turn, self.second.valid, self.first.valid)
  result.ready & result.valid
a merge that waits for the one with the turn: merge
  result.valid.eq(self.first.valid | self.second.valid),
  result.valid.eq(Mux(turn, self.second.valid, self.first.valid)), second.eq(turn),
the loser's word taken: merge
  self.second.ready.eq(result.ready & (turn | ~self.first.valid))
  self.second.ready.eq(result.ready)
a sent flag lost: fork
  Mux(self.i.valid & ~self.i.ready, done, 0)
  Mux(self.i.valid & ~self.i.ready, done & ~1, 0)
sent flags kept: fork
  Mux(self.i.valid & ~self.i.ready, done, 0)
  Mux(self.i.valid, done, 0)
an output not waited for: fork
  sent[number] | o.ready | skip)
  sent[number] | o.ready | skip | (number == 0))
a child left out: node
  zip(outputs, self.down_out, strict=False)
  zip(outputs, self.down_out[:-1], strict=False)
an own word not dropped: node
  reasons.append(word.own)
  reasons.append(Const(0))
an own word at the root not dropped: node
  self._is_for_others(word) if self._plan.root else 0
  0
a wrong source number: node
  {"source": self.number}
  {"source": ~self.number}
words of others dropped: node
  word.source == self.number
  word.source != self.number
""")
}

#: Those that break a promise of a part, and which.
_SEEN = (
    ("a word overwritten in its slot", "buffer 2", "streams_stay"),
    ("a slot too few", "merge 1:3/2", "merge_keeps_its_rule"),
    ("a weight off by one", "merge 1:3/2", "weights_are_exact"),
    ("weights exchanged", "merge 1:3/2", "waits_for_few_words"),
    ("a turn that does not pass", "merge 2:3/1", "waits_for_the_other"),
    ("an even turn that does not pass", "merge 1:1/2", "weights_are_exact"),
    ("words of the other count", "merge 2:3/1", "merge_keeps_its_rule"),
    ("a merge that waits for the one with the turn", "merge 1:3/2", "words_flow"),
    ("the loser's word taken", "merge 1:1/1", "arrives_in_time"),
    ("a sent flag lost", "fork 2", "once_at_each_exit"),
    ("sent flags kept", "fork 3", "fork_keeps_its_rule"),
    ("an output not waited for", "fork 2", "streams_stay"),
    ("a child left out", "node chain down", "arrives_in_time"),
    ("an own word not dropped", "node leaf down", "once_at_each_exit"),
    ("an own word at the root not dropped", "node root", "once_at_each_exit"),
    ("a wrong source number", "node chain up", "once_at_each_exit"),
    ("words of others dropped", "node leaf down", "once_at_each_exit"),
)


def _listed(text: str) -> dict[str, PartFault]:
    return {name: PartFault(module, *texts, *more) for name, texts, (module, *more) in listed(text)}


ORDERED_FAULTS = _listed("""
a word taken over another: buffers, buffer 1, arrives_in_time
  self.i.ready.eq(~valid | self.o.ready)
  self.i.ready.eq(1)
a full buffer of one slot that gives and does not take: buffers, buffer 1, buffer_is_a_queue
  self.i.ready.eq(~valid | self.o.ready)
  self.i.ready.eq(~valid)
the second word lost: buffers, buffer 2, arrives_in_time
  valid.eq(self.i.valid | ~ready | (
  valid.eq(self.i.valid | (
room that is shown only to a word: merge, merge 1:3/1, merge_keeps_its_rule
  result.ready & (turn | ~self.first.valid)
  result.ready & self.second.valid & (turn | ~self.first.valid)
a word offered again: buffers, buffer 2, once_at_each_exit
  (valid & ~self.o.ready)),
  valid),
the newest word first: buffers, buffer 2, order_is_kept
  Mux(read, slots
  Mux(read ^ ~ready, slots
a second slot that needs the first empty: buffers, buffer 2, words_flow
  (ready & ~(valid & self.i.valid))
  (ready & ~self.i.valid)
the first turn too short: merge, merge 2:3/1, weights_are_exact
  Signal(init=first == 1)
  Signal(init=1)
data inverted for one child: fork, fork 2, all_see_one_order
  o.payload.eq(self.i.payload)
  o.payload.eq(self.i.payload ^ (3 * (number == 0)))
""") | {
    name: PartFault(**vars(MUTATIONS[name]), part=part, promise=promise)
    for name, part, promise in _SEEN
}

#: Faults that show in the netlist: a signal that must not depend on another does so.
WIRED = _listed("""
a copy that waits for its output: fork, fork 2, paths
  self.i.valid & ~sent[number] & ~skip
  self.i.valid & ~sent[number] & ~skip & o.ready
room as soon as a word leaves: buffers, buffer 2, paths
  self.i.ready.eq(ready)
  self.i.ready.eq(ready | self.o.ready)
a merge that listens to the way down: node, node chain down, joined_ways
  word = buffer.o
  word = buffer.o; m.d.comb += self.down_in.ready.eq(buffer.i.ready & self.up_out.ready)
""")

#: Faults that break none of these promises, but after which something cannot be reached.
UNREACHED = {
    name: replace(ORDERED_FAULTS[name], part="merge 1:3/2", promise=promise)
    for name, promise in (
        ("a slot too few", "arrives_in_time"),
        ("a merge that waits for the one with the turn", "merge_keeps_its_rule"),
    )
}
