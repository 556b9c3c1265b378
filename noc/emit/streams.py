"""The streams that a manifest shows, at the nodes and between them, and their forms there."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from noc.harness import ALARMS, AWAY, PHASE
from noc.networks import Network
from noc.programs.codec import (
    ANY,
    TEXT,
    Form,
    FormError,
    Key,
    Keys,
    choice,
    listed,
    maybe,
    one_or_list,
    record,
    whole,
)
from noc.programs.forms import group_form, node_form, port_form
from noc.programs.operations import Operations


@dataclass(frozen=True)
class Field:
    """A part of a payload: its name, its lowest bit, and how many bits it has."""

    name: str
    first: int
    bits: int


FIELDS = listed(record(Field, {"name": TEXT, "first": whole(), "bits": whole(1)}))


def place_fields(fields: Iterable[tuple[str, int]]) -> tuple[Field, ...]:
    """Fields one above the other; those of no bits are left out."""
    first, result = 0, []
    for name, bits in fields:
        if bits:
            result.append(Field(name, first, bits))
        first += bits
    return tuple(result)


def name_wires(
    name: str, fields: Mapping[str, int], *, always_ready: bool = False
) -> tuple[str, str, str, tuple[Field, ...]]:
    """The signals of a stream and its fields; without a field there is no payload."""
    placed = place_fields(fields.items())
    ready = "" if always_ready else f"{name}__ready"
    return f"{name}__valid", ready, f"{name}__payload" if placed else "", placed


def _read_name(text: Any) -> str:
    """A name in Verilog, which may be anything that can be escaped."""
    if not isinstance(text, str) or not re.fullmatch(r"[!-~]+", text):
        raise FormError(f"{text!r} is no name of a signal or module")
    return text


NAME = Form(str, _read_name)


@dataclass(frozen=True)
class Wires:
    """The signals of a stream and the fields of its payload; without a field it has no payload.

    One whose words are always taken has no ``ready``.

    A manifest by somebody else may say nothing of fields, which are None then.
    """

    valid: str
    ready: str
    payload: str
    fields: tuple[Field, ...] | None


_PAYLOAD: Keys = {"payload": Key(NAME, usual="")}
_HANDSHAKE: Keys = {"valid": NAME, "ready": Key(NAME, usual="")}
_FIELDS: Keys = {"fields": Key(maybe(FIELDS), usual=None)}


@dataclass(frozen=True)
class LoadWires(Wires):
    """The stream of words that write rows of tables, and the ports of the bits of their sends."""

    out_ports: tuple[str, ...]


LOAD_STREAM = record(LoadWires, _PAYLOAD | _HANDSHAKE | _FIELDS | {"out_ports": listed(TEXT)})

#: The stream of a node, and its alarms of wrong and missing words; likewise who is away.
_ENDS = record(Wires, _PAYLOAD | _HANDSHAKE | _FIELDS)
_ALARM: Form[dict[str, Any]] = record(
    dict,
    {"signal": NAME, "groups": Key(listed(TEXT), usual=()), "bits": Key(listed(ANY), usual=())},
)
_PHASE: Form[dict[str, Any]] = record(dict, {"signal": NAME, "bits": whole(1)})

#: What a manifest says of a node and what does not decide how its Verilog is verified.
_TOLD = (
    *("up", "down", "queue_depth", "most_waited", "waiting"),  # ordered fabric
    *("trees", "tree_bits"),  # direct fabric, of older releases
    *("lanes", "inject_lanes", "order"),  # timetable fabric
)


def node_entry_form(network: Network) -> Form[dict[str, Any]]:
    """What a manifest says of a node."""
    keys: Keys = {"label": node_form(network), "router": Key(TEXT, usual="")}
    keys |= {name: Key(ANY, usual=None) for name in _TOLD}
    keys |= {name: Key(_ALARM, usual=None) for name in (AWAY, *ALARMS)}
    keys[PHASE] = Key(_PHASE, usual=None)
    keys |= {side: Key(maybe(one_or_list(_ENDS)), usual=None) for side in ("inject", "eject")}
    return record(dict, keys)


def streams_of(entry: Mapping[str, Any], *sides: str) -> Iterator[tuple[str, Any]]:
    """The streams of a node in a manifest by their names; several of one side have numbers."""
    for side in sides:
        known = entry.get(side)
        if isinstance(known, list):
            yield from ((f"{side}_{number}", stream) for number, stream in enumerate(known))
        elif known is not None:
            yield side, known


@dataclass(frozen=True)
class Link(Wires):
    """A stream between two nodes, on a link of the network between two of their ports."""

    #: In the ordered fabric as those of :class:`noc.programs.ordered.Lane`.
    sender: int
    receiver: int
    out_port: int
    in_port: int
    #: In the direct fabric the bits of the code.
    code_bits: int | None = None
    carries: str | None = None
    group: int | None = None
    registers: int | None = None
    #: After how many cycles the payload of what was passed on is seen, if not at once.
    payload_delay: int | None = None


def link_form(network: Network, operations: Operations) -> Form[Link]:
    """What a manifest says of a stream between two nodes."""
    kinds = choice({name: name for name in ("up", "down", "join", "stop")})
    keys: Keys = {
        "from": Key(node_form(network), "sender"),
        "to": Key(node_form(network), "receiver"),
        "out_port": port_form(network.out_ports),
        "in_port": port_form(network.in_ports),
        "code_bits": Key(whole(), usual=None),
        "carries": Key(kinds, usual=None),
        "group": Key(group_form(operations), usual=None),
        "registers": Key(whole(), usual=None),
        "payload_delay": Key(whole(), usual=None),
    }
    return record(Link, keys | _HANDSHAKE | _PAYLOAD | _FIELDS)
