"""The configuration of the timetable fabric: choices that leave its tables as they are."""

from dataclasses import dataclass, field
from typing import ClassVar, get_args

from noc.errors import InputError, option
from noc.options import Choices, Ejects, Start
from noc.programs.config import LEAST_STOPPING, Sinks, check_sinks


@dataclass(frozen=True)
class RoundConfig:
    """How the timetable fabric is built."""

    #: Whether sinks take every word at once; or have queues, and all nodes stand still while one is
    #: full.
    sinks: Sinks = "always-ready"
    #: Words in a queue with which it is full; 0 for no queues.
    queue: int = 0
    #: Whether rounds follow one another; or one begins for each pulse of an input; or one has words
    #: where every node has given all its words for it.
    start: Start = "always"
    #: Whether a node has an eject stream for each in-port; or one, in which the words of a round
    #: are in the order of their sources, or sums.
    # Not shown, so that a design has the digest it always had; others add it to theirs.
    ejects: Ejects = field(default="each", repr=False)
    #: Whether each router has the registers that say what it sends; or all with the same table have
    #: those of one part.
    choices: Choices = field(default="each", repr=False)

    #: A hop takes one cycle.
    link_registers: ClassVar[int] = 0

    @property
    def always_ready(self) -> bool:
        """Whether the sinks of all nodes take every word at once."""
        return self.sinks == "always-ready"

    @property
    def queued(self) -> bool:
        """Whether all nodes stand still while a queue is full."""
        return self.sinks == "queued" and not self.merged

    @property
    def merged(self) -> bool:
        """Whether a node has one eject stream, and rounds begin where there is room for them."""
        return self.ejects == "one"

    @property
    def shared(self) -> bool:
        """Whether routers with the same table are told what they send."""
        return self.choices == "one"

    @property
    def pulsed(self) -> bool:
        """Whether each round needs a pulse."""
        return self.start == "pulse"

    @property
    def complete(self) -> bool:
        """Whether a round has a word of each inject stream in each of its phases, or none."""
        return self.start == "ready"

    @property
    def paced(self) -> bool:
        """Whether all nodes stand still at times."""
        return self.queued or self.pulsed

    def check(self, *, adds: bool = False) -> "RoundConfig":
        """Refuse what cannot be built, perhaps where words are added up. Returns it itself."""
        if self.sinks == "stalling":
            raise InputError(
                f"{option('sinks', self.sinks)}: no word waits in the timetable fabric; sinks that "
                f"stall have queues: {option('sinks', 'queued')} with {option('queue', 8)}"
            )
        if self.ejects not in get_args(Ejects):
            allowed = ", ".join(get_args(Ejects))
            raise InputError(f"{option('ejects', self.ejects)}: {allowed} are allowed")
        if self.choices not in get_args(Choices):
            allowed = ", ".join(get_args(Choices))
            raise InputError(f"{option('choices', self.choices)}: {allowed} are allowed")
        # One stream has room for whole rounds, even if none is asked for.
        least = LEAST_STOPPING if self.merged else 0
        self._check_merged()
        check_sinks(self.sinks, self.queue or least, ("always-ready", "queued"))
        if self.start not in get_args(Start):
            allowed = ", ".join(get_args(Start))
            raise InputError(f"{option('start', self.start)}: {allowed} are allowed")
        if self.pulsed and adds:
            raise InputError(
                f"{option('start', self.start)}: rounds of sums overlap, and none ends by itself"
            )
        return self

    def _check_merged(self) -> None:
        """Refuse one eject stream where a round may begin without room for it, or without words."""
        if self.merged and self.always_ready:
            raise InputError(
                f"{option('sinks', self.sinks)}: words of one stream wait for their turn: use "
                f"{option('sinks', 'queued')}"
            )
        if self.merged and not self.complete:
            raise InputError(
                f"{option('ejects', self.ejects)}: words wait for their turn, and a round begins "
                f"where there is room for them: use {option('start', 'ready')}"
            )
