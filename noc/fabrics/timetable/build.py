"""A design from the options of the commands."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from noc.design import USUAL, LinkRegisters
from noc.errors import CheckError, InputError, option
from noc.fabrics.timetable.design import TimetableDesign
from noc.fabrics.timetable.exchange import Asked, read_exchange
from noc.networks import Network
from noc.node_lists import Sources
from noc.options import Choices, Ejects, Start
from noc.programs.compile_rounds import compile_rounds, compile_routes, compile_sums
from noc.programs.config import Sinks
from noc.programs.round_config import RoundConfig
from noc.trees.timetables import ALL_GATHER, MOST_ROUND, find_routes, find_sums, find_timetable


def build(
    network: Network,
    algorithm: str,
    *,
    sources: Sources | Sequence[int | str],
    width: int,
    progress: Callable[[float], None] | None,
    link_registers: LinkRegisters,
    sinks: Sinks | None,
    queue: int,
    root: int | str | None,
    exchange: Asked,
    round: int,  # noqa: A002
    start: Start | None,
    ejects: Ejects | None,
    choices: Choices | None,
) -> TimetableDesign:
    """Search for a timetable, and compile it."""
    chosen = read_exchange(network, exchange, root)
    if algorithm != USUAL["timetable"]:
        raise InputError(
            f"{option('algorithm', algorithm)}: the timetable fabric searches for trees of its own"
        )
    if sources != "all":
        raise InputError(
            f"{option('sources')}: in the timetable fabric all nodes may send that have words for "
            "others; one without a word leaves out its turn"
        )
    if link_registers != 0 and link_registers != {}:
        raise InputError(
            f"{option('link_registers')}: a hop of the timetable fabric takes one cycle; it needs 0"
        )
    if type(round) is not int or not 1 <= round <= MOST_ROUND:
        raise InputError(f"{option('round', round)}: from 1 to {MOST_ROUND} cycles are allowed")
    if round > 1 and (chosen.scatters_sums or not chosen.adds):
        raise InputError(f"{option('round', round)}: is for {option('exchange', 'all_reduce')}")
    config = _configure(sinks, queue, start, ejects, choices).check(adds=chosen.adds)
    tried = progress or (lambda _: None)
    if chosen == ALL_GATHER:
        program = compile_rounds(find_timetable(network, tried=tried))
    elif chosen.adds:
        length = None if chosen.scatters_sums else round
        program = compile_sums(find_sums(network, chosen, length=length, tried=tried))
    else:
        program = compile_routes(find_routes(network, chosen, tried=tried))
    program = replace(program, config=config)
    with _asked(option("start", config.start)):
        program.check_turns()
    with _asked(option("ejects", config.ejects)):
        program.check_order()
    with _asked(option("choices", config.choices)):
        program.check_shared()
    return TimetableDesign(program, width)


@contextmanager
def _asked(shown: str) -> Iterator[None]:
    """Whatever a timetable cannot have is told with what was asked for."""
    try:
        yield
    except CheckError as error:
        raise InputError(f"{shown}: {error.message}") from None


def _configure(
    sinks: Sinks | None,
    queue: int,
    start: Start | None,
    ejects: Ejects | None,
    choices: Choices | None,
) -> RoundConfig:
    """What is asked for, with what is usual where nothing is."""
    usual = RoundConfig()
    config = RoundConfig(
        queue=queue,
        start=usual.start if start is None else start,
        ejects=usual.ejects if ejects is None else ejects,
        choices=usual.choices if choices is None else choices,
    )
    return replace(config, sinks=sinks or ("queued" if config.merged else usual.sinks))
