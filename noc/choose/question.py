"""What somebody wants of a network."""

from dataclasses import dataclass
from typing import Literal, get_args

from noc.design import Sources, check_width
from noc.errors import InputError, option
from noc.synth import family

__all__ = ["MOST_NODES", "Question", "Wish"]

#: Of designs that meet all conditions, which is the best.
Wish = Literal["cycles", "ns", "luts"]

#: Larger networks take long to build, and the atlas ends earlier.
MOST_NODES = 2000


@dataclass(frozen=True)
class Question:
    """Conditions, and what to have least of.

    Parameters
    ----------
    nodes : (int, int)
        How many nodes, at least and at most.
    sources : "all" or "one"
        Whether all nodes may send at the same time, or one at a time.
    load : float
        Words that come to all sources together in a cycle.
    width : int
        Bits of a word.
    target : str
        The family of chips.
    luts : int, optional
        LUTs of the whole network, at most.
    mhz : float, optional
        The clock of the whole network, at least.
    cycles, ns : float, optional
        The mean time from a word's coming to its source to its last receiver, at most.
    least : "cycles", "ns" or "luts"
        What decides between designs that meet all conditions: the latency in cycles or in time, or
        the LUTs.
    measured : bool
        Whether only designs of the atlas count, and nothing is estimated.
    """

    nodes: tuple[int, int]
    sources: Sources = "all"
    load: float = 0.5
    width: int = 32
    target: str = "ecp5"
    luts: int | None = None
    mhz: float | None = None
    cycles: float | None = None
    ns: float | None = None
    least: Wish = "ns"
    measured: bool = False

    def __post_init__(self) -> None:
        least, most = self.nodes
        if not 2 <= least <= most <= MOST_NODES:
            raise InputError(
                f"{option('nodes', f'{least}..{most}')}: from 2 to {MOST_NODES} nodes are allowed"
            )
        if not 0 < self.load <= 1:
            raise InputError(f"{option('load', self.load)}: above 0, up to 1 is allowed")
        if self.load == 1 and (self.cycles, self.ns) != (None, None):
            raise InputError(
                f"{option('load', self.load)}: words wait longer and longer then, so that no "
                f"{option('latency')} can be kept; use less"
            )
        if self.luts is not None and self.luts < 1:
            raise InputError(f"{option('luts', self.luts)}: at least 1 is needed")
        for name, allowed in (("sources", get_args(Sources)), ("least", get_args(Wish))):
            if getattr(self, name) not in allowed:
                raise InputError(
                    f"{option(name, getattr(self, name))}: allowed: {', '.join(allowed)}"
                )
        check_width(self.width)
        family(self.target)
