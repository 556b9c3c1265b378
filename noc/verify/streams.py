"""The streams of an emitted network, as its manifest names them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from noc.errors import InputError
from noc.hardware import node_names
from noc.networks import Network

__all__ = ["EJECT", "Interface", "Stream", "interface"]

#: The port of an eject stream among the events.
EJECT = -1


@dataclass(frozen=True)
class Stream:
    """A stream whose transfers are compared.

    Parameters
    ----------
    kind : str
        Whether it is a node's own stream, into the network or out of it, or a link inside.
    node : int
        The node that receives, or whose own stream it is.
    port : int
        The in-port; the number after the last for inject, ``EJECT`` for eject.
    name : str
        What a person calls it.
    brief : str
        The same as an identifier, unlike those of the node's other streams.
    valid, ready, payload : str
        Names of its signals.
    header_bits : int
        Bits of the payload below the data: the code on a link, the tree at an inject stream.
    """

    kind: Literal["inject", "eject", "link"]
    node: int
    port: int
    name: str
    brief: str
    valid: str
    ready: str
    payload: str
    header_bits: int


@dataclass(frozen=True, eq=False)
class Interface:
    """All that may be relied upon in a folder of Verilog.

    Parameters
    ----------
    top, clock, reset : str
        Names of the module and of its clock and reset.
    width : int
        Bits of a word's data.
    names : tuple of str
        For each node its label as an identifier.
    inject, eject, links : tuple of Stream
        The streams that the bench drives, those that it takes from, and the links inside.
    """

    top: str
    clock: str
    reset: str
    width: int
    names: tuple[str, ...]
    inject: tuple[Stream, ...]
    eject: tuple[Stream, ...]
    links: tuple[Stream, ...]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def streams(self) -> tuple[Stream, ...]:
        """All streams; the place of each is its number in the log."""
        return (*self.inject, *self.eject, *self.links)


def interface(manifest: Mapping[str, Any], network: Network) -> Interface:
    """The interface of a manifest; a field that is missing is named."""
    try:
        nodes = manifest["nodes"]
        places = [network.node(str(entry["label"])) for entry in nodes]
        if sorted(places) != list(range(network.nodes)):
            raise InputError(f"manifest.json: nodes are not those of {network.spec}")
        own = len(network.in_ports)
        return Interface(
            top=_name(manifest["top"]),
            clock=_name(manifest["clock"]),
            reset=_name(manifest["reset"]),
            width=int(manifest["width"]),
            names=tuple(node_names(network)),
            inject=tuple(_of_nodes(nodes, places, "inject", own)),
            eject=tuple(_of_nodes(nodes, places, "eject", EJECT)),
            links=tuple(_link(entry, network) for entry in manifest.get("links", ())),
        )
    except KeyError as error:
        raise InputError(f"manifest.json: {error} is missing") from None
    except InputError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"manifest.json: {error}") from None


def _of_nodes(
    nodes: list[dict[str, Any]], places: list[int], side: Literal["inject", "eject"], port: int
) -> Iterator[Stream]:
    for entry, node in zip(nodes, places, strict=True):
        signals = entry[side]
        if signals is not None:
            header = int(entry.get("tree_bits", 0)) if side == "inject" else 0
            yield Stream(side, node, port, f"{side} stream", side, *_signals(signals), header)


def _link(entry: dict[str, Any], network: Network) -> Stream:
    if entry["in_port"] not in network.in_ports:
        raise InputError(f"manifest.json: {network.spec} has no in-port {entry['in_port']!r}")
    port = network.in_ports.index(entry["in_port"])
    name = f"in-port {entry['in_port']} (from {entry['from']})"
    node, header = network.node(entry["to"]), int(entry["code_bits"])
    return Stream("link", node, port, name, _brief(network, port), *_signals(entry), header)


def _brief(network: Network, port: int) -> str:
    """A name for an in-port: its label, or its number where labels would fall together."""
    labels = [re.sub(r"\W+", "_", label, flags=re.ASCII) for label in network.in_ports]
    labels = [label.removeprefix("in_") for label in labels]
    return f"in_{labels[port] if len(set(labels)) == len(labels) else port}"


def _signals(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return _name(entry["valid"]), _name(entry["ready"]), _name(entry["payload"])


def _name(text: Any) -> str:
    """A name in Verilog, which may be anything that can be escaped."""
    if not isinstance(text, str) or not re.fullmatch(r"[!-~]+", text):
        raise InputError(f"manifest.json: {text!r} is no name of a signal or module")
    return text
