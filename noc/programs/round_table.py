"""What one router of the timetable fabric does: which word each out-port sends in each phase."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from noc.networks import Network
from noc.trees.tree import NO_PARENT

#: In place of an in-port: the node's own word.
OWN = NO_PARENT

#: No word.
NONE = -1

#: Up to so many words an out-port chooses its own node's from without a register for it.
FEW = 3


class Register(NamedTuple):
    """Where an out-port finds a word."""

    #: The in-port by which it came, or ``OWN``.
    in_port: int
    #: Before how many cycles it was on the link: from 1 on. Of an own word 0; and 1 where words are
    #: added up, as it waits in a register then.
    age: int


#: What an out-port sends in a phase: a word, or where words are added up the sum of some, or none.
Choice = Register | tuple[Register, ...] | None


def terms(choice: Choice) -> tuple[Register, ...]:
    """The words that an out-port adds up in a phase; mostly one."""
    if choice is None:
        return ()
    return (choice,) if isinstance(choice, Register) else choice


def loop_of(network: Network) -> int:
    """The port by which a node sends a sum to itself, behind those of its links."""
    return max(network.ports, len(network.in_ports))


def first_lane(network: Network) -> int:
    """What events have as the port of the eject stream of in-port 0; the others follow."""
    return len(network.in_ports) + 1


def first_inject(network: Network) -> int:
    """What events have as the port of the inject stream of out-port 0; the others follow."""
    return first_lane(network) + loop_of(network) + 1


@dataclass(frozen=True)
class RoundTable:
    """What one router does in each phase."""

    #: The in-ports on which words arrive.
    in_ports: tuple[int, ...]
    #: For each out-port that is used the word that it sends, by phase; None for no word. Where all
    #: words are for the node, its own leave in the first phase. Where words are added up, the last
    #: port may be the node's loop, by which it sends a whole sum to itself.
    sends: tuple[tuple[int, tuple[Choice, ...]], ...]
    # What follows is not shown, so that a design has the digest it always had; others add it.
    #: For each of the in-ports the phases in which what comes is for the node; None if all is.
    takes: tuple[tuple[bool, ...], ...] | None = field(default=None, repr=False)
    #: Where words are added up: of each inject lane for how many rounds it takes no word at first,
    #: by phase.
    waits: tuple[tuple[int, ...], ...] | None = field(default=None, repr=False)
    #: The cycles of a round.
    round: int = field(kw_only=True, repr=False)

    @property
    def gathers(self) -> bool:
        """Whether all that comes is for the node, which gives one word in a round."""
        return self.takes is None

    @property
    def adds(self) -> bool:
        """Whether it adds words up."""
        return self.waits is not None

    @property
    def lanes(self) -> tuple[int, ...]:
        """The in-ports by which words come that are for the node."""
        if self.takes is None:
            return self.in_ports
        taken = zip(self.in_ports, self.takes, strict=True)
        return tuple(port for port, phases in taken if any(phases))

    @property
    def inject_lanes(self) -> tuple[int, ...]:
        """The out-ports by which own words leave, where each has a stream for them."""
        if self.gathers:
            return ()
        return tuple(port for port, _ in self.sends if any(self.gives(port)))

    def gives(self, out_port: int) -> tuple[bool, ...]:
        """The phases in which an own word for an out-port is taken."""
        choices = dict(self.sends)[out_port]
        sent = [any(each.in_port == OWN for each in terms(choice)) for choice in choices]
        return (*sent[1:], sent[0]) if self.adds else tuple(sent)

    @property
    def phase_bits(self) -> int:
        """Bits of the number of a phase; at least one."""
        return max(1, (self.round - 1).bit_length())

    @property
    def registers(self) -> frozenset[Register]:
        """All that some out-port chooses from."""
        return frozenset(
            each for _, choices in self.sends for choice in choices for each in terms(choice)
        )

    def depth(self, in_port: int) -> int:
        """How many words of an in-port the router keeps."""
        return max((age for port, age in self.registers if port == in_port), default=1)

    @property
    def inputs(self) -> int:
        """Out of how many registers an out-port chooses at most."""
        return max((len(self.added(port)) for port, _ in self.sends), default=0)

    @property
    def rom_bits(self) -> int:
        """Bits of the choices of all phases, and of what is for the node."""
        if self.adds:
            columns = [self.used(port, each) for port, _ in self.sends for each in self.added(port)]
            bits = sum(len(column) for column in columns if len({*column}) > 1)
        else:
            codes = ((len({*choices}) - 1).bit_length() for _, choices in self.sends)
            bits = sum(code * self.round for code in codes)
        return bits + sum(len(phases) for phases in self.takes or () if len({*phases}) > 1)

    def added(self, out_port: int) -> list[Register]:
        """All words that an out-port sends or adds up in some phase, the node's own first."""
        choices = dict(self.sends)[out_port]
        return sorted({each for choice in choices for each in terms(choice)})

    def used(self, out_port: int, register: Register) -> tuple[bool, ...]:
        """The phases in which an out-port sends a word, or adds it up."""
        return tuple(register in terms(choice) for choice in dict(self.sends)[out_port])

    def operands(self, out_port: int) -> list[list[Register]]:
        """The same words, those together of which an out-port needs one in a phase at most."""
        result: list[list[Register]] = []
        for register in self.added(out_port):
            phases = np.array(self.used(out_port, register))
            for operand in result:
                if not any((phases & self.used(out_port, other)).any() for other in operand):
                    operand.append(register)
                    break
            else:
                result.append([register])
        return result
