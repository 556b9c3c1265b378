"""The streams that a manifest shows, at the nodes and between them, and their forms there."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from noc.networks import Network
from noc.programs.codec import ANY, TEXT, Form, FormError, Key, Keys
from noc.programs.codec import choice, listed, maybe, named, record, whole
from noc.programs.forms import group_form, node_form, port_form
from noc.programs.operations import Operations

__all__ = ["NAME", "Ends", "Field", "Link", "Wires", "link_form", "node_entry_form", "place_fields"]


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


def _read_name(text: Any) -> str:
    """A name in Verilog, which may be anything that can be escaped."""
    if not isinstance(text, str) or not re.fullmatch(r"[!-~]+", text):
        raise FormError(f"{text!r} is no name of a signal or module")
    return text


NAME = Form(str, _read_name)


@dataclass(frozen=True)
class Wires:
    """The signals of a stream, and what lies in its payload, which has none without a field.

    Of ``fields`` a manifest may say nothing; they are None then.
    """

    valid: str
    ready: str
    payload: str
    fields: tuple[Field, ...] | None

    def __post_init__(self) -> None:
        if not self.payload and self.fields != ():
            raise FormError("payload is missing")
