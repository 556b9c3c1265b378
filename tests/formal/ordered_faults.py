"""Parts of the ordered fabric, and whole networks of them, with one planted fault."""

from dataclasses import dataclass
from types import ModuleType

from formal.planting import planted

__all__ = [
    "MUTATIONS",
    "ORDERED_FAULTS",
    "UNREACHED",
    "WIRED",
    "Mutation",
    "PartFault",
    "network_with",
    "parts_with",
]

_PARTS = {
    **{name: f"streams.{name}" for name in ("buffers", "queue", "merge", "join", "fork")},
    **{n: f"hardware.ordered.{n}" for n in ("words", "operators", "dispatch", "node")},
}


@dataclass(frozen=True)
class Mutation:
    """One text of the sources that is another.

    Parameters
    ----------
    module : str
        The module of noc.streams or noc.hardware.ordered.
    right, wrong : str
        The text there, which occurs once, and what stands in its place.
    """

    module: str
    right: str
    wrong: str


@dataclass(frozen=True)
class PartFault(Mutation):
    """A fault, and the promise that it breaks.

    Parameters
    ----------
    part : str
        The part for which the proof is tried.
    promise : str
        The watcher that must see it.
    """

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
    "a slot too few": Mutation("merge", "self._buffer(self._shape)", "BUFFERS[1](self._shape)"),
    "a slot too many": Mutation("node", "BUFFERS[self._plan.down_slots]", "BUFFERS[2]"),
    "a word overwritten in its slot": Mutation(
        "buffers", "write.eq(read ^ (valid & ready))", "write.eq(read)"
    ),
    "a weight off by one": Mutation(
        "merge", "Mux(turn, first - 1, second - 1)", "Mux(turn, first - 1, second)"
    ),
    "weights exchanged": Mutation(
        "merge", "first, second = self._weights", "second, first = self._weights"
    ),
    "a turn that does not pass": Mutation("merge", "turn.eq(~turn),", "turn.eq(turn),"),
    "an even turn that does not pass": Mutation(
        "merge", "turn.eq(turn ^ counted)", "turn.eq(turn)"
    ),
    "words of the other count": Mutation(
        "merge",
        "result.ready & Mux(turn, self.second.valid, self.first.valid)",
        "result.ready & result.valid",
    ),
    "a merge that waits for the one with the turn": Mutation(
        "merge",
        "second.eq(Mux(turn, self.second.valid, ~self.first.valid)),\n"
        "            result.valid.eq(self.first.valid | self.second.valid),",
        "second.eq(turn),\n"
        "            result.valid.eq(Mux(turn, self.second.valid, self.first.valid)),",
    ),
    "the loser's word taken": Mutation(
        "merge",
        "self.second.ready.eq(result.ready & second)",
        "self.second.ready.eq(result.ready)",
    ),
    "a sent flag lost": Mutation(
        "fork",
        "Mux(self.i.valid & ~self.i.ready, done, 0)",
        "Mux(self.i.valid & ~self.i.ready, done & ~1, 0)",
    ),
    "sent flags kept": Mutation(
        "fork", "Mux(self.i.valid & ~self.i.ready, done, 0)", "Mux(self.i.valid, done, 0)"
    ),
    "an output not waited for": Mutation(
        "fork", "sent[number] | o.ready | skip)", "sent[number] | o.ready | skip | (number == 0))"
    ),
    "a child left out": Mutation(
        "node",
        "zip(outputs, self.down_out, strict=False)",
        "zip(outputs, self.down_out[:-1], strict=False)",
    ),
    "an own word not dropped": Mutation(
        "node", "reasons.append(word.own)", "reasons.append(Const(0))"
    ),
    "an own word at the root not dropped": Mutation(
        "node", "self._is_for_others(word) if self._plan.root else 0", "0"
    ),
    "a wrong source number": Mutation(
        "node", '{"source": self.number}', '{"source": ~self.number}'
    ),
    "words of others dropped": Mutation(
        "node", "word.source == self.number", "word.source != self.number"
    ),
}


def _seen(name: str, part: str, promise: str) -> PartFault:
    known = MUTATIONS[name]
    return PartFault(known.module, known.right, known.wrong, part, promise)


ORDERED_FAULTS = {
    "a word overwritten in its slot": _seen(
        "a word overwritten in its slot", "buffer 2", "streams_stay"
    ),
    "a word taken over another": PartFault(
        "buffers",
        "self.i.ready.eq(~valid | self.o.ready)",
        "self.i.ready.eq(1)",
        "buffer 1",
        "arrives_in_time",
    ),
    "a full buffer of one slot that gives and does not take": PartFault(
        "buffers",
        "self.i.ready.eq(~valid | self.o.ready)",
        "self.i.ready.eq(~valid)",
        "buffer 1",
        "buffer_is_a_queue",
    ),
    "the second word lost": PartFault(
        "buffers",
        "valid.eq(self.i.valid | ~ready | (",
        "valid.eq(self.i.valid | (",
        "buffer 2",
        "arrives_in_time",
    ),
    "a word offered again": PartFault(
        "buffers", "(valid & ~self.o.ready)),", "valid),", "buffer 2", "once_at_each_exit"
    ),
    "the newest word first": PartFault(
        "buffers", "Mux(read, slots", "Mux(read ^ ~ready, slots", "buffer 2", "order_is_kept"
    ),
    "a second slot that needs the first empty": PartFault(
        "buffers",
        "(ready & ~(valid & self.i.valid))",
        "(ready & ~self.i.valid)",
        "buffer 2",
        "words_flow",
    ),
    "a slot too few": _seen("a slot too few", "merge 1:3/2", "merge_keeps_its_rule"),
    "a weight off by one": _seen("a weight off by one", "merge 1:3/2", "weights_are_exact"),
    "the first turn too short": PartFault(
        "merge",
        "Signal(init=first == 1)",
        "Signal(init=1)",
        "merge 2:3/1",
        "weights_are_exact",
    ),
    "weights exchanged": _seen("weights exchanged", "merge 1:3/2", "waits_for_few_words"),
    "a turn that does not pass": _seen(
        "a turn that does not pass", "merge 2:3/1", "waits_for_the_other"
    ),
    "an even turn that does not pass": _seen(
        "an even turn that does not pass", "merge 1:1/2", "weights_are_exact"
    ),
    "words of the other count": _seen(
        "words of the other count", "merge 2:3/1", "merge_keeps_its_rule"
    ),
    "a merge that waits for the one with the turn": _seen(
        "a merge that waits for the one with the turn", "merge 1:3/2", "words_flow"
    ),
    "the loser's word taken": _seen("the loser's word taken", "merge 1:1/1", "arrives_in_time"),
    "a sent flag lost": _seen("a sent flag lost", "fork 2", "once_at_each_exit"),
    "sent flags kept": _seen("sent flags kept", "fork 3", "fork_keeps_its_rule"),
    "an output not waited for": _seen("an output not waited for", "fork 2", "streams_stay"),
    "data inverted for one child": PartFault(
        "fork",
        "o.payload.eq(self.i.payload)",
        "o.payload.eq(self.i.payload ^ (3 * (number == 0)))",
        "fork 2",
        "all_see_one_order",
    ),
    "a child left out": _seen("a child left out", "node chain down", "arrives_in_time"),
    "an own word not dropped": _seen(
        "an own word not dropped", "node leaf down", "once_at_each_exit"
    ),
    "an own word at the root not dropped": _seen(
        "an own word at the root not dropped", "node root", "once_at_each_exit"
    ),
    "a wrong source number": _seen("a wrong source number", "node chain up", "once_at_each_exit"),
    "words of others dropped": _seen(
        "words of others dropped", "node leaf down", "once_at_each_exit"
    ),
}

#: Faults that show in the netlist: a signal that must not depend on another does so.
WIRED = {
    "a copy that waits for its output": PartFault(
        "fork",
        "self.i.valid & ~sent[number] & ~skip",
        "self.i.valid & ~sent[number] & ~skip & o.ready",
        "fork 2",
        "paths",
    ),
    "room as soon as a word leaves": PartFault(
        "buffers",
        "self.i.ready.eq(ready)",
        "self.i.ready.eq(ready | self.o.ready)",
        "buffer 2",
        "paths",
    ),
    "a merge that listens to the way down": PartFault(
        "node",
        "word = buffer.o",
        "word = buffer.o; m.d.comb += self.down_in.ready.eq(buffer.i.ready & self.up_out.ready)",
        "node chain down",
        "joined_ways",
    ),
}

#: Faults that break none of these promises, but after which something cannot be reached.
UNREACHED = {
    "a slot too few": _seen("a slot too few", "merge 1:3/2", "arrives_in_time"),
    "a merge that waits for the one with the turn": _seen(
        "a merge that waits for the one with the turn", "merge 1:3/2", "merge_keeps_its_rule"
    ),
}
