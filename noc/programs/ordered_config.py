"""The configuration of the ordered fabric: choices that leave trees and merges as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from noc.errors import InputError, option, switch
from noc.networks import IntArray, Network
from noc.programs.config import MOST_QUEUE, Sinks, check_sinks
from noc.trees.tree import NO_PARENT

__all__ = ["MOST_REGISTERS", "PLAIN", "OrderedConfig"]

#: The most buffers in a link.
MOST_REGISTERS = 64

#: The longest that a watchdog waits.
MOST_WATCHDOG = 2**31 - 1

#: The longest that a sink may refuse a word.
MOST_SINK_TIMEOUT = 2**16 - 1


@dataclass(frozen=True)
class OrderedConfig:
    """How the ordered fabric is built.

    Parameters
    ----------
    link_registers : int
        How many buffers of two slots are in each link: each takes a cycle, and lets a long link
        have a higher clock.
    registers_of : mapping of (int, int) to int
        How many instead lie in the link from one node to another.
    queue : int
        Words that can wait for the sink of each node, so that a slow sink holds up the others
        later; 0 for none. With queued sinks the root is stopped while so many wait.
    source_numbers : bool
        Whether a word carries the number of the node that sent it.
    own_words : bool
        Whether a node gets its own words back, in their place in the order of all words.
    group_queue : int
        Words that a node can give to a group before the other members have given theirs.
    void_words : bool
        Whether a node can give void words to a group, without which those of others are joined.
    stand_ins : bool
        Whether inputs ``away`` say for which members void words are given.
    watchdog : int
        Cycles after which a word that still waits at a join raises ``late``; 0 for never.
    sinks : "stalling", "always-ready" or "queued"
        Whether sinks may stall. Where all take every word at once, or have queues that stop the
        root before they are full, the way down is a register a hop.
    sink_timeout : int
        Cycles after which a sink that takes no word is given none any more, so that the others go
        on; 0 for never.
    lookahead : bool
        Whether words follow their ``valid`` and ``ready`` a cycle later on the way up.
    """

    link_registers: int = 0
    registers_of: Mapping[tuple[int, int], int] = field(default_factory=dict, hash=False)
    queue: int = 0
    source_numbers: bool = True
    own_words: bool = False
    group_queue: int = 1
    void_words: bool = False
    stand_ins: bool = False
    watchdog: int = 0
    sinks: Sinks = "stalling"
    sink_timeout: int = 0
    lookahead: bool = False

    @property
    def always_ready(self) -> bool:
        """Whether the sinks of all nodes take every word at once."""
        return self.sinks == "always-ready"

    @property
    def stops(self) -> bool:
        """Whether the queues of sinks stop the root."""
        return self.sinks == "queued"

    @property
    def falls_freely(self) -> bool:
        """Whether no word ever waits on its way down."""
        return self.sinks != "stalling"

    def check(self, network: Network) -> None:
        """Refuse what cannot be built."""
        for name, count, least, most in (
            ("link_registers", self.link_registers, 0, MOST_REGISTERS),
            ("group_queue", self.group_queue, 1, MOST_QUEUE),
            ("watchdog", self.watchdog, 0, MOST_WATCHDOG),
            ("sink_timeout", self.sink_timeout, 0, MOST_SINK_TIMEOUT),
            *(("link_registers", count, 0, MOST_REGISTERS) for count in self.registers_of.values()),
        ):
            if type(count) is not int or not least <= count <= most:
                raise InputError(f"{option(name, count)}: from {least} to {most} are allowed")
        if self.stand_ins and not self.void_words:
            asked = switch("stand_ins", True)
            raise InputError(f"{asked}: gives void words; use {switch('void_words', True)}")
        check_sinks(self.sinks, self.queue, get_args(Sinks))
        if self.sink_timeout and self.always_ready:
            asked = option("sink_timeout", self.sink_timeout)
            raise InputError(f"{asked}: sinks that are always ready need none")
        if self.lookahead and not self.falls_freely:
            raise InputError(
                f"{switch('lookahead', True)}: needs sinks for which no word waits on its way "
                f"down: {option('sinks', 'always-ready')} or {option('sinks', 'queued')}"
            )
        for sender, receiver in self.registers_of:
            if not (network.neighbour[sender] == receiver).any():
                raise InputError(
                    f"{option('registers_of', flag='link-registers')}: {network.spec} has no link "
                    f"from {network.label(sender)} to {network.label(receiver)}"
                )
        if not self.source_numbers and not self.own_words:
            raise InputError(
                f"{option('source_numbers')}: are needed to keep a node's own words from it; "
                "without them own words must be returned"
            )

    def registers(self, sender: IntArray, receiver: IntArray) -> tuple[int, ...]:
        """How many are in the links between some nodes; 0 where there is none."""
        return tuple(
            0
            if NO_PARENT in link
            else self.registers_of.get((int(link[0]), int(link[1])), self.link_registers)
            for link in zip(sender.tolist(), receiver.tolist(), strict=True)
        )


#: No registers in the links, no queues; words carry their sender, which does not get them back.
PLAIN = OrderedConfig()
