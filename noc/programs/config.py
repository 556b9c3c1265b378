"""The configuration of routers: choices that change cycles or gates, and no table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from noc.errors import InputError, option
from noc.options import Rom
from noc.trees import Ports

__all__ = ["MOST_QUEUE", "STANDARD", "RouterConfig", "Sinks"]

#: Whether sinks may stall, or take every word at once; queued ones stop the root of a tree, or all
#: nodes.
Sinks = Literal["stalling", "always-ready", "queued"]

#: The longest queue at an eject stream.
MOST_QUEUE = 1024

#: If one word stopped the others, a sink that is always ready would get one in some cycles only.
LEAST_STOPPING = 2


@dataclass(frozen=True)
class RouterConfig:
    """How routers are built.

    Parameters
    ----------
    link_registers : 0 or 1
        Whether every link ends in a *relay*, a queue of two words whose ``ready`` is a register,
        so that no path leads over a link and on through a router; a hop then takes two cycles.
    rom : "logic", "block" or "writable"
        Whether the table is gates or a block RAM, or a memory with a row for each source, which can
        be written.
    queue : int
        Words that wait for the sink of each node in a queue of its own, so that a slow sink holds
        up the network later; 0 for none.
    sinks : "stalling" or "always-ready"
        Whether sinks may stall; where all take every word at once, a router is one register.
    survive : int
        How many dead links lose nothing, where each source has several trees: so many of the slices
        on them are redundant.
    """

    link_registers: Literal[0, 1] = 0
    rom: Rom = "logic"
    queue: int = 0
    # Not shown, so that a design has the digest it always had; others add it to theirs.
    sinks: Sinks = field(default="stalling", repr=False)
    survive: int = field(default=0, repr=False)

    @property
    def always_ready(self) -> bool:
        """Whether the sinks of all nodes take every word at once."""
        return self.sinks == "always-ready"

    def check(self, ports: Ports, slices: int = 1) -> None:
        """Refuse what cannot be built, of words in so many slices."""
        if type(self.link_registers) is not int or self.link_registers not in (0, 1):
            raise InputError(
                f"{option('link_registers', self.link_registers)}: the direct fabric takes 0 or 1"
            )
        if self.rom not in get_args(Rom):
            allowed = " or ".join(get_args(Rom))
            raise InputError(f"{option('rom', self.rom)}: {allowed} are allowed")
        check_sinks(self.sinks, self.queue, ("stalling", "always-ready"))
        if slices > 1 and not self.always_ready:
            raise InputError(
                f"{option('sinks', self.sinks)}: the slices of words on {slices} trees never wait; "
                f"use {option('sinks', 'always-ready')}"
            )
        if slices > 1 and self.rom != "logic":
            raise InputError(
                f"{option('rom', self.rom)}: every in-port looks up the slices of {slices} trees "
                f"by itself; use {option('rom', 'logic')}"
            )
        self._check_survive(slices)
        if self.always_ready and ports == "one":
            raise InputError(
                f"{option('sinks', self.sinks)}: words wait in one-port routers, which send one "
                f"copy after the other; use {option('ports', 'all')}"
            )
        if self.rom != "logic" and ports == "one":
            raise InputError(
                f"{option('rom', self.rom)}: a one-port router reads a row again for each copy; "
                f"use {option('rom', 'logic')}"
            )

    def _check_survive(self, slices: int) -> None:
        """Refuse redundancy that the slices of words cannot have."""
        allowed = sorted({0, min(1, slices - 1), slices - 1})
        if type(self.survive) is int and self.survive in allowed:
            return
        asked = option("survive", self.survive)
        if slices == 1:
            raise InputError(
                f"{asked}: a dead link of the only tree loses words; "
                f"{option('algorithm', 'disjoint')} builds several"
            )
        *others, last = map(str, allowed)
        raise InputError(
            f"{asked}: with {slices} trees {', '.join(others)} or {last} dead links can be survived"
        )

    @property
    def eject_cycles(self) -> int:
        """Cycles from a slot of the router to the eject stream."""
        return 1 if self.queue else 0


def check_sinks(sinks: Sinks, queue: int, allowed: Sequence[Sinks]) -> None:
    """Refuse sinks that a fabric does not have, and queues that are of no use."""
    if type(queue) is not int or not 0 <= queue <= MOST_QUEUE:
        raise InputError(f"{option('queue', queue)}: from 0 to {MOST_QUEUE} words are allowed")
    if sinks not in get_args(Sinks):
        raise InputError(f"{option('sinks', sinks)}: one of {', '.join(allowed)} is allowed")
    if sinks not in allowed:
        raise InputError(
            f"{option('sinks', sinks)}: is for the ordered and the timetable fabric only"
        )
    if sinks == "always-ready" and queue:
        raise InputError(f"{option('queue', queue)}: sinks that are always ready need no queue")
    if sinks == "queued" and queue < LEAST_STOPPING:
        raise InputError(
            f"{option('queue', queue)}: queued sinks need a queue of at least {LEAST_STOPPING} "
            "words"
        )


#: One cycle a hop, tables as gates, no queues.
STANDARD = RouterConfig()
