"""A design from the options of the commands."""

from collections.abc import Callable, Sequence

from noc.design import USUAL, LinkRegisters
from noc.errors import InputError, option
from noc.fabrics.timetable.design import TimetableDesign
from noc.networks import Network
from noc.node_lists import Sources
from noc.programs.config import Sinks
from noc.programs.rounds import compile_rounds
from noc.trees.timetables import find_timetable


def build(
    network: Network,
    algorithm: str,
    *,
    sources: Sources | Sequence[int | str],
    width: int,
    progress: Callable[[float], None] | None,
    link_registers: LinkRegisters,
    sinks: Sinks | None,
) -> TimetableDesign:
    """Search for a timetable, and compile it."""
    if algorithm != USUAL["timetable"]:
        raise InputError(
            f"{option('algorithm', algorithm)}: the timetable fabric searches for trees of its own"
        )
    if sources != "all":
        raise InputError(
            f"{option('sources')}: in the timetable fabric all nodes may send; one that has no "
            "word leaves out its turn"
        )
    if sinks not in (None, "always-ready"):
        raise InputError(
            f"{option('sinks', sinks)}: in the timetable fabric no word waits; sinks are "
            f"{option('sinks', 'always-ready')}"
        )
    if link_registers != 0 and link_registers != {}:
        raise InputError(
            f"{option('link_registers')}: a hop of the timetable fabric takes one cycle; it needs 0"
        )
    timetable = find_timetable(network, tried=progress or (lambda _: None))
    return TimetableDesign(compile_rounds(timetable), width)
