"""The form of the program of the timetable fabric in the files of a folder."""

from operator import itemgetter
from typing import Any

from noc.networks import Network
from noc.programs.codec import (
    FLAG,
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
from noc.programs.forms import node_form, port_form
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
        "round": whole(1),
        "in_ports": listed(choice(ports)),
        "sends": listed(send),
        "takes": Key(maybe(listed(listed(FLAG))), usual=None),
    }
    keys: Keys = {
        "network": Key(TEXT, usual=network.spec, always=True),
        "routers": named(TEXT, record(_table, table)),
    }
    return record(dict, keys)


def words_form(network: Network) -> Form[tuple[tuple[int, int], ...]]:
    """The words of an exchange that lists them: the nodes of each."""
    ends: Keys = {
        "from": Key(node_form(network), itemgetter(0)),
        "to": Key(node_form(network), itemgetter(1)),
    }
    return listed(record(lambda **word: (word["from"], word["to"]), ends))


def _table(**parts: Any) -> RoundTable:
    """A table by itself: not where its words come from."""
    table = RoundTable(**parts)
    if any(len(phases) != table.round for _, phases in table.sends):
        raise FormError(f"every port that is used needs {table.round} phases", ".sends")
    ports = [port for port, _ in table.sends]
    if sorted(set(ports)) != ports:
        raise FormError("each port once, in their order, is needed", ".sends")
    if table.takes is None:
        for name in ("sends", "in_ports"):
            if not getattr(table, name):
                raise FormError("at least one is needed", f".{name}")
    elif [len(phases) for phases in table.takes] != [table.round] * len(table.in_ports):
        raise FormError(f"every in-port needs {table.round} phases", ".takes")
    return table
