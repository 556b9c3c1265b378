"""Network families of a user's own: what they build is checked, and what they raise is told."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from noc.errors import InputError
from noc.networks.check import first_fault
from noc.networks.network import PortGraph
from noc.networks.spec import NetworkFamily
from noc.registry import guarded

__all__ = ["checked"]


def checked(family: NetworkFamily, where: str) -> NetworkFamily:
    """The family, whose functions are told from those of the package when they go wrong.

    Parameters
    ----------
    family : NetworkFamily
        The family.
    where : str
        How messages name it.
    """
    parse, size = guarded(family.parse, where), guarded(family.size, where)
    parameters, sizes = "a tuple of whole numbers and texts", "the numbers of nodes and of ports"
    return replace(
        family,
        parse=_returns(parse, _is_parameters, f"{where}: parse", parameters),
        size=_returns(size, _is_size, f"{where}: size", sizes),
        build=_checked_build(guarded(family.build, where), size, where),
    )


def _is_parameters(result: object) -> bool:
    return isinstance(result, tuple) and all(isinstance(part, int | str) for part in result)


def _is_size(result: object) -> bool:
    return isinstance(result, tuple) and [type(part) for part in result] == [int, int]


def _returns(
    function: Callable[..., Any], proper: Callable[[object], bool], where: str, what: str
) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        result = function(*arguments)
        if not proper(result):
            raise InputError(f"{where} returned type {type(result).__name__}, not {what}")
        return result

    return call


def _checked_build(
    build: Callable[..., Any], size: Callable[..., tuple[int, int]], where: str
) -> Callable[..., PortGraph]:
    def call(*parameters: Any) -> PortGraph:
        graph = build(*parameters)
        if not isinstance(graph, PortGraph):
            raise InputError(
                f"{where}: build returned type {type(graph).__name__}, not a PortGraph"
            )
        if not all(callable(getattr(graph.labels, name, None)) for name in ("text", "node")):
            raise InputError(f"{where}: labels lack the methods text and node")
        text, node = guarded(graph.labels.text, where), guarded(graph.labels.node, where)
        ports = graph.out_ports, graph.in_ports
        fault = first_fault(graph.neighbour, graph.arrival, ports, text, node)
        nodes = size(*parameters)[0]
        if fault is None and graph.neighbour.shape[0] != nodes:
            fault = f"it has {graph.neighbour.shape[0]} nodes, and size says {nodes}"
        if fault is not None:
            raise InputError(f"{where}: parameters {parameters}: {fault}")
        return graph

    return call
