"""A design from the options of the commands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args

from noc.design import LinkRegisters, OrderedDesign, OwnWords, Sources, build_ordered
from noc.errors import InputError, option, switch
from noc.networks import Network
from noc.programs.ordered_config import OrderedConfig
from noc.trees import Ports
from noc.trees.even import Ways


def build(
    network: Network,
    algorithm: str | Ways,
    *,
    sources: Sources | Sequence[int | str],
    width: int,
    progress: Callable[[float], None] | None,  # noqa: ARG001
    ports: Ports | None,
    link_registers: LinkRegisters,
    root: int | str | None,
    source_numbers: bool | None,
    own_words: OwnWords | None,
    operations: Iterable[str] | None,
    groups: Mapping[str, Sequence[int | str]] | None,
    **configured: Any,
) -> OrderedDesign:
    """Compile a network, as :func:`noc.design.build_design` takes these; its one tree is quick.

    What is configured by its own name has its default where it is None.
    """
    if sources == "one":
        raise InputError(
            f"{option('sources', 'one')}: the ordered fabric carries the words of all at once and "
            f"is no smaller for one at a time; choose {option('sources', 'all')}, or the "
            "direct fabric"
        )
    if ports == "one":
        raise InputError(f"{option('ports', ports)}: is for the direct fabric only")
    numbers = source_numbers is not False
    if own_words is not None and own_words not in get_args(OwnWords):
        raise InputError(f"{option('own_words', own_words)}: drop or return are allowed")
    if not numbers and own_words == "drop":
        raise InputError(f"{option('own_words', 'drop')}: needs {switch('source_numbers', True)}")
    config = OrderedConfig(
        link_registers=0 if isinstance(link_registers, Mapping) else link_registers,
        registers_of=link_registers if isinstance(link_registers, Mapping) else {},
        source_numbers=numbers,
        own_words=not numbers or own_words == "return",
        **{name: value for name, value in configured.items() if value is not None},
    )
    return build_ordered(
        network,
        algorithm,
        sources=None if isinstance(sources, str) else sources,
        root=root,
        width=width,
        config=config,
        operations=operations,
        groups=groups,
    )
