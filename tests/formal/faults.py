"""Routers with one planted fault: a copy of the sources in which one text is another."""

import importlib
import inspect
from dataclasses import dataclass
from types import ModuleType

__all__ = ["FAULTS", "NETLIST_FAULTS", "UNREACHED", "Fault", "faulty"]

_CLASSES = {"arbiter": "RoundRobin", "places": "Places", "router": "Router"}


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
    """The module ``router`` with the fault; a fault in ``arbiter`` is in its RoundRobin."""
    made: dict[str, object] = {}
    for name, class_ in _CLASSES.items():
        source = inspect.getsource(importlib.import_module(f"noc.hardware.{name}"))
        if name == fault.module:
            if source.count(fault.right) != 1:
                raise ValueError(f"the text to replace is not once in {name}: {fault.right}")
            source = source.replace(fault.right, fault.wrong)
        module = ModuleType(f"faulty_{name}")
        exec(compile(source, f"faulty {name}", "exec"), module.__dict__)
        module.__dict__.update(made)
        made[class_] = getattr(module, class_)
    return module


FAULTS = {
    "copy presented again after it was taken": Fault(
        "router", "0, active | taken)", "0, active)", "star:3", "once_on_each_port"
    ),
    "copy forgotten when another one leaves": Fault(
        "router",
        "last_send.eq(~(pending & ~taken).any())",
        "last_send.eq(taken.any() | ~pending.any())",
        "star:3",
        "words_leave_in_time",
    ),
    "one-port copy skipped while it waits": Fault(
        "router",
        "Mux(places.drop, 0, turn + taken.any())",
        "Mux(places.drop, 0, turn + pending.any())",
        "star:3 one-port",
        "words_leave_in_time",
    ),
    "one-port copies in another order": Fault(
        "router",
        "enumerate(entry.sends):",
        "enumerate(entry.sends[::-1]):",
        "uhc:4 one-port",
        "row_order_is_kept",
    ),
    "code of another row": Fault(
        "router",
        "m.d.comb += out.payload.code.eq(codes[port])",
        "m.d.comb += out.payload.code.eq(codes[port] ^ (number == 2))",
        "star:3",
        "once_on_each_port",
    ),
    "own words delivered": Fault(
        "router",
        "places.head.code < table.arriving",
        "places.head.code <= table.arriving",
        "star:3",
        "once_on_each_port",
    ),
    "word delivered though its row does not": Fault(
        "router",
        "m.d.comb += deliver.eq(0)",
        "m.d.comb += deliver.eq(1)",
        "mixed",
        "once_on_each_port",
    ),
    "word of another tree injected": Fault(
        "router",
        "payload.tree + first, payload.data",
        "(len(codes) - 1 - payload.tree) + first, payload.data",
        "mixed",
        "once_on_each_port",
    ),
    "word delivered again after the sink took it": Fault(
        "router",
        "~places.drop & (sent | self.eject.valid & self.eject.ready)",
        "0",
        "star:3",
        "once_on_each_port",
    ),
    "word dropped before the sink took it": Fault(
        "router", "last_send & ejected", "last_send", "star:3", "streams_stay"
    ),
    "eject withdrawn for another class": Fault(
        "router",
        "lost.any() | self.eject.valid & ~self.eject.ready",
        "lost.any()",
        "star:3 classes",
        "streams_stay",
    ),
    "lost copy withdrawn for another class": Fault(
        "router",
        "lost.any() | self.eject.valid & ~self.eject.ready",
        "self.eject.valid & ~self.eject.ready",
        "star:3 classes",
        "streams_stay",
    ),
    "class never left": Fault(
        "router", "with m.If(~waits), m", "with m.If(waits), m", "star:3 classes", "router_drains"
    ),
    "one class left out of the turn": Fault(
        "router", "range(classes, 0, -1)", "range(classes, 1, -1)", "mixed", "router_drains"
    ),
    "granted without room": Fault(
        "router",
        "requests[place].eq(source.valid & room)",
        "requests[place].eq(source.valid)",
        "star:3",
        "two_words_a_class",
    ),
    "losing called stalling": Fault(
        "router",
        "source.stall.eq(source.valid & ~room)",
        "source.stall.eq(source.valid & ~source.ready)",
        "star:3 classes",
        "home_is_reserved",
    ),
    "place not freed": Fault(
        "places",
        "home[class_] & ~gone | came",
        "home[class_] | came",
        "star:3",
        "once_on_each_port",
    ),
    "spare not freed": Fault(
        "places",
        "spare & ~(self.drop & from_spare) | fill",
        "spare | fill",
        "star:3",
        "once_on_each_port",
    ),
    "spare overtakes the home": Fault(
        "places",
        "from_spare.eq(spare_active & spare_first)",
        "from_spare.eq(spare_active)",
        "star:3",
        "order_is_kept",
    ),
    "home overtakes the spare": Fault(
        "places",
        "from_spare.eq(spare_active & spare_first)",
        "from_spare.eq(spare_active & ~home_active)",
        "star:3",
        "order_is_kept",
    ),
    "spare takes a word of any class over": Fault(
        "places",
        "Mux(fill, self.store_class, spare_class)",
        "Mux(self.store, self.store_class, spare_class)",
        "star:3 classes",
        "once_on_each_port",
    ),
    "full spare blocks every class": Fault(
        "places",
        "self.room.eq(~home | (~spare).replicate(classes))",
        "self.room.eq((~spare).replicate(classes))",
        "star:3 classes",
        "home_is_reserved",
    ),
    "two granted at once": Fault(
        "arbiter",
        "self.grant.eq(lowest(favoured))",
        "self.grant.eq(favoured)",
        "star:3",
        "one_at_a_time",
    ),
    "lowest in-port always first": Fault(
        "arbiter",
        "after.eq(Cat(0, *above))",
        "after.eq(0)",
        "star:3",
        "every_port_gets_its_turn",
    ),
}

NETLIST_FAULTS = {
    "room as soon as the neighbours take the head": Fault(
        "places",
        "self.room.eq(~home | (~spare).replicate(classes))",
        "self.room.eq(~home | (~spare | self.drop).replicate(classes))",
        "star:3",
        "ready_chains",
    ),
    "word shown in the cycle in which it arrives": Fault(
        "router",
        "out.valid.eq(places.occupied & pending[place])",
        "out.valid.eq((places.occupied | places.store) & pending[place])",
        "star:3",
        "ready_chains",
    ),
    "payload decides whether the sink gets the word": Fault(
        "router",
        "places.occupied & deliver & ~sent",
        "places.occupied & deliver & ~sent & ~places.head.data.all()",
        "star:3",
        "payload_leaks",
    ),
    "bits of the payload exchanged": Fault(
        "router",
        "out.payload.data.eq(places.head.data)",
        "out.payload.data.eq(places.head.data[::-1])",
        "star:3",
        "payload_leaks",
    ),
}

#: Faults that break no promise, but after which something cannot be reached.
UNREACHED = {
    "spare never used": Fault(
        "places",
        "self.room.eq(~home | (~spare).replicate(classes))",
        "self.room.eq(~home)",
        "star:3",
        "two_words_a_class",
    ),
    "copies leave one after the other in all-port use": Fault(
        "router",
        "pending.eq(wanted & ~active)",
        "pending.eq((wanted & ~active) & -(wanted & ~active))",
        "star:3",
        "one_at_a_time",
    ),
}
