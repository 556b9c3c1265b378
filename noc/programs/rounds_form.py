"""The form of the program of the timetable fabric in the files of a folder."""

from operator import itemgetter
from typing import Any

from noc.networks import Network
from noc.programs.codec import (
    TEXT,
    Form,
    FormError,
    Key,
    Keys,
    choice,
    listed,
    maybe,
    named,
    record,
    whole,
)
from noc.programs.forms import port_form
from noc.programs.rounds import OWN, Register, RoundTable


def rounds_form(network: Network) -> Form[dict[str, Any]]:
    """The routers by name, each with what it sends in which phase."""
    ports = {label: port for port, label in enumerate(network.in_ports)}
    register = record(
        Register,
        {"in_port": maybe(choice(ports), OWN), "age": whole()},
    )
    send = record(
        lambda port, phases: (port, phases),
        {
            "port": Key(port_form(network.out_ports), itemgetter(0)),
            "phases": Key(listed(maybe(register)), itemgetter(1)),
        },
    )
    table: Keys = {
        "round": Key(whole(1), lambda table: table.round),
        "in_ports": listed(choice(ports)),
        "sends": listed(send),
    }
    keys: Keys = {
        "network": Key(TEXT, usual=network.spec, always=True),
        "routers": named(TEXT, record(_table, table)),
    }
    return record(dict, keys)


def _table(round: int, **rest: Any) -> RoundTable:  # noqa: A002
    """A table by itself: not where its words come from."""
    table = RoundTable(**rest)
    if not table.sends or {len(phases) for _, phases in table.sends} != {round}:
        raise FormError(f"every port that is used needs {round} phases", ".sends")
    ports = [port for port, _ in table.sends]
    if sorted(set(ports)) != ports:
        raise FormError("each port once, in their order, is needed", ".sends")
    if not table.in_ports:
        raise FormError("at least one is needed", ".in_ports")
    return table
