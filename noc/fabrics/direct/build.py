"""A design from the options of the commands."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, cast

from noc.design import Design, LinkRegisters, Sources, build_direct
from noc.errors import InputError, option
from noc.networks import Network
from noc.node_lists import read_dead
from noc.options import Rom
from noc.programs.config import RouterConfig, Sinks
from noc.trees import Ports, find_algorithm


def build(
    network: Network,
    algorithm: str,
    *,
    sources: Sources | Sequence[int | str],
    width: int,
    progress: Callable[[float], None] | None,
    ports: Ports | None,
    rom: Rom | None,
    link_registers: LinkRegisters,
    queue: int,
    sinks: Sinks | None,
    survive: int,
    dead: str | None,
) -> Design:
    """Compile a network, as :func:`noc.design.build_design` takes these."""
    if isinstance(link_registers, Mapping):
        raise InputError(f"{option('link_registers')}: those of a link are for the ordered fabric")
    return build_direct(
        network,
        algorithm,
        ports=ports or find_algorithm(network, algorithm).models[0],
        sources=sources,
        width=width,
        config=RouterConfig(
            cast(Literal[0, 1], link_registers), rom or "logic", queue, sinks or "stalling", survive
        ),
        dead=() if dead is None else read_dead(network, dead),
        progress=progress,
    )
