"""Families of networks and the spelling ``NAME:PARAMETERS`` by which a user names a member."""

from collections.abc import Callable
from dataclasses import dataclass

from noc.errors import InputError
from noc.networks import memory
from noc.networks.network import Network

__all__ = [
    "MOST_NODES",
    "Family",
    "Parameters",
    "Size",
    "split",
    "whole_number",
]

Parameters = tuple[int | str, ...]

#: Nodes and ports of a member, known before it is built.
Size = tuple[int, int]

#: Arrays hold nodes as 32-bit integers.
MOST_NODES = 2**31 - 1

# Symbols are bytes, and no network of so many symbols or bits could be built anyway.
LARGEST_PARAMETER = 255


@dataclass(frozen=True)
class Family:
    """One row of the list of networks: how to name a member, and how to build it.

    Parameters
    ----------
    name : str
        What stands before the colon.
    signature : str
        The parameters as a user writes them, such as ``n,k``.
    allowed : str
        One line that says which parameters exist.
    example : str
        A member that builds at once.
    summary : str
        What the network is, in one line.
    parse : callable
        From the text after the colon to parameters; raises ``InputError``.
    size : callable
        From parameters to nodes and ports, without building anything.
    build : callable
        From the canonical spelling and the parameters to the network.
    """

    name: str
    signature: str
    allowed: str
    example: str
    summary: str
    parse: Callable[[str], Parameters]
    size: Callable[[Parameters], Size]
    build: Callable[[str, Parameters], Network]

    def spell(self, parameters: Parameters) -> str:
        """The canonical spelling of a member."""
        return f"{self.name}:{','.join(str(parameter) for parameter in parameters)}"

    def member(self, text: str) -> Network:
        """The network with the parameters ``text``, unless it is too large for this machine."""
        spec, _ = self.measured(text)
        return self.build(spec, self.parse(text))

    def measured(self, text: str) -> tuple[str, int]:
        """Spelling and nodes of that network, without building it; refused likewise."""
        parameters = self.parse(text)
        spec = self.spell(parameters)
        nodes, ports = self.size(parameters)
        require_room(spec, nodes, ports)
        return spec, nodes


def require_room(spec: str, nodes: int, ports: int) -> None:
    """Refuse a network that this machine cannot hold, with the estimate."""
    if nodes > MOST_NODES:
        shown = f"{nodes}" if nodes < 10**15 else "more than 10^15"
        raise InputError(f"network {spec}: has {shown} nodes; at most {MOST_NODES} are allowed")
    # neighbour and arrival, and the working arrays of one tree.
    memory.require(
        nodes * (4 * ports + 64),
        purpose=f"network {spec} ({nodes} nodes)",
        remedy="use a smaller one",
    )


def split(text: str, count: int, *, spec: str, allowed: str) -> list[str]:
    """The comma-separated parameters, exactly ``count`` of them."""
    parts = text.split(",") if text else []
    if len(parts) != count:
        raise InputError(
            f"network {spec!r}: {len(parts)} parameters given, {count} needed: {allowed}"
        )
    return parts


def whole_number(
    text: str, *, spec: str, allowed: str, least: int = 1, most: int = LARGEST_PARAMETER
) -> int:
    """One parameter as a number from ``least`` to ``most``."""
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"network {spec!r}: {text!r} is no whole number: {allowed}")
    value = int(text[:12])
    if not least <= value <= most or len(text) > 12:
        shown = text if len(text) <= 12 else f"a number of {len(text)} digits"
        raise InputError(
            f"network {spec.partition(':')[0]}: {shown} is out of range: {allowed}, "
            f"and at most {most}"
        )
    return value
